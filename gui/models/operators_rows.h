// How rows of the table of operators are made: the parts of make_operators_view().
#pragma once

#include <string>
#include <vector>

#include "gui/models/operators_model.h"
#include "inspector/analysis/ops/filter.h"

namespace et::gui {

/// "XnnpackBackend", "kernels"; "" of what the runtime does beside them.
std::string runs_in(const inspector::OpEntry& op);

void sort_ops(const TraceData& data, OperatorsView* view);
void sort_groups(const OperatorsQuery& query, std::vector<OperatorsGroup>* rows);

/// The groups of a question, without times, and what the table of them adds up to. Ops of one type that run in several
/// backends are a row of each.
std::vector<OperatorsGroup> operators_groups(const TraceData& data, const OperatorsQuery& query,
                                             const inspector::Filter& filter, const OpShapes& shapes,
                                             inspector::GroupTable* whole);
/// With the times that were read of them, and their sums.
void add_groups(const TraceData& data, const inspector::Filter& filter, const GroupTimes* times, OperatorsView* view);

}  // namespace et::gui
