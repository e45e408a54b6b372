#include "gui/models/operators_columns.h"

#include <algorithm>

#include "gui/models/overview_model.h"

namespace et::gui {
namespace {

using inspector::OpEntry;
using inspector::OpTable;
using Number = std::optional<double>;

template <class T>
Number number_of(const inspector::Maybe<T>& v) {
  return v ? Number(static_cast<double>(*v)) : std::nullopt;
}

std::string types_of(const OpTable&, const OpEntry& op) {
  std::string out;
  for (size_t i = 0; i < op.op_types.size(); ++i) {
    if (std::find(op.op_types.begin(), op.op_types.begin() + static_cast<std::ptrdiff_t>(i), op.op_types[i]) !=
        op.op_types.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    out += (out.empty() ? "" : ", ") + op.op_types[i];
  }
  return out;
}

std::string source_of(const OpTable& table, const OpEntry& op) {
  const inspector::OpNode* node = table.main_node(op);
  return node == nullptr ? std::string() : short_place(node->node->file, node->node->line.value_or(0));
}

std::string module_of(const OpTable& table, const OpEntry& op) {
  const inspector::OpNode* node = table.main_node(op);
  if (node == nullptr || !node->node->has_module) return {};
  if (!node->node->module_path.empty()) return node->node->module_path;
  return "(" + node->node->module_type.substr(node->node->module_type.find_last_of('.') + 1) + ")";
}

// Of all executions, so that shares of a table add up; where there is none, of the block.
Number share_of(const OpTable& table, const OpEntry& op) {
  if (!op.on_trace_clock() || op.count == 0) return std::nullopt;
  double total = 0;
  for (const inspector::OpBlock& block : table.blocks)
    if (block.kind == "execute") total += static_cast<double>(block.total);
  if (!(total > 0)) return number_of(op.self_share);
  if (table.block_of(op).kind != "execute") return std::nullopt;
  return static_cast<double>(op.self) / total;
}

// A call without samples has no times; a number of 0 would look measured.
Number measured(const OpEntry& op, int64_t v) { return op.count > 0 ? Number(static_cast<double>(v)) : std::nullopt; }

using C = OpColumn;
using K = ColumnKind;
#define ET_NUMBER(expression) [](const OpTable&, const OpEntry& o) -> Number { return expression; }, nullptr
#define ET_TEXT(expression) \
  nullptr, [](const OpTable& t, const OpEntry& o) -> std::string { return (void)t, expression; }

// clang-format off
const std::array<OpColumnSpec, kOpColumns> kColumns = {{
    {C::Order, "order", "#", "order of execution within the block", K::Integer, false, false, ET_NUMBER(static_cast<double>(o.ordinal))},
    {C::Name, "name", "Name", "name of the event", K::Text, true, false, ET_TEXT(o.name)},
    {C::Types, "op_types", "Op types", "operators of its nodes, without uncertain links", K::Text, true, false, nullptr, types_of},
    {C::Kind, "kind", "Kind", "framework, operator_call, kernel, delegate_call, delegate_op, control or backend", K::Text, false, false, ET_TEXT(o.kind)},
    {C::Count, "count", "Count", "samples", K::Integer, true, false, ET_NUMBER(static_cast<double>(o.count))},
    {C::Total, "total", "Total", "inclusive time of all samples", K::Time, false, false, ET_NUMBER(measured(o, o.sum))},
    {C::Self, "self", "Self", "exclusive time of all samples; adds up to the time of the executions", K::Time, true, false, ET_NUMBER(measured(o, o.self))},
    {C::Share, "share", "Share", "self time as a share of all executions (in a filter: of the executions of its block)", K::Share, true, false, share_of, nullptr},
    {C::Mean, "mean", "Mean", "mean of the samples", K::Time, true, true, ET_NUMBER(o.mean)},
    {C::P50, "p50", "P50", "median of the samples", K::Time, true, true, ET_NUMBER(o.p50)},
    {C::P90, "p90", "P90", "90th percentile", K::Time, false, true, ET_NUMBER(o.p90)},
    {C::P99, "p99", "P99", "99th percentile", K::Time, true, true, ET_NUMBER(o.p99)},
    {C::Min, "min", "Min", "smallest sample", K::Time, false, true, ET_NUMBER(number_of(o.min))},
    {C::Max, "max", "Max", "largest sample", K::Time, false, true, ET_NUMBER(number_of(o.max))},
    {C::Stddev, "stddev", "Stddev", "standard deviation of the samples", K::Time, false, true, ET_NUMBER(o.stddev)},
    {C::Cold, "cold", "Cold", "time in the first execution of the method", K::Time, false, true, ET_NUMBER(number_of(o.cold))},
    {C::Warm, "warm", "Warm", "median over the other executions", K::Time, false, true, ET_NUMBER(o.warm_p50)},
    {C::Method, "method", "Method", "method, where known", K::Text, false, false, ET_TEXT(t.block_of(o).method.value_or(""))},
    {C::Block, "block", "Block", "block of the ETDump", K::Text, false, false, ET_TEXT(t.block_of(o).name)},
    {C::Instruction, "instruction_id", "Instr", "index of the instruction in the method", K::Integer, true, false, ET_NUMBER(number_of(o.instruction_id))},
    {C::DelegateId, "delegate_debug_id", "Delegate id", "identifier that the delegate gave to the event", K::Text, false, false, ET_TEXT(o.delegate_debug_id.value_or(""))},
    {C::Backend, "backend", "Backend", "delegate that runs it", K::Text, true, false, ET_TEXT(o.backend.value_or(""))},
    {C::Source, "source", "Source", "Python line of its main node", K::Text, true, false, nullptr, source_of},
    {C::Module, "module", "Module", "module of its main node", K::Text, true, false, nullptr, module_of},
}};
// clang-format on
#undef ET_NUMBER
#undef ET_TEXT

}  // namespace

const std::array<OpColumnSpec, kOpColumns>& op_columns() { return kColumns; }
const OpColumnSpec& op_column(OpColumn column) { return kColumns[static_cast<size_t>(column)]; }

OpUnits op_units(const OpTable& table) {
  double sum = 0, call = 0;
  for (const OpEntry& op : table.ops) {
    if (!op.on_trace_clock() || op.count == 0) continue;
    sum = std::max(sum, static_cast<double>(op.self));
    if (!op.encloses) call = std::max(call, op.p50.value_or(0));
  }
  OpUnits units;
  (void)inspector::choose_unit("auto", table.unit, sum, &units.sums);
  (void)inspector::choose_unit("auto", table.unit, call, &units.calls);
  return units;
}

std::string op_types_in_short(const OpTable& table, const OpEntry& op) {
  const std::string first = main_type(table, op);
  if (first.empty()) {  // only inferred: the node that its time is charged to, marked as a guess
    const inspector::OpNode* node = table.main_node(op);
    return node == nullptr || !(node->weight > 0) || node->node->op.empty() ? first : node->node->op + " ?";
  }
  std::vector<std::string> others;
  for (const std::string& type : op.op_types) {
    if (type != first && std::find(others.begin(), others.end(), type) == others.end()) others.push_back(type);
  }
  return others.empty() ? first : first + " +" + std::to_string(others.size());
}

std::string op_cell(const OpTable& table, const OpEntry& op, OpColumn column, const OpUnits& units) {
  const OpColumnSpec& spec = op_column(column);
  if (spec.text != nullptr) return spec.text(table, op);
  const Number value = spec.number(table, op);
  if (!value) return {};
  switch (spec.kind) {
    case ColumnKind::Integer:
      return inspector::format_count(static_cast<int64_t>(*value));
    case ColumnKind::Share:
      return inspector::format_share(*value);
    case ColumnKind::Time:
      if (!op.on_trace_clock()) return inspector::format_duration_with_unit(*value, op.unit);
      return inspector::format_duration(*value, spec.per_call ? units.calls : units.sums);
    case ColumnKind::Text:
      break;
  }
  return {};
}

}  // namespace et::gui
