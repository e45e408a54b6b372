#include "inspector/analysis/timeline/timeline_tree.h"

#include <algorithm>

namespace et::inspector {
namespace {

/// Shrinks the totals of `ops` so that they sum to at most `limit`, in proportion and without losing a unit to
/// rounding. Returns their sum.
int64_t fit(const std::vector<int32_t>& ops, int64_t limit, std::vector<int64_t>* total, int64_t* shrunk) {
  int64_t sum = 0;
  for (const int32_t i : ops) {
    int64_t& t = (*total)[static_cast<size_t>(i)];
    t = std::max<int64_t>(t, 0);
    if (__builtin_add_overflow(sum, t, &sum)) sum = INT64_MAX;
  }
  if (sum <= limit) return sum;
  *shrunk += sum - limit;
  long double before = 0;
  int64_t placed = 0;
  for (size_t k = 0; k < ops.size(); ++k) {
    int64_t& t = (*total)[static_cast<size_t>(ops[k])];
    before += static_cast<long double>(t);
    int64_t until =
        k + 1 == ops.size()
            ? limit
            : static_cast<int64_t>(before / static_cast<long double>(sum) * static_cast<long double>(limit));
    until = std::clamp(until, placed, limit);
    t = until - placed;
    placed = until;
  }
  return limit;
}

}  // namespace

TimelineTree build_tree(const Timeline& timeline) {
  const auto ops = timeline.ops();
  TimelineTree tree;
  tree.total.assign(ops.size(), 0);
  tree.self.assign(ops.size(), 0);
  tree.children.resize(ops.size());
  tree.roots.resize(timeline.blocks().size());
  tree.rest.assign(timeline.blocks().size(), 0);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].track != 0) continue;
    tree.total[i] = ops[i].entry->sum;
    const int32_t p = ops[i].parent;
    const bool inner = p >= 0 && ops[static_cast<size_t>(p)].track == 0;
    (inner ? tree.children[static_cast<size_t>(p)] : tree.roots[static_cast<size_t>(ops[i].block)])
        .push_back(static_cast<int32_t>(i));
  }
  for (size_t b = 0; b < timeline.blocks().size(); ++b) {
    const TimelineBlock& block = timeline.blocks()[b];
    const int64_t limit = std::max<int64_t>(block.entry->total, 0);
    tree.rest[b] = limit - fit(tree.roots[b], limit, &tree.total, &tree.shrunk);
    for (const int32_t i : block.ops) {  // enclosing ops come first
      const auto at = static_cast<size_t>(i);
      if (ops[at].track != 0) continue;
      tree.self[at] = tree.total[at] - fit(tree.children[at], tree.total[at], &tree.total, &tree.shrunk);
    }
  }
  return tree;
}

}  // namespace et::inspector
