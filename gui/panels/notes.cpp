// Notes and bookmarks: what people wrote on the trace; a click leads there.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>

#include "gui/core/text.h"
#include "gui/models/notes_model.h"
#include "gui/panels/panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

using inspector::AnchorKind;
using inspector::NoteKind;

struct ColorChoice {
  const char* name;
  const char* label;
};
constexpr std::array<ColorChoice, 4> kNoteColors = {
    {{"", "none"}, {"good", "good"}, {"warning", "to check"}, {"bad", "bad"}}};

ImU32 note_color(const std::string& name) {
  if (name == "good") return theme().good;
  if (name == "warning") return theme().warning;
  if (name == "bad") return theme().bad;
  return theme().muted;
}

/// "2026-11-22 12:12 UTC" of the store's "2026-11-22T12:12:05Z".
std::string readable_time(const std::string& stored) {
  if (stored.size() != 20 || stored[10] != 'T' || stored[19] != 'Z') return stored;
  return stored.substr(0, 10) + " " + stored.substr(11, 5) + " UTC";
}

class NotesPanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    document_ = &context.document;
    model_.refresh(context.document);
    if (context.document.data() == nullptr) {
      return draw_empty("No trace is open", "Notes and bookmarks are kept in the store of a trace: open one.");
    }
    draw_head(context);
    if (!model_.error().empty()) {
      ImGui::PushTextWrapPos();
      text_colored(theme().bad, inspector::printable(model_.error()));
      ImGui::PopTextWrapPos();
      if (ImGui::SmallButton("ok##error")) model_.dismiss_error();
    }
    if (writing_) draw_writing(context);
    draw_list(context);
  }

  void update(Document& document) override { model_.refresh(document); }

  void commands(CommandList* list) override {
    const bool open = document_ != nullptr && document_->data() != nullptr;
    if (open) model_.refresh(*document_);  // the panel may lie behind another one
    list->push_back({kBookmarkCommand, ImGuiMod_Ctrl | ImGuiKey_B, [this] { toggle_bookmark(); }, open});
    list->push_back({"Notes: add a note to the selection", ImGuiMod_Ctrl | ImGuiKey_M, [this] { begin_note(); }, open});
  }
  std::string csv() const override { return model_.csv(); }
  void* model() override { return &model_; }
  void attach(Document& document) override { document_ = &document; }

 private:
  void toggle_bookmark() {
    const std::string what = document_->selection().empty() ? "the trace" : document_->selection().label;
    const bool had = model_.bookmark_of(*document_) >= 0;
    model_.toggle_bookmark(*document_);
    document_->notify((had ? "Removed bookmark from " : "Bookmarked ") + what);
  }

  void begin_note() {
    editing_ = 0;
    text_.clear();
    color_.clear();
    anchor_ = anchor_of(*document_->data(), document_->selection());
    place_ = document_->selection().empty() ? "the trace" : document_->selection().label;
    writing_ = focus_ = true;
    document_->select(document_->selection(), "notes");
  }

  void begin_edit(const NoteRow& row) {
    editing_ = row.note.id;
    text_ = row.note.text;
    color_ = row.note.color;
    place_ = row.place;
    writing_ = focus_ = true;
  }

  void draw_head(PanelContext& context) {
    if (ImGui::Button("Note")) begin_note();
    item_tooltip("Add a note to the selection, or to the trace (Ctrl+M).");
    ImGui::SameLine();
    const bool has = model_.bookmark_of(context.document) >= 0;
    if (ImGui::Button(has ? "Remove bookmark###bookmark" : "Bookmark###bookmark"))
      model_.toggle_bookmark(context.document);
    item_tooltip("Bookmark the selection, or the trace (Ctrl+B).");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(std::max(ImGui::GetContentRegionAvail().x, scaled(60)));
    take_search_focus();
    ImGui::InputTextWithHint("##filter", "Filter", &filter_);
    const Document& document = context.document;
    if (!document.is_temporary() || model_.rows().empty()) return;
    ImGui::PushTextWrapPos();
    if (document.has_unsaved_notes()) {
      text_colored(theme().warning, "These notes are in no file yet: use File > Save store as… to keep them.");
    } else if (!document.notes_file().empty()) {
      text_colored(theme().muted, "Kept in " + inspector::printable(base_name(document.notes_file())));
    }
    ImGui::PopTextWrapPos();
    if (!document.notes_file().empty()) item_tooltip(document.notes_file());
  }

  void draw_writing(PanelContext& context) {
    ImGui::PushStyleColor(ImGuiCol_ChildBg, theme().surface);
    constexpr ImGuiChildFlags kFlags = ImGuiChildFlags_AutoResizeY | ImGuiChildFlags_AlwaysUseWindowPadding;
    if (ImGui::BeginChild("##writing", {0, 0}, kFlags)) {
      text_fitting((editing_ != 0 ? "Edit: " : "On: ") + place_, theme().muted);
      if (focus_) ImGui::SetKeyboardFocusHere();
      focus_ = false;
      ImGui::InputTextMultiline("##text", &text_, {-1, ImGui::GetTextLineHeight() * 4.6F},
                                ImGuiInputTextFlags_WordWrap);
      const bool keep_key = ImGui::IsItemFocused() && ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_Enter);
      for (const ColorChoice& c : kNoteColors) {
        if (ImGui::RadioButton(c.label, color_ == c.name)) color_ = c.name;
        ImGui::SameLine();
      }
      ImGui::NewLine();
      const bool valid = !text_.empty() || editing_ != 0;
      ImGui::BeginDisabled(!valid);
      if (ImGui::Button("Save") || (keep_key && valid)) {
        if (editing_ != 0) {
          model_.edit(context.document, editing_, text_, color_);
        } else {
          model_.add(context.document, NoteKind::Note, anchor_, text_, color_);
        }
        writing_ = false;
      }
      ImGui::EndDisabled();
      item_tooltip("Ctrl+Enter");
      ImGui::SameLine();
      if (ImGui::Button("Cancel")) writing_ = false;
    }
    ImGui::EndChild();
    ImGui::PopStyleColor();
  }

  void draw_list(PanelContext& context) {
    const auto& shown = model_.shown(filter_);
    if (shown.empty()) {
      if (model_.busy()) return text_colored(theme().muted, "reading…");
      if (model_.rows().empty()) {
        return draw_empty("No notes yet",
                          "Select an op, node, line or module, then press Ctrl+M to add a note or Ctrl+B to bookmark "
                          "it.");
      }
      return draw_empty("No notes match the filter", "Try fewer words.");
    }
    constexpr ImGuiTableFlags kFlags =
        ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX;
    if (!ImGui::BeginTable("##notes", 1, kFlags)) return;
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(shown.size()), row_height());
    int64_t removed = 0;
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        draw_row(context, model_.rows()[static_cast<size_t>(shown[static_cast<size_t>(i)])], &removed);
      }
    }
    ImGui::EndTable();
    if (removed != 0) model_.remove(context.document, removed);
  }

  static float row_height() {
    return ImGui::GetTextLineHeight() * 2 + ImGui::GetStyle().ItemSpacing.y + ImGui::GetStyle().CellPadding.y * 2;
  }

  /// Two lines: what it hangs on, and its text.
  void draw_row(PanelContext& context, const NoteRow& row, int64_t* removed) {
    ImGui::PushID(static_cast<int>(row.note.id));
    ImGui::TableNextRow(0, row_height());
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorPos();
    const float height = row_height() - ImGui::GetStyle().CellPadding.y * 2;
    if (ImGui::Selectable("##note", false, ImGuiSelectableFlags_AllowDoubleClick, {0, height})) lead(context, row, "");
    if (begin_item_tooltip()) {
      ImGui::TextUnformatted(row.note.text.empty() ? "(bookmark)" : row.note.text.c_str());
      const std::string facts = std::string(inspector::note_kind_name(row.note.kind)) + " on " +
                                inspector::anchor_kind_name(row.note.anchor.kind) + " " + row.place + ", " +
                                readable_time(row.note.created) +
                                (row.elsewhere ? ", written for trace #" + std::to_string(row.note.trace) : "") +
                                (row.found ? "" : "; not in this trace");
      text_colored(theme().muted, inspector::printable(facts));
      end_item_tooltip();
    }
    if (ImGui::BeginPopupContextItem("##note_menu")) {
      if (ImGui::MenuItem("Edit…")) begin_edit(row);
      if (ImGui::MenuItem("Remove")) *removed = row.note.id;
      ImGui::Separator();
      for (const auto& [label, panel] : {std::pair{"Show in timeline", "timeline"}, std::pair{"Show in graph", "graph"},
                                         std::pair{"Show source line", "source"}}) {
        if (ImGui::MenuItem(label, nullptr, false, row.found)) lead(context, row, panel);
      }
      ImGui::EndPopup();
    }
    ImGui::SetCursorPos(at);
    color_square(note_color(row.note.color));
    ImGui::SameLine();
    const std::string mark = row.note.kind == NoteKind::Bookmark ? "Bookmark · " : "";
    text_fitting(mark + row.place + (row.found ? "" : " (not in this trace)"), row.found ? 0 : theme().muted);
    const bool empty = row.note.text.empty();
    const size_t end = row.note.text.find('\n');
    text_fitting(
        empty ? readable_time(row.note.created) : row.note.text.substr(0, end) + (end == std::string::npos ? "" : " …"),
        empty ? theme().faint : theme().muted);
    ImGui::PopID();
  }

  static void lead(PanelContext& context, const NoteRow& row, std::string panel) {
    Selection target = selection_of(*context.document.data(), row.note.anchor);
    // A range of time is nowhere else.
    if (target.kind == Selection::Kind::Range && panel.empty()) panel = "timeline";
    if (!target.empty()) context.document.select(std::move(target), panel);
  }

  NotesModel model_;
  Document* document_ = nullptr;
  std::string filter_, text_, color_, place_;
  inspector::NoteAnchor anchor_;
  int64_t editing_ = 0;
  bool writing_ = false, focus_ = false;
};

}  // namespace

extern const PanelSpec k_notes_panel;
const PanelSpec k_notes_panel = {
    .id = "notes",
    .title = "Notes",
    .summary = "Notes and bookmarks on this trace",
    .key = ImGuiKey_None,
    .make = [] { return std::unique_ptr<Panel>(new NotesPanel); },
};

}  // namespace et::gui
