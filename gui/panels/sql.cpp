// SQL: questions of one's own to the store that is open, with completion, as rows or as a chart. Only reading.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "gui/models/sql_model.h"
#include "gui/panels/panel.h"
#include "gui/panels/sql_editor.h"
#include "gui/panels/sql_results.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

constexpr float kQuestionsFrom = 900, kQuestionsWidth = 270;  // points
constexpr float kMostOfEditor = 0.36F;                        // of the panel's height

class SqlPanel : public Panel {
 public:
  SqlPanel() { editor_.set_text(built_in_queries().front().sql); }

  void draw(PanelContext& context) override {
    model_.refresh(context.document);
    if (ImGui::IsWindowAppearing() && ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows))
      editor_wanted_ = true;
    if (context.document.data() == nullptr) {
      return draw_empty("No trace is open", "Open a store or a trace to query its views.");
    }
    if (model_.check_time(ImGui::GetTime())) context.notices.say("SQL: " + model_.stopped_because());
    if (model_.state() == SqlModel::State::Running) context.wants_frames = true;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    // A window that has no size yet must not set those of its parts.
    if (room.x < scaled(120) || room.y < scaled(60)) return;
    questions_beside_ = room.x > scaled(kQuestionsFrom);
    if (questions_beside_) {
      if (ImGui::BeginChild("##questions", {scaled(kQuestionsWidth), 0}, ImGuiChildFlags_ResizeX)) draw_questions();
      ImGui::EndChild();
      ImGui::SameLine();
    }
    if (ImGui::BeginChild("##right")) {
      // As high as a usual query; what was asked for is the result. It keeps the height that it is dragged to.
      const float head = ImGui::GetFrameHeightWithSpacing() * (ImGui::GetContentRegionAvail().x < scaled(300) ? 2 : 1);
      const float editor = std::clamp(room.y * kMostOfEditor - head, scaled(72), scaled(210));
      if (ImGui::BeginChild("##query", {0, head + editor}, ImGuiChildFlags_ResizeY)) draw_query(context);
      ImGui::EndChild();
      if (ImGui::BeginChild("##result")) draw_result(context);
      ImGui::EndChild();
    }
    ImGui::EndChild();
  }

  std::string csv() const override { return model_.csv(); }
  std::string markdown() const override { return model_.markdown(unit_); }
  void* model() override { return &model_; }
  void commands(CommandList* list) override {
    list->push_back({"SQL: run the query", ImGuiKey_F5, [this] { run_wanted_ = true; }});
    list->push_back(
        {"SQL: stop the query", 0, [this] { model_.cancel(); }, model_.state() == SqlModel::State::Running});
    for (const NamedQuery& q : built_in_queries()) {
      list->push_back({"SQL: " + q.name, 0, [this, &q] { show(q.sql, true); }});
    }
  }
  std::vector<std::pair<std::string, std::string>> settings() const override {
    std::vector<std::pair<std::string, std::string>> out;
    for (const NamedQuery& q : model_.saved()) out.emplace_back("saved." + escaped_line(q.name), escaped_line(q.sql));
    constexpr size_t kKept = 30;
    const auto& history = model_.history();
    for (size_t i = history.size() - std::min(history.size(), kKept); i < history.size(); ++i) {
      out.emplace_back("history", escaped_line(history[i]));
    }
    return out;
  }
  void restore(const std::string& key, const std::string& value) override {
    if (key == "history") model_.restore_history(unescaped_line(value));
    if (key.starts_with("saved.")) model_.save(unescaped_line(key.substr(6)), unescaped_line(value));
  }

 private:
  void show(const std::string& sql, bool run) {
    editor_.set_text(sql);
    run_wanted_ = run;
  }

  void run(PanelContext& context) {
    run_wanted_ = false;
    editor_.clear_marks();
    ran_ = editor_.text();
    model_.run(context.document, ran_, ImGui::GetTime());
  }

  void draw_query(PanelContext& context) {
    const bool running = model_.state() == SqlModel::State::Running;
    if (running ? ImGui::Button("Stop") : ImGui::Button("Run")) running ? model_.cancel() : run(context);
    item_tooltip(running ? "Stop the query." : "Run the query (F5, Ctrl+Enter). Queries are read-only.");
    if (!questions_beside_) {
      flow_button("Questions");
      if (ImGui::Button("Questions")) ImGui::OpenPopup("##questions");
      item_tooltip("Queries that come with the program, and your own.");
      if (ImGui::BeginPopup("##questions")) {
        draw_questions();
        ImGui::EndPopup();
      }
    }
    flow_button("Save…");
    draw_save();
    flow(ImGui::GetFrameHeight());
    if (ImGui::ArrowButton("##older", ImGuiDir_Up)) step_history(-1);
    item_tooltip("Previous query (Ctrl+Up).");
    flow(ImGui::GetFrameHeight());
    if (ImGui::ArrowButton("##newer", ImGuiDir_Down)) step_history(1);
    item_tooltip("Next query (Ctrl+Down).");
    if (!questions_beside_) {
      flow_button("Views");
      if (ImGui::Button("Views")) ImGui::OpenPopup("##views");
      item_tooltip("Views of the store and their columns.");
      draw_views();
    }

    // The editor would take these keys as its own.
    const bool focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
    const bool chord = focused && ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_Enter);
    const bool hidden_key =
        focused && ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup) && ImGui::IsKeyPressed(ImGuiKey_F5, false);
    if (focused && ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_UpArrow)) step_history(-1);
    if (focused && ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_DownArrow)) step_history(1);
    if (chord || hidden_key) run_wanted_ = true;
    if (run_wanted_) run(context);
    if (model_.state() != SqlModel::State::Running) editor_.mark(model_.result(), model_.version());
    // Who comes here by a key types on: the cursor is in the query.
    if (std::exchange(editor_wanted_, false)) editor_.focus();
    editor_.draw(focused, chord);
  }

  void step_history(int direction) { editor_.set_text(model_.history_step(direction, editor_.text())); }

  /// The one whose query stands in the editor is marked.
  void draw_questions() {
    text_colored(theme().muted, "Questions");
    const std::string now = editor_.text();
    const auto entry = [&](const NamedQuery& q) {
      const bool chosen = now.starts_with(q.sql) && now.find_first_not_of(" \n", q.sql.size()) == std::string::npos;
      const std::string name = inspector::printable(q.name);
      const std::string shown = questions_beside_ ? fitting(name, ImGui::GetContentRegionAvail().x) : name;
      if (ImGui::Selectable((shown + "###" + name).c_str(), chosen)) show(q.sql, true);
      if (shown != name) item_tooltip(name);
    };
    for (const NamedQuery& q : built_in_queries()) entry(q);
    ImGui::Dummy({0, scaled(6)});
    text_colored(theme().muted, "Your own");
    if (model_.saved().empty()) {
      ImGui::PushTextWrapPos(questions_beside_ ? 0 : scaled(kQuestionsWidth));
      text_colored(theme().faint, "Save… keeps a query here.");
      ImGui::PopTextWrapPos();
    }
    std::optional<size_t> removed;
    for (size_t i = 0; i < model_.saved().size(); ++i) {
      if (i == model_.removed_from()) draw_undo();
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::SmallButton("x")) removed = i;
      item_tooltip("Remove this query from the list. Undo stands in its place then.");
      ImGui::SameLine();
      entry(model_.saved()[i]);
      ImGui::PopID();
    }
    if (model_.removed_from() >= model_.saved().size()) draw_undo();
    if (removed) model_.remove_saved(*removed);
    if (!questions_beside_) return;
    ImGui::Dummy({0, scaled(6)});
    text_colored(theme().muted, "Views of this store");
    item_tooltip("What a query can ask. A click on a column puts its name where the cursor is.");
    draw_view_tree();
  }

  /// In the place of the query that was removed last.
  void draw_undo() {
    if (model_.removed().name.empty()) return;
    const std::string undo(tr("Undo"));
    const float button = text_width(undo) + 2 * ImGui::GetStyle().FramePadding.x + ImGui::GetStyle().ItemSpacing.x;
    const float room = questions_beside_ ? ImGui::GetContentRegionAvail().x : scaled(kQuestionsWidth);
    {
      const Verbatim name;
      text_colored(theme().faint, fitting(model_.removed().name, room - button));
    }
    item_tooltip("removed");
    ImGui::SameLine();
    if (ImGui::SmallButton("Undo")) model_.undo_remove();
  }

  void draw_save() {
    if (ImGui::Button("Save…")) {
      name_.clear();
      ImGui::OpenPopup("##save");
    }
    item_tooltip("Save this query in the settings.");
    if (!ImGui::BeginPopup("##save")) return;
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(scaled(220));
    const bool entered =
        ImGui::InputTextWithHint("##name", "name of the query", &name_, ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::SameLine();
    if ((ImGui::Button("Save") || entered) && !name_.empty()) {
      model_.save(name_, editor_.text());
      ImGui::CloseCurrentPopup();
    }
    if (model_.is_saved(name_)) text_colored(theme().warning, "Takes the place of the query of that name.");
    ImGui::EndPopup();
  }

  void draw_views() {
    ImGui::SetNextWindowSizeConstraints({scaled(320), scaled(80)}, {scaled(620), scaled(480)});
    if (!ImGui::BeginPopup("##views")) return;
    draw_view_tree();
    ImGui::EndPopup();
  }

  void draw_view_tree() {
    for (const auto& view : editor_.views()) {
      if (!::ImGui::TreeNode(view.name.c_str())) {
        item_tooltip(view.description);
        continue;
      }
      ImGui::PushTextWrapPos(0);
      text_colored(theme().muted, view.description);
      ImGui::PopTextWrapPos();
      for (const auto& column : view.columns) {
        if (ImGui::Selectable((column.name + "##" + view.name).c_str(), false,
                              ImGuiSelectableFlags_NoAutoClosePopups)) {
          editor_.insert(column.name);
        }
        item_tooltip(column.type + ": " + column.description);
      }
      ImGui::TreePop();
    }
  }

  void draw_result(PanelContext& context) {
    unit_ = table_.raw ? std::string() : context.document.data()->unit();
    const bool running = model_.state() == SqlModel::State::Running;
    if (!running) draw_statements();
    const inspector::SqlResult& result = model_.result();
    const bool rows = !result.columns.empty();
    if (rows && !running) {
      if (ImGui::RadioButton("Table", !chart_shown_)) chart_shown_ = false;
      ImGui::SameLine();
      if (ImGui::RadioButton("Chart", chart_shown_)) chart_shown_ = true;
      ImGui::SameLine();
      if (ImGui::SmallButton("Copy as CSV")) {
        ImGui::SetClipboardText(model_.csv().c_str());
        context.notices.say("copied " + inspector::plural(std::ssize(model_.order()), "row"));
      }
      flow(ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + text_width("Raw numbers"));
      ImGui::Checkbox("Raw numbers", &table_.raw);
      item_tooltip(
          "As the query gives them, not as µs and percent. The column's name says which is which: ..._ns are times, "
          "..._bytes bytes, ..._share shares, so that sum(usual_ns) AS total_ns stays a time.");
      draw_search(context);
      ImGui::SameLine();
    }
    if (!running && is_of_usual_times(context)) {
      ImGui::PushTextWrapPos();
      text_colored(
          theme().warning,
          "usual_ns is of a usual warm execution whatever the basis; cold_ns and slow_ns are of the cold and of "
          "the slowest ones");
      ImGui::PopTextWrapPos();
    }
    draw_status(running);
    if ((!rows || running) && std::exchange(search_request(), false))
      context.notices.say(running ? "the query is still running" : "no rows to search: run a query first");
    if (!rows) {
      if (result.error.empty() && !running && model_.state() == SqlModel::State::Nothing) {
        draw_empty("No query yet",
                   "Run the query shown, choose a question, or write your own: Ctrl+Space completes names.");
      }
      return;
    }
    if (chart_shown_) {
      chart_.draw(context, model_, unit_);
    } else {
      table_.draw(context, model_);
    }
  }

  /// Of a text with several statements: which result is shown.
  void draw_statements() {
    if (model_.statements() < 2) return;
    const auto label = [&](size_t i) {
      const inspector::SqlResult& r = model_.result_of(i);
      return "statement " + std::to_string(i + 1) + " of " + std::to_string(model_.statements()) + ": " +
             (r.error.empty() ? inspector::plural(static_cast<int64_t>(r.rows()), "row") : "an error");
    };
    ImGui::AlignTextToFramePadding();
    text_colored(theme().muted, "Result of");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(std::min(scaled(260), ImGui::GetContentRegionAvail().x));
    if (!ImGui::BeginCombo("##statement", label(model_.statement()).c_str())) return;
    for (size_t i = 0; i < model_.statements(); ++i) {
      if (ImGui::Selectable((label(i) + "##" + std::to_string(i)).c_str(), i == model_.statement()))
        model_.show_statement(i);
    }
    ImGui::EndCombo();
  }

  void draw_search(PanelContext& context) {
    flow(scaled(220));
    ImGui::SetNextItemWidth(scaled(200));
    take_search_focus();
    if (!search_edited_) search_ = model_.searched();
    if (ImGui::InputTextWithHint("##search", "Search the rows", &search_)) model_.search(context.jobs, search_);
    search_edited_ = ImGui::IsItemActive();
  }

  /// The result's times are of another basis than those of the panels beside it.
  bool is_of_usual_times(const PanelContext& context) const {
    const TraceData* const data = context.document.data();
    return data != nullptr && data->usual().basis.kind != inspector::BasisKind::WarmMedian &&
           model_.result().column("usual_ns") >= 0;
  }

  void draw_status(bool running) {
    const inspector::SqlResult& result = model_.result();
    ImGui::AlignTextToFramePadding();
    if (running) {
      return text_colored(theme().muted,
                          "running, " + inspector::format_real(model_.running_for(ImGui::GetTime()), 1) + " s…");
    }
    if (model_.state() == SqlModel::State::Stopped) return text_colored(theme().warning, model_.stopped_because());
    if (!result.error.empty()) {
      ImGui::PushTextWrapPos();
      const auto& p = result.problem;
      const std::string place =
          p.line == 0 ? "" : " (line " + std::to_string(p.line) + ", column " + std::to_string(p.column) + ")";
      text_colored(theme().bad, inspector::printable(result.error) + place);
      ImGui::PopTextWrapPos();
      return;
    }
    if (result.columns.empty()) return text_colored(theme().muted, "");
    const std::string found =
        model_.searched().empty() ? "" : inspector::format_count(std::ssize(model_.order())) + " of ";
    std::string text = found + inspector::format_count(static_cast<int64_t>(result.rows())) +
                       (result.rows() == 1 ? " row in " : " rows in ") +
                       inspector::format_real(result.seconds * 1000, result.seconds < 0.1 ? 1 : 0) + " ms";
    using Cut = inspector::SqlResult::Cut;
    if (result.cut == Cut::Rows) text += "; more rows were dropped";
    if (result.cut == Cut::Bytes) text += "; more rows were dropped: the result reached its memory limit";
    if (result.cut == Cut::Time)
      text += "; incomplete: stopped after " + std::to_string(static_cast<int>(model_.limits.seconds)) + " s";
    if (!model_.current()) text += "; from the previously open trace";
    const bool changed = !model_.history().empty() && ran_ != editor_.text();
    if (changed) text += "; not of the query above: Run (F5)";
    if (model_.sorting()) text += "; sorting…";
    // Said where there is room for it: half of it helps nobody.
    const std::string hint = " · a click on a row selects what it names, a double-click shows it";
    if (model_.leads_somewhere() && text_width(text + hint) < ImGui::GetContentRegionAvail().x) text += hint;
    const bool warn = result.cut != Cut::None || !model_.current() || changed;
    text_fitting(text, warn ? theme().warning : theme().muted);
  }

  SqlEditor editor_;
  SqlModel model_;
  SqlTable table_;
  SqlChartView chart_;
  std::string name_;
  std::string unit_;          // of the numbers shown, "" as they are
  std::string search_, ran_;  // ran_: the text that the result is of
  bool chart_shown_ = false, search_edited_ = false, questions_beside_ = false;
  bool run_wanted_ = true;  // the first query answers at once
  bool editor_wanted_ = false;
};

}  // namespace

extern const PanelSpec k_sql_panel;
const PanelSpec k_sql_panel = {
    .id = "sql",
    .title = "SQL",
    .summary = "Query the open store",
    .key = ImGuiKey_9,
    .make = [] { return std::unique_ptr<Panel>(new SqlPanel); },
};

}  // namespace et::gui
