// What delegate calls and graph breaks are called.
#include <algorithm>
#include <utility>
#include <vector>

#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::inspector {

std::string module_of_both(const std::string& a, const std::string& b) {
  size_t end = 0;
  for (size_t i = 0; i <= std::min(a.size(), b.size()); ++i) {
    const bool a_ends = i == a.size() || a[i] == '.', b_ends = i == b.size() || b[i] == '.';
    if (a_ends && b_ends) end = i;
    if (i == a.size() || i == b.size() || a[i] != b[i]) break;
  }
  return a.substr(0, end);
}

std::string call_name(const MapItem& delegate) {
  return backend_title(delegate.backend) + " call" +
         (delegate.number > 0 ? " " + std::to_string(delegate.number) : std::string());
}

std::string calls_between(const MapItem& before, const MapItem& after) {
  if (before.backend != after.backend) return call_name(before) + " and " + call_name(after);
  return backend_title(before.backend) + " calls " + std::to_string(before.number) + " and " +
         std::to_string(after.number);
}

std::string break_operators(const DelegationMap& map, const MapBreak& x, size_t most) {
  struct Kind {
    std::string title;
    double ns = 0;
    int64_t count = 0;
  };
  std::vector<Kind> kinds;
  for (size_t i = x.first; i <= x.last && i < map.items.size(); ++i) {
    const MapItem& item = map.items[i];
    auto at = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.title == item.title; });
    if (at == kinds.end()) at = kinds.insert(kinds.end(), Kind{item.title});
    at->ns += item.ns;
    ++at->count;
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.ns > b.ns; });
  std::string out;
  int64_t rest = 0;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (i >= most) {
      rest += kinds[i].count;
      continue;
    }
    out += (i == 0 ? "" : ", ") + kinds[i].title;
    if (kinds[i].count > 1) out += " ×" + std::to_string(kinds[i].count);
  }
  return rest == 0 ? out : out + ", and " + std::to_string(rest) + " more";
}

std::string counted_operators(const std::vector<std::string>& titles, size_t most) {
  std::vector<std::pair<std::string, int64_t>> kinds;
  for (const std::string& title : titles) {
    const auto at = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == title; });
    at == kinds.end() ? void(kinds.emplace_back(title, 1)) : void(++at->second);
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  int64_t rest = 0;
  for (size_t i = 0; i < kinds.size(); ++i) {
    const auto& [title, count] = kinds[i];
    if (i >= most) {
      rest += count;
      continue;
    }
    out += (i == 0 ? "" : ", ") + title + (count > 1 ? " ×" + std::to_string(count) : "");
  }
  return rest == 0 ? out : out + ", and " + std::to_string(rest) + " more";
}

std::string break_module(const DelegationMap& map, const MapBreak& x) {
  std::string out;
  bool any = false;
  for (const NonDelegatedOp& op : map.non_delegated) {
    if (op.item < static_cast<int32_t>(x.first) || op.item > static_cast<int32_t>(x.last) || op.node.empty()) continue;
    out = any ? module_of_both(out, op.module_path) : op.module_path;
    any = true;
  }
  return out;
}

}  // namespace et::inspector
