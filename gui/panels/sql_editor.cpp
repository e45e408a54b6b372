#include "gui/panels/sql_editor.h"

#include <imgui.h>

#include <chrono>
#include <exception>

#include "gui/panels/panel.h"
#include "imgui_internal.h"

namespace et::gui {
namespace {

constexpr size_t kMaxSuggestions = 60;

TextEditor::Palette palette() {
  using Color = TextEditor::Color;
  TextEditor::Palette p =
      theme().kind == ThemeKind::Light ? TextEditor::GetLightPalette() : TextEditor::GetDarkPalette();
  const auto set = [&](Color color, ImU32 value) { p[static_cast<size_t>(color)] = value; };
  set(Color::background, theme().surface);
  set(Color::text, theme().text);
  set(Color::identifier, theme().text);
  set(Color::comment, theme().muted);
  set(Color::lineNumber, theme().faint);
  set(Color::currentLineNumber, theme().muted);
  return p;
}

}  // namespace

// A new editor each time: an open list of suggestions remembers places of the old text, which need not exist any more.
void SqlEditor::set_text(const std::string& sql) {
  editor_ = std::make_unique<TextEditor>();
  editor_->SetLanguage(TextEditor::Language::Sql());
  editor_->SetShowMiniMapEnabled(false);
  editor_->SetShowWhitespacesEnabled(false);
  editor_->SetShowScrollbarMiniMapEnabled(false);
  editor_->SetCompletePairedGlyphs(false);
  editor_->SetFindReplaceEnabled(false);
  editor_->SetTabSize(2);
  editor_->SetInsertSpacesOnTabs(true);
  TextEditor::AutoCompleteConfig config;
  config.suggestionWidth = 34;
  config.triggerDelay = std::chrono::milliseconds(-1);  // at once: within a delay the text may change under it
  config.callback = [this](TextEditor::AutoCompleteState& state) { complete(state); };
  editor_->SetAutoCompleteConfig(&config);
  editor_->SetText(sql);
  palette_set_ = false;
}

void SqlEditor::complete(TextEditor::AutoCompleteState& state) {
  std::string word;
  const size_t cursor = editor_->GetSectionText({0, 0}, state.searchTermEnd).size();
  suggestions_ = completion_.suggest(editor_->GetText(), cursor, &word);
  list_moved_ = false;
  word_complete_ = is_offered_word(suggestions_, word);
  if (suggestions_.size() > kMaxSuggestions) suggestions_.resize(kMaxSuggestions);
  state.suggestions.clear();
  for (const SqlSuggestion& s : suggestions_) state.suggestions.push_back(s.text);
  // What is there already needs no list.
  if (state.suggestions.size() == 1 && state.suggestions.front() == word) state.suggestions.clear();
}

/// Return after a word that is complete ends the line, unless another of the list was chosen by an arrow key: the
/// editor would put the word in the line break's place. Tab takes the first of the list as before.
void SqlEditor::leave_list() {
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow) || ImGui::IsKeyPressed(ImGuiKey_DownArrow)) list_moved_ = true;
  const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter);
  if (enter && word_complete_ && !list_moved_) editor_->SetAutoCompleteSuggestions({});
}

void SqlEditor::clear_marks() {
  editor_->ClearSquiggles();
  marked_ = 0;
}

void SqlEditor::mark(const inspector::SqlResult& result, uint64_t version) {
  if (marked_ == version) return;
  marked_ = version;
  editor_->ClearSquiggles();
  const inspector::SqlProblem& p = result.problem;
  if (result.error.empty() || p.line == 0) return;
  const TextEditor::DocPos start(p.line - 1, p.column - 1);
  TextEditor::DocPos end = editor_->FindWordEnd(start);
  if (!(start < end)) end.index = start.index + 1;
  // "u.titel" is one name.
  const TextEditor::DocPos behind(end.line, end.index + 1);
  if (editor_->GetSectionText(end, behind) == ".") {
    if (const TextEditor::DocPos column = editor_->FindWordEnd(behind); behind < column) end = column;
  }
  editor_->AddSquiggle(start, end, 0, theme().bad, result.error);
}

void SqlEditor::draw(bool focused, bool chord) {
  if (palette_kind_ != theme().kind || !palette_set_) {
    palette_kind_ = theme().kind;
    palette_set_ = true;
    editor_->SetPalette(palette());
  }
  ImGui::PushFont(fonts().mono, 0);
  editor_->SetReadOnlyEnabled(chord);
  if (focused && !chord) leave_list();
  render();
  editor_->SetReadOnlyEnabled(false);
  ImGui::PopFont();
}

/// The editor's list of suggestions may look for text that an undo took away, and throws then: the text is kept, the
/// editor starts over.
void SqlEditor::render() {
  ImGuiErrorRecoveryState before;
  ImGui::ErrorRecoveryStoreState(&before);
  try {
    editor_->Render("##editor", ImGui::GetContentRegionAvail());
  } catch (const std::exception&) {
    ImGui::ErrorRecoveryTryToRecoverState(&before);
    set_text(editor_->GetText());
  }
}

}  // namespace et::gui
