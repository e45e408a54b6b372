#include "gui/models/operators_columns.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "gui/models/overview_model.h"
#include "gui/models/samples_model.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/analysis/ops/shown_types.h"

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
  const double total = inspector::share_basis(table);
  if (!(total > 0)) return number_of(op.self_share);
  if (table.block_of(op).kind != "execute") return std::nullopt;
  return op.cost / total;
}

Number instruction_of(const OpTable&, const OpEntry& op) { return number_of(op.instruction_id); }

/// Of a table of warm executions: it ran in none of them, and no 0 was measured.
bool only_cold(const OpTable& table, const OpEntry& op) {
  const inspector::BasisKind basis = table.basis.kind;
  const bool of_warm = basis == inspector::BasisKind::WarmMedian || basis == inspector::BasisKind::Mean;
  return of_warm && op.cost == 0 && op.cold && !op.warm_mean && table.block_of(op).warm_mean;
}

// A call without samples has no times; a number of 0 would look measured. Around others a row is the time that they
// leave: what was measured of the call, inner ops and all, is not of it.
template <size_t I>
Number statistic_of(const OpTable& table, const OpEntry& op) {
  Number out;
  size_t i = 0;
  inspector::OpStatistics::visit(op, [&](const inspector::OpStatistic& s, const auto& value) {
    if (i++ != I) return;
    if (s.column == static_cast<int>(inspector::RawOp::self)) {  // on the basis of the table
      if (op.count > 0 && !only_cold(table, op)) out = op.on_trace_clock() ? op.cost : static_cast<double>(op.self);
      return;
    }
    if (s.column == static_cast<int>(inspector::RawOp::count) && op.count > 0) {
      out = static_cast<double>(samples_of_basis(table, op));
      return;
    }
    if (op.encloses && s.kind != inspector::OpColumnKind::Count) return;
    // Samples that the range cuts are no samples of the op.
    if (table.basis.kind == inspector::BasisKind::Range && s.kind != inspector::OpColumnKind::Count) return;
    const bool few = op.count - (op.cold ? 1 : 0) < kFewestForP99;
    if (few && s.column == static_cast<int>(inspector::RawOp::warm_p99)) return;
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, int64_t>) {
      if (op.count > 0 || s.kind == inspector::OpColumnKind::Count) out = static_cast<double>(value);
    } else {
      out = number_of(value);
    }
  });
  return out;
}

using K = ColumnKind;
#define ET_TEXT(expression) \
  nullptr, [](const OpTable& t, const OpEntry& o) -> std::string { return (void)t, (void)o, expression; }

// clang-format off
const OpColumnSpec kOthers[] = {
    {"order", "#", "order of execution within the block", K::Integer, false, false, [](const OpTable&, const OpEntry& o) -> Number { return static_cast<double>(o.ordinal); }},
    {"name", "Name", "operator of the graph, else the event's name", K::Text, true, false, ET_TEXT(row_title(t, o))},
    {"op_types", "Op types", "operators of its nodes, without uncertain links", K::Text, true, false, nullptr, types_of},
    {"kind", "Kind", "framework, operator_call, kernel, delegate_call, delegate_op, control or backend", K::Text, false, false, ET_TEXT(o.kind)},
    {"backend", "Backend", "delegate that runs it; without one it is a kernel of the runtime", K::Text, true, false, ET_TEXT(o.backend.value_or(""))},
    {"shapes", "Shapes", "tensors that its main node reads, without biases, and → what it makes where that is of another shape; float32 where no dtype stands before them", K::Text, true, false, ET_TEXT(std::string())},
    {"share", "Share", "self time as a share of an execution of each method; where usual times are not an execution's, of what they add up to (in a filter: of the executions of its block)", K::Share, true, false, share_of},
    {"method", "Method", "method, where known", K::Text, false, false, ET_TEXT(t.block_of(o).method.value_or(""))},
    {"block", "Block", "block of the ETDump", K::Text, false, false, ET_TEXT(t.block_of(o).name)},
    {"instruction_id", "Instr", "index of the instruction in the method", K::Integer, true, false, instruction_of},
    {"delegate_debug_id", "Delegate id", "identifier that the delegate gave to the event", K::Text, false, false, ET_TEXT(o.delegate_debug_id.value_or(""))},
    {"source", "Source", "Python line of its main node", K::Text, true, false, nullptr, source_of},
    {"module", "Module", "module of its main node", K::Text, true, false, nullptr, module_of},
};
// clang-format on
#undef ET_TEXT

using Columns = std::array<OpColumnSpec, kOpColumns>;

void put(Columns* out, OpColumnSpec spec) {
  const size_t at = op_column_at(spec.id);
  spec.column = static_cast<OpColumn>(at);
  out->at(at) = spec;
}

template <size_t I>
void put_statistic(Columns* out) {
  const inspector::OpStatistic& s = inspector::OpStatistics::kColumns[I];
  const auto& place = s.places.window;
  if (place.order == 0) return;
  static constexpr ColumnKind kKinds[] = {K::Integer, K::Time, K::Share};  // by OpColumnKind
  // Tooltips have room for how it is worked out.
  const bool self = s.column == static_cast<int>(inspector::RawOp::self);
  const bool count = s.column == static_cast<int>(inspector::RawOp::count);
  const char* const help = self    ? "exclusive time on the shown basis; on the warm median " ET_USUAL_TIME
                           : count ? "samples of the executions that times are of: on the warm median the warm ones"
                                   : place.help;
  put(out, {op_column_id(s).data(), place.title, help, kKinds[static_cast<size_t>(s.kind)], place.shown, place.per_call,
            statistic_of<I>});
}

template <size_t... I>
Columns make_columns(std::index_sequence<I...>) {
  Columns out;
  for (const OpColumnSpec& spec : kOthers) put(&out, spec);
  (put_statistic<I>(&out), ...);
  return out;
}

}  // namespace

const std::array<OpColumnSpec, kOpColumns>& op_columns() {
  static const Columns columns = make_columns(std::make_index_sequence<inspector::OpStatistics::kColumns.size()>());
  return columns;
}
const OpColumnSpec& op_column(OpColumn column) { return op_columns()[static_cast<size_t>(column)]; }

OpUnits op_units(const OpTable& table) {
  double sum = 0, call = 0;
  for (const OpEntry& op : table.ops) {
    if (!op.on_trace_clock() || op.count == 0) continue;
    sum = std::max(sum, op.cost);
    if (!op.encloses) call = std::max(call, op.p50.value_or(0));
  }
  OpUnits units;
  (void)inspector::choose_unit("auto", table.unit, sum, &units.sums);
  (void)inspector::choose_unit("auto", table.unit, call, &units.calls);
  return units;
}

int64_t samples_of_basis(const OpTable& table, const OpEntry& op) {
  using inspector::BasisKind;
  const int64_t runs = table.block_of(op).runs;
  const int64_t each = runs > 0 && op.count % runs == 0 ? op.count / runs : 1;  // in one execution
  switch (table.basis.kind) {
    case BasisKind::Total:
    case BasisKind::Range:
      return op.count;
    case BasisKind::Cold:
      return op.cold ? each : 0;
    case BasisKind::Execution:
      return std::min(op.count, each);
    case BasisKind::WarmMedian:
    case BasisKind::Mean:
    case BasisKind::P99:
      break;
  }
  const bool has_warm = table.block_of(op).warm_mean.has_value();
  return op.count - (op.cold && has_warm ? std::min(op.count, each) : 0);
}

std::string op_label(const OpTable& table, const OpEntry& op) { return inspector::own_time_title(table, op); }

std::optional<double> mean_above_median(const std::optional<double>& mean, const std::optional<double>& median) {
  constexpr double kFar = 1.5;
  if (!mean || !median || !(*median > 0) || *mean < kFar * *median) return std::nullopt;
  return *mean / *median;
}

std::string executions_of_op(const OpTable& table, const OpEntry& op) {
  const int64_t runs = table.block_of(op).runs;
  if (op.count == 0 || op.count >= runs) return {};
  return inspector::format_count(op.count) + " of " + inspector::format_count(runs) + " executions";
}

std::string op_types_in_short(const OpTable& table, const OpEntry& op) {
  return inspector::fused_title(inspector::shown_types(table, op));
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
      // A clock of whole microseconds, as the command marks it.
      if (op.resolution_limited && op.on_trace_clock())
        return "~ " + inspector::format_duration(*value, spec.per_call ? units.calls : units.sums);
      if (!op.on_trace_clock()) return inspector::format_duration_with_unit(*value, op.unit);
      return inspector::format_duration(*value, spec.per_call ? units.calls : units.sums);
    case ColumnKind::Text:
      break;
  }
  return {};
}

}  // namespace et::gui
