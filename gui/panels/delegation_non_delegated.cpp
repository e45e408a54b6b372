// Delegation: the table of non-delegated operators with the likely reasons.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/panels/delegation_panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "imgui_internal.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::gui {

namespace {

struct NonDelegatedColumn {
  const char* title;
  DelegationModel::Column column;
  float width;  // 0: stretches
  int drop;     // where there is no room for all, the largest goes first; 0 stays
  bool right;
  const char* help;
};
constexpr std::array<NonDelegatedColumn, 11> kNonDelegatedColumns = {{
    {"Time", DelegationModel::Column::Time, 90, 0, true, "Time of the instruction, on the shown basis"},
    {"Share", DelegationModel::Column::Time, 110, 2, true, "Of an execution, with several methods of one of each"},
    {"Ops", DelegationModel::Column::Count, 46, 5, true, "Nodes or instructions in this row"},
    {"Method", DelegationModel::Column::Method, 110, 0, false, nullptr},
    {"Operator", DelegationModel::Column::Operator, 210, 0, false, nullptr},
    {"Node", DelegationModel::Column::Node, 190, 3, false, "Its name in the graph"},
    {"Module", DelegationModel::Column::Module, 190, 3, false, "Where it is in the model; of several, the costliest"},
    {"Instr.", DelegationModel::Column::Instruction, 56, 1, true, "Index of the instruction"},
    {"Produces", DelegationModel::Column::Tensor, 150, 4, false, "dtype and shape of its first output"},
    {"Crossing", DelegationModel::Column::Bytes, 84, 4, true,
     "Bytes read from and produced for delegates, per call; a tensor counts at each operator that takes it"},
    {"Likely reason", DelegationModel::Column::Reasons, 0, 0, false,
     "Inferred from what this program delegates; the files do not record the partitioner's decisions"},
}};
constexpr float kReasonWidth = 300, kModuleWidth = 140;
constexpr float kModulePart = 0.45F;  // of the room of the reasons
using ShownColumns = std::array<bool, kNonDelegatedColumns.size()>;

float width_of(const NonDelegatedColumn& c, float names) {
  if (c.column == DelegationModel::Column::Operator) return std::clamp(names, scaled(130), scaled(300));
  return scaled(c.width);
}

/// What the rows have: a column for anything else would stand empty.
bool has_column(DelegationModel::Column c, const DelegationModel& model) {
  using Column = DelegationModel::Column;
  const bool types = model.is_by_type();
  switch (c) {
    case Column::Method:
      return model.maps().size() > 1 && model.shown_map() < 0;
    case Column::Module:
      return model.has_graph();
    case Column::Node:
    case Column::Tensor:
      return model.has_graph() && !types;
    case Column::Instruction:
      return !types;
    case Column::Count:
      return types;
    case Column::Bytes:
      return model.has_graph() && !model.backends().empty();
    case Column::Reasons:
      return model.has_reasons();
    default:
      return true;
  }
}

/// Which columns are shown so that the reasons have their room.
ShownColumns shown_columns(float room, float names, const DelegationModel& model) {
  ShownColumns shown{};
  float wanted = model.has_reasons() ? scaled(kReasonWidth) : scaled(kModuleWidth);
  const float gap = 2 * ImGui::GetStyle().CellPadding.x + 1;
  for (size_t i = 0; i < shown.size(); ++i) {
    const bool share = i > 0 && kNonDelegatedColumns[i].column == DelegationModel::Column::Time;
    shown[i] = has_column(kNonDelegatedColumns[i].column, model) && (!share || model.largest_ns() > 0);
    if (shown[i]) wanted += width_of(kNonDelegatedColumns[i], names) + gap;
  }
  for (int drop = 5; drop > 0 && wanted > room; --drop) {
    for (size_t i = 0; i < shown.size(); ++i) {
      if (kNonDelegatedColumns[i].drop != drop || !shown[i]) continue;
      shown[i] = false;
      wanted -= width_of(kNonDelegatedColumns[i], names) + gap;
    }
  }
  return shown;
}

/// The column that takes what room is left: the reasons, else the module, else the operator.
size_t stretched_column(const ShownColumns& shown) {
  using Column = DelegationModel::Column;
  for (const Column wanted : {Column::Reasons, Column::Module, Column::Operator}) {
    for (size_t i = 0; i < shown.size(); ++i) {
      if (shown[i] && kNonDelegatedColumns[i].column == wanted) return i;
    }
  }
  return 0;
}

}  // namespace

void DelegationPanel::draw_non_delegated(PanelContext& context) {
  ImGui::SetNextItemWidth(std::min(scaled(200), ImGui::GetContentRegionAvail().x));
  take_search_focus();
  if (ImGui::InputTextWithHint("##filter", "Filter: operator, module, reason", &filter_)) {
    model_.filter(filter_);
    chosen_row_ = -1;
  }
  const float box = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x;
  flow(box + ImGui::CalcTextSize("By operator type").x);
  bool types = model_.is_by_type();
  if (ImGui::Checkbox("By operator type", &types)) {
    model_.by_type(types);
    chosen_row_ = model_.row_of(context.document.selection());
  }
  bool free = model_.shows_free();
  const std::string label = "Without instruction" +
                            (model_.hidden_free() > 0 ? " (" + format_count(model_.hidden_free()) + ")" : "") +
                            "###free";
  flow(box + ImGui::CalcTextSize(label.c_str(), nullptr, true).x);
  if (ImGui::Checkbox(label.c_str(), &free)) {
    model_.show_free(free);
    chosen_row_ = -1;
  }
  item_tooltip("Nodes without their own instruction: views and folded nodes");
  if (const std::string note = model_.crossing_note(); !note.empty()) {
    flow(std::min(ImGui::CalcTextSize(note.c_str()).x, ImGui::GetWindowWidth()));
    ImGui::AlignTextToFramePadding();
    ImGui::PushTextWrapPos(0);
    text_colored(theme().muted, note);
    ImGui::PopTextWrapPos();
  }
  if (model_.rows().empty()) {
    const bool filtered = !filter_.empty();
    return draw_empty(filtered ? "No operators match the filter" : "No non-delegated operators",
                      filtered ? "Clear the filter to see all." : "All instructions are delegate calls.");
  }
  draw_non_delegated_table(context);
  draw_why(context);
}

/// What rows there are, as far as the details of the chosen one keep some lines: they have the rest.
float DelegationPanel::table_height() {
  const bool chosen = chosen_row_ >= 0 && static_cast<size_t>(chosen_row_) < model_.rows().size();
  const float lines = chosen || ImGui::GetContentRegionAvail().x < scaled(700) ? 5.2F : 2.2F;
  const float line = ImGui::GetTextLineHeightWithSpacing(), all = ImGui::GetContentRegionAvail().y;
  const float most = std::max(all * 0.6F, all - line * lines);
  if (tops_version_ != model_.rows_version() || tops_.empty()) return most;
  const float rows = tops_.back() + ImGui::GetTextLineHeight() + 4 * ImGui::GetStyle().CellPadding.y + scaled(4);
  return std::clamp(rows, std::min(4 * line, most), most);
}

/// The arrow in the heading is what counts: a table that takes the place of another begins with the order of that one.
void DelegationPanel::sync_order(const std::string& table) {
  const ImGuiTableSortSpecs* const specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || specs->SpecsCount == 0) return;
  const auto column = kNonDelegatedColumns[static_cast<size_t>(specs->Specs[0].ColumnIndex)].column;
  const bool descending = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
  sorted_table_ = table;
  if (column == model_.sorted_by() && descending == model_.is_descending()) return;
  // The chosen row moves.
  const auto& rows = model_.rows();
  const bool any = chosen_row_ >= 0 && chosen_row_ < std::ssize(rows);
  const NonDelegatedRow was = any ? rows[static_cast<size_t>(chosen_row_)] : NonDelegatedRow();
  model_.sort(column, descending);
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const NonDelegatedRow& row) {
    return any && row.map == was.map && row.ops == was.ops;
  });
  chosen_row_ = at == rows.end() ? -1 : static_cast<int>(at - rows.begin());
}

void DelegationPanel::draw_non_delegated_table(PanelContext& context) {
  const float height = table_height();
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_Resizable | ImGuiTableFlags_ScrollY |
                                     ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInner;
  // Names that are cut in the middle may look alike.
  constexpr size_t kMeasured = 200;
  float names = 0;
  for (size_t i = 0; i < std::min(model_.rows().size(), kMeasured); ++i) {
    const std::string name = inspector::operator_title(model_.first(model_.rows()[i]).op);
    names = std::max(names, ImGui::CalcTextSize(name.c_str()).x + scaled(4));
  }
  const auto shown = shown_columns(ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize, names, model_);
  const size_t stretched = stretched_column(shown);
  // Which columns there are is part of the table's name: widths that the user chose belong to them.
  int columns = 0;
  for (size_t i = 0; i < shown.size(); ++i) columns += shown[i] ? 1 << i : 0;
  const std::string id = "##non_delegated" + std::to_string(columns);
  if (!ImGui::BeginTable(id.c_str(), static_cast<int>(kNonDelegatedColumns.size()), kFlags, {0, height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (size_t c = 0; c < kNonDelegatedColumns.size(); ++c) {
    const NonDelegatedColumn& column = kNonDelegatedColumns[c];
    ImGuiTableColumnFlags flags = ImGuiTableColumnFlags_WidthFixed;
    const bool module = column.column == DelegationModel::Column::Module;
    if (c == stretched || module) flags = ImGuiTableColumnFlags_WidthStretch;
    if (!shown[c]) flags |= ImGuiTableColumnFlags_Disabled;
    if (c == 0) flags |= ImGuiTableColumnFlags_DefaultSort | ImGuiTableColumnFlags_PreferSortDescending;
    ImGui::TableSetupColumn(column.title, flags,
                            c == stretched ? 1.0F
                            : module       ? kModulePart
                                           : width_of(column, names));
  }
  if (!sorted_table_.empty() && sorted_table_ != id) {
    for (size_t c = 0; c < kNonDelegatedColumns.size(); ++c) {
      if (!shown[c] || kNonDelegatedColumns[c].column != model_.sorted_by()) continue;
      ImGui::TableSetColumnSortDirection(
          static_cast<int>(c), model_.is_descending() ? ImGuiSortDirection_Descending : ImGuiSortDirection_Ascending,
          false);
      break;
    }
  }
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t c = 0; c < kNonDelegatedColumns.size(); ++c) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(c))) continue;
    ImGui::PushID(static_cast<int>(c));
    header_cell(kNonDelegatedColumns[c].title, kNonDelegatedColumns[c].right, kNonDelegatedColumns[c].help);
    ImGui::PopID();
  }
  sync_order(id);
  draw_visible_rows(context);
  ImGui::EndTable();
}

/// Where each row begins, as high as its wrapped reason; kept until rows or widths change.
void DelegationPanel::measure_rows() {
  const float line = ImGui::GetTextLineHeight();
  if (tops_version_ == model_.rows_version() && tops_width_ == reason_width_ && tops_line_ == line) return;
  tops_version_ = model_.rows_version();
  tops_width_ = reason_width_;
  tops_line_ = line;
  tops_.assign(1, 0);
  const float padding = 2 * ImGui::GetStyle().CellPadding.y, width = std::max(reason_width_, scaled(60));
  for (const NonDelegatedRow& row : model_.rows()) {
    const std::string text = model_.has_reasons() ? model_.reasons_of(row) : std::string();
    const float height =
        text.empty() || !model_.is_by_type() ? line : ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y;
    tops_.push_back(tops_.back() + std::max(height, line) + padding);
  }
}

void DelegationPanel::draw_visible_rows(PanelContext& context) {
  measure_rows();
  inspector::TimeUnit unit;
  (void)inspector::choose_unit("auto", model_.map(0).unit, model_.largest_ns(), &unit);
  if (std::exchange(scroll_to_row_, false) && chosen_row_ >= 0 && static_cast<size_t>(chosen_row_) + 1 < tops_.size()) {
    const float top = tops_[static_cast<size_t>(chosen_row_)];
    const float end = tops_[static_cast<size_t>(chosen_row_) + 1], window = ImGui::GetWindowHeight() - 2 * tops_line_;
    if (top < ImGui::GetScrollY() || end > ImGui::GetScrollY() + window)
      ImGui::SetScrollY(std::max(0.0F, top - window / 2));
  }
  const float from = ImGui::GetScrollY() - scaled(100), to = from + ImGui::GetWindowHeight() + scaled(200);
  const auto first = std::upper_bound(tops_.begin() + 1, tops_.end(), from) - tops_.begin() - 1;
  auto last = first;
  while (last + 1 < std::ssize(tops_) && tops_[static_cast<size_t>(last)] < to) ++last;
  const float before = tops_[static_cast<size_t>(first)];
  const float after = tops_.back() - tops_[static_cast<size_t>(last)];
  if (before > 0) ImGui::TableNextRow(ImGuiTableRowFlags_None, before);
  for (auto i = first; i < last; ++i) draw_row(context, static_cast<int>(i), unit);
  if (after > 0) ImGui::TableNextRow(ImGuiTableRowFlags_None, after);
}

void DelegationPanel::draw_row(PanelContext& context, int i, const inspector::TimeUnit& unit) {
  const NonDelegatedRow& row = model_.rows()[static_cast<size_t>(i)];
  const NonDelegatedOp& op = model_.first(row);
  const bool several = row.ops.size() > 1;
  ImGui::PushID(i);
  const float height = tops_[static_cast<size_t>(i) + 1] - tops_[static_cast<size_t>(i)];
  ImGui::TableNextRow(ImGuiTableRowFlags_None, height);
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorPos();
  const bool selected = i == chosen_row_ || model_.is_selected(row, context.document.selection());
  if (selected) mark_row();
  if (ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick,
                        {0, height - 2 * ImGui::GetStyle().CellPadding.y})) {
    chosen_row_ = i;
    if (Selection s = model_.selection_of(row); !s.empty()) {
      context.document.select(std::move(s), ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) ? "graph" : "");
      seen_selection_ = context.document.selection_version();
    }
  }
  draw_places_menu(context, [&] { return model_.selection_of(row); });
  ImGui::SetCursorPos(at);
  text_right(timed_ ? inspector::format_duration_named(row.ns, unit) : std::string());
  ImGui::TableNextColumn();
  if (timed_) share_cell(row.share, theme().kernel, model_.largest_share());
  ImGui::TableNextColumn();
  text_right(format_count(static_cast<int64_t>(row.ops.size())));
  ImGui::TableNextColumn();
  text_fitting(method_name(row.map));
  ImGui::TableNextColumn();
  text_fitting(inspector::operator_title(op.op));
  ImGui::TableNextColumn();
  text_fitting(several ? "" : op.node);
  ImGui::TableNextColumn();
  text_fitting(row.module, theme().muted);
  ImGui::TableNextColumn();
  if (!several && op.instruction >= 0) text_right(std::to_string(op.instruction));
  ImGui::TableNextColumn();
  if (!several) text_fitting(op.dtype + (op.shape.empty() ? "" : " " + op.shape));
  ImGui::TableNextColumn();
  text_right(row.bytes == 0 ? "" : bytes_text(row.bytes), row.bytes < 0 ? theme().faint : 0);
  if (!ImGui::TableNextColumn()) return ImGui::PopID();
  reason_width_ = ImGui::GetContentRegionAvail().x;
  if (model_.is_by_type()) {
    ImGui::PushTextWrapPos(0);
    text_colored(theme().muted, model_.reasons_of(row));
    ImGui::PopTextWrapPos();
  } else {
    // Rows of nodes are many and say the same: one line each, the details have all of it.
    const std::string all = model_.reasons_of(row);
    text_fitting_start(all.substr(0, all.find('\n')), theme().muted);
  }
  ImGui::PopID();
}

std::string DelegationPanel::missing_note() const {
  const std::string select = "Select a row to see where it is and what it costs. ";
  if (model_.backends().empty()) return select + "Nothing is delegated: reasons need something to compare with.";
  if (!model_.has_graph())
    return select + "Likely reasons, nodes and modules need the ETRecord: open it together with these files.";
  return select +
         "Reasons are inferred from what this program delegates; the files do not record the partitioner's decisions.";
}

// The likely reasons of the chosen row.
void DelegationPanel::draw_why(PanelContext& context) {
  ImGui::Separator();
  if (!ImGui::BeginChild("##why", {0, 0})) return ImGui::EndChild();
  ImGui::PushTextWrapPos(0);
  if (chosen_row_ < 0 || static_cast<size_t>(chosen_row_) >= model_.rows().size()) {
    text_colored(theme().muted, missing_note());
  } else {
    draw_why_of(context, model_.rows()[static_cast<size_t>(chosen_row_)]);
  }
  ImGui::PopTextWrapPos();
  ImGui::EndChild();
}

void DelegationPanel::draw_why_of(PanelContext& context, const NonDelegatedRow& row) {
  // Of a row of several ops one may have been chosen elsewhere: on the strip, in the graph.
  const NonDelegatedOp* const one = model_.only_selected(row, context.document.selection());
  const NonDelegatedOp& op = one != nullptr ? *one : model_.first(row);
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted(inspector::printable(inspector::operator_title(op.op)).c_str());
  ImGui::PopFont();
  const std::string whole = model_.maps().size() > 1 ? "an execution of each method" : method_name(row.map);
  std::string facts = timed_ ? time(row.ns) + ", " + format_share(row.share) + " of " + whole : "";
  if (one != nullptr) {
    std::string own = op.instruction >= 0 ? "instruction " + std::to_string(op.instruction) : op.node;
    if (timed_) own += ", " + time(op.ns);
    facts = own + "; all " + format_count(static_cast<int64_t>(row.ops.size())) + (facts.empty() ? "" : ": ") + facts;
  }
  if (row.bytes != 0) {
    facts += (facts.empty() ? "" : ", ") + bytes_text(row.bytes) + (row.bytes < 0 ? " bytes" : "") +
             " to and from delegates per run";
  }
  text_colored(theme().muted, facts);
  if (!op.file.empty()) {
    const std::string place = op.file + (op.line > 0 ? ":" + std::to_string(op.line) : "");
    if (wrapped_link(place, "##place"))
      context.document.select(select_line(*context.document.data(), op.file, op.line), "source");
  }
  std::vector<std::string> said;
  for (const int32_t i : row.ops) {
    const NonDelegatedOp& of = model_.map(row.map).non_delegated[static_cast<size_t>(i)];
    if (one != nullptr && &of != one) continue;
    for (const auto& r : of.reasons) {
      if (std::find(said.begin(), said.end(), r.text) != said.end() || said.size() > 30) continue;
      said.push_back(r.text);
      ImGui::Bullet();
      ImGui::TextUnformatted(inspector::printable(r.text).c_str());
    }
  }
  if (said.empty() && !model_.has_graph())
    text_colored(theme().muted, "Without an ETRecord, its dtypes and neighbours are unknown.");
}

}  // namespace et::gui
