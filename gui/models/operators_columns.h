// The columns of the table of operators: name, what is read of an op, how it is sorted and shown. One table for the
// menu, the drawing, the sorting and the export.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "gui/core/trace_data.h"
#include "inspector/text/format.h"
#include "inspector/text/table.h"

namespace et::gui {

enum class OpColumn : uint8_t {
  Order,
  Name,
  Types,
  Kind,
  Count,
  Total,
  Self,
  Share,
  Mean,
  P50,
  P90,
  P99,
  Min,
  Max,
  Stddev,
  Cold,
  Warm,
  Method,
  Block,
  Instruction,
  DelegateId,
  Backend,
  Source,
  Module
};
constexpr size_t kOpColumns = static_cast<size_t>(OpColumn::Module) + 1;

enum class ColumnKind : uint8_t { Text, Integer, Time, Share };

struct OpColumnSpec {
  OpColumn column;
  const char* id;     ///< stable: settings and exports
  const char* title;  ///< heading
  const char* help;   ///< what it is
  ColumnKind kind;
  bool shown;  ///< at first
  /// Columns of the same group share a unit of time: sums, or single calls.
  bool per_call;
  std::optional<double> (*number)(const inspector::OpTable&, const inspector::OpEntry&);  ///< null for texts
  std::string (*text)(const inspector::OpTable&, const inspector::OpEntry&);              ///< null for numbers
};

const std::array<OpColumnSpec, kOpColumns>& op_columns();
const OpColumnSpec& op_column(OpColumn column);

/// Units of the two groups of time columns, from the largest values of the trace.
struct OpUnits {
  inspector::TimeUnit sums, calls;
};
OpUnits op_units(const inspector::OpTable& table);

/// Different operator types of an op, as the table shows them: "aten.mul.Tensor +2", or
/// "aten.mul.Tensor ?" of a link that is only inferred.
std::string op_types_in_short(const inspector::OpTable& table, const inspector::OpEntry& op);

/// As the table shows it. Ops on a clock of their own name their unit.
std::string op_cell(const inspector::OpTable& table, const inspector::OpEntry& op, OpColumn column,
                    const OpUnits& units);

}  // namespace et::gui
