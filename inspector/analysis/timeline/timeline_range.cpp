#include "inspector/analysis/timeline/timeline_range.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace et::inspector {

Status range_statistics(const Store& store, const TimelineIndex& index, int64_t begin, int64_t end,
                        const std::function<bool()>& cancelled, RangeStatistics* out) {
  RangeStatistics statistics;
  statistics.begin = begin;
  statistics.end = end;
  statistics.outside = end - begin;
  SampleReader reader(store, index);
  const auto places = index.places();
  std::vector<RangeOp> all(index.ops().size());
  for (size_t i = 0; i < all.size(); ++i) {
    if (cancelled && cancelled()) return {};
    RangeOp& r = all[i];
    r.op = static_cast<int32_t>(i);
    if (places[i].track != 0) continue;
    const auto [first, last] = reader.overlapping(r.op, begin, end);
    r.count = last - first;
    reader.read(r.op, first, last, [&](int64_t, const SampleTime& s) {
      r.total += std::max<int64_t>(std::min(s.end, end) - std::max(s.start, begin), 0);
    });
  }
  if (Status status = reader.status(); !status.ok()) return status;
  for (RangeOp& r : all) r.self += r.total;
  for (size_t i = 0; i < all.size(); ++i) {
    if (places[i].track != 0) continue;
    int32_t around = places[i].parent;
    while (around >= 0 && places[static_cast<size_t>(around)].track != 0)
      around = places[static_cast<size_t>(around)].parent;
    (around < 0 ? statistics.outside : all[static_cast<size_t>(around)].self) -= all[i].total;
  }
  for (const RangeOp& r : all) {
    if (r.count > 0) statistics.ops.push_back(r);
  }
  std::stable_sort(statistics.ops.begin(), statistics.ops.end(),
                   [](const RangeOp& a, const RangeOp& b) { return a.self > b.self; });
  *out = std::move(statistics);
  return {};
}

namespace {

/// Among samples that start together.
std::tuple<int32_t, int32_t, int64_t> rank(const TimelineIndex& index, int32_t op, int64_t position) {
  return {index.ops()[static_cast<size_t>(op)].level, op, position};
}

/// The first position of the op that comes after `place` (or is at it, unless `behind`).
int64_t first_after(SampleReader& reader, const TimelineIndex& index, int32_t op, const SamplePlace& place,
                    bool behind) {
  const int64_t count = index.ops()[static_cast<size_t>(op)].count;
  int64_t at = reader.first_from(op, 0, count, place.time);
  if (place.op < 0) return at;
  const auto limit = rank(index, place.op, place.position);
  while (at < count && reader.at(op, at).start == place.time) {
    const auto own = rank(index, op, at);
    if (own > limit || (own == limit && !behind)) break;
    ++at;
  }
  return at;
}

}  // namespace

std::optional<FoundSample> neighbour_sample(SampleReader& reader, const TimelineIndex& index,
                                            std::span<const int32_t> ops, const SamplePlace& from, bool forward) {
  std::optional<FoundSample> best;
  for (const int32_t op : ops) {
    const auto i = static_cast<size_t>(op);
    const int64_t count = index.ops()[i].count;
    if (index.places()[i].track != 0 || count == 0) continue;
    const int64_t next = forward && from.op < 0 ? reader.first_from(op, 0, count, from.time + 1)
                                                : first_after(reader, index, op, from, forward);
    const int64_t position = forward ? next : next - 1;
    if (position < 0 || position >= count) continue;
    const SampleTime s = reader.at(op, position);
    const auto key = [&](const FoundSample& f) { return std::pair(f.time.start, rank(index, f.op, f.position)); };
    const FoundSample found = {op, position, s};
    if (!best || (forward ? key(found) < key(*best) : key(found) > key(*best))) best = found;
  }
  return best;
}

int64_t count_samples_until(SampleReader& reader, const TimelineIndex& index, std::span<const int32_t> ops,
                            const SamplePlace& place) {
  int64_t count = 0;
  for (const int32_t op : ops) {
    const auto i = static_cast<size_t>(op);
    if (index.places()[i].track != 0 || index.ops()[i].count == 0) continue;
    count += first_after(reader, index, op, place, true);
  }
  return count;
}

}  // namespace et::inspector
