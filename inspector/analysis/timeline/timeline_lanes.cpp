#include "inspector/analysis/timeline/timeline_lanes.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace et::inspector {
namespace {

// Overlaps beyond this many lanes are pushed behind each other instead: nobody reads a picture of more.
constexpr size_t kMaxLanes = 64;

int64_t end_of(int64_t start, int64_t duration) {
  if (duration < 0) duration = 0;
  return start > std::numeric_limits<int64_t>::max() - duration ? std::numeric_limits<int64_t>::max()
                                                                : start + duration;
}

// A hostile store may say that ops enclose each other a million deep; real ones nest 4 deep.
constexpr int32_t kMaxDepth = 64;

}  // namespace

int32_t find_track(std::vector<TimelineTrack>* tracks, std::optional<std::string_view> clock,
                   std::string_view backend) {
  if (!clock) return 0;
  const auto known = std::find_if(tracks->begin() + 1, tracks->end(),
                                  [&](const TimelineTrack& t) { return t.clock == *clock && t.backend == backend; });
  const auto index = static_cast<int32_t>(known - tracks->begin());
  if (known == tracks->end()) tracks->push_back({std::string(*clock), std::string(backend)});
  return index;
}

std::optional<std::vector<int32_t>> depths_of(std::span<const LaneOp> ops) {
  std::vector<int32_t> depths(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    for (int32_t p = ops[i].parent; p >= 0; p = ops[static_cast<size_t>(p)].parent) {
      if (++depths[i] > kMaxDepth) return std::nullopt;
    }
  }
  return depths;
}

void SampleCursors::take(int32_t op, int64_t op_id, int64_t run, std::vector<TimelineSample>* out) {
  Cursor& c = cursors_[static_cast<size_t>(op)];
  if (!c.opened) {
    c.opened = true;
    c.statement = store_.query("SELECT run_id, start_ns, duration_ns, sample FROM samples WHERE op_id = ?1");
    c.statement.bind_all(op_id);
    advance(&c);
  }
  while (c.has_row && c.statement.integer(0) == run) {
    // Times before the clock's zero do not occur; clamping them keeps every sum below in range.
    const int64_t start = std::max<int64_t>(c.statement.integer(1), 0);
    out->push_back({start, end_of(start, c.statement.integer(2)), c.statement.integer(3), op});
    advance(&c);
  }
}

void SampleCursors::advance(Cursor* c) {
  c->has_row = c->statement.step();
  if (c->has_row) return;
  if (const Status s = c->statement.finish("samples"); !s.ok()) status_ = s;
  c->statement = Statement();  // a finished op needs no cursor
}

std::optional<int32_t> SampleCursors::unread() const {
  for (size_t i = 0; i < cursors_.size(); ++i) {
    if (cursors_[i].has_row) return static_cast<int32_t>(i);
  }
  return std::nullopt;
}

// The sample of the parent op that encloses each sample. Time decides; where several would do (two calls of no length
// at the same instant) the position does.
void LanePlacer::find_parents(const std::vector<TimelineSample>& samples) {
  parent_.assign(samples.size(), -1);
  for (size_t i = 0; i < samples.size();) {
    size_t j = i;
    while (j < samples.size() && samples[j].op == samples[i].op) ++j;
    range_of_[static_cast<size_t>(samples[i].op)] = {i, j};
    const LaneOp& op = ops_[static_cast<size_t>(samples[i].op)];
    const bool nests = op.parent >= 0 && ops_[static_cast<size_t>(op.parent)].track == op.track;
    const Range p = nests ? range_of_[static_cast<size_t>(op.parent)] : Range();
    for (size_t k = i; k < j && p.begin != p.end; ++k) {
      const TimelineSample& s = samples[k];
      if (j - i == p.end - p.begin) {
        const TimelineSample& same = samples[p.begin + (k - i)];
        if (same.start <= s.start && s.end <= same.end) {
          parent_[k] = static_cast<int32_t>(p.begin + (k - i));
          continue;
        }
      }
      const auto first = samples.begin() + static_cast<std::ptrdiff_t>(p.begin);
      const auto last = samples.begin() + static_cast<std::ptrdiff_t>(p.end);
      auto at = std::upper_bound(first, last, s.start, [](int64_t t, const TimelineSample& x) { return t < x.start; });
      // `at` starts later. The one before it, unless that is over and `at` is nearer.
      if (at == last || (at != first && (s.start <= (at - 1)->end || s.start - (at - 1)->end < at->start - s.start))) {
        if (at != first) --at;
      }
      parent_[k] = static_cast<int32_t>(at - samples.begin());
    }
    i = j;
  }
  for (const TimelineSample& s : samples) range_of_[static_cast<size_t>(s.op)] = {};
}

// Of two that start together the one without length comes first, so that it stands before its neighbour.
bool LanePlacer::before(const std::vector<TimelineSample>& samples, int32_t a, int32_t b) const {
  const TimelineSample &x = samples[static_cast<size_t>(a)], &y = samples[static_cast<size_t>(b)];
  if (x.start != y.start) return x.start < y.start;
  if ((x.end == x.start) != (y.end == y.start)) return x.end == x.start;
  const int32_t ox = ops_[static_cast<size_t>(x.op)].ordinal, oy = ops_[static_cast<size_t>(y.op)].ordinal;
  return ox != oy ? ox < oy : a < b;
}

void LanePlacer::sort_children(const std::vector<TimelineSample>& samples) {
  const size_t n = samples.size();
  order_.resize(n);
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](int32_t a, int32_t b) {
    const int32_t pa = parent_[static_cast<size_t>(a)], pb = parent_[static_cast<size_t>(b)];
    return pa != pb ? pa < pb : before(samples, a, b);
  });
  first_child_.assign(n + 2, 0);
  for (size_t i = 0; i < n; ++i) ++first_child_[static_cast<size_t>(parent_[i] + 2)];
  std::partial_sum(first_child_.begin(), first_child_.end(), first_child_.begin());
}

// The first lane that is free at `*start`; when all are taken, the one that is free first, with the slice pushed
// behind.
int32_t LanePlacer::choose_lane(int32_t track, int64_t* start, int64_t* end) {
  std::vector<int64_t>& ends = lane_ends_[static_cast<size_t>(track)];
  size_t lane = 0;
  while (lane < ends.size() && ends[lane] > *start) ++lane;
  if (lane == ends.size()) {
    if (lane < kMaxLanes) {
      ends.push_back(*start);
    } else {
      lane = static_cast<size_t>(std::min_element(ends.begin(), ends.end()) - ends.begin());
      *start = std::max(*start, ends[lane]);
      *end = std::max(*end, *start);
    }
  }
  ends[lane] = *end;
  return static_cast<int32_t>(lane);
}

void LanePlacer::place_tree(const std::vector<TimelineSample>& samples, int32_t root, std::vector<Slice>* out) {
  struct Open {
    int32_t next, last;  // children still to come, into order_
    int64_t start, end;  // as drawn
    int64_t cursor;      // end of the last child
  };
  std::vector<Open> open;
  int32_t lane = 0;
  auto draw = [&](int32_t i, int64_t start, int64_t end) {
    const TimelineSample& s = samples[static_cast<size_t>(i)];
    out->push_back(
        {start, end, s.position, (s.end - s.start) - (end - start), s.op, lane, static_cast<int32_t>(open.size())});
    const size_t c = static_cast<size_t>(i) + 1;
    open.push_back({first_child_[c], first_child_[c + 1], start, end, start});
  };
  const TimelineSample& top = samples[static_cast<size_t>(root)];
  int64_t start = top.start, end = top.end;
  lane = choose_lane(ops_[static_cast<size_t>(top.op)].track, &start, &end);
  draw(root, start, end);
  while (!open.empty()) {
    Open& o = open.back();
    if (o.next == o.last) {
      open.pop_back();
      continue;
    }
    const int32_t child = order_[static_cast<size_t>(o.next++)];
    const TimelineSample& s = samples[static_cast<size_t>(child)];
    const int64_t child_start = std::clamp(s.start, o.start, o.end);
    const int64_t child_end = std::clamp(s.end, child_start, o.end);
    if (child_start >= o.cursor) {
      o.cursor = child_end;
      draw(child, child_start, child_end);
    } else {
      push_pending(samples, child);
    }
  }
}

void LanePlacer::push_pending(const std::vector<TimelineSample>& samples, int32_t sample) {
  pending_.push_back(sample);
  std::push_heap(pending_.begin(), pending_.end(), [&](int32_t a, int32_t b) { return before(samples, b, a); });
}

void LanePlacer::place(const std::vector<TimelineSample>& samples, std::vector<Slice>* out) {
  find_parents(samples);
  sort_children(samples);
  pending_.clear();
  for (int32_t i = first_child_[0]; i < first_child_[1]; ++i) push_pending(samples, order_[static_cast<size_t>(i)]);
  while (!pending_.empty()) {
    std::pop_heap(pending_.begin(), pending_.end(), [&](int32_t a, int32_t b) { return before(samples, b, a); });
    const int32_t root = pending_.back();
    pending_.pop_back();
    place_tree(samples, root, out);
  }
}

}  // namespace et::inspector
