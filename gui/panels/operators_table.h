// What the two tables of the panel of operators have in common.
#pragma once

#include <imgui.h>

#include <string>

#include "gui/models/operators_model.h"
#include "inspector/analysis/ops/group.h"

namespace et::gui {

constexpr ImGuiTableFlags kOperatorsTable =
    ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable | ImGuiTableFlags_Reorderable |
    ImGuiTableFlags_Hideable | ImGuiTableFlags_Sortable | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV |
    ImGuiTableFlags_SizingFixedFit;

/// What shares are of.
std::string share_help(const OperatorsView& view);
/// Heading of self time: a total on that basis, else the time of an execution.
const char* self_title(const TraceData& data);
/// Heading of a column of single ops with its unit, and the name that its width is kept under.
std::string op_column_heading(const OpColumnSpec& spec, const OpUnits& units, const TraceData& data);
/// Of the last item, a mean that is so many times its median.
void far_mean_tooltip(double times);
float operators_row_height();
/// A module's path as far as there is room, with the number that tells it from others.
void module_fitting(const std::string& path);
/// A row's name: a type without its overload "default", a line without its folders.
std::string group_title(inspector::GroupBy by, const OperatorsGroup& row);
/// The same with what it has of the name's ops: "aten.mm in kernels, [64,64] [64,64]".
std::string whole_group_title(inspector::GroupBy by, const OperatorsGroup& row);

}  // namespace et::gui
