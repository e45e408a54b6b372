#include "inspector/analysis/size/shared_tensors.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "inspector/analysis/graph/graph_model.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

/// One module, or one inside of the other.
bool same_place(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (a.size() == b.size() || b[a.size()] == '.');
}

std::string user_text(const SizeEntry& e, const std::string& module) {
  return e.user() + (e.user().empty() || module.empty() ? "" : " in ") + module;
}

/// Entries with the same bytes, the original first.
std::vector<std::vector<size_t>> copies_of(const ProgramSize& size) {
  std::map<std::pair<std::string, int64_t>, std::vector<size_t>> sets;
  for (size_t i = 0; i < size.entries.size(); ++i) {
    const SizeEntry& e = size.entries[i];
    if (!e.same_as.empty()) sets[{e.same_as, e.bytes}].push_back(i);
  }
  for (size_t i = 0; i < size.entries.size(); ++i) {
    const SizeEntry& e = size.entries[i];
    const auto at = sets.find({e.name, e.bytes});
    if (e.same_as.empty() && at != sets.end()) at->second.insert(at->second.begin(), i);
  }
  std::vector<std::vector<size_t>> out;
  for (auto& [key, set] : sets) out.push_back(std::move(set));
  return out;
}

void share_copies(const std::vector<std::string>& users, ProgramSize* size) {
  for (const std::vector<size_t>& set : copies_of(*size)) {
    std::map<size_t, std::string> booked;
    for (const size_t i : set) {
      const SizeEntry& e = size->entries[i];
      const bool owner_has_its_own = std::any_of(set.begin(), set.end(), [&](size_t other) {
        return other != i && !users[other].empty() && same_place(users[other], e.module);
      });
      if (!users[i].empty() && !same_place(users[i], e.module) && owner_has_its_own) booked[i] = users[i];
    }
    for (const auto& [i, module] : booked) size->entries[i].module = module;
    for (const size_t i : set) {
      std::vector<std::string> others;
      for (const size_t other : set) {
        const SizeEntry& e = size->entries[other];
        std::string text = user_text(e, e.module);
        const bool known = std::find(others.begin(), others.end(), text) != others.end();
        if (other != i && !text.empty() && !known) others.push_back(std::move(text));
      }
      size->entries[i].shared_with = joined(others, ", ");
    }
  }
}

/// By the name that the model has for a tensor, who takes it.
using UsersByTarget = std::map<std::string, std::set<std::string>>;

Status users_by_target(const Store& store, int64_t trace_id, UsersByTarget* out) {
  Statement values, nodes;
  Status status = store.prepare(
      "SELECT coalesce(method, ''), name, target FROM graph_values WHERE trace_id = ?1 AND graph = 'edge' AND subgraph "
      "= '' AND role = 'input' AND target IS NOT NULL",
      &values);
  if (status.ok()) {
    status = store.prepare(
        "SELECT coalesce(method, ''), coalesce(arguments, ''), module_path FROM nodes WHERE trace_id = ?1 AND graph = "
        "'edge' AND module_path IS NOT NULL AND module_path != ''",
        &nodes);
  }
  if (!status.ok()) return status;
  std::map<std::pair<std::string, std::string>, std::string> targets;
  values.bind_all(trace_id);
  while (values.step()) targets[{values.str(0), values.str(1)}] = values.str(2);
  if (status = values.finish("constants"); !status.ok()) return status;
  nodes.bind_all(trace_id);
  while (nodes.step()) {
    for (const GraphArgument& argument : split_arguments(nodes.str(1))) {
      for (const std::string_view word : identifiers(argument.text)) {
        const auto at = targets.find({nodes.str(0), std::string(word)});
        if (at != targets.end()) (*out)[at->second].insert(nodes.str(2));
      }
    }
  }
  return nodes.finish("nodes");
}

}  // namespace

Status share_tensors(const Store& store, int64_t trace_id, const std::vector<std::string>& users, ProgramSize* size) {
  share_copies(users, size);
  const auto once_for_several = [](const SizeEntry& e) {
    return e.uses > 1 && e.shared_with.empty() && !e.shape.empty() && !e.module.empty();
  };
  if (std::none_of(size->entries.begin(), size->entries.end(), once_for_several)) return {};
  UsersByTarget by_target;
  if (Status s = users_by_target(store, trace_id, &by_target); !s.ok()) return s;
  for (SizeEntry& e : size->entries) {
    if (!once_for_several(e)) continue;
    const auto at = by_target.find(e.name);
    if (at == by_target.end()) continue;
    std::vector<std::string> others;
    for (const std::string& module : at->second) {
      if (!same_place(module, e.module)) others.push_back(module);
    }
    e.shared_with = joined(others, ", ");
  }
  return {};
}

}  // namespace et::inspector
