// Operators: the costs of each op or of groups of them, sorted and filtered; samples and nodes of the one selected.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "gui/core/selection_cost.h"
#include "gui/models/opened_group.h"
#include "gui/panels/operators_panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::GroupBy;

struct GroupName {
  std::optional<GroupBy> by;
  const char* text;
};
constexpr std::array<GroupName, 7> kGroups = {{{std::nullopt, "Single operators"},
                                               {GroupBy::Op, "By name"},
                                               {GroupBy::Type, "By type"},
                                               {GroupBy::Module, "By module"},
                                               {GroupBy::Line, "By source line"},
                                               {GroupBy::Delegate, "By delegate"},
                                               {GroupBy::Method, "By method"}}};

constexpr float kDetailHeight = 250, kMinTable = 130, kMinDetail = 120, kMethodWidth = 110, kOnlyWidth = 110;  // points

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
    scroll_group_ = true;
  }
  if (!wanted) return;
  group_ = *std::move(wanted);
  scroll_group_ = true;
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
      const double share = part_in_group(data, *view.query.group, row.key, op);
      if (share <= 0) continue;
      ++part.ops;
      if (data.shown_op(op).on_trace_clock()) part.selected += share * data.shown_op(op).cost;
    }
    if (!row.none && part.any()) marked_.emplace(row.key, part);
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

/// What leads here with ops shows them one by one, whatever an earlier filter hid; a wanted group, update() shows.
void OperatorsPanel::asked(Document& document) {
  if (document.wants_group() || document.selection().ops.empty()) return;
  model_.query.group.reset();
  model_.query.filter.clear();
  model_.query.only = {};
  model_.query.method.reset();
}

void OperatorsPanel::choose_group(std::optional<GroupBy> by) {
  model_.query.group = chosen_group_ = by;
  model_.query.only = {};
  model_.query.group_sort = GroupColumn::Self;
  model_.query.descending = true;
}

void OperatorsPanel::restore(const std::string& key, const std::string& value) {
  if (key == "own_columns") own_columns_ = value == "1";
  if (key != "group") return;
  for (const GroupName& group : kGroups) {
    if (value == (group.by ? inspector::group_by_name(*group.by) : "none")) choose_group(group.by);
  }
}

/// Where several methods ran: what ops of one take in its executions, a sum over methods cannot say.
void OperatorsPanel::draw_method_choice(const TraceData& data) {
  const std::vector<std::string> methods = methods_that_ran(data.shown);
  if (model_.query.method && std::find(methods.begin(), methods.end(), *model_.query.method) == methods.end())
    model_.query.method.reset();
  if (methods.size() < 2) return;
  ImGui::SameLine();
  ImGui::SetNextItemWidth(scaled(kMethodWidth));
  const std::string shown = model_.query.method ? inspector::printable(*model_.query.method) : "All methods";
  if (ImGui::BeginCombo("##method", shown.c_str())) {
    if (ImGui::Selectable("All methods", !model_.query.method)) model_.query.method.reset();
    for (const std::string& method : methods) {
      if (::ImGui::Selectable(inspector::printable(method).c_str(), model_.query.method == method))
        model_.query.method = method;
    }
    ImGui::EndCombo();
  }
  item_tooltip("Of one method: shares of its execution, and percentiles over its executions.");
}

void OperatorsPanel::draw_toolbar(PanelContext& context) {
  const float room = ImGui::GetContentRegionAvail().x;
  const float method = methods_that_ran(context.document.data()->shown).size() > 1 ? kMethodWidth : 0;
  const float only = model_.query.only.ops.empty() ? 0 : kOnlyWidth;
  ImGui::SetNextItemWidth(std::clamp(room - scaled(420 + method + only), scaled(160), scaled(520)));
  const bool wrong = !model_.view().status.ok();
  if (wrong) ImGui::PushStyleColor(ImGuiCol_Text, theme().bad);
  take_search_focus();
  const char* whole = "Filter: conv   self>10us   module:layer1   !delegated:yes";
  const float hint = text_width(whole) + 2 * ImGui::GetStyle().FramePadding.x;
  if (ImGui::InputTextWithHint("##filter", ImGui::CalcItemWidth() > hint ? whole : "Filter: conv   self>10us",
                               &filter_))
    model_.query.filter = filter_;
  if (wrong) ImGui::PopStyleColor();
  if (!ImGui::IsItemActive()) filter_ = model_.query.filter;
  // Who types has the rows in sight.
  if (!ImGui::IsItemActive() && begin_item_tooltip()) {
    ImGui::TextUnformatted(
        "Separate terms with spaces; all must match.\nconv\tname, types, line or module contains it\nkey:text\tthe key "
        "contains the text; key=text: equals it\nkey>number\talso < >= <=; units ns, us, ms, s or %\n!term\tnegates "
        "the term\n\"a b\"\tquotes keep spaces");
    std::string keys = "Keys: ";
    for (const std::string_view key : inspector::filter_keys()) keys += std::string(key) + " ";
    text_colored(theme().muted, keys);
    end_item_tooltip();
  }
  if (!model_.query.filter.empty()) {
    ImGui::SameLine(0, scaled(2));
    if (ImGui::Button("×##clear")) model_.query.filter = filter_ = "";
    item_tooltip("Clear the filter");
  }
  if (!model_.query.only.ops.empty()) {
    ImGui::SameLine(0, scaled(4));
    const std::string name = inspector::printable(model_.query.only.name);
    if (ImGui::Button("One group ×###only")) model_.query.only = {};
    item_tooltip("The ops of " + name + " alone; a click shows all");
  }
  ImGui::SameLine();
  ImGui::SetNextItemWidth(scaled(140));
  const char* shown = kGroups[0].text;
  for (const GroupName& group : kGroups)
    if (group.by == model_.query.group) shown = group.text;
  if (ImGui::BeginCombo("##group", shown)) {
    for (const GroupName& group : kGroups) {
      if (ImGui::Selectable(group.text, group.by == model_.query.group)) choose_group(group.by);
    }
    ImGui::EndCombo();
  }
  draw_method_choice(*context.document.data());
  if (!model_.query.group) {
    ImGui::SameLine();
    if (ImGui::Button("Columns")) ImGui::OpenPopup("##columns");
    draw_columns_menu();
    const auto& blocks = context.document.data()->shown.blocks;
    const bool loads = std::any_of(blocks.begin(), blocks.end(), [](const auto& b) { return b.kind != "execute"; });
    if (loads) {
      ImGui::SameLine();
      ImGui::Checkbox("Loading", &model_.query.all_blocks);
      item_tooltip("Also show ops outside executions. They are excluded from totals.");
    }
  }
  ImGui::SameLine();
  if (ImGui::Button("Copy")) copy_wanted_ = true;
  item_tooltip("Copy the rows shown as CSV (Ctrl+C)");
  if (wrong) {
    ImGui::PushTextWrapPos();
    text_colored(theme().bad, model_.view().status.message());
    ImGui::PopTextWrapPos();
  }
  draw_summary(context);
}

void OperatorsPanel::draw_summary(const PanelContext& context) const {
  const TraceData& data = *context.document.data();
  if (model_.data() != &data) return;
  const OperatorsView& view = model_.view();
  const auto rows = static_cast<int64_t>(view.query.group ? view.groups.size() : view.ops.size());
  const auto time = [&](double ticks) { return inspector::format_duration_with_unit(ticks, data.unit()); };
  std::string text = (view.query.group ? inspector::plural(rows, "group") : view.count.text()) + ", " +
                     time(view.hides ? view.shown : view.base) +
                     (view.hides || view.base == view.total ? "" : " of usual times");
  if (view.hides) {
    text += " of " + time(view.base) + " (" + inspector::format_share(view.base > 0 ? view.shown / view.base : 0) +
            (view.query.only.ops.empty() ? "); the filter hides " : "); not shown: ") +
            (view.hidden_ops > 0 ? inspector::plural(view.hidden_ops, "op") + " with " : "") + time(view.hidden);
  } else {
    text += ", " + view.basis;
  }
  if (model_.reading()) text += "   reading…";
  ImGui::AlignTextToFramePadding();
  ImGui::PushTextWrapPos();
  text_colored(theme().muted, text);
  ImGui::PopTextWrapPos();
  const Selection& selection = context.document.selection();
  if (selection.ops.empty()) return;
  const SelectionCost cost = selection_cost(data, selection);
  if (cost.ops > 1) {
    const std::string of_all = "selected: " + cost.text(data.unit());
    flow(text_width(of_all) + scaled(12));
    text_colored(theme().text, of_all);
  }
  // What is outside of executions is in no row unless it is asked for.
  std::set<int64_t> hidden;
  for (const int32_t op : selection.ops) {
    const inspector::OpEntry& entry = data.shown_op(op);
    if (!view.query.all_blocks && data.shown.block_of(entry).kind != "execute") continue;
    if (model_.row_of(op) < 0) hidden.insert(entry.id);
  }
  const auto outside = static_cast<int64_t>(hidden.size());
  if (outside == 0 || view.query.group) return;
  const std::string note = outside == 1 && cost.ops <= 1
                               ? std::string("the selected op is not shown")
                               : inspector::format_count(outside) + " selected ops are not shown";
  flow(text_width(note) + scaled(12));
  text_colored(theme().warning, note);
}

void OperatorsPanel::draw_columns_menu() {
  if (!ImGui::BeginPopup("##columns")) return;
  for (const OpColumnSpec& spec : op_columns()) {
    bool on = enabled_[static_cast<size_t>(spec.column)];
    if (ImGui::MenuItem(spec.title, spec.id, &on, spec.column != OpColumn::Name)) toggled_ = spec.column;
    item_tooltip(spec.help);
  }
  ImGui::EndPopup();
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

void OperatorsPanel::commands(CommandList* list) {
  list->push_back({"Operators: copy rows as CSV", 0, [this] { copy_wanted_ = true; }, model_.data() != nullptr});
  list->push_back({"Operators: clear the filter", 0,
                   [this] { model_.query.filter = filter_ = "", model_.query.only = {}; },
                   !model_.query.filter.empty() || !model_.query.only.ops.empty()});
  list->push_back({"Operators: larger details", 0, [this] { detail_height_ *= 1.25F, detail_chosen_ = true; }});
  list->push_back({"Operators: smaller details", 0, [this] { detail_height_ /= 1.25F, detail_chosen_ = true; }});
  for (const GroupName& group : kGroups) {
    std::string name = group.text;
    name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
    list->push_back({"Operators: " + name, 0, [this, by = group.by] { choose_group(by); }});
  }
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
