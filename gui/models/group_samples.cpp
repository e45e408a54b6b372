#include "gui/models/group_samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "inspector/analysis/ops/group_times.h"
#include "inspector/analysis/ops/op_count.h"

namespace et::gui {
namespace {

Status read_sums(const inspector::Store& store, const TraceData& data, const std::vector<inspector::GroupPart>& parts,
                 SamplesView* out) {
  inspector::GroupTimes group(store, data.shown);
  if (Status s = group.prepare(); !s.ok()) return s;
  std::vector<double> times;
  if (Status s = group.of(parts, &times, &out->samples.runs); !s.ok()) return s;
  for (const double time : times) out->samples.durations.push_back(std::llround(time));
  out->samples.total = std::ssize(times);
  complete_samples_view(data, out);
  return {};
}

}  // namespace

std::vector<GroupOp> ops_of_group(const TraceData& data, const inspector::GroupRow& row) {
  std::vector<GroupOp> out;
  std::map<uint32_t, size_t> place;
  for (const inspector::GroupPart& part : row.parts) {
    const inspector::OpEntry& op = data.shown.ops[part.op];
    const std::optional<uint32_t> counted = inspector::counted_op(data.shown, part.op);
    const double time = op.on_trace_clock() ? part.weight * op.cost : 0;
    if (!counted && !(time > 0)) continue;  // around the others
    const uint32_t one = counted.value_or(part.op);
    const int32_t index = data.index_of(data.shown.ops[one]);
    if (index < 0) continue;
    const auto [at, is_new] = place.emplace(one, out.size());
    if (is_new) out.push_back({index, 0});
    out[at->second].time += time;
  }
  std::stable_sort(out.begin(), out.end(), [](const GroupOp& a, const GroupOp& b) { return a.time > b.time; });
  return out;
}

bool GroupSamplesModel::has_sums(const TraceData& data, const OperatorsGroup& row) {
  return row.parts.size() > 1 && row.times.methods == 1 && !data.range;
}

void GroupSamplesModel::refresh(const Document& document, Jobs& jobs, inspector::GroupBy by,
                                const OperatorsGroup& row) {
  const Asked now = {by, row.id(), row.none, document.version(), row.parts.size(), row.times.mean};
  if (asked_ == now) return;
  asked_ = now;
  data_ = document.shared_data();
  view_.reset();
  ++seen_;
  ops_ = ops_of_group(*data_, row);
  names_ = names_in_group(*data_, ops_);
  count_ = {row.ops, std::ssize(ops_) - row.ops};
  figures_ = data_->shown.ops[row.parts.front().op];
  figures_.warm_mean = row.times.mean;
  figures_.warm_p50 = row.times.p50;
  figures_.warm_p99 = row.times.p99;
  reading_ = true;
  job_ = jobs.query<SamplesView>(
      data_->path,
      [data = data_, parts = row.parts](const inspector::Store& store, const Cancel&, SamplesView* out) {
        return read_sums(store, *data, parts, out);
      },
      [this](Status status, SamplesView view) {
        status_ = std::move(status);
        view_ = status_.ok() ? std::make_unique<SamplesView>(std::move(view)) : nullptr;
        reading_ = false;
      });
}

}  // namespace et::gui
