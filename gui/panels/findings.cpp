// Findings: what makes the program slow, large or hungry for memory, and what to do about it. Its model: FindingsModel.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "gui/core/shared_advice.h"
#include "gui/models/findings_model.h"
#include "gui/panels/store_query.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "gui/widgets/sentence.h"
#include "inspector/analysis/findings/finding.h"
#include "inspector/report/findings_report.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

constexpr float kListWidth = 420, kBesideWidth = 760;  // of the list; from where on the details stand beside it

void wrapped_colored(ImU32 color, std::string_view text) {
  ImGui::PushTextWrapPos(0);
  text_colored(color, text);
  ImGui::PopTextWrapPos();
}

/// Of a heading that may be longer than a list is wide.
void wrapped_heading(std::string_view text) {
  ImGui::Spacing();
  ImGui::PushFont(fonts().bold, 0);
  wrapped_colored(theme().text, text);
  ImGui::PopFont();
}

/// As long as the part of an execution that could be saved; pale from the smaller bound to the larger.
void saving_bar(const FindingsRow& row, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float high = scaled(5);
  const double share = row.share;
  ImDrawList* const draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(at, {at.x + width, at.y + high}, theme().grid, 2);
  draw->AddRectFilled(at, {at.x + width * static_cast<float>(std::min(row.most_share, 1.0)), at.y + high},
                      with_alpha(theme().good, 0.4F), 2);
  draw->AddRectFilled(at, {at.x + width * static_cast<float>(std::min(share, 1.0)), at.y + high}, theme().good, 2);
  ImGui::Dummy({width, high});
}

const char* kind_of(const FindingsRow& row, bool sums) {
  if (row.advice.most_ns > 0 || row.advice.open) return sums ? "Time of all of it" : "Time of an execution";
  return row.advice.most_bytes > 0 ? "Memory and size" : "Once, at loading";
}

class FindingsPanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    refresh(context);
    if (query_.draw_instead(context.document, "Cannot look for findings")) return;
    if (model_.rows().empty()) return draw_nothing_found(context);
    if (const std::optional<WantedFinding> wanted = context.document.take_wanted_finding()) {
      model_.chosen = model_.find(*wanted);
      if (!model_.is_found(model_.chosen)) model_.search("");
      scroll_ = true;
    }
    model_.chosen = std::min(model_.chosen, model_.rows().size() - 1);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool beside = room.x >= scaled(kBesideWidth);
    const ImVec2 list = {beside ? std::min(scaled(kListWidth), room.x * 0.42F) : 0, beside ? 0 : room.y * 0.4F};
    if (ImGui::BeginChild("##list", list)) draw_list(context);
    ImGui::EndChild();
    if (beside) ImGui::SameLine(0, scaled(8));
    if (ImGui::BeginChild("##details", {0, 0}, ImGuiChildFlags_Borders)) draw_found_details(context);
    ImGui::EndChild();
  }
  std::string csv() const override { return model_.csv(); }
  std::string markdown() const override { return model_.markdown(); }
  void* model() override { return &model_; }

 private:
  void refresh(PanelContext& context) {
    if (!query_.due(context.document)) return;
    const auto data = context.document.shared_data();
    WantedFinding last;
    if (model_.chosen < model_.rows().size()) last = FindingsModel::name_of(model_.rows()[model_.chosen].advice);
    model_.set({}, nullptr);
    if (data == nullptr) return;
    query_.start<FindingsModel>(
        context,
        [data](const inspector::Store& store, FindingsModel* out) {
          const auto found = shared_advice(store, data);
          out->set(found->advice, data, found->notes);
          out->set_measurement(data->findings);
          return found->status;
        },
        [this, last, query = model_.query()](FindingsModel made) {
          model_ = std::move(made);
          model_.chosen = model_.find(last);
          model_.search(query);
        });
  }

  void draw_nothing_found(PanelContext& context) {
    if (std::exchange(search_request(), false)) context.notices.say("no findings to search");
    wrapped_heading(inspector::nothing_found_text(model_.missing()));
    wrapped_colored(theme().muted, "A rule speaks only where the trace proves what it says.");
    draw_silent_consumers(context);
    draw_measurement(context);
    draw_silent_rules();
  }

  /// Of the rows alone: what was looked for without a finding has no words of the model.
  void draw_search() {
    ImGui::SetNextItemWidth(-1);
    take_search_focus();
    std::string text = model_.query();
    if (ImGui::InputTextWithHint("##search", "Search: operator, module, line, rule", &text)) model_.search(text);
    if (text.empty()) return;
    wrapped_colored(
        model_.found() > 0 ? theme().muted : theme().warning,
        inspector::format_count(model_.found()) + " of " + inspector::plural(std::ssize(model_.rows()), "finding"));
  }

  void draw_list(PanelContext& context) {
    draw_search();
    wrapped_colored(
        theme().muted,
        "What could save the most comes first: between two bounds their middle counts, of several methods all "
        "executions. Bounds are no forecasts.");
    if (!model_.left_out().empty()) wrapped_colored(theme().muted, inspector::printable(model_.left_out()) + ".");
    const char* kind = nullptr;
    for (size_t i = 0; i < model_.rows().size(); ++i) {
      if (!model_.is_found(i)) continue;
      const FindingsRow& row = model_.rows()[i];
      const char* const own = kind_of(row, context.document.data()->shown.basis.is_sum());
      if (kind == nullptr || std::string_view(kind) != own) heading(kind = own);
      ImGui::PushID(static_cast<int>(i));
      draw_entry(row, i);
      ImGui::PopID();
    }
    draw_silent_consumers(context);
    draw_measurement(context);
    draw_silent_rules();
  }

  /// The costliest are looked for here first: that nothing is said of them has a reason.
  void draw_silent_consumers(PanelContext& context) const {
    if (model_.silent().empty()) return;
    heading("Costly, and without a finding");
    for (size_t i = 0; i < model_.silent().size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      if (wrapped_link(inspector::printable(model_.text_of(model_.silent()[i]))))
        context.document.select(select_op(*context.document.data(), model_.silent()[i].op_id),
                                model_.silent()[i].calls > 0 ? "delegation" : "roofline");
      item_tooltip("Shows the costliest of them");
      ImGui::PopID();
    }
  }

  /// What was looked for as well: that nothing is said of it is an answer, but only where the rule could look.
  void draw_silent_rules() const {
    if (!model_.silent_rules().empty()) heading("Looked for, and not found, or below the limits");
    for (const inspector::AdviceRule* const rule : model_.silent_rules()) wrapped_colored(theme().muted, rule->summary);
    for (const inspector::UnseenRules& unseen : model_.not_looked()) {
      wrapped_heading("Not looked for: needs " + unseen.needs);
      for (const inspector::AdviceRule* const rule : unseen.rules) wrapped_colored(theme().muted, rule->summary);
    }
  }

  /// As the command ends: what stands out among the executions, the cold start, times without a line.
  void draw_measurement(PanelContext& context) const {
    if (model_.measurement().empty()) return;
    heading("Of the measurement itself");
    for (const inspector::Finding& f : model_.measurement())
      wrapped_colored(f.severity == "info" ? theme().muted : theme().warning, inspector::printable(f.text));
    button_to(context, "overview", {});
  }

  void draw_entry(const FindingsRow& row, size_t index) {
    const ImVec2 at = ImGui::GetCursorPos();
    const std::string title =
        std::string(tr(inspector::printable(std::to_string(index + 1) + ". " + row.advice.title)));
    const float gap = scaled(3), inside = ImGui::GetContentRegionAvail().x - 2 * gap;
    ImGui::PushFont(fonts().bold, 0);
    const float tall =
        std::max(ImGui::CalcTextSize(title.c_str(), nullptr, false, inside).y, ImGui::GetTextLineHeight());
    ImGui::PopFont();
    const float high = tall + ImGui::GetTextLineHeight() + 3 * gap + scaled(5);
    if (ImGui::Selectable("##finding", index == model_.chosen, ImGuiSelectableFlags_None, {0, high}))
      model_.chosen = index;
    if (index == model_.chosen && std::exchange(scroll_, false)) ImGui::SetScrollHereY();
    const ImVec2 after = ImGui::GetCursorPos();
    ImGui::SetCursorPos({at.x + gap, at.y});
    ImGui::PushFont(fonts().bold, 0);
    // Whole: what a name's middle stands for may be the point.
    ImGui::PushTextWrapPos(at.x + gap + inside);
    ImGui::TextUnformatted(title.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    const float line = tall + gap;
    ImGui::SetCursorPos({at.x + gap, at.y + line});
    const std::string where = !row.lines.empty()
                                  ? row.lines.front().text + " +" + inspector::format_count(std::ssize(row.lines) - 1)
                              : row.line.empty() ? row.advice.method
                                                 : row.line;
    const float saved = row.most.empty() ? 0 : text_width(row.most) + scaled(12);
    text_colored(theme().text, row.most);
    if (inside - saved > scaled(60) && !where.empty()) {
      const std::string cut = fitting(where, inside - saved);
      ImGui::SetCursorPos({at.x + gap + inside - text_width(cut), at.y + line});
      text_colored(theme().muted, cut);
    }
    ImGui::SetCursorPos({at.x + gap, at.y + line + ImGui::GetTextLineHeight() + gap});
    if (row.share > 0) saving_bar(row, inside);
    ImGui::SetCursorPos(after);
    ImGui::Dummy({0, 0});
  }

  void draw_found_details(PanelContext& context) {
    if (model_.is_found(model_.chosen)) return draw_details(context, model_.rows()[model_.chosen]);
    wrapped_colored(theme().muted, "No finding has these words.");
  }

  void draw_details(PanelContext& context, const FindingsRow& row) {
    ImGui::PushFont(fonts().bold, ImGui::GetStyle().FontSizeBase * 1.15F);
    wrapped_colored(theme().text, inspector::printable(row.advice.title));
    ImGui::PopFont();
    wrapped_colored(theme().text, sentence(inspector::printable(row.advice.text)) + ".");
    heading("Could save");
    if (row.win.empty()) {
      wrapped_colored(theme().muted, "No bound is known.");
    } else {
      if (row.share > 0) saving_bar(row, std::min(scaled(320), ImGui::GetContentRegionAvail().x));
      wrapped_colored(theme().text, sentence(row.win) + ". An upper bound, not a forecast.");
      if (!row.roofline.empty()) wrapped_colored(theme().muted, "Roofline " + row.roofline + ".");
    }
    heading("Do");
    wrapped_colored(theme().text, inspector::printable(row.advice.what_to_do));
    if (!row.facts.empty()) {
      heading("Evidence");
      draw_facts(row);
    }
    heading("Where");
    draw_place(context, row);
    if (row.advice.items.size() > 1) draw_items(context, row);
    ImGui::Spacing();
    const std::string rule = "Rule " + row.advice.id +
                             (row.advice.method.empty() ? "" : ", method " + row.advice.method) + ". Times are of " +
                             context.document.data()->shown.basis.whole() + ".";
    wrapped_colored(theme().faint, rule);
  }

  /// Each op that it is about; a click selects it everywhere.
  void draw_items(PanelContext& context, const FindingsRow& row) const {
    heading(("All " + inspector::format_count(std::ssize(row.advice.items)) + " of them").c_str());
    const float room = ImGui::GetContentRegionAvail().x;
    const bool module = room > scaled(430);
    if (!ImGui::BeginTable("##items", module ? 4 : 3, ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit)) return;
    ImGui::TableSetupColumn("Op", ImGuiTableColumnFlags_WidthStretch, 1);
    if (module) ImGui::TableSetupColumn("Module", ImGuiTableColumnFlags_WidthStretch, 1);
    ImGui::TableSetupColumn("Line", ImGuiTableColumnFlags_WidthFixed, line_column(room));
    ImGui::TableSetupColumn("Time", ImGuiTableColumnFlags_WidthFixed, scaled(72));
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(row.advice.items.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const inspector::AdviceItem& item = row.advice.items[static_cast<size_t>(i)];
        ImGui::PushID(i);
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        const ImVec2 at = ImGui::GetCursorPos();
        if (ImGui::Selectable("##item",
                              !item.place.node.empty() && context.document.selection().node == item.place.node,
                              ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
          const Selection target = model_.selection_of(item.place, row.advice.method);
          if (!target.empty())
            context.document.select(target, ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) ? "graph" : "");
        }
        ImGui::SetCursorPos(at);
        text_fitting(item.title);
        if (module) {
          ImGui::TableNextColumn();
          text_fitting(item.place.module, theme().muted);
        }
        ImGui::TableNextColumn();
        inspector::AdvicePlace line = item.place;
        line.module.clear();
        text_fitting(inspector::advice_place_text(line, true), theme().muted);
        ImGui::TableNextColumn();
        text_right(inspector::format_duration_with_unit(item.ns, context.document.data()->unit()));
        ImGui::PopID();
      }
    }
    ImGui::EndTable();
  }

  static void draw_facts(const FindingsRow& row) {
    float names = 0, values = 0;
    for (const auto& [name, value] : row.facts)
      names = std::max(names, text_width(sentence(name))), values = std::max(values, text_width(value));
    const float left = std::min(names, ImGui::GetContentRegionAvail().x - values - scaled(24));
    if (!ImGui::BeginTable("##facts", 2, ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit)) return;
    ImGui::TableSetupColumn("What", ImGuiTableColumnFlags_WidthFixed, left + scaled(12));
    ImGui::TableSetupColumn("Measured", ImGuiTableColumnFlags_WidthFixed, values);
    for (const auto& [name, value] : row.facts) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      text_fitting(sentence(name), theme().muted);
      ImGui::TableNextColumn();
      text_right(value);
    }
    ImGui::EndTable();
  }

  void draw_place(PanelContext& context, const FindingsRow& row) {
    const inspector::AdvicePlace& place = row.advice.place;
    const Selection target = model_.selection_of(row);
    if (!row.lines.empty()) {
      draw_lines(context, row);
    } else if (!row.line.empty()) {
      const std::string line = fitting(row.line, ImGui::GetContentRegionAvail().x);
      if (ImGui::TextLink(line.c_str()))
        context.document.select(select_line(*context.document.data(), place.file, place.line), "source");
      item_tooltip(inspector::printable(place.file) + "\nShows the line in the Source panel");
    }
    const char* const of = row.advice.items.size() < 2 ? "" : "of the costliest: ";
    if (!place.module.empty()) text_fitting("Module " + (of + place.module), theme().muted);
    if (!place.node.empty()) text_fitting("Node " + (of + place.node), theme().muted);
    if (target.empty() && row.line.empty() && place.module.empty())
      wrapped_colored(theme().muted, "No single place: all of it is in the panel below.");
    ImGui::Dummy({0, scaled(2)});
    button_to(context, row.panel.c_str(), target);
    if (target.empty()) return;
    for (const char* const panel : {"graph", "operators", "timeline"}) {
      const bool time = std::string_view(panel) != "graph";
      if (row.panel == panel || (time && target.ops.empty())) continue;
      flow_button(label_to(panel).c_str());
      button_to(context, panel, target);
    }
  }

  /// Each line leads to itself.
  void draw_lines(PanelContext& context, const FindingsRow& row) const {
    constexpr size_t kMostLines = 8;
    const size_t shown = row.lines.size() > kMostLines ? kMostLines - 1 : row.lines.size();
    float wide = 0;
    for (size_t i = 0; i < shown; ++i) wide = std::max(wide, text_width(row.lines[i].text));
    wide = std::min(wide, ImGui::GetContentRegionAvail().x * 0.6F);
    const float left = ImGui::GetCursorPosX();
    for (size_t i = 0; i < shown; ++i) {
      const FindingsLine& line = row.lines[i];
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::TextLink(fitting(line.text, wide).c_str()))
        context.document.select(select_line(*context.document.data(), line.file, line.line), "source");
      item_tooltip(inspector::printable(line.file) + "\nShows the line in the Source panel");
      ImGui::SameLine(left + wide + scaled(12));
      text_fitting((line.ns > 0 ? inspector::format_duration_with_unit(line.ns, context.document.data()->unit()) + ", "
                                : std::string()) +
                       inspector::plural(line.ops, "op"),
                   theme().muted);
      ImGui::PopID();
    }
    if (shown < row.lines.size()) {
      wrapped_colored(theme().muted,
                      "and " + inspector::plural(std::ssize(row.lines) - static_cast<int64_t>(shown), "more line") +
                          ": in the list below");
    }
  }

  static std::string label_to(const std::string& panel) {
    const PanelSpec* const spec = find_panel(panel);
    return spec == nullptr ? std::string() : std::string("Show in ") + spec->title;
  }

  static void button_to(PanelContext& context, const char* panel, const Selection& target) {
    const std::string label = label_to(panel);
    if (label.empty() || !ImGui::Button(label.c_str())) return;
    context.document.select(target.empty() ? context.document.selection() : target, panel);
  }

  FindingsModel model_;
  StoreQuery query_;
  bool scroll_ = false;
};

}  // namespace

extern const PanelSpec k_findings_panel;
const PanelSpec k_findings_panel = {
    .id = "findings",
    .title = "Findings",
    .summary = "What to change in the model or its export, and the most it could save",
    .key = ImGuiKey_None,
    .make = [] { return std::unique_ptr<Panel>(new FindingsPanel); },
};

}  // namespace et::gui
