// The first answers of the overview: what is wrong with the trace, what costs most, what to do next.
#include <algorithm>

#include "gui/core/text.h"
#include "gui/core/window_words.h"
#include "gui/panels/overview_tables.h"
#include "gui/widgets/cells.h"

namespace et::gui {
namespace {

void wrapped_line(ImU32 color, std::string_view text) {
  ImGui::PushTextWrapPos();
  text_colored(color, text);
  ImGui::PopTextWrapPos();
}

}  // namespace

void OverviewTables::open(const OverviewCost& row) const {
  if (row.op != 0) {
    document.want_group({inspector::GroupBy::Type, row.type});
    const Selection all = row.alike > 1 ? select_group(data, inspector::GroupBy::Type, row.type) : Selection();
    document.select(all.empty() ? select_op(data, row.op) : all, "operators");
  } else if (!row.file.empty()) {
    document.select(select_line(data, row.file, row.line), "source");
  } else {
    document.select(select_modules(data, row.modules, row.title), "flame");
  }
}

void OverviewTables::cost_row(const OverviewCost& row, size_t number, double largest) const {
  const Selection& chosen = document.selection();
  // What is chosen elsewhere marks its rows, too: the type, line and module of an op.
  const bool of_one = chosen.kind == Selection::Kind::Op || chosen.kind == Selection::Kind::Node;
  const bool in_module = of_one && std::any_of(row.modules.begin(), row.modules.end(), [&](const std::string& path) {
                           return chosen.module == path || (!path.empty() && chosen.module.starts_with(path + "."));
                         });
  const bool typed = of_one && !chosen.ops.empty() && row.op != 0 &&
                     is_in_group(data, inspector::GroupBy::Type, row.type, chosen.ops.front());
  const bool selected =
      row.op != 0 ? typed || (chosen.kind == Selection::Kind::Group && chosen.group == row.type)
      : !row.file.empty()
          ? (of_one || chosen.kind == Selection::Kind::Line) && chosen.file == row.file && chosen.line == row.line
          : in_module || (chosen.kind == Selection::Kind::Module && chosen.module == row.module &&
                          std::max<size_t>(chosen.modules.size(), 1) == row.modules.size());
  const ImVec2 at = ImGui::GetCursorPos();
  const float line = ImGui::GetTextLineHeight() + scaled(1), bar = scaled(5);
  const std::string label = (row.op != 0         ? "##operator"
                             : !row.file.empty() ? "##line"
                                                 : "##module") +
                            std::to_string(number);
  if (ImGui::Selectable(label.c_str(), selected, ImGuiSelectableFlags_SpanAllColumns, {0, 2 * line + bar})) open(row);
  if (begin_item_tooltip()) {
    ImGui::TextUnformatted(inspector::printable(row.title).c_str());
    if (!row.detail.empty()) text_colored(theme().muted, inspector::printable(row.detail));
    if (row.alike > 1 && !row.module.empty())
      text_colored(theme().muted, "the costliest of them: " + inspector::printable(row.module));
    ImGui::TextUnformatted((inspector::format_duration_with_unit(row.time, data.unit()) + ", " +
                            inspector::format_share(row.share) + " of " + overview.shares_of)
                               .c_str());
    text_colored(theme().muted, row.op != 0         ? "click: show in operators by type"
                                : !row.file.empty() ? "click: show source line"
                                                    : "click: show in flame graph");
    end_item_tooltip();
  }
  ImGui::SetCursorPos(at);
  const auto pair = [&](float y, const std::string& left, const std::string& right, ImU32 color) {
    const float room = ImGui::GetContentRegionAvail().x - text_width(right) - scaled(8);
    const float inside = static_cast<float>(row.depth) * scaled(12);
    ImGui::SetCursorPos({at.x + inside, y});
    text_colored(color, fitting(left, room - inside));
    ImGui::SetCursorPos({at.x, y});
    text_right(right, color);
  };
  pair(at.y, row.name.empty() ? row.title : row.name, inspector::format_share(row.share), theme().text);
  const float beside = text_width(duration_named(row.time)) + scaled(8);
  const bool is_long = !row.short_detail.empty() && text_width(row.detail) > ImGui::GetContentRegionAvail().x - beside;
  pair(at.y + line, is_long ? row.short_detail : row.detail, duration_named(row.time), theme().muted);
  // Below the texts, over the whole width: lengths are compared along one line.
  ImGui::SetCursorPos({at.x, at.y + 2 * line});
  const ImVec2 a = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const auto part = static_cast<float>(largest > 0 ? std::clamp(row.share / largest, 0.0, 1.0) : 0.0);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(a, {a.x + width, a.y + bar - scaled(1)}, with_alpha(theme().grid, 0.6F), scaled(2));
  list->AddRectFilled(a, {a.x + std::max(scaled(2), width * part), a.y + bar - scaled(1)}, theme().kernel, scaled(2));
  ImGui::Dummy({0, bar});
}

void OverviewTables::cost_table(const char* id, const char* what, const std::vector<OverviewCost>& rows,
                                const char* none) const {
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted(what);
  ImGui::PopFont();
  if (rows.empty()) return wrapped_line(theme().muted, overview.search.empty() ? none : "Nothing found.");
  if (!ImGui::BeginTable(id, 1, ImGuiTableFlags_PadOuterX | ImGuiTableFlags_SizingStretchSame)) return;
  double largest = 0;
  for (const OverviewCost& row : rows) largest = std::max(largest, row.share);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (overview.search.empty() && rows[i].rank.value_or(i) >= most) continue;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(i));
    cost_row(rows[i], i, largest);
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void OverviewTables::show(const BarPlace& place) const {
  if (place.slice != nullptr) {
    document.want_group({inspector::GroupBy::Type, place.slice->type});
    document.select(select_op(data, place.slice->op), "operators");
  } else if (place.part->kind == OverviewPart::Kind::Variation && slowest_run(data) != 0) {
    document.select(document.selection(), "timeline");
    document.show_run(slowest_run(data));
  } else {
    const bool delegated = place.part->kind == OverviewPart::Kind::Delegate;
    document.select(document.selection(), delegated ? "delegation" : "operators");
  }
}

void OverviewTables::steps() const {
  const auto found = [&](const OverviewStep& step) {
    return overview.search.empty() || lower(step.text + "\n" + step.detail).find(overview.search) != std::string::npos;
  };
  if (std::none_of(overview.steps.begin(), overview.steps.end(), found)) return;
  heading("Next");
  for (size_t i = 0; i < overview.steps.size(); ++i) {
    const OverviewStep& step = overview.steps[i];
    if (!found(step)) continue;
    ImGui::PushID(static_cast<int>(i));
    ImGui::Bullet();
    if (step.panel.empty()) {
      wrapped_line(theme().muted, step.text);
    } else {
      if (wrapped_link(step.text)) {
        document.select(step.selection.empty() ? document.selection() : step.selection, step.panel);
        if (!step.type.empty()) document.want_group({inspector::GroupBy::Type, step.type});
        if (step.finding) document.want_finding(*step.finding);
      }
      item_tooltip("show in " + step.panel);
      if (!step.detail.empty()) {
        const float below = ImGui::GetFontSize() + 2 * ImGui::GetStyle().FramePadding.x;  // the text of the link
        ImGui::Indent(below);
        wrapped_line(theme().muted, step.detail);
        ImGui::Unindent(below);
      }
    }
    ImGui::PopID();
  }
}

namespace {

void framed_error(const inspector::Finding& finding) {
  const float indent = scaled(10);
  const ImVec2 a = ImGui::GetCursorScreenPos();
  const float right = a.x + ImGui::GetContentRegionAvail().x;
  // The frame lies under the text, whose height is known when it was drawn.
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->ChannelsSplit(2);
  list->ChannelsSetCurrent(1);
  ImGui::Dummy({0, scaled(2)});
  ImGui::Indent(indent);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - indent);
  ImGui::PushFont(fonts().bold, 0);
  text_colored(theme().bad, inspector::printable(finding.text));
  ImGui::PopFont();
  if (!finding.advice.empty()) text_colored(theme().text, inspector::printable(in_window(finding.advice)));
  ImGui::PopTextWrapPos();
  ImGui::Unindent(indent);
  ImGui::Dummy({0, scaled(2)});
  const ImVec2 b = {right, ImGui::GetCursorScreenPos().y - ImGui::GetStyle().ItemSpacing.y};
  list->ChannelsSetCurrent(0);
  list->AddRectFilled(a, b, with_alpha(theme().bad, 0.14F), scaled(3));
  list->AddRectFilled(a, {a.x + scaled(3), b.y}, theme().bad, scaled(2));
  list->ChannelsMerge();
}

}  // namespace

void OverviewTables::notice(const inspector::Finding& finding) const {
  const std::string text = inspector::printable(finding.text);
  const ImU32 color = finding.severity == "info" ? theme().text : theme().warning;
  ImGui::PushID(&finding);
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::Bullet();
  ImGui::PopStyleColor();
  if (finding.run == 0) {
    wrapped_line(color, text);
  } else if (wrapped_link(text, "###execution")) {
    document.select(document.selection(), "timeline");
    document.show_run(finding.run);
  }
  ImGui::PopID();
  if (!finding.advice.empty()) item_tooltip(inspector::printable(in_window(finding.advice)));
}

void OverviewTables::problems() const {
  const OverviewNotices notices = first_notices(data.findings);
  for (const inspector::Finding* const error : notices.errors) framed_error(*error);
  if (notices.size() == 0) return;
  // The rest of the page is of a range then.
  if (data.range) text_colored(theme().muted, "Of the whole trace:");
  // What the trace says comes first: notes are one line, with the worst of their colours, but a warning that is alone.
  const auto is_warning = [](const inspector::Finding* f) { return f->severity != "info"; };
  const bool warns =
      !notices.warnings.empty() || std::any_of(notices.executions.begin(), notices.executions.end(), is_warning);
  if (warns && notices.size() == 1 && notices.more == 0)
    return notice(*(notices.warnings.empty() ? notices.executions : notices.warnings).front());
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetTreeNodeToLabelSpacing();
  const std::string all = notices.in_short(), shown = fitting(all, room);
  ImGui::PushStyleColor(ImGuiCol_Text, warns ? theme().warning : theme().muted);
  const bool open = ImGui::TreeNodeEx((shown + "###notes").c_str(),
                                      ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAvailWidth);
  ImGui::PopStyleColor();
  if (shown != all) item_tooltip(all);
  if (!open) return;
  for (const auto* const list : {&notices.executions, &notices.warnings})
    for (const inspector::Finding* const finding : *list) notice(*finding);
  if (notices.more > 0)
    text_colored(theme().muted, inspector::format_count(notices.more) + " more under Diagnostics, below");
}

void OverviewTables::costliest() const {
  const bool record = data.has_etrecord();
  const char* no_lines = record ? "No time is linked to a source line." : "Source lines need the ETRecord.";
  const char* no_modules = record ? "No time is linked to a module." : "Modules need the ETRecord.";
  const bool wide = ImGui::GetContentRegionAvail().x > scaled(820);
  if (!ImGui::BeginTable("##costliest", wide ? 3 : 1, ImGuiTableFlags_SizingStretchSame)) return;
  ImGui::TableNextColumn();
  cost_table("##ops", "Operators", overview.ops, "No operator was measured.");
  std::string untyped;
  for (const auto& [name, time] : overview.untyped) {
    if (time > 0)
      untyped +=
          ", " + name + " " + inspector::format_share(time / overview.shares_total) + " (" + duration_named(time) + ")";
  }
  if (!untyped.empty() && overview.search.empty())
    wrapped_line(theme().muted, "and of no operator: " + untyped.substr(2));
  ImGui::TableNextColumn();
  cost_table("##lines", "Python lines, own time", overview.lines, no_lines);
  ImGui::TableNextColumn();
  cost_table("##modules", "Modules, with all inside", overview.modules, no_modules);
  ImGui::EndTable();
}

}  // namespace et::gui
