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
/// for what is of no group.
std::optional<OperatorsQuery> opened_group(const TraceData& data, OperatorsQuery query, inspector::GroupBy by,
                                           const inspector::GroupRow& row);

}  // namespace et::gui
