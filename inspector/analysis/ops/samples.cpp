#include "inspector/analysis/ops/samples.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace et::inspector {
namespace {

void take(const Statement& st, OpSamples* out) {
  out->runs.push_back(st.integer(0));
  out->durations.push_back(st.integer(1));
}

Status load_one(const Store& store, int64_t op_id, size_t limit, OpSamples* out) {
  if (limit == 0) return {Error::InvalidArgument, "samples of an op: the limit must be at least 1"};
  OpSamples samples;
  samples.op_id = op_id;
  Statement op;
  Status status = store.prepare("SELECT count FROM ops WHERE op_id = ?1", &op);
  if (!status.ok()) return status;
  op.bind_all(op_id);
  if (!op.step()) {
    status = op.finish("samples");
    return status.ok() ? Status(Error::NotFound, store.path() + ": no op " + std::to_string(op_id) + " in the store")
                       : status;
  }
  samples.total = op.integer(0);
  const auto most = static_cast<int64_t>(limit);
  if (samples.total <= most) {
    Statement all;
    status = store.prepare("SELECT run_id, duration_ns FROM samples WHERE op_id = ?1 ORDER BY sample LIMIT ?2", &all);
    if (!status.ok()) return status;
    all.bind_all(op_id, most);
    while (all.step()) take(all, &samples);
    status = all.finish("samples");
  } else {
    // The view would compute the position of each sample; the key finds those that are wanted at once.
    Statement one;
    status = store.prepare("SELECT run, duration FROM raw_sample WHERE id = ?1", &one);
    if (!status.ok()) return status;
    samples.step = samples.total / most + (samples.total % most != 0 ? 1 : 0);
    constexpr int64_t kLargestOp = std::numeric_limits<int32_t>::max();
    if (op_id > kLargestOp || op_id < 0) return {Error::InvalidExternalData, store.path() + ": op id out of range"};
    for (int64_t i = 0; i < samples.total && status.ok(); i += samples.step) {
      one.bind_all((op_id << 32) + i);
      if (one.step()) {
        take(one, &samples);
      } else {
        status = one.finish("samples");
      }
      one.reset();
    }
  }
  if (status.ok()) *out = std::move(samples);
  return status;
}

/// The op and those that were merged into it, one a block.
Status parts_of_merged(const Store& store, int64_t op_id, std::vector<int64_t>* out) {
  out->push_back(op_id);
  if (!store.has_table("raw_op_cost")) return {};
  Statement st = store.query("SELECT op FROM raw_op_cost WHERE merged_into = ?1 ORDER BY op");
  st.bind_all(op_id);
  while (st.step()) out->push_back(st.integer(0));
  return st.finish("costs of ops");
}

/// Of several blocks, in the order in which they happened; each gives its share of the limit.
Status load_merged(const Store& store, const std::vector<int64_t>& parts, size_t limit, OpSamples* out) {
  struct One {
    int64_t run, duration;
  };
  std::vector<One> all;
  OpSamples merged;
  merged.op_id = parts.front();
  for (const int64_t part : parts) {
    OpSamples one;
    const Status status = load_one(store, part, std::max<size_t>(limit / parts.size(), 1), &one);
    if (!status.ok()) return status;
    merged.total += one.total;
    merged.step = std::max(merged.step, one.step);
    for (size_t i = 0; i < one.durations.size(); ++i) all.push_back({one.runs[i], one.durations[i]});
  }
  std::stable_sort(all.begin(), all.end(), [](const One& a, const One& b) { return a.run < b.run; });
  for (const One& s : all) {
    merged.runs.push_back(s.run);
    merged.durations.push_back(s.duration);
  }
  *out = std::move(merged);
  return {};
}

void take_in(const Statement& st, const TimeRange& range, OpSamples* out) {
  const int64_t start = st.integer(1), duration = std::max<int64_t>(st.integer(2), 0);
  int64_t end = 0;
  if (__builtin_add_overflow(start, duration, &end)) end = std::numeric_limits<int64_t>::max();
  const int64_t inside = std::min(end, range.end) - std::max(start, range.begin);
  if (inside < 0 || (inside == 0 && (duration > 0 || start >= range.end))) return;
  out->runs.push_back(st.integer(0));
  out->durations.push_back(inside);
}

}  // namespace

Status load_op_samples_in(const Store& store, int64_t op_id, const TimeRange& range, size_t limit, OpSamples* out) {
  std::vector<int64_t> parts;
  Status status = parts_of_merged(store, op_id, &parts);
  if (!status.ok()) return status;
  Statement clock = store.query("SELECT clock FROM raw_op WHERE id = ?1");
  clock.bind_all(op_id);
  if (limit == 0 || (clock.step() && !clock.is_null(0))) return load_op_samples(store, op_id, limit, out);
  OpSamples samples;
  samples.op_id = op_id;
  Statement st = store.query(
      "SELECT run, start, duration FROM raw_sample WHERE id >= ?1 << 32 AND id < (?1 + 1) << 32 ORDER BY id");
  for (const int64_t part : parts) {
    st.bind_all(part);
    while (st.step()) take_in(st, range, &samples);
    status = st.finish("samples");
    if (!status.ok()) return status;
    st.reset();
  }
  samples.total = static_cast<int64_t>(samples.durations.size());
  samples.step =
      samples.total / static_cast<int64_t>(limit) + (samples.total % static_cast<int64_t>(limit) != 0 ? 1 : 0);
  samples.step = std::max<int64_t>(samples.step, 1);
  size_t kept = 0;
  for (size_t i = 0; i < samples.durations.size(); i += static_cast<size_t>(samples.step), ++kept) {
    samples.durations[kept] = samples.durations[i];
    samples.runs[kept] = samples.runs[i];
  }
  samples.durations.resize(kept);
  samples.runs.resize(kept);
  *out = std::move(samples);
  return {};
}

Status load_op_samples(const Store& store, int64_t op_id, size_t limit, OpSamples* out) {
  std::vector<int64_t> parts;
  const Status status = parts_of_merged(store, op_id, &parts);
  if (!status.ok()) return status;
  return parts.size() == 1 || limit == 0 ? load_one(store, op_id, limit, out) : load_merged(store, parts, limit, out);
}

}  // namespace et::inspector
