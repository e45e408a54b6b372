#include "inspector/analysis/size/size_diff.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>
#include <tuple>

#include "inspector/analysis/size/tensor_names.h"

namespace et::inspector {
namespace {

/// Names that the reader made up from numbers, or that are hashes of the content, say nothing of another file.
std::string lasting_name(const SizeEntry& e) {
  if (e.used_by.empty()) return e.name;
  return e.name.starts_with("delegate ") || is_made_up_name(e.name) ? std::string() : e.name;
}

using Key = std::tuple<std::string, std::string, std::string, std::string, std::string, size_t>;

std::map<Key, const SizeEntry*> keyed(const ProgramSize& size) {
  std::vector<const SizeEntry*> order;
  for (const SizeEntry& e : size.entries) order.push_back(&e);
  std::stable_sort(order.begin(), order.end(), [](const SizeEntry* a, const SizeEntry* b) {
    return std::tie(a->method, a->instruction, a->delegate, a->payload_node) <
           std::tie(b->method, b->instruction, b->delegate, b->payload_node);
  });
  std::map<Key, const SizeEntry*> out;
  std::map<Key, size_t> seen;
  for (const SizeEntry* e : order) {
    Key key{e->group, e->method, e->module, e->used_by, lasting_name(*e), 0};
    const size_t place = seen[key]++;
    std::get<5>(key) = place;
    out.emplace(std::move(key), e);
  }
  return out;
}

void sort_changes(std::vector<SizeChange>* changes) {
  std::stable_sort(changes->begin(), changes->end(), [](const SizeChange& a, const SizeChange& b) {
    return std::llabs(a.change()) > std::llabs(b.change());
  });
}

std::vector<SizeChange> sums(const ProgramSize& before, const ProgramSize& after, std::string SizeEntry::*by,
                             std::string SizeChange::*as) {
  std::map<std::string, SizeChange> all;
  for (const SizeEntry& e : before.entries) all[e.*by].before += e.bytes;
  for (const SizeEntry& e : after.entries) all[e.*by].after += e.bytes;
  std::vector<SizeChange> out;
  for (auto& [key, change] : all) {
    change.*as = key;
    out.push_back(change);
  }
  sort_changes(&out);
  return out;
}

SizeChange change_of(const SizeEntry& e) {
  return {e.group, e.name, e.module, e.used_by, e.dtype, e.shape, e.operator_name, 0, 0};
}

}  // namespace

SizeDiff diff_sizes(const ProgramSize& before, const ProgramSize& after) {
  SizeDiff out;
  out.before = before.file_bytes;
  out.after = after.file_bytes;
  out.groups = sums(before, after, &SizeEntry::group, &SizeChange::group);
  const auto has_module = [](const SizeEntry& e) { return !e.module.empty(); };
  if (std::any_of(before.entries.begin(), before.entries.end(), has_module) ||
      std::any_of(after.entries.begin(), after.entries.end(), has_module)) {
    out.modules = sums(before, after, &SizeEntry::module, &SizeChange::module);
  }
  const auto old_entries = keyed(before), new_entries = keyed(after);
  for (const auto& [key, e] : new_entries) {
    SizeChange change = change_of(*e);
    const auto old = old_entries.find(key);
    change.before = old == old_entries.end() ? 0 : old->second->bytes;
    change.after = e->bytes;
    if (change.change() != 0) out.entries.push_back(std::move(change));
  }
  for (const auto& [key, e] : old_entries) {
    if (new_entries.contains(key)) continue;
    SizeChange change = change_of(*e);
    change.before = e->bytes;
    out.entries.push_back(std::move(change));
  }
  sort_changes(&out.entries);
  return out;
}

}  // namespace et::inspector
