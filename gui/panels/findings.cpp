// Findings: what makes the program slow, large or hungry for memory, and what to do about it. Its model: FindingsModel.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "gui/core/shared_advice.h"
#include "gui/core/text.h"
#include "gui/core/window_words.h"
#include "gui/panels/findings_details.h"
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

/// Of a heading that may be longer than a list is wide.
void wrapped_heading(std::string_view text) {
  ImGui::Spacing();
  ImGui::PushFont(fonts().bold, 0);
  findings_text(theme().text, text);
  ImGui::PopFont();
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
  std::vector<std::pair<std::string, std::string>> settings() const override {
    if (!rules_shown_) return {};
    return {{"rules", *rules_shown_ ? "shown" : "folded"}};
  }
  void restore(const std::string& key, const std::string& value) override {
    if (key == "rules") rules_shown_ = value == "shown";
  }

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
    findings_text(theme().muted, "A rule speaks only where the trace proves what it says.");
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
    findings_text(
        model_.found() > 0 ? theme().muted : theme().warning,
        inspector::format_count(model_.found()) + " of " + inspector::plural(std::ssize(model_.rows()), "finding"));
  }

  void draw_list(PanelContext& context) {
    draw_search();
    const bool searched = model_.query().find_first_not_of(' ') != std::string::npos;
    if (!searched)
      findings_text(theme().muted,
                    "What could save the most comes first, of several methods by all executions. Bounds are upper "
                    "bounds, no forecasts.");
    if (!searched && !model_.left_out().empty())
      findings_text(theme().muted, inspector::printable(model_.left_out()) + ".");
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
    if (searched) return;  // what is below has no words of the model
    draw_measurement(context);
    draw_silent_rules();
  }

  /// The costliest are looked for here first: that nothing is said of them has a reason.
  void draw_silent_consumers(PanelContext& context) const {
    bool first = true;
    for (size_t i = 0; i < model_.silent().size(); ++i) {
      const std::string text = model_.text_of(model_.silent()[i]);
      if (!has_all_words(text, model_.query())) continue;
      if (std::exchange(first, false)) heading("Costly, and without a finding");
      ImGui::PushID(static_cast<int>(i));
      if (wrapped_link(inspector::printable(text)))
        context.document.select(select_op(*context.document.data(), model_.silent()[i].op_id),
                                model_.silent()[i].calls > 0 ? "delegation" : "roofline");
      item_tooltip("Shows the costliest of them");
      ImGui::PopID();
    }
  }

  /// What was looked for as well: that nothing is said of it is an answer, but only where the rule could look. Folded
  /// below findings, which come first; where there are none it is the answer.
  void draw_silent_rules() {
    size_t unseen_rules = 0;
    for (const inspector::UnseenRules& unseen : model_.not_looked()) unseen_rules += unseen.rules.size();
    if (!model_.silent_rules().empty() &&
        fold("Looked for, and not found, or below the limits", model_.silent_rules().size(), "###silent")) {
      for (const inspector::AdviceRule* const rule : model_.silent_rules())
        findings_text(theme().muted, in_window(rule->summary));
    }
    if (unseen_rules == 0 || !fold("Not looked for", unseen_rules, "###unseen")) return;
    for (const inspector::UnseenRules& unseen : model_.not_looked()) {
      wrapped_heading("Not looked for: needs " + in_window(unseen.needs));
      for (const inspector::AdviceRule* const rule : unseen.rules)
        findings_text(theme().muted, in_window(rule->summary));
    }
  }

  /// The line that opens and closes a list of rules; both do so together.
  bool fold(const char* title, size_t rules, const char* id) {
    const std::string label =
        std::string(tr(title)) + " (" + std::string(tr(inspector::plural(static_cast<int64_t>(rules), "rule"))) + ")";
    ImGui::Spacing();
    ImGui::SetNextItemOpen(rules_shown());
    const Verbatim translated;
    const std::string shown = fitting(label, ImGui::GetContentRegionAvail().x - ImGui::GetTreeNodeToLabelSpacing());
    const bool open = ImGui::TreeNodeEx((shown + id).c_str(),
                                        ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAvailWidth);
    if (shown != label) item_tooltip(label);
    if (ImGui::IsItemToggledOpen()) rules_shown_ = !rules_shown();
    return open;
  }
  bool rules_shown() const { return rules_shown_.value_or(model_.rows().empty()); }

  /// As the command ends: what stands out among the executions, the cold start, times without a line.
  void draw_measurement(PanelContext& context) const {
    if (model_.measurement().empty()) return;
    heading("Of the measurement itself");
    for (size_t i = 0; i < model_.measurement().size(); ++i) {
      const inspector::Finding& f = model_.measurement()[i];
      if (f.run == 0) {
        findings_text(f.severity == "info" ? theme().muted : theme().warning, sentence(inspector::printable(f.text)));
        continue;
      }
      ImGui::PushID(static_cast<int>(i));
      if (wrapped_link(sentence(inspector::printable(f.text)), "###run")) {
        context.document.select_run(f.run);
        context.document.select(context.document.selection(), "timeline");
      }
      item_tooltip("Shows the execution in the timeline");
      ImGui::PopID();
    }
    button_to_panel(context, "overview", {});
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
    if (model_.is_found(model_.chosen)) return draw_finding(context, model_, model_.rows()[model_.chosen]);
    findings_text(theme().muted, "No finding has these words.");
  }

  FindingsModel model_;
  StoreQuery query_;
  bool scroll_ = false;
  std::optional<bool> rules_shown_;  // unless somebody folded or opened them, where nothing else is found
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
