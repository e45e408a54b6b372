// The table of single ops.
#include <algorithm>
#include <span>
#include <utility>

#include "gui/core/words.h"
#include "gui/models/frame_text.h"
#include "gui/models/operators_rows.h"
#include "gui/panels/operators_panel.h"
#include "gui/panels/operators_table.h"
#include "gui/widgets/cells.h"
#include "imgui_internal.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"

namespace et::gui {
namespace {

float width_of(const OpColumnSpec& spec) {
  switch (spec.column) {
    case OpColumn::Name:
      return 170;
    case OpColumn::Types:
    case OpColumn::Shapes:
      return 190;
    case OpColumn::Module:
      return 160;
    case OpColumn::Source:
      return 145;
    case OpColumn::Backend:
      return 110;
    case OpColumn::Share:
      return 100;
    case OpColumn::Order:
    case OpColumn::Count:
    case OpColumn::Instruction:
      return 56;
    default:
      return spec.kind == ColumnKind::Text ? 110 : 84;
  }
}

/// The first columns that are left out where there is no room for all; the others stay.
/// Ops of one type, layer by layer, are told apart by their lines and modules.
constexpr OpColumn kDropped[] = {OpColumn::Types,  OpColumn::Instruction, OpColumn::Count,   OpColumn::Cold,
                                 OpColumn::Mean,   OpColumn::Shapes,      OpColumn::P99,     OpColumn::Module,
                                 OpColumn::Source, OpColumn::Median,      OpColumn::Backend, OpColumn::Order};
/// The same of a trace whose ops lead to no node.
constexpr OpColumn kDroppedUnplaced[] = {OpColumn::Source, OpColumn::Module,  OpColumn::Shapes, OpColumn::Instruction,
                                         OpColumn::Count,  OpColumn::Types,   OpColumn::Cold,   OpColumn::Mean,
                                         OpColumn::P99,    OpColumn::Backend, OpColumn::Median, OpColumn::Order};

/// Columns of texts take what the others leave.
bool is_stretched(const OpColumnSpec& spec) {
  return spec.column == OpColumn::Name || spec.column == OpColumn::Types || spec.column == OpColumn::Module ||
         spec.column == OpColumn::Source || spec.column == OpColumn::Shapes;
}

/// What columns of warm executions are shown as where there are none.
std::optional<OpColumn> of_all_executions(OpColumn column) {
  switch (column) {
    case OpColumn::Mean:
      return OpColumn::AllMean;
    case OpColumn::Median:
      return OpColumn::AllMedian;
    case OpColumn::P99:
      return OpColumn::AllP99;
    default:
      return std::nullopt;
  }
}

float column_room(const OpColumnSpec& spec) { return scaled(width_of(spec)) + 2 * ImGui::GetStyle().CellPadding.x + 1; }

/// Columns that are shown at first, as far as they fit and have something to say.
std::array<bool, kOpColumns> fitting_columns(float room, const OperatorsView& view, bool placed) {
  const bool without_warm = view.without_warm;
  std::vector<float> widths(kOpColumns, 0);
  for (const OpColumnSpec& spec : op_columns()) {
    if (!spec.shown) continue;
    if ((spec.column == OpColumn::Backend && !view.delegates) ||
        (spec.column == OpColumn::Shapes && view.shapes->empty()))
      continue;
    const OpColumn column = without_warm ? of_all_executions(spec.column).value_or(spec.column) : spec.column;
    widths[static_cast<size_t>(column)] = scaled(width_of(spec));
  }
  std::vector<size_t> step_back;
  for (const OpColumn column : placed ? std::span<const OpColumn>(kDropped) : std::span(kDroppedUnplaced))
    step_back.push_back(static_cast<size_t>(without_warm ? of_all_executions(column).value_or(column) : column));
  const std::vector<bool> fit = columns_that_fit(widths, step_back, room);
  std::array<bool, kOpColumns> shown{};
  std::copy(fit.begin(), fit.end(), shown.begin());
  return shown;
}

}  // namespace

std::string op_column_heading(const OpColumnSpec& spec, const OpUnits& units, const TraceData& data) {
  std::string title = spec.column == OpColumn::Self ? self_title(data) : spec.title;
  if (spec.kind == ColumnKind::Time) title += inspector::unit_heading(spec.per_call ? units.calls : units.sums);
  return title + "###" + spec.id;
}

// Beside a true median, what a usual execution takes has a name of its own.
const char* self_title(const TraceData& data) {
  return data.shown.basis.kind == inspector::BasisKind::WarmMedian ? "Usual" : "Self";
}

void far_mean_tooltip(double times) {
  item_tooltip("The mean is " + inspector::format_real(times, 1) +
               " times the median: few slow samples make it. The median says what a usual execution takes.");
}

std::string share_help(const OperatorsView& view) {
  return view.base == view.total
             ? "Self time as a share of " + view.basis + "."
             : "Self time as a share of what the ops usually take together: the usual times are not "
               "those of an execution.";
}

void module_fitting(const std::string& path) {
  const float room = ImGui::GetContentRegionAvail().x;
  const std::string shown =
      short_module(path, [&](const std::string& text) { return text_width(inspector::printable(text)) <= room; });
  text_fitting_end(shown);
  if (shown != path) item_tooltip(inspector::printable(path));
}

float operators_row_height() { return ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y; }

ImU32 op_color(const TraceData& data, int32_t index) {
  const inspector::OpEntry& op = data.table.ops[static_cast<size_t>(index)];
  const inspector::OpPart& part = data.op_parts[static_cast<size_t>(index)];
  if (op.kind == "delegate_call") return backend_color(op.backend.text());
  const bool runtime = part.part == inspector::Part::Framework || part.part == inspector::Part::Control;
  if (op.op_types.empty() && (runtime || op.kind == "framework")) return part_color(part);
  // Of a fused op that of its heaviest node, as the groups by type have it.
  if (const inspector::OpNode* const node = data.table.main_node(op); node != nullptr)
    return type_color(node->node->op);
  return type_color(op_title(data.table, op));
}

float OperatorsPanel::rows_height() const {
  const OperatorsView& view = model_.view();
  const size_t rows = view.query.group ? view.groups.size() : view.ops.size();
  return (static_cast<float>(rows) + 3) * operators_row_height() + ImGui::GetStyle().ScrollbarSize;
}

namespace {

/// What the rows add up to, and what is in the total or beside it without a row.
std::string total_text(const OperatorsView& view, bool all) {
  constexpr double kWorthSaying = 0.0005;
  const auto time = [&](double ticks) { return inspector::format_duration_named(ticks, view.units.sums); };
  std::string text = all ? "total" : "total of the rows below";
  if (all && view.base != view.total) text += " of usual times, an execution took " + time(view.total);
  std::string of_it;
  const double variation = view.total - view.shown;
  if (view.calling > kWorthSaying * view.total) of_it = time(view.calling) + " of it calling kernels";
  if (all && view.base == view.total && std::abs(variation) > kWorthSaying * view.total)
    of_it += (of_it.empty() ? "" : ", ") + time(variation) + " of it variation";
  return text + (of_it.empty() ? "" : ", ") + of_it;
}

}  // namespace

/// Under the header, where it stays: what the rows below add up to.
void OperatorsPanel::draw_total_row(int name, int self, int share) const {
  const OperatorsView& view = model_.view();
  const bool all = !view.hides;
  const double sum = all ? view.base : view.shown;
  ImGui::TableNextRow();
  ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, with_alpha(theme().muted, 0.12F));
  ImGui::PushFont(fonts().bold, 0);
  if (ImGui::TableSetColumnIndex(name)) {
    text_fitting(total_text(view, all));
    item_tooltip("Of " + view.basis + ". " + words::kVariation);
  }
  if (ImGui::TableSetColumnIndex(self)) text_right(inspector::format_duration(sum, view.units.sums));
  if (ImGui::TableSetColumnIndex(share)) text_right(inspector::format_share(view.base > 0 ? sum / view.base : 0));
  ImGui::PopFont();
}

void OperatorsPanel::draw_ops(PanelContext& context, float height) {
  const OperatorsView& view = model_.view();
  if (view.ops.empty()) {
    if (ImGui::BeginChild("##none", {0, height})) {
      draw_empty(view.query.filter.empty() ? "The trace has no ops" : "No ops match the filter",
                 view.query.filter.empty() ? "The ETDump has no events." : "Clear or relax the filter.");
    }
    return ImGui::EndChild();
  }
  const float width = ImGui::GetContentRegionAvail().x;
  const std::array<bool, kOpColumns> fitting = fitting_columns(width, view, model_.data()->shown.has_links());
  // The columns fill the table; those that the user adds beyond that make it scroll.
  float wanted = 0;
  for (const OpColumnSpec& spec : op_columns())
    wanted += own_columns_ && enabled_[static_cast<size_t>(spec.column)] ? column_room(spec) : 0;
  const float inner = std::max(width - ImGui::GetStyle().ScrollbarSize, wanted);
  if (!ImGui::BeginTable("##ops", static_cast<int>(kOpColumns), kOperatorsTable, {width, height}, inner)) return;
  ImGui::TableSetupScrollFreeze(0, 2);
  for (const OpColumnSpec& spec : op_columns()) {
    const bool stretched = is_stretched(spec);
    ImGuiTableColumnFlags flags = stretched ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed;
    if (!spec.shown) flags |= ImGuiTableColumnFlags_DefaultHide;
    if (spec.column == OpColumn::Name) flags |= ImGuiTableColumnFlags_NoHide;
    if (spec.kind != ColumnKind::Text && spec.column != OpColumn::Order && spec.column != OpColumn::Instruction)
      flags |= ImGuiTableColumnFlags_PreferSortDescending;
    if (spec.column == OpColumn::Self) flags |= ImGuiTableColumnFlags_DefaultSort;
    ImGui::TableSetupColumn(op_column_heading(spec, view.units, *model_.data()).c_str(), flags,
                            stretched ? width_of(spec) : scaled(width_of(spec)), static_cast<ImGuiID>(spec.column));
  }
  choose_columns(fitting);
  if (ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs(); specs != nullptr && specs->SpecsDirty) {
    if (specs->SpecsCount > 0) {
      model_.query.sort = static_cast<OpColumn>(specs->Specs[0].ColumnUserID);
      model_.query.descending = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
    }
    specs->SpecsDirty = false;
  }
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const OpColumnSpec& spec : op_columns()) {
    const auto i = static_cast<int>(spec.column);
    enabled_[static_cast<size_t>(i)] = (ImGui::TableGetColumnFlags(i) & ImGuiTableColumnFlags_IsEnabled) != 0;
    if (!ImGui::TableSetColumnIndex(i)) continue;
    const std::string help =
        spec.column == OpColumn::Self
            ? "Self time, without that of enclosed ops: " + model_.data()->shown.basis.text() + ". " + words::kUsualTime
        : spec.column == OpColumn::Share ? share_help(view)
                                         : std::string(spec.help);
    header_cell(op_column_heading(spec, view.units, *model_.data()).c_str(), spec.kind != ColumnKind::Text,
                help.c_str());
  }
  draw_total_row(static_cast<int>(OpColumn::Name), static_cast<int>(OpColumn::Self), static_cast<int>(OpColumn::Share));
  scroll_to_selection(context.document);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(view.ops.size()), operators_row_height());
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) draw_op_row(context, row);
  }
  ImGui::EndTable();
}

/// Until the user chooses columns there are as many as fit.
void OperatorsPanel::choose_columns(const std::array<bool, kOpColumns>& fitting) {
  const ImGuiTable* table = ImGui::GetCurrentTable();
  if (table->IsInitializing) return;  // its own choice comes with the first layout
  const auto is_on = [table](size_t i) { return table->Columns[static_cast<int>(i)].IsUserEnabledNextFrame; };
  // The menu of the table's header changes them without a word.
  if (columns_set_ && !own_columns_) {
    for (size_t i = 0; i < kOpColumns; ++i) own_columns_ = own_columns_ || is_on(i) != set_columns_[i];
  }
  if (toggled_) {
    own_columns_ = true;
    const auto i = static_cast<size_t>(*toggled_);
    ImGui::TableSetColumnEnabled(static_cast<int>(i), !enabled_[i]);
    toggled_.reset();
  }
  if (own_columns_) return;
  for (size_t i = 0; i < kOpColumns; ++i) ImGui::TableSetColumnEnabled(static_cast<int>(i), fitting[i]);
  set_columns_ = fitting;
  columns_set_ = true;
}

void OperatorsPanel::draw_op_row(PanelContext& context, int row) {
  const TraceData& data = *model_.data();
  const OperatorsView& view = model_.view();
  const int32_t index = view.ops[static_cast<size_t>(row)];
  const inspector::OpEntry& op = data.shown_op(index);
  const bool selected = context.document.selection().has_op(index);
  ImGui::TableNextRow();
  if (selected) mark_row();
  ImGui::PushID(static_cast<int>(op.id));
  for (const OpColumnSpec& spec : op_columns()) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(spec.column)) && spec.column != OpColumn::Name) continue;
    if (spec.column == OpColumn::Name) {
      const ImVec2 at = ImGui::GetCursorPos();
      // The row's background already marks the selection.
      if (ImGui::Selectable(("##op" + std::to_string(op.id)).c_str(), false,
                            ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap |
                                ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_SelectOnNav)) {
        own_click_ = true;
        const bool twice = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
        context.document.select(select_op(data, op.id), twice ? "timeline" : "");
      }
      op_menu(context, op);
      op_tooltip(data, op, view.units, view.text_of(data, op, OpColumn::Shapes));
      ImGui::SetCursorPos(at);
      color_square(op_color(data, index));
      ImGui::SameLine(0, scaled(4));
      text_fitting(op_label(data.shown, op), op.encloses ? theme().muted : 0);
    } else if (spec.column == OpColumn::Share) {
      if (const auto share = view.share_of(data, op)) share_cell(*share, op_color(data, index), view.largest_share);
    } else if (spec.column == OpColumn::Types) {
      text_fitting(op_types_in_short(data.shown, op));
    } else if (spec.column == OpColumn::Backend) {
      text_fitting(runs_in(op), op.backend ? 0 : theme().muted);
    } else if (spec.text != nullptr) {
      text_fitting(view.text_of(data, op, spec.column));
    } else {
      const bool is_mean = spec.column == OpColumn::Mean;
      const auto far = is_mean ? mean_above_median(op.warm_mean, op.warm_p50) : std::nullopt;
      text_right(op_cell(data.shown, op, spec.column, view.units), far ? theme().warning : 0);
      if (far) far_mean_tooltip(*far);
    }
  }
  ImGui::PopID();
}

void OperatorsPanel::op_menu(PanelContext& context, const inspector::OpEntry& op) {
  if (!ImGui::BeginPopupContextItem("##menu")) return;
  const TraceData& data = *model_.data();
  const Selection s = select_op(data, op.id);
  const std::string title = row_title(data.shown, op);
  const auto go = [&](const char* label, const char* panel, bool possible) {
    if (!ImGui::MenuItem(label, nullptr, false, possible)) return;
    own_click_ = true;
    context.document.select(s, panel);
  };
  go("Show in timeline", "timeline", true);
  go("Show in graph", "graph", !s.nodes.empty());
  go("Show source line", "source", !s.file.empty());
  ImGui::Separator();
  if (ImGui::MenuItem("Filter by this name", nullptr, false, title.find('"') == std::string::npos))
    model_.query.filter = "name=\"" + title + "\"";
  if (const inspector::OpNode* node = data.shown.main_node(op);
      node != nullptr && node->node->has_module && !node->node->module_path.empty()) {
    if (ImGui::MenuItem("Filter by this module")) model_.query.filter = "module=\"" + node->node->module_path + "\"";
  }
  ImGui::Separator();
  if (ImGui::MenuItem("Copy name")) ImGui::SetClipboardText(title.c_str());
  if (title != op.name.str() && ImGui::MenuItem("Copy event name")) ImGui::SetClipboardText(op.name.c_str());
  if (ImGui::MenuItem("Copy all rows as CSV", "Ctrl+C")) copy_wanted_ = true;
  ImGui::EndPopup();
}

void OperatorsPanel::scroll_to_selection(const Document& document) {
  if (selection_seen_ != document.selection_version() || rows_seen_ != model_.version()) {
    const bool other = selection_seen_ != document.selection_version();
    selection_seen_ = document.selection_version();
    rows_seen_ = model_.version();
    // A click here leaves the table as it is; a new order shows where the selected op went.
    scroll_ = !(other && own_click_) && !document.selection().empty();
    own_click_ = false;
  }
  if (!std::exchange(scroll_, false)) return;
  const int32_t op = op_of_selection(*model_.data(), document.selection());
  const int32_t row = model_.row_of(op);
  if (row < 0) return;
  const float top = static_cast<float>(row) * operators_row_height(),
              window = ImGui::GetWindowHeight() - 3 * operators_row_height();
  if (top < ImGui::GetScrollY() || top + operators_row_height() > ImGui::GetScrollY() + window)
    ImGui::SetScrollY(std::max(0.0F, top - window / 2));
}

}  // namespace et::gui
