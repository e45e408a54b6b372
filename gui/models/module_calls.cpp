#include "gui/models/module_calls.h"

#include <algorithm>
#include <map>

namespace et::gui {

using inspector::GraphModel;

ModuleCalls::ModuleCalls(const GraphModel& graph, const std::vector<const std::string*>& module) {
  std::unordered_map<std::string, std::vector<size_t>> nodes;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const std::string& path = module[n] == nullptr ? graph.nodes[n].module_path : *module[n];
    for (size_t at = 0; at < path.size();) {
      at = std::min(path.find('.', at), path.size());
      nodes[path.substr(0, at)].push_back(n);
      ++at;
    }
  }
  for (const auto& [path, list] : nodes) {
    Calls calls = find(graph, list);
    if (calls.count > 1) calls_.emplace(path, std::move(calls));
  }
}

ModuleCalls::Calls ModuleCalls::find(const GraphModel& graph, const std::vector<size_t>& nodes) {
  Calls out;
  const size_t first = nodes.front(), last = nodes.back();
  if (last - first + 1 == nodes.size()) return out;  // nothing lies between
  std::vector<bool> inside(last - first + 1, false);
  for (const size_t n : nodes) inside[n - first] = true;
  // Of a node inside its call, of another one the last call that it depends on; 0 for none.
  std::vector<int32_t> call(inside.size(), 0);
  for (size_t i = 0; i < inside.size(); ++i) {
    for (const int32_t p : graph.nodes[first + i].producers) {
      const auto producer = static_cast<size_t>(p);
      if (producer < first || producer >= first + i) continue;
      const int32_t before = call[producer - first];
      const bool returns = inside[i] && !inside[producer - first] && before > 0;
      call[i] = std::max(call[i], before + (returns ? 1 : 0));
    }
    const bool waits = inside[i] && call[i] == 0 &&
                       std::all_of(graph.nodes[first + i].producers.begin(), graph.nodes[first + i].producers.end(),
                                   [&](int32_t p) { return static_cast<size_t>(p) < first; });
    if (inside[i] && call[i] == 0 && !(waits && i > 0)) call[i] = 1;
  }
  // What reads nothing of the calls belongs to the one that uses it.
  std::vector<int32_t> user(inside.size(), 0);
  for (size_t i = inside.size(); i-- > 0;) {
    if (inside[i] && call[i] == 0) call[i] = std::max(1, user[i]);
    if (!inside[i]) continue;
    for (const int32_t p : graph.nodes[first + i].producers) {
      const auto producer = static_cast<size_t>(p);
      if (producer < first || producer >= first + i) continue;
      int32_t& of = user[producer - first];
      of = of == 0 ? call[i] : std::min(of, call[i]);
    }
  }
  std::map<int32_t, std::pair<size_t, const std::string*>> parts;  // how many nodes, and the last one's operator
  for (const size_t n : nodes) {
    auto& [count, op] = parts[call[n - first]];
    ++count;
    op = &graph.nodes[n].op;
  }
  size_t least = nodes.size(), most = 0;
  for (const auto& [number, part] : parts) {
    least = std::min(least, part.first);
    most = std::max(most, part.first);
    if (*part.second != *parts.begin()->second.second) return out;
  }
  if (parts.size() < 2 || least * 2 < most) return out;
  int32_t number = 0;
  for (const auto& [id, part] : parts) {
    ++number;
    for (const size_t n : nodes) {
      if (call[n - first] == id) out.of.emplace(n, number);
    }
  }
  out.count = number;
  return out;
}

int32_t ModuleCalls::call_of(size_t node, const std::string& path) const {
  const auto calls = calls_.find(path);
  if (calls == calls_.end()) return 1;
  const auto at = calls->second.of.find(node);
  return at == calls->second.of.end() ? 1 : at->second;
}

int32_t ModuleCalls::count(const std::string& path) const {
  const auto calls = calls_.find(path);
  return calls == calls_.end() ? 1 : calls->second.count;
}

}  // namespace et::gui
