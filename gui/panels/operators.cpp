// Operators: the costs of each op or of groups of them, sorted and filtered; samples and nodes of the one selected.
#include <imgui.h>

#include <algorithm>

#include "gui/models/opened_group.h"
#include "gui/panels/operators_panel.h"

namespace et::gui {
namespace {

constexpr float kDetailHeight = 250, kMinTable = 130, kMinDetail = 120;  // points

}  // namespace

void OperatorsPanel::draw(PanelContext& context) {
  model_.refresh(context.document, context.jobs);
  const TraceData* data = context.document.data();
  if (data == nullptr) {
    return draw_empty("No trace is open",
                      "Open a store, or drop an ETDump here together with its ETRecord and program.");
  }
  if (!data->has_etdump()) return draw_needs_etdump();
  draw_toolbar(context);
  // The rows belong to the trace that they were made of; until they are there for a new one there is nothing to show.
  if (model_.data() != data) return ImGui::TextDisabled("reading…");
  const float room = ImGui::GetContentRegionAvail().y, grip = scaled(6);
  if (detail_height_ <= 0) detail_height_ = scaled(kDetailHeight);
  const bool roomy = room > scaled(kMinTable + kMinDetail);
  // Until the user says how high, the details have what the rows leave.
  const float left = detail_chosen_ ? 0 : room - rows_height() - grip - ImGui::GetStyle().ItemSpacing.y * 2;
  const float detail =
      roomy ? std::clamp(std::max(detail_height_, left), scaled(kMinDetail), room - scaled(kMinTable) - grip) : 0.0F;
  const float table = roomy ? room - detail - grip - ImGui::GetStyle().ItemSpacing.y * 2 : room;
  if (model_.view().query.group) {
    draw_groups(context, table);
  } else {
    draw_ops(context, table);
  }
  if (ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && !ImGui::GetIO().WantTextInput &&
      ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_C))
    copy_wanted_ = true;
  if (std::exchange(copy_wanted_, false)) copy(context);
  if (!roomy) return;
  ImGui::InvisibleButton("##grip", {-1, grip});
  if (ImGui::IsItemActive()) detail_height_ = detail - ImGui::GetIO().MouseDelta.y, detail_chosen_ = true;
  if (ImGui::IsItemActive() || ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
  ImGui::GetWindowDrawList()->AddLine({a.x, (a.y + b.y) / 2}, {b.x, (a.y + b.y) / 2}, theme().grid);
  int32_t op = op_of_selection(*data, context.document.selection());
  // Nothing is selected: the first row is what the user looks at.
  if (op < 0 && !model_.view().ops.empty()) op = model_.view().ops.front();
  const OperatorsGroup* const group =
      is_of_group(context.document.selection()) ? shown_group(context.document.selection()) : nullptr;
  if (group != nullptr) op = group->costliest;
  detail_op_ = op;
  if (ImGui::BeginChild("##detail", {0, 0})) {
    if (group != nullptr && GroupSamplesModel::has_sums(*data, *group)) {
      draw_group_detail(context, *group);
    } else {
      draw_detail(context, op);
    }
  }
  ImGui::EndChild();
}

void OperatorsPanel::update(Document& document) {
  std::optional<WantedGroup> wanted = document.take_wanted_group();
  if (std::exchange(group_selection_, document.selection_version()) != document.selection_version()) {
    group_.key.clear();
    // What was clicked is in sight; a table that moves under the mouse has another row where the second click falls.
    scroll_group_ = !group_click_;
  }
  group_click_ = false;
  if (!wanted) return;
  group_ = *std::move(wanted);
  scroll_group_ = true;
  model_.query.by_shapes = model_.query.repeats = false;
  model_.query.filter = filter_ = "";
  model_.query.method.reset();
  model_.query.group = group_.by;
  model_.query.only = {};
  // Its ops one by one, as a double click on its row shows them.
  if (const TraceData* const data = document.data()) {
    const inspector::GroupTable groups = inspector::group_costs(data->shown, group_.by, inspector::Filter());
    const auto row = std::find_if(groups.rows.begin(), groups.rows.end(),
                                  [&](const inspector::GroupRow& r) { return !r.none && r.key == group_.key; });
    auto opened = row == groups.rows.end() ? std::nullopt : opened_group(*data, model_.query, group_.by, *row);
    if (opened) {
      model_.query = *std::move(opened);
      filter_ = model_.query.filter;
      model_.query.sort = OpColumn::Self;
    }
  }
  model_.query.group_sort = GroupColumn::Self;
  model_.query.descending = true;
}

/// Details are of the group that is looked at: the one clicked, or without any the first.
bool OperatorsPanel::is_of_group(const Selection& chosen) const {
  const auto& by = model_.view().query.group;
  if (!by || chosen.kind == Selection::Kind::Op) return false;
  return chosen.ops.empty() || (chosen.kind == Selection::Kind::Group && chosen.by == *by) ||
         (group_.by == *by && !group_.key.empty());
}

/// The groups that have selected ops, with what of their time these take.
void OperatorsPanel::mark_groups(const Selection& chosen, uint64_t version) {
  const OperatorsView& view = model_.view();
  const bool same = std::exchange(marked_selection_, version) == version;
  if (std::exchange(marked_rows_, model_.version()) == model_.version() && same) return;
  marked_.clear();
  constexpr size_t kMostOps = 4000;  // more of them are in every group
  if (!view.query.group || chosen.kind == Selection::Kind::Range || chosen.ops.size() > kMostOps) return;
  const TraceData& data = *model_.data();
  std::map<int64_t, int32_t> ops;  // those that are one where executions are shown count once
  for (const int32_t op : chosen.ops) ops.emplace(data.shown_op(op).id, op);
  for (const OperatorsGroup& row : view.groups) {
    SelectedPart part{.whole = row.self};
    for (const auto& [id, op] : ops) {
      const double share = part_in_row(data, *view.shapes, *view.query.group, row, op);
      if (share <= 0) continue;
      ++part.ops;
      if (data.shown_op(op).on_trace_clock()) part.selected += share * data.shown_op(op).cost;
    }
    if (!row.none && part.any()) marked_.emplace(row.id(), part);
  }
}

const OperatorsGroup* OperatorsPanel::shown_group(const Selection& chosen) const {
  const OperatorsGroup* best = nullptr;
  for (const OperatorsGroup& row : model_.view().groups) {
    if (row.costliest < 0) continue;
    if (best == nullptr || (best->none && !row.none)) best = &row;
    if (is_shown_group(chosen, row)) return &row;
  }
  return best;
}

/// What leads here with ops shows them one by one, whatever an earlier filter hid; several of them alone. A wanted
/// group, update() shows.
void OperatorsPanel::asked(Document& document) {
  const Selection& selection = document.selection();
  if (document.wants_group() || selection.ops.empty()) return;
  model_.query.method.reset();
  show_single(document.data() == nullptr ? OpsOfGroup() : only_selected(*document.data(), selection));
}

void OperatorsPanel::show_single(OpsOfGroup only) {
  model_.query.group.reset();
  model_.query.by_shapes = model_.query.repeats = false;
  model_.query.filter = filter_ = "";
  model_.query.only = std::move(only);
}

void OperatorsPanel::copy(PanelContext& context) const {
  const std::string text = csv();
  if (text.empty()) return;
  ImGui::SetClipboardText(text.c_str());
  const OperatorsView& view = model_.view();
  const auto rows = static_cast<int64_t>(view.query.group ? view.groups.size() : view.ops.size());
  context.notices.say("copied " + inspector::format_count(rows) + (rows == 1 ? " row" : " rows"));
}

std::string OperatorsPanel::csv() const {
  if (model_.data() == nullptr) return {};
  std::vector<OpColumn> columns;
  for (const OpColumnSpec& spec : op_columns()) {
    if (enabled_[static_cast<size_t>(spec.column)]) columns.push_back(spec.column);
  }
  if (columns.empty()) {  // never drawn
    for (const OpColumnSpec& spec : op_columns()) columns.push_back(spec.column);
  }
  return operators_csv(*model_.data(), model_.view(), columns);
}

int32_t op_of_selection(const TraceData& data, const Selection& selection) {
  int32_t best = -1;
  // A call around the others is looked at only where there are no others.
  const auto rank = [&](int32_t op) { return std::pair(!data.shown_op(op).encloses, data.shown_op(op).cost); };
  for (const int32_t op : selection.ops) {
    if (best < 0 || rank(op) > rank(best)) best = op;
  }
  return best;
}

extern const PanelSpec k_operators_panel;
const PanelSpec k_operators_panel = {
    .id = "operators",
    .title = "Operators",
    .summary = "Cost of each operator and the distribution of its samples",
    .key = ImGuiKey_3,
    .make = [] { return std::unique_ptr<Panel>(new OperatorsPanel); },
};

}  // namespace et::gui
