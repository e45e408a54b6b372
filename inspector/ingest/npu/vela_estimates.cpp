#include "inspector/ingest/npu/vela_estimates.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "inspector/ingest/npu/comma_table.h"

namespace et::inspector {
namespace {

/// The busiest of the memories whose columns end so.
void set_memory(const CommaTable& table, size_t row, std::string_view suffix, VelaOperator* op) {
  for (const std::string& column : table.columns()) {
    if (!column.ends_with(suffix)) continue;
    const auto cycles = table.integer(row, column);
    if (!cycles || *cycles <= op->memory_cycles.value_or(0)) continue;
    op->memory_cycles = cycles;
    op->memory = column.substr(0, column.size() - suffix.size());
  }
}

constexpr std::string_view kPython = "Op.";  // before Vela 4 an operator is written as Python names it

Status read_table(std::string_view text, const std::string& path, VelaEstimates* out) {
  CommaTable table;
  if (const Status s = CommaTable::parse(text, path, 1, &table); !s.ok()) return s;
  for (const char* column : {"NNG Operator", "Op Cycles", "MAC Count", "Name"}) {
    if (!table.has(column)) {
      return {Error::InvalidExternalData,
              path + ": line 1: expected Vela's table of --verbose-performance, got no column '" + column + "'"};
    }
  }
  for (size_t r = 0; r < table.rows(); ++r) {
    if (table.has("Target") && table.cell(r, "Target") != "NPU") continue;  // the processor has it
    VelaOperator op;
    op.type = table.cell(r, "NNG Operator");
    if (op.type.starts_with(kPython)) op.type.erase(0, kPython.size());
    op.name = table.cell(r, "Name");
    op.cycles = table.integer(r, "Op Cycles");
    op.npu_cycles = table.integer(r, "NPU");
    op.macs = table.integer(r, "MAC Count");
    op.staging_bytes = table.integer(r, "Staging Usage");
    set_memory(table, r, " AC", &op);
    if (!op.cycles)
      return {Error::InvalidExternalData,
              table.place(r) + ": expected cycles, got '" + std::string(table.cell(r, "Op Cycles")) + "'"};
    out->operators.push_back(std::move(op));
  }
  return {};
}

/// A table of the database: `<table name="queue"> <![CDATA[ … ]]>`. Its text is all that is read of the XML.
Status table_of(std::string_view xml, const char* name, const std::string& path, CommaTable* out) {
  constexpr std::string_view kBegin = "<![CDATA[", kEnd = "]]>";
  const std::string heading = std::string("<table name=\"") + name + "\">";
  const size_t at = xml.find(heading);
  const size_t begin = at == std::string_view::npos ? at : xml.find(kBegin, at);
  const size_t end = begin == std::string_view::npos ? begin : xml.find(kEnd, begin);
  if (end == std::string_view::npos) {
    return {Error::InvalidExternalData, path + ": expected Vela's debug database with a table '" + name + "', got " +
                                            (at == std::string_view::npos ? "none" : "one without an end")};
  }
  const size_t from = begin + kBegin.size();
  const auto line = 1 + std::count(xml.begin(), xml.begin() + static_cast<std::ptrdiff_t>(from), '\n');
  return CommaTable::parse(xml.substr(from, end - from), path, static_cast<size_t>(line), out);
}

Status read_database(std::string_view xml, const std::string& path, VelaEstimates* out) {
  CommaTable perf, queue, group;
  Status status = table_of(xml, "perf", path, &perf);
  if (status.ok()) status = table_of(xml, "queue", path, &queue);
  if (status.ok()) status = table_of(xml, "group", path, &group);
  if (!status.ok()) return status;
  std::map<int64_t, size_t> by_id;
  for (size_t r = 0; r < perf.rows(); ++r) {
    const auto id = perf.integer(r, "id");
    if (!id) return {Error::InvalidExternalData, perf.place(r) + ": expected an id, got none"};
    VelaOperator op;
    op.id = *id;
    op.type = perf.cell(r, "operator");
    op.name = perf.cell(r, "name");
    op.cycles = perf.integer(r, "op_cycles");
    op.npu_cycles = perf.integer(r, "npu_cycles");
    op.macs = perf.integer(r, "mac_count");
    op.staging_bytes = perf.integer(r, "staging_usage");
    set_memory(perf, r, "_ac", &op);
    if (!by_id.emplace(*id, out->operators.size()).second)
      return {Error::InvalidExternalData, perf.place(r) + ": operator " + std::to_string(*id) + " is there twice"};
    out->operators.push_back(std::move(op));
  }
  for (size_t r = 0; r < group.rows(); ++r) {
    const auto id = group.integer(r, "id"), into = group.integer(r, "group_id");
    const auto it = id ? by_id.find(*id) : by_id.end();
    if (it != by_id.end() && into && *into != *id) out->operators[it->second].cascaded_into = into;
  }
  for (size_t r = 0; r < queue.rows(); ++r) {
    const auto offset = queue.integer(r, "offset"), id = queue.integer(r, "scheduled_id");
    if (!offset || !id)
      return {Error::InvalidExternalData, queue.place(r) + ": expected an offset and an operator, got none"};
    const auto it = by_id.find(*id);
    if (it == by_id.end()) continue;  // nothing is estimated for it
    out->queue.push_back({*offset, it->second});
  }
  std::stable_sort(out->queue.begin(), out->queue.end(),
                   [](const VelaQueueEntry& a, const VelaQueueEntry& b) { return a.offset < b.offset; });
  return {};
}

}  // namespace

bool VelaOperator::multiplies() const {
  return type == "Conv2D" || type == "Conv2DBias" || type == "DepthwiseConv2D" || type == "DepthwiseConv2DBias" ||
         type == "FullyConnected" || type == "TransposeConv2D" || type == "MatMul";
}

Status read_vela_estimates(std::string_view text, const std::string& path, VelaEstimates* out) {
  *out = {};
  const Status status = text.find("<debug") < 512 ? read_database(text, path, out) : read_table(text, path, out);
  if (status.ok() && out->operators.empty())
    return {Error::InvalidExternalData, path + ": expected the estimates of operators, got a table without rows"};
  return status;
}

}  // namespace et::inspector
