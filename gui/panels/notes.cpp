// Notes and bookmarks: what people wrote on the trace; a click leads there.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/text.h"
#include "gui/models/notes_model.h"
#include "gui/panels/notes_draft.h"
#include "gui/panels/notes_editor.h"
#include "gui/panels/panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::AnchorKind;
using inspector::NoteKind;

ImU32 note_color(const std::string& name) {
  if (name == "good") return theme().good;
  if (name == "warning") return theme().warning;
  if (name == "bad") return theme().bad;
  return theme().muted;
}

constexpr int kReadWhole = 200;      // notes
constexpr float kDraftBeside = 820;  // points: from then on it stands at the right

/// Line breaks stay.
std::string printable_lines(const std::string& text) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    out += (out.empty() ? "" : "\n") + inspector::printable(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
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
    draw_count();
    if (!model_.error().empty()) {
      ImGui::PushTextWrapPos();
      text_colored(theme().bad, inspector::printable(model_.error()));
      ImGui::PopTextWrapPos();
      if (ImGui::SmallButton("ok##error")) model_.dismiss_error();
    }
    draft_.refresh(context.document);
    if (model_.rows().empty() && !editor_.writing() && !model_.busy()) return draw_start(context);
    const float room = ImGui::GetContentRegionAvail().x;
    const bool beside = room > scaled(kDraftBeside);
    if (!beside && !model_.rows().empty() && !ImGui::BeginTabBar("##pages")) return;
    const bool tabs = !beside && !model_.rows().empty();
    if (!tabs) {
      if (ImGui::BeginChild("##left", {beside ? room * 0.5F : 0, 0}, beside ? ImGuiChildFlags_ResizeX : 0)) {
        draw_notes(context);
        if (!beside && !editor_.writing()) draw_draft(context);
      }
      ImGui::EndChild();
      if (!beside) return;
      ImGui::SameLine();
      if (ImGui::BeginChild("##draft")) draw_draft(context);
      return ImGui::EndChild();
    }
    // A note that was begun in the other tab is written here.
    if (ImGui::BeginTabItem("Notes", nullptr, editor_.wants_focus() ? ImGuiTabItemFlags_SetSelected : 0)) {
      draw_notes(context);
      ImGui::EndTabItem();
    }
    if (ImGui::BeginTabItem("Report draft")) {
      if (ImGui::BeginChild("##draft")) draw_draft(context);
      ImGui::EndChild();
      ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
  }

  void update(Document& document) override {
    model_.refresh(document);
    editor_.update(document, model_);
  }

  void commands(CommandList* list) override {
    const bool open = document_ != nullptr && document_->data() != nullptr;
    if (open) model_.refresh(*document_);  // the panel may lie behind another one
    list->push_back({kBookmarkCommand, ImGuiMod_Ctrl | ImGuiKey_B, [this] { toggle_bookmark(); }, open});
    list->push_back({"Notes: add a note to the selection", ImGuiMod_Ctrl | ImGuiKey_M, [this] { begin_note(); }, open});
  }
  std::string csv() const override { return model_.csv(); }
  /// Asked for in every frame, whether there is any.
  std::string markdown() const override {
    if (document_ == nullptr || document_->data() == nullptr) return {};
    return draft_.ready() ? draft_.markdown(model_) : model_.markdown(*document_->data());
  }
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
    editor_.begin_on(*document_, document_->selection());
    document_->select(document_->selection(), "notes");
  }

  void draw_notes(PanelContext& context) {
    if (editor_.writing()) editor_.draw(context, model_);
    if (editor_.writing_new() && model_.rows().empty()) {
      heading("Or write it on");
      draw_suggestions(context);
    }
    draw_list(context);
  }

  void draw_draft(PanelContext& context) {
    draft_.draw(context, model_, [this](const Selection& target) { editor_.begin_on(*document_, target); });
  }

  /// The page without notes: what they are for, how one is written, and what to write the first one on.
  void draw_start(PanelContext& context) {
    if (!ImGui::BeginChild("##start")) return ImGui::EndChild();
    const bool wide = ImGui::GetContentRegionAvail().x > scaled(700);
    if (ImGui::BeginTable("##what", wide ? 3 : 1, ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_PadOuterX)) {
      const auto column = [](const char* title, std::initializer_list<const char*> lines) {
        ImGui::TableNextColumn();
        heading(title);
        for (const char* const line : lines) {
          ImGui::PushTextWrapPos();
          text_colored(theme().muted, line);
          ImGui::PopTextWrapPos();
        }
      };
      column(
          "What a note is",
          {"What you found, tied to its place: an op, a graph node, a Python line, a module, an execution or a range "
           "of time.",
           "A bookmark is a place to come back to, without a text."});
      column("How to write one", {"Select something in any panel, then Ctrl+M for a note, Ctrl+B for a bookmark.",
                                  "Or use a button below. Colours say what it is: good, to check, bad."});
      column("What becomes of them",
             {"A list here with place, text, cost and a way back; flags on the timeline; a section of the report.",
              "They are kept with the trace, and are there when the same files are opened again."});
      ImGui::EndTable();
    }
    heading("Write the first one on");
    draw_suggestions(context);
    ImGui::Dummy({0, scaled(8)});
    // The draft says again what other panels show: it is for those who want to hand it on.
    if (ImGui::CollapsingHeader("Report for an issue or a pull request, as Markdown", ImGuiTreeNodeFlags_DefaultOpen))
      draw_draft(context);
    ImGui::EndChild();
  }

  void draw_suggestions(PanelContext& context) {
    const Selection& selection = context.document.selection();
    int number = 0;
    const auto choice = [&](const std::string& label, const Selection& target) {
      ImGui::PushID(number++);
      const std::string text = fitting(label, ImGui::GetContentRegionAvail().x - scaled(16));
      if (ImGui::Button((text + "###suggestion").c_str())) editor_.begin_on(*document_, target);
      if (text != label) item_tooltip(label);
      ImGui::PopID();
    };
    if (!selection.empty()) choice("what is selected: " + selection.label, selection);
    for (const NoteSuggestion& s : draft_.suggestions()) choice(s.label, s.target);
  }

  void draw_head(PanelContext& context) {
    const Selection& selection = context.document.selection();
    if (ImGui::Button("Note")) begin_note();
    item_tooltip("Write a note on " + (selection.empty() ? "the trace" : selection.label) + " (Ctrl+M).");
    ImGui::SameLine();
    const bool has = model_.bookmark_of(context.document) >= 0;
    if (ImGui::Button(has ? "Remove bookmark###bookmark" : "Bookmark###bookmark"))
      model_.toggle_bookmark(context.document);
    item_tooltip("Bookmark the selection, or the trace (Ctrl+B).");
    flow(scaled(160));
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

  void draw_count() const {
    if (model_.rows().empty()) return;
    const auto bookmarks = std::count_if(model_.rows().begin(), model_.rows().end(),
                                         [](const NoteRow& r) { return r.note.kind == NoteKind::Bookmark; });
    text_fitting(inspector::plural(std::ssize(model_.rows()) - bookmarks, "note") + ", " +
                     inspector::plural(bookmarks, "bookmark") +
                     " · click: select its place; right-click: edit, remove, show elsewhere",
                 theme().muted);
  }

  void draw_list(PanelContext& context) {
    const auto& shown = model_.shown(filter_);
    if (shown.empty()) {
      if (model_.busy()) return text_colored(theme().muted, "reading…");
      if (model_.rows().empty()) return;
      return draw_empty("No notes match the filter", "Try fewer words.");
    }
    constexpr ImGuiTableFlags kFlags =
        ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX;
    if (!ImGui::BeginTable("##notes", 1, kFlags)) return;
    int64_t removed = 0;
    const auto row_at = [&](int i) -> const NoteRow& {
      return model_.rows()[static_cast<size_t>(shown[static_cast<size_t>(i)])];
    };
    const auto count = static_cast<int>(shown.size());
    // Few are read whole, of many the first lines.
    if (count <= kReadWhole) {
      for (int i = 0; i < count; ++i) draw_row(context, row_at(i), true, &removed);
    } else {
      ImGuiListClipper clipper;
      clipper.Begin(count, row_height(""));
      while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) draw_row(context, row_at(i), false, &removed);
      }
    }
    ImGui::EndTable();
    if (removed != 0) model_.remove(context.document, removed);
  }

  /// With that text below the place; "": of one line.
  static float row_height(const std::string& text) {
    const float wrap = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().CellPadding.x;
    const float below =
        text.empty() ? ImGui::GetTextLineHeight() : ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap).y;
    return 2 * ImGui::GetTextLineHeight() + below + 2 * ImGui::GetStyle().ItemSpacing.y +
           ImGui::GetStyle().CellPadding.y * 2;
  }

  /// What it hangs on with its cost, and below it the text: the whole, or its first line.
  void draw_row(PanelContext& context, const NoteRow& row, bool whole, int64_t* removed) {
    const std::string text = whole ? printable_lines(row.note.text) : std::string();
    ImGui::PushID(static_cast<int>(row.note.id));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorPos();
    const float height = row_height(text) - ImGui::GetStyle().CellPadding.y * 2;
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
      if (ImGui::MenuItem("Edit…")) editor_.begin_edit(*document_, row);
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
    const std::string cost = row.found ? cost_text(*context.document.data(), row.target) : "";
    const std::string place = mark + row.place + (row.found ? "" : " (not in this trace)");
    const float room = ImGui::GetContentRegionAvail().x - text_width(cost) - scaled(12);
    ImGui::PushFont(fonts().bold, 0);
    text_colored(row.found ? theme().text : theme().muted, fitting(place, room));
    ImGui::PopFont();
    if (!cost.empty()) {
      ImGui::SameLine();
      text_right(cost, theme().muted);
    }
    text_fitting(
        std::string(inspector::anchor_kind_name(row.note.anchor.kind)) + " · " + readable_time(row.note.created),
        theme().faint);
    if (row.note.text.empty()) {
      // A bookmark's place says all.
    } else if (whole) {
      ImGui::PushTextWrapPos();
      text_colored(theme().text, text);
      ImGui::PopTextWrapPos();
    } else {
      const size_t end = row.note.text.find('\n');
      text_fitting(row.note.text.substr(0, end) + (end == std::string::npos ? "" : " …"), theme().muted);
    }
    ImGui::PopID();
  }

  static void lead(PanelContext& context, const NoteRow& row, std::string panel) {
    Selection target = selection_of(*context.document.data(), row.note.anchor);
    // A range of time is nowhere else.
    if (target.kind == Selection::Kind::Range && panel.empty()) panel = "timeline";
    if (!target.empty()) context.document.select(std::move(target), panel);
  }

  NotesModel model_;
  NotesDraft draft_;
  Document* document_ = nullptr;
  NoteEditor editor_;
  std::string filter_;
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
