#include "gui/panels/notes_editor.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "gui/core/text.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/theme.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::NoteKind;

struct ColorChoice {
  const char* name;
  const char* label;
};
constexpr std::array<ColorChoice, 4> kNoteColors = {
    {{"", "none"}, {"good", "good"}, {"warning", "to check"}, {"bad", "bad"}}};

/// Which file it will be in, before it is written.
void draw_where(const Document& document) {
  const std::string& file = document.notes_file();
  ImGui::SameLine();
  if (!document.is_temporary()) {
    text_fitting("kept in the store " + inspector::printable(base_name(document.store_path())), theme().faint);
  } else if (file.empty()) {
    text_fitting("kept in no file: use File > Save store as…", theme().warning);
  } else {
    const std::vector<std::string> opened = document.request().files();
    const std::string name = base_name(file);
    const bool beside = !opened.empty() && name == base_name(opened.front()) + ".notes";
    text_fitting(beside ? "kept beside the trace, in " + name : "kept in your settings, as " + name, theme().faint);
    item_tooltip(file);
  }
}

}  // namespace

void NoteEditor::update(Document& document, NotesModel& model) {
  if (saving_ && !document.writes_notes()) {
    saving_ = false;
    if (model.lost()) writing_ = true;  // its text is still here
  }
  // What was being written on another trace is not of this one: the user was asked.
  if (writing_ && subject_ != document.subject_version()) writing_ = false;
  if (document.take_note_save() && is_begun()) save(document, model);
  if (document.take_note_focus() && writing_) focus_ = true;
  document.set_begun_note(is_begun());
  if (writing_ && document.data() != nullptr) describe_place(document);
}

void NoteEditor::begin_on(Document& document, const Selection& target) {
  const inspector::NoteAnchor anchor = anchor_of(*document.data(), target);
  focus_ = true;
  if (is_begun()) {
    // It stays where it was begun; what moves it stands beside it.
    if (editing_ != 0 || !(anchor == anchor_)) document.notify("the note on " + place_ + " is not saved yet");
    return;
  }
  text_.clear();
  color_.clear();
  begun_with_.clear();
  editing_ = 0;
  hang_on(document, anchor);
  writing_ = true;
  subject_ = document.subject_version();
}

void NoteEditor::begin_edit(Document& document, const NoteRow& row) {
  focus_ = true;
  if (is_begun()) {
    if (editing_ != row.note.id) document.notify("the note on " + place_ + " is not saved yet");
    return;
  }
  editing_ = row.note.id;
  text_ = begun_with_ = row.note.text;
  color_ = row.note.color;
  hang_on(document, row.note.anchor);
  writing_ = true;
  subject_ = document.subject_version();
}

void NoteEditor::hang_on(const Document& document, const inspector::NoteAnchor& anchor) {
  anchor_ = anchor;
  described_ = 0;
  describe_place(document);
}

/// In the words and times of what is shown now.
void NoteEditor::describe_place(const Document& document) {
  if (std::exchange(described_, document.version()) == document.version()) return;
  place_ = anchor_text(*document.data(), anchor_);
  cost_ = cost_text(*document.data(), selection_of(*document.data(), anchor_));
}

/// The text stays until it is in the store.
void NoteEditor::save(Document& document, NotesModel& model) {
  if (editing_ != 0) {
    model.edit(document, editing_, text_, color_);
  } else {
    model.add(document, NoteKind::Note, anchor_, text_, color_);
  }
  writing_ = false;
  saving_ = true;
}

/// True when it is to be saved.
bool NoteEditor::draw_text() {
  if (std::exchange(focus_, false)) {
    ImGui::SetKeyboardFocusHere();
    to_end_ = true;
  }
  const std::string typed = text_;
  ImGui::InputTextMultiline("##text", &text_, {-1, ImGui::GetTextLineHeight() * 4.6F}, ImGuiInputTextFlags_WordWrap);
  // What is typed next goes behind what is there.
  if (to_end_ && ImGui::IsItemActivated()) {
    to_end_ = false;
    if (ImGuiInputTextState* const state = ImGui::GetInputTextState(ImGui::GetItemID()))
      state->ReloadUserBufAndMoveToEnd();
  }
  // Escape leaves the field; Cancel is what forgets the text.
  if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Escape)) text_ = typed;
  return ImGui::IsItemFocused() && ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_Enter);
}

void NoteEditor::draw(PanelContext& context, NotesModel& model) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, theme().surface);
  constexpr ImGuiChildFlags kFlags = ImGuiChildFlags_AutoResizeY | ImGuiChildFlags_AlwaysUseWindowPadding;
  if (ImGui::BeginChild("##writing", {0, 0}, kFlags)) {
    text_fitting((editing_ != 0 ? "Edit: " : "On: ") + place_ + (cost_.empty() ? "" : " · " + cost_), theme().muted);
    draw_move(context.document);
    const bool keep_key = draw_text();
    ImGui::AlignTextToFramePadding();
    text_colored(theme().muted, "Colour");
    for (const ColorChoice& c : kNoteColors) {
      ImGui::SameLine();
      if (ImGui::RadioButton(c.label, color_ == c.name)) color_ = c.name;
    }
    const bool valid = !text_.empty() || editing_ != 0;
    ImGui::BeginDisabled(!valid);
    if (ImGui::Button("Save") || (keep_key && valid)) save(context.document, model);
    ImGui::EndDisabled();
    item_tooltip("Ctrl+Enter");
    ImGui::SameLine();
    if (ImGui::Button("Cancel")) writing_ = false;
    draw_where(context.document);
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

/// Something else was selected since: one click hangs the note on that.
void NoteEditor::draw_move(Document& document) {
  if (editing_ != 0 || document.data() == nullptr) return;
  if (std::exchange(looked_at_, document.selection_version()) != document.selection_version())
    selected_ = anchor_of(*document.data(), document.selection());
  if (document.selection().empty() || selected_ == anchor_) return;
  const std::string label = "Move to " + document.selection().label;
  const std::string text = fitting(label, ImGui::GetContentRegionAvail().x - scaled(8));
  if (ImGui::SmallButton((text + "###move").c_str())) {
    hang_on(document, selected_);
    focus_ = true;
  }
  if (text != label) item_tooltip(label);
}

}  // namespace et::gui
