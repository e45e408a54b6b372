// The columns of the table of operators: name, what is read of an op, how it is sorted and shown. One table for the
// menu, the drawing, the sorting and the export.
#pragma once

#include <array>
#include <climits>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gui/core/trace_data.h"
#include "inspector/store/op_columns.h"
#include "inspector/text/format.h"
#include "inspector/text/table.h"

namespace et::gui {

/// Columns that are not statistics (inspector/store/op_columns.def says where those stand), in one order with them.
struct OpColumnPlace {
  std::string_view id;
  int order;
};
constexpr auto kOtherOpColumns = std::to_array<OpColumnPlace>({{"order", 1},
                                                               {"name", 2},
                                                               {"op_types", 3},
                                                               {"kind", 4},
                                                               {"backend", 5},
                                                               {"shapes", 6},
                                                               {"share", 60},
                                                               {"source", 901},
                                                               {"module", 902},
                                                               {"instruction_id", 903},
                                                               {"method", 905},
                                                               {"block", 906},
                                                               {"delegate_debug_id", 907}});

constexpr std::string_view op_column_id(const inspector::OpStatistic& s) {
  const std::string_view id = s.places.window.id;
  return id.empty() ? s.name : id;
}

constexpr size_t op_columns_before(int order) {
  size_t n = 0;
  for (const OpColumnPlace& c : kOtherOpColumns) n += c.order < order ? 1 : 0;
  for (const inspector::OpStatistic& s : inspector::OpStatistics::kColumns) {
    const int other = s.places.window.order;
    n += other != 0 && other < order ? 1 : 0;
  }
  return n;
}

/// Where the column stands, from 0.
constexpr size_t op_column_at(std::string_view id) {
  for (const OpColumnPlace& c : kOtherOpColumns)
    if (c.id == id) return op_columns_before(c.order);
  for (const inspector::OpStatistic& s : inspector::OpStatistics::kColumns)
    if (s.places.window.order != 0 && op_column_id(s) == id) return op_columns_before(s.places.window.order);
  return static_cast<size_t>(-1);  // too large for an OpColumn: does not compile
}
constexpr size_t kOpColumns = op_columns_before(INT_MAX);

/// Those that the window treats in a way of their own have names.
enum class OpColumn : uint8_t {
  Order = op_column_at("order"),
  Name = op_column_at("name"),
  Types = op_column_at("op_types"),
  Count = op_column_at("count"),
  Self = op_column_at("self"),
  Share = op_column_at("share"),
  Instruction = op_column_at("instruction_id"),
  Mean = op_column_at("warm_mean"),
  Median = op_column_at("warm_p50"),
  P99 = op_column_at("warm_p99"),
  AllMean = op_column_at("mean"),
  AllMedian = op_column_at("p50"),
  AllP99 = op_column_at("p99"),
  Cold = op_column_at("cold"),
  Backend = op_column_at("backend"),
  Shapes = op_column_at("shapes"),
  Source = op_column_at("source"),
  Module = op_column_at("module")
};

enum class ColumnKind : uint8_t { Text, Integer, Time, Share };

struct OpColumnSpec {
  const char* id = "";     ///< stable: settings and exports
  const char* title = "";  ///< heading
  const char* help = "";   ///< what it is
  ColumnKind kind = ColumnKind::Text;
  bool shown = false;  ///< at first
  /// Columns of the same group share a unit of time: sums, or single calls.
  bool per_call = false;
  std::optional<double> (*number)(const inspector::OpTable&, const inspector::OpEntry&) = nullptr;  ///< not of texts
  /// Of texts; that of shapes, which the table does not have, OperatorsView::text_of() knows.
  std::string (*text)(const inspector::OpTable&, const inspector::OpEntry&) = nullptr;
  OpColumn column = {};
};

const std::array<OpColumnSpec, kOpColumns>& op_columns();
const OpColumnSpec& op_column(OpColumn column);

/// Units of the two groups of time columns, from the largest values of the trace.
struct OpUnits {
  inspector::TimeUnit sums, calls;
};
OpUnits op_units(const inspector::OpTable& table);

/// How often an op ran in the executions that the basis is of: in the warm ones where its times are of these.
int64_t samples_of_basis(const inspector::OpTable& table, const inspector::OpEntry& op);

/// inspector::own_time_title(): a row of an op around others shows only the time that they leave.
std::string op_label(const inspector::OpTable& table, const inspector::OpEntry& op);
/// How many times the median a mean is; nullopt unless that is so far that few slow samples make the mean.
std::optional<double> mean_above_median(const std::optional<double>& mean, const std::optional<double>& median);
/// "5 of 10 executions" of an op that some executions went without, as in a branch; "" for the others.
std::string executions_of_op(const inspector::OpTable& table, const inspector::OpEntry& op);

/// Different operator types of an op, as the table shows them: "aten.linear + aten.gelu", or
/// "aten.mul.Tensor ?" of a link that is only inferred.
std::string op_types_in_short(const inspector::OpTable& table, const inspector::OpEntry& op);

/// As the table shows it. Ops on a clock of their own name their unit.
std::string op_cell(const inspector::OpTable& table, const inspector::OpEntry& op, OpColumn column,
                    const OpUnits& units);

}  // namespace et::gui
