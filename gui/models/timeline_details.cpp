#include "gui/models/timeline_details.h"

#include <algorithm>

#include "gui/models/overview_model.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::TimelineWindow;
using inspector::WindowRow;
using inspector::WindowSlice;

namespace {

constexpr int64_t kMostSlices = 2'000'000;  // of one execution

NearSlice near_slice(const WindowSlice& s, int64_t gap) { return {s.op, s.sample, s.start, s.end, gap}; }

const WindowRow* row_at(const TimelineWindow& window, const WindowRow& from, int32_t level) {
  for (const WindowRow& row : window.rows) {
    if (row.track == from.track && row.lane == from.lane && row.level == level) return &row;
  }
  return nullptr;
}

void take_family(const TimelineWindow& window, const WindowRow& row, SliceSurroundings* out) {
  out->uncovered = out->end - out->start;
  if (const WindowRow* above = row_at(window, row, row.level - 1)) {
    for (size_t i = above->first; i < above->last; ++i) {
      const WindowSlice& s = window.slices[i];
      if (s.start <= out->start && s.end >= out->end) out->parent = near_slice(s, 0);
    }
  }
  const WindowRow* below = row_at(window, row, row.level + 1);
  for (size_t i = below == nullptr ? 0 : below->first; below != nullptr && i < below->last; ++i) {
    const WindowSlice& s = window.slices[i];
    if (s.start < out->start || s.end > out->end) continue;
    out->children.push_back(near_slice(s, 0));
    out->uncovered -= s.end - s.start;
  }
}

}  // namespace

Status read_surroundings(const inspector::Store& store, const inspector::TimelineIndex& index, const Run& run,
                         int32_t op, int64_t sample, const Cancel& cancel, SliceSurroundings* out) {
  inspector::WindowRequest request{.begin = run.start, .end = run.start + std::max<int64_t>(run.duration, 1)};
  request.exact = kMostSlices;
  request.cancelled = [&] { return cancel.cancelled(); };
  TimelineWindow window;
  Status status = inspector::read_window(store, index, request, &window);
  if (!status.ok()) return status;
  for (const WindowRow& row : window.rows) {
    for (size_t i = row.first; i < row.last; ++i) {
      const WindowSlice& s = window.slices[i];
      if (s.op != op || s.sample != sample) continue;
      out->op = op;
      out->sample = sample;
      out->start = s.start;
      out->end = s.end;
      out->duration = s.sum;
      out->run = run.id;
      if (i > row.first) out->before = near_slice(window.slices[i - 1], s.start - window.slices[i - 1].end);
      if (i + 1 < row.last) out->after = near_slice(window.slices[i + 1], window.slices[i + 1].start - s.end);
      take_family(window, row, out);
      return {};
    }
  }
  return {Error::NotFound, "the trace has no such sample"};
}

std::vector<std::pair<std::string, std::string>> slice_arguments(const TraceData& data, int32_t op) {
  std::vector<std::pair<std::string, std::string>> out;
  const inspector::OpEntry& entry = data.table.ops[static_cast<size_t>(op)];
  const inspector::OpNode* main = data.table.main_node(entry);
  if (main == nullptr) return out;
  const std::string method = data.table.block_of(entry).method.value_or("");
  for (const inspector::GraphModel& graph : data.graphs) {
    if (!method.empty() && !graph.method.empty() && graph.method != method) continue;
    for (const inspector::GraphNode& node : graph.nodes) {
      if (node.name != main->node->name) continue;
      const auto typed = [&](const std::string& name) {
        const inspector::GraphValue* v = graph.value(node.scope, name);
        return v == nullptr || v->dtype.empty() ? name : name + "  " + v->dtype + v->shape;
      };
      for (const inspector::GraphArgument& a : node.arguments) out.emplace_back(a.name, typed(a.text));
      for (const std::string& r : node.results) out.emplace_back("returns", typed(r));
      return out;
    }
  }
  return out;
}

std::string slice_label(const TraceData& data, int32_t op) {
  const inspector::OpEntry& entry = data.table.ops[static_cast<size_t>(op)];
  return row_title(data.table, entry);
}

SliceStatistics slice_statistics(const TraceData& data, int32_t index) {
  const inspector::OpTable& table = data.usual();
  const inspector::OpEntry& op = data.usual_op(index);
  const auto time = [&](double ticks) { return inspector::format_duration_with_unit(ticks, op.unit.str()); };
  SliceStatistics out;
  out.basis = table.basis.text();
  double whole = 0;
  for (const inspector::OpBlock& b : table.blocks) whole += b.kind == "execute" ? b.cost : 0;
  if (op.on_trace_clock()) {
    out.time = time(op.cost);
    if (whole > 0 && table.block_of(op).kind == "execute") out.time += ", " + inspector::format_share(op.cost / whole);
  }
  // Where there is a cold sample, percentiles are of the warm ones, as in all tables.
  out.warm = op.warm_p50.has_value() && op.cold;
  if (const auto& p50 = op.warm_p50 ? op.warm_p50 : op.p50) out.p50 = time(*p50);
  const bool few = op.count - (op.cold ? 1 : 0) < kFewestForP99;
  if (const auto& p99 = op.warm_p99 ? op.warm_p99 : op.p99; p99 && !few) out.p99 = time(*p99);
  if (op.min) out.min = time(static_cast<double>(*op.min));
  if (op.max) out.max = time(static_cast<double>(*op.max));
  out.count = inspector::format_count(op.count);
  return out;
}

}  // namespace et::gui
