// What people call an op. One thing has one name in every table, picture and sentence: an op that is linked to the
// graph is called by the operator that its time is charged to (aten.where.self), whatever the kernel's event or the
// backend calls it; a kernel without a link by its operator (where.self_out); anything else as its event says. The
// event's name itself stays in JSON (`name`), in details and in tooltips.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

std::string op_title(const OpTable& table, const OpEntry& op);

/// Its title without the shapes and numbers that a delegate's event has: "Transpose" of "Transpose (ND, X32) #1".
std::string type_title(const OpTable& table, const OpEntry& op);
std::string_view type_of_event(std::string_view name);

/// The title of an op that has a row of its own in a table or a list: of a fused one with its other operators,
/// "aten.sigmoid + mul".
std::string row_title(const OpTable& table, const OpEntry& op);

/// What a row is called that shows an op's own time. Of an op around others this is what they do not explain:
/// "framework" of Method::execute, "framework (Program::load_method)" of the runtime's other events, "calling
/// aten.mul.Tensor" of an OPERATOR_CALL,
/// "(unattributed) in XnnpackBackend call" of a delegate's. Of any other op its row_title().
std::string own_time_title(const OpTable& table, const OpEntry& op);

/// The same for an op whose table is not at hand; "" when the store has no such op.
std::string stored_op_title(const Store& store, int64_t op_id);

/// A backend for people: "unnamed backend" when nothing names it, as in a trace without its program.
std::string backend_title(std::string_view backend);

/// A graph operator without the overload that says nothing: "aten.linear.default" is aten.linear, "aten.add.Tensor"
/// stays.
std::string operator_title(std::string_view op);

}  // namespace et::inspector
