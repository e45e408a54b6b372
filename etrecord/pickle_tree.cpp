// The last check of what a pickle made, before anybody walks it.
#include <algorithm>

#include "etrecord/pickle_machine.h"

namespace et::etrecord {

// No cycles, no globals left over, bounded depth, and bounded size even when shared parts are counted again and again.
Status PickleMachine::check_tree(const PickleValue* root) const {
  struct Info {
    uint64_t size = 0;  // 0: being visited
    uint32_t height = 0;
  };
  struct Visit {
    const PickleValue* value;
    size_t next = 0;
    uint64_t size = 1;
    uint32_t height = 1;
  };
  std::unordered_map<const PickleValue*, Info> seen;
  std::vector<Visit> path;
  const auto children = [](const PickleValue* v) { return v->items.size() + 2 * v->entries.size(); };
  const auto child = [](const PickleValue* v, size_t i) {
    if (i < v->items.size()) return v->items[i];
    i -= v->items.size();
    return i % 2 == 0 ? v->entries[i / 2].first : v->entries[i / 2].second;
  };
  path.push_back({root});
  seen[root] = {};
  while (true) {
    Visit& f = path.back();
    if (f.next == 0 && raw_tuples_.count(f.value) != 0) return fail("expected only data in the result");
    if (f.next < children(f.value)) {
      const PickleValue* c = child(f.value, f.next++);
      const auto [it, fresh] = seen.try_emplace(c);
      if (!fresh && it->second.size == 0) return fail("refused: an object that contains itself");
      if (!fresh) {
        f.size += it->second.size;
        f.height = std::max(f.height, it->second.height + 1);
      }
      if (f.size > limits_.max_tree) return fail("refused: more objects than allowed", Error::OutOfResources);
      if (f.height > limits_.max_depth || path.size() > limits_.max_depth) {
        return fail("refused: nested deeper than " + std::to_string(limits_.max_depth), Error::OutOfResources);
      }
      if (fresh) path.push_back({c});
      continue;
    }
    const Visit finished = f;
    seen[finished.value] = {finished.size, finished.height};
    path.pop_back();
    if (path.empty()) return {};
    Visit& parent = path.back();
    parent.size += finished.size;
    parent.height = std::max(parent.height, finished.height + 1);
  }
}

}  // namespace et::etrecord
