// What the ops of one group are called in a list of them: by what tells them apart. Of one type these are their
// modules, of one module their types and lines, of the calls of a delegate their instructions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/core/trace_data.h"

namespace et::gui {

/// An op of a group with its part of the time.
struct GroupOp {
  int32_t op = 0;  ///< index into TraceData::table.ops
  double time = 0;
};

/// The parts of a name; "" of what all ops of the list have in common.
struct GroupOpName {
  std::string title;   ///< "aten.bmm", "call of instruction 18"
  std::string module;  ///< path
  std::string rest;    ///< ":358", "instruction 18", "#7"
  /// With commas between them; `module` as it is shown.
  std::string text(const std::string& shown_module) const;
  std::string text() const { return text(module); }
};

/// One of each op, in their order; no two are the same unless their ops cannot be told apart.
std::vector<GroupOpName> names_in_group(const TraceData& data, const std::vector<GroupOp>& ops);

}  // namespace et::gui
