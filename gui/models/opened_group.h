// The ops of a group one by one, as a double-click on its row lists them.
#pragma once

#include <optional>
#include <string>

#include "gui/models/operators_model.h"

namespace et::gui {

/// A filter that leaves the ops of a group, and perhaps others; nullopt where none can.
std::optional<std::string> filter_of_group(inspector::GroupBy by, const inspector::GroupRow& row,
                                           const inspector::OpTable& table);

/// The question that lists the ops of a group, no others: by a filter where that says it, else by themselves. nullopt
/// for what is of no group. `also`: terms that a part of the group adds to its filter.
std::optional<OperatorsQuery> opened_group(const TraceData& data, OperatorsQuery query, inspector::GroupBy by,
                                           const inspector::GroupRow& row, const std::string& also = "");
/// The same of a row of the table.
std::optional<OperatorsQuery> opened_row(const TraceData& data, const OperatorsQuery& query, inspector::GroupBy by,
                                         const OperatorsGroup& row);

}  // namespace et::gui
