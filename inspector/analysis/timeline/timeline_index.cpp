#include "inspector/analysis/timeline/timeline_index.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace et::inspector {
namespace {

// Samples of an op are a range of this key; the view `samples` computes the position, which no look-up could use.
constexpr int kPositionBits = 32;
constexpr int64_t kLargestOp = std::numeric_limits<int32_t>::max();

int64_t key_of(int64_t op_id, int64_t position) { return (op_id << kPositionBits) + position; }

// Times before the clock's zero do not occur; clamping them keeps every sum in range.
SampleTime sample_of(int64_t run, int64_t start, int64_t duration) {
  start = std::max<int64_t>(start, 0);
  duration = std::max<int64_t>(duration, 0);
  const bool fits = start <= std::numeric_limits<int64_t>::max() - duration;
  return {start, fits ? start + duration : std::numeric_limits<int64_t>::max(), run};
}

}  // namespace

Status TimelineIndex::load(const Store& store, const OpTable& table, int64_t in_memory, TimelineIndex* out) {
  TimelineIndex index;
  Status status = index.nest(store, table);
  if (status.ok() && index.samples_ <= in_memory) status = index.read_samples(store);
  if (status.ok() && index.tracks_.size() > 1) status = index.read_runs(store, table.trace_id);
  if (status.ok()) *out = std::move(index);
  return status;
}

Status TimelineIndex::nest(const Store& store, const OpTable& table) {
  tracks_.emplace_back();
  const size_t n = table.ops.size();
  ops_.reserve(n);
  places_.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    const OpEntry& op = table.ops[i];
    if (op.id < 0 || op.id > kLargestOp || op.count < 0 || op.count > kLargestOp) {
      return store.damaged("op " + std::to_string(op.id) + " has an id or a number of samples that cannot be");
    }
    ops_.push_back({op.id, op.count, op.mean.value_or(0), 0, static_cast<int32_t>(op.block)});
    LaneOp place;
    place.parent = op.parent ? static_cast<int32_t>(*op.parent) : -1;
    place.track = find_track(&tracks_, op.clock.view(), op.backend.value_or(""));
    place.ordinal = static_cast<int32_t>(i - table.blocks[op.block].first_op);
    places_.push_back(place);
    samples_ += op.count;
  }
  const auto depths = depths_of(places_);
  if (!depths) return store.damaged("ops enclose each other in a circle or far too deep");
  nested_.resize(n);
  std::iota(nested_.begin(), nested_.end(), 0);
  std::stable_sort(nested_.begin(), nested_.end(), [&](int32_t a, int32_t b) {
    return (*depths)[static_cast<size_t>(a)] < (*depths)[static_cast<size_t>(b)];
  });
  for (const int32_t i : nested_) {
    const LaneOp& place = places_[static_cast<size_t>(i)];
    if (place.parent < 0 || places_[static_cast<size_t>(place.parent)].track != place.track) continue;
    ops_[static_cast<size_t>(i)].level = ops_[static_cast<size_t>(place.parent)].level + 1;
  }
  return {};
}

Status TimelineIndex::read_samples(const Store& store) {
  rows_.resize(static_cast<size_t>(samples_));
  first_row_.reserve(ops_.size() + 1);
  int64_t at = 0;
  for (const IndexedOp& op : ops_) {
    first_row_.push_back(at);
    at += op.count;
  }
  first_row_.push_back(at);
  if (ops_.empty()) return {};
  // One scan: ops of a trace have neighbouring ids, so there is little in between that belongs to others.
  std::vector<std::pair<int64_t, size_t>> by_id;
  for (size_t i = 0; i < ops_.size(); ++i) by_id.emplace_back(ops_[i].id, i);
  std::sort(by_id.begin(), by_id.end());
  Statement st;
  Status status =
      store.prepare("SELECT id, run, start, duration FROM raw_sample WHERE id >= ?1 AND id < ?2 ORDER BY id", &st);
  if (!status.ok()) return status;
  st.bind_all(key_of(by_id.front().first, 0), key_of(by_id.back().first, kLargestOp));
  auto op = by_id.begin();
  int64_t found = 0;
  while (st.step()) {
    const int64_t id = st.integer(0), op_id = id >> kPositionBits, position = id - key_of(op_id, 0);
    while (op != by_id.end() && op->first < op_id) ++op;
    if (op == by_id.end()) break;
    if (op->first != op_id || position >= ops_[op->second].count) continue;
    rows_[static_cast<size_t>(first_row_[op->second] + position)] =
        sample_of(st.integer(1), st.integer(2), st.integer(3));
    ++found;
  }
  status = st.finish("samples");
  return !status.ok() || found == samples_ ? status : store.damaged("cannot read samples: some are missing");
}

Status TimelineIndex::read_runs(const Store& store, int64_t trace_id) {
  Statement st = store.query(
      "SELECT run_id, coalesce(start_ns, 0), duration_ns FROM executions WHERE trace_id = ?1 ORDER BY run_id");
  st.bind_all(trace_id);
  while (st.step()) {
    const SampleTime run = sample_of(st.integer(0), st.integer(1), st.integer(2));
    runs_.push_back({run.run, run.start, run.end});
  }
  return st.finish("executions");
}

SampleReader::SampleReader(const Store& store, const TimelineIndex& index) : store_(store), index_(index) {
  if (index.in_memory()) return;
  if (store.prepare("SELECT run, start, duration FROM raw_sample WHERE id = ?1", &one_).ok() &&
      store.prepare("SELECT run, start, duration FROM raw_sample WHERE id >= ?1 AND id < ?2 ORDER BY id", &range_)
          .ok() &&
      store.prepare("SELECT run FROM raw_sample", &hold_).ok()) {
    (void)hold_.step();
  } else {
    status_ = store.damaged("cannot read samples: " + store.error_text());
  }
}

SampleTime SampleReader::at(int32_t op, int64_t position) {
  const auto i = static_cast<size_t>(op);
  if (index_.in_memory()) return index_.rows_[static_cast<size_t>(index_.first_row_[i] + position)];
  if (!status_.ok()) return {};
  one_.bind(1, key_of(index_.ops_[i].id, position));
  SampleTime sample;
  if (one_.step()) {
    sample = sample_of(one_.integer(0), one_.integer(1), one_.integer(2));
  } else {
    fail(one_);
  }
  one_.reset();
  return sample;
}

int64_t SampleReader::first_from(int32_t op, int64_t first, int64_t last, int64_t time) {
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (at(op, middle).start < time) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

int64_t SampleReader::first_near(int32_t op, int64_t first, int64_t last, int64_t time, int64_t guess) {
  if (first >= last) return first;
  guess = std::clamp(guess, first, last - 1);
  int64_t step = 1;
  if (at(op, guess).start < time) {
    first = guess + 1;
    while (first + step < last && at(op, first + step - 1).start < time) {
      first += step;
      step *= 2;
    }
    return first_from(op, first, std::min(last, first + step), time);
  }
  last = guess;
  while (last - step > first && at(op, last - step).start >= time) {
    last -= step;
    step *= 2;
  }
  return first_from(op, std::max(first, last - step), last, time);
}

int64_t SampleReader::first_of_run(int32_t op, int64_t run_id) {
  int64_t first = 0, last = index_.ops_[static_cast<size_t>(op)].count;
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (at(op, middle).run < run_id) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

std::pair<int64_t, int64_t> SampleReader::overlapping(int32_t op, int64_t begin, int64_t end) {
  const int64_t count = index_.ops_[static_cast<size_t>(op)].count;
  if (count == 0) return {0, 0};
  int64_t first = first_from(op, 0, count, begin);
  if (first > 0 && at(op, first - 1).end > begin) --first;  // it began before
  return {first, first_from(op, first, count, end)};
}

void SampleReader::open(int32_t op, int64_t first, int64_t last) {
  if (!status_.ok()) return;
  const int64_t id = index_.ops_[static_cast<size_t>(op)].id;
  range_.reset();
  range_.bind_all(key_of(id, first), key_of(id, last));
}

bool SampleReader::next(SampleTime* sample) {
  if (!status_.ok() || !range_.step()) return false;
  *sample = sample_of(range_.integer(0), range_.integer(1), range_.integer(2));
  return true;
}

void SampleReader::fail(const Statement& st) {
  if (!status_.ok()) return;
  status_ = st.finish("samples");
  if (status_.ok()) status_ = store_.damaged("cannot read samples: some are missing");
}

}  // namespace et::inspector
