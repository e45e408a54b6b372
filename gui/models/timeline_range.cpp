#include "gui/models/timeline_range.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "gui/models/overview_model.h"
#include "gui/models/timeline_details.h"

namespace et::gui {
namespace {

using inspector::OpEntry;

bool runs_in_execution(const TraceData& data, const RangeRow& row) {
  return data.table.block_of(data.table.ops[static_cast<size_t>(row.op)]).kind == "execute";
}

std::vector<RangeRow> rows_of_shown(const TraceData& data) {
  std::vector<RangeRow> out;
  for (const OpEntry& op : data.shown.ops) {
    if (op.count == 0 || !op.on_trace_clock()) continue;
    const int32_t index = data.index_of(op);
    if (index >= 0) out.push_back({index, op.count, op.sum, op.self, {}});
  }
  return out;
}

/// Ops that are one in TraceData::usual() are one row.
std::vector<RangeRow> rows_of_statistics(const TraceData& data, const inspector::RangeStatistics& statistics) {
  std::vector<RangeRow> out;
  std::unordered_map<int32_t, size_t> row_of;
  for (const inspector::RangeOp& r : statistics.ops) {
    const int32_t known = data.index_of(data.usual_op(r.op));
    const int32_t head = known >= 0 ? known : r.op;
    const auto [at, is_new] = row_of.emplace(head, out.size());
    if (is_new) out.push_back({head, 0, 0, 0, {}});
    RangeRow& row = out[at->second];
    row.count += r.count;
    row.total += r.total;
    row.self += r.self;
  }
  return out;
}

std::string csv_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace

RangeTable range_table(const TraceData& data, const inspector::RangeStatistics& statistics) {
  RangeTable out;
  const bool is_read = data.range == inspector::TimeRange{statistics.begin, statistics.end};
  out.rows = is_read ? rows_of_shown(data) : rows_of_statistics(data, statistics);
  for (const Run& run : data.runs) {
    if (data.table.blocks[static_cast<size_t>(run.block)].kind != "execute") continue;
    const int64_t end = std::min(run.start + run.duration, statistics.end);
    out.executions += std::max<int64_t>(end - std::max(run.start, statistics.begin), 0);
  }
  for (RangeRow& row : out.rows) {
    if (out.executions > 0 && runs_in_execution(data, row))
      row.share = static_cast<double>(row.self) / static_cast<double>(out.executions);
  }
  std::stable_sort(out.rows.begin(), out.rows.end(), [&](const RangeRow& a, const RangeRow& b) {
    return std::tuple(runs_in_execution(data, a), a.self) > std::tuple(runs_in_execution(data, b), b.self);
  });
  return out;
}

std::vector<RangeGroup> range_groups(const TraceData& data, const RangeTable& table, RangeGrouping by) {
  std::vector<RangeGroup> out;
  if (by == RangeGrouping::None) return out;
  std::unordered_map<std::string, size_t> at;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const RangeRow& row = table.rows[i];
    std::string name =
        by == RangeGrouping::Name ? slice_label(data, row.op) : std::string(range_place(data, row.op).module);
    if (name.empty()) name = "(no module)";
    // What runs outside of executions is no part of the shares.
    const auto [found, is_new] = at.try_emplace(name + (row.share ? "\n" : ""), out.size());
    if (is_new) out.push_back({name, {}, 0, 0, 0, {}});
    RangeGroup& group = out[found->second];
    group.rows.push_back(static_cast<int32_t>(i));
    // A call has its kernel's time in its own: together they are one op.
    const bool wrapper = data.table.ops[static_cast<size_t>(row.op)].is_wrapper();
    group.count += wrapper ? 0 : row.count;
    group.ops += wrapper ? 0 : 1;
    group.total += wrapper ? row.self : row.total;
    group.self += row.self;
    if (row.share) group.share = group.share.value_or(0) + *row.share;
  }
  std::stable_sort(out.begin(), out.end(), [](const RangeGroup& a, const RangeGroup& b) {
    return std::tuple(a.share.has_value(), a.self) > std::tuple(b.share.has_value(), b.self);
  });
  return out;
}

RangePlace range_place(const TraceData& data, int32_t op) {
  const inspector::OpEntry& entry = data.table.ops[static_cast<size_t>(op)];
  const inspector::OpNode* const node = data.table.main_node(entry);
  if (node == nullptr) return {"", data.table.whole_call_text(entry)};
  const std::string& file = node->node->file;
  return {node->node->has_module ? std::string(node->node->module_path) : std::string(),
          file.empty() ? std::string() : short_place(file, node->node->line.value_or(0))};
}

std::string range_csv_of(const TraceData& data, const RangeTable& table, int64_t outside) {
  std::string out = "op,count,total_" + data.unit() + ",self_" + data.unit() + "\n";
  for (const RangeRow& r : table.rows) {
    out += csv_text(row_title(data.table, data.table.ops[static_cast<size_t>(r.op)])) + "," + std::to_string(r.count) +
           "," + std::to_string(r.total) + "," + std::to_string(r.self) + "\n";
  }
  return out + "\"(outside ops)\",,," + std::to_string(outside) + "\n";
}

}  // namespace et::gui
