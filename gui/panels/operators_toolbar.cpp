// Above the table of operators: what is asked for, by a filter, a grouping, a method and columns, and what it adds up
// to.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "gui/core/selection_cost.h"
#include "gui/panels/operators_panel.h"
#include "gui/panels/operators_table.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/analysis/ops/filter.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::GroupBy;

struct GroupName {
  Grouping grouping;
  const char* text;
  const char* id;  ///< in the settings
};
constexpr std::array<GroupName, 9> kGroups = {{{{std::nullopt, false, false}, "Single operators", "none"},
                                               {{GroupBy::Op, false, false}, "By name", "op"},
                                               {{GroupBy::Type, false, false}, "By type", "type"},
                                               {{GroupBy::Type, true, false}, "By type and shapes", "type+shapes"},
                                               {{GroupBy::Module, false, false}, "By module", "module"},
                                               {{GroupBy::Module, false, true}, "By repeated module", "module+repeats"},
                                               {{GroupBy::Line, false, false}, "By source line", "line"},
                                               {{GroupBy::Delegate, false, false}, "By delegate", "delegate"},
                                               {{GroupBy::Method, false, false}, "By method", "method"}}};

constexpr float kMethodWidth = 110, kGroupWidth = 155, kLeastFilter = 160, kMostFilter = 520;  // points

Grouping grouping_of(const OperatorsQuery& query) { return {query.group, query.by_shapes, query.repeats}; }

}  // namespace

void OperatorsPanel::choose_group(const Grouping& grouping) {
  chosen_group_ = grouping;
  model_.query.group = grouping.by;
  model_.query.by_shapes = grouping.by_shapes;
  model_.query.repeats = grouping.repeats;
  model_.query.only = {};
  model_.query.group_sort = GroupColumn::Self;
  model_.query.descending = true;
}

std::vector<std::pair<std::string, std::string>> OperatorsPanel::settings() const {
  std::string group = "none", columns;
  for (const GroupName& name : kGroups)
    if (name.grouping == chosen_group_) group = name.id;
  for (const ColumnChoice choice : group_columns_) columns += static_cast<char>('0' + static_cast<int>(choice));
  return {{"own_columns", own_columns_ ? "1" : "0"}, {"group", group}, {"group_columns", columns}};
}

void OperatorsPanel::restore(const std::string& key, const std::string& value) {
  if (key == "own_columns") own_columns_ = value == "1";
  if (key == "group_columns" && value.size() == kGroupColumns && value.find_first_not_of("012") == std::string::npos) {
    for (size_t i = 0; i < kGroupColumns; ++i) group_columns_[i] = static_cast<ColumnChoice>(value[i] - '0');
  }
  if (key != "group") return;
  for (const GroupName& group : kGroups) {
    if (value == group.id) choose_group(group.grouping);
  }
}

/// Where several methods ran: what ops of one take in its executions, a sum over methods cannot say.
void OperatorsPanel::draw_method_choice(const TraceData& data) {
  const std::vector<std::string> methods = methods_that_ran(data.shown);
  if (model_.query.method && std::find(methods.begin(), methods.end(), *model_.query.method) == methods.end())
    model_.query.method.reset();
  if (methods.size() < 2) return;
  flow(scaled(kMethodWidth));
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

/// The text field, as wide as what stands behind it leaves room.
void OperatorsPanel::draw_filter(float behind) {
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::SetNextItemWidth(std::clamp(room - behind, scaled(kLeastFilter), scaled(kMostFilter)));
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
  if (model_.query.filter.empty()) return;
  ImGui::SameLine(0, scaled(2));
  if (ImGui::Button("×##clear")) model_.query.filter = filter_ = "";
  item_tooltip("Clear the filter");
}

void OperatorsPanel::draw_toolbar(PanelContext& context) {
  const TraceData& data = *context.document.data();
  const auto& blocks = data.shown.blocks;
  const bool loads = !model_.query.group &&
                     std::any_of(blocks.begin(), blocks.end(), [](const auto& b) { return b.kind != "execute"; });
  const ImGuiStyle& style = ImGui::GetStyle();
  const auto button = [&](const char* label) {
    return text_width(label) + 2 * style.FramePadding.x + style.ItemSpacing.x;
  };
  float behind = scaled(kGroupWidth) + style.ItemSpacing.x + button("Columns") + button("Only selected") +
                 button("Copy") + button("×");
  if (methods_that_ran(data.shown).size() > 1) behind += scaled(kMethodWidth) + style.ItemSpacing.x;
  if (loads) behind += button("Loading") + ImGui::GetFrameHeight();
  draw_filter(behind);
  flow(scaled(kGroupWidth));
  ImGui::SetNextItemWidth(scaled(kGroupWidth));
  const char* shown = kGroups[0].text;
  for (const GroupName& group : kGroups)
    if (group.grouping == grouping_of(model_.query)) shown = group.text;
  if (ImGui::BeginCombo("##group", shown, ImGuiComboFlags_HeightLarge)) {
    for (const GroupName& group : kGroups) {
      if (ImGui::Selectable(group.text, group.grouping == grouping_of(model_.query))) choose_group(group.grouping);
    }
    ImGui::EndCombo();
  }
  draw_method_choice(data);
  flow_button("Columns");
  if (ImGui::Button("Columns")) ImGui::OpenPopup("##columns");
  draw_columns_menu();
  flow_button("Only selected");
  OpsOfGroup selected = only_selected(data, context.document.selection(), 1);
  ImGui::BeginDisabled(selected.ops.empty() || (!model_.query.group && model_.query.only == selected));
  if (ImGui::Button("Only selected")) show_single(std::move(selected));
  ImGui::EndDisabled();
  item_tooltip("Only the selected ops, one by one; the name above the table clears it.");
  if (loads) {
    flow(button("Loading") + ImGui::GetFrameHeight());
    ImGui::Checkbox("Loading", &model_.query.all_blocks);
    item_tooltip("Also show ops outside executions. They are excluded from totals.");
  }
  flow_button("Copy");
  if (ImGui::Button("Copy")) copy_wanted_ = true;
  item_tooltip("Copy the rows shown as CSV (Ctrl+C)");
  if (!model_.view().status.ok()) {
    ImGui::PushTextWrapPos();
    text_colored(theme().bad, model_.view().status.message());
    ImGui::PopTextWrapPos();
  }
  draw_summary(context);
}

/// The filter that has a name instead of terms; a click takes it away.
void OperatorsPanel::draw_only() {
  if (model_.query.only.ops.empty()) return;
  const std::string name = inspector::printable(model_.query.only.name);
  const std::string shown = fitting(name, 0.4F * ImGui::GetContentRegionAvail().x);
  ImGui::PushStyleColor(ImGuiCol_Button, theme().selection_fill);
  if (ImGui::Button((shown + " ×###only").c_str())) model_.query.only = {};
  ImGui::PopStyleColor();
  item_tooltip("The ops of " + name + " alone; a click shows all");
  ImGui::SameLine();
}

void OperatorsPanel::draw_summary(const PanelContext& context) {
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
  draw_only();
  ImGui::AlignTextToFramePadding();
  ImGui::PushTextWrapPos();
  text_colored(theme().muted, text);
  ImGui::PopTextWrapPos();
  draw_selected(data, context.document.selection());
}

/// What is selected, where the line has room: a line more would move the rows under the mouse.
void OperatorsPanel::draw_selected(const TraceData& data, const Selection& selection) const {
  const OperatorsView& view = model_.view();
  if (selection.ops.empty()) return;
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const auto say = [&](const std::string& text, ImU32 color) {
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    if (ImGui::GetItemRectMax().x + gap + text_width(text) > right) return;
    ImGui::SameLine();
    text_colored(color, text);
  };
  const SelectionCost cost = selection_cost(data, selection);
  const bool is_all = !view.query.group && view.query.only.ops == selection.ops;
  if (cost.ops > 1 && !is_all) say("selected: " + cost.text(data.unit()), theme().text);
  // What is outside of executions is in no row unless it is asked for.
  std::set<int64_t> hidden;
  for (const int32_t op : selection.ops) {
    const inspector::OpEntry& entry = data.shown_op(op);
    if (!view.query.all_blocks && data.shown.block_of(entry).kind != "execute") continue;
    if (model_.row_of(op) < 0) hidden.insert(entry.id);
  }
  const auto outside = static_cast<int64_t>(hidden.size());
  if (outside == 0 || view.query.group) return;
  say(outside == 1 && cost.ops <= 1 ? std::string("the selected op is not shown")
                                    : inspector::format_count(outside) + " selected ops are not shown",
      theme().warning);
}

void OperatorsPanel::draw_columns_menu() {
  if (!ImGui::BeginPopup("##columns")) return;
  if (model_.query.group) {
    draw_group_columns_menu();
  } else {
    for (const OpColumnSpec& spec : op_columns()) {
      bool on = enabled_[static_cast<size_t>(spec.column)];
      const char* const title =
          spec.column == OpColumn::Self && model_.data() != nullptr ? self_title(*model_.data()) : spec.title;
      if (ImGui::MenuItem(title, spec.id, &on, spec.column != OpColumn::Name)) toggled_ = spec.column;
      item_tooltip(spec.help);
    }
    ImGui::Separator();
    if (ImGui::MenuItem("As many as fit", nullptr, false, own_columns_)) own_columns_ = columns_set_ = false;
  }
  ImGui::EndPopup();
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
    list->push_back({"Operators: " + name, 0, [this, grouping = group.grouping] { choose_group(grouping); }});
  }
}

}  // namespace et::gui
