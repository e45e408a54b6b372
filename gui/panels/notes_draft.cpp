#include "gui/panels/notes_draft.h"

#include <imgui.h>

#include <algorithm>

#include "gui/core/shared_advice.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/theme.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

/// In lines of that width, numbers with their units.
std::string wrapped_text(const std::string& text, float width) {
  return broken_at_spaces(tr(inspector::printable(text)), width);
}

float height_of_lines(const std::string& text) { return ::ImGui::CalcTextSize(text.c_str()).y; }

}  // namespace

void NotesDraft::refresh(Document& document) {
  if (document.data() == nullptr) {
    job_.reset();
    made_ = {};
    version_ = 0;
    return;
  }
  if (version_ == document.version()) return;
  version_ = document.version();
  job_ = document.jobs().query<Made>(
      document.store_path(),
      [data = document.shared_data()](const inspector::Store& store, const Cancel&, Made* out) {
        Overview overview = make_overview(*data);
        // The same steps as Overview has; without the findings the others.
        const auto found = shared_advice(store, data);
        overview.steps = next_steps(*data, overview, found->advice, found->notes.silent);
        *out = Made{data, draft_title(*data, overview), draft_sections(*data, overview),
                    note_suggestions(*data, overview)};
        return Status();
      },
      [this](const Status&, Made made) { made_ = std::move(made); });
}

std::string NotesDraft::markdown(const NotesModel& notes) const {
  if (made_.data == nullptr) return {};
  return draft_markdown(made_.title, made_.sections, left_out_, notes.markdown_list(*made_.data));
}

void NotesDraft::draw(PanelContext& context, const NotesModel& notes,
                      const std::function<void(const Selection&)>& note) {
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted("Report draft");
  ImGui::PopFont();
  item_tooltip(
      "What the trace says by itself, and your notes: for an issue or a pull request. Sections without their "
      "check mark are left out.");
  flow_button("Copy as Markdown");
  if (ImGui::Button("Copy as Markdown")) {
    ImGui::SetClipboardText(markdown(notes).c_str());
    context.notices.say("copied the report with " + inspector::plural(std::ssize(notes.rows()), "note") +
                        " as Markdown");
  }
  item_tooltip("The sections with a check mark and the notes.");
  flow_button("Save…");
  if (ImGui::Button("Save…")) context.command = kSaveMarkdownCommand;
  item_tooltip("Save the report as a Markdown file.");
  if (!ready()) return text_colored(theme().muted, "reading…");
  ImGui::PushFont(fonts().bold, ImGui::GetStyle().FontSizeBase * 1.25F);
  text_fitting(made_.title);
  ImGui::PopFont();
  for (const DraftSection& section : made_.sections) draw_section(context, section, note);
  const std::string count = notes.rows().empty() ? "Notes: none yet" : "Notes: " + std::to_string(notes.rows().size());
  text_colored(theme().muted, count);
}

void NotesDraft::draw_section(PanelContext& context, const DraftSection& section,
                              const std::function<void(const Selection&)>& note) {
  ImGui::PushID(section.id.c_str());
  ImGui::Dummy({0, scaled(4)});
  const auto at = std::find(left_out_.begin(), left_out_.end(), section.id);
  bool on = at == left_out_.end();
  ImGui::PushFont(fonts().bold, 0);
  if (ImGui::Checkbox(section.title.c_str(), &on)) {
    if (on) {
      left_out_.erase(at);
    } else {
      left_out_.push_back(section.id);
    }
  }
  ImGui::PopFont();
  if (on) {
    ImGui::Indent(scaled(14));
    int number = 0;
    float names = 0;  // of facts, whose values stand beside them
    for (const DraftLine& line : section.lines)
      names = std::max(names, line.panel.empty() && !line.figure.empty() ? text_width(line.text) + scaled(20) : 0);
    const bool facts = section.id == "measured";
    for (const DraftLine& line : section.lines) draw_line(context, line, number++, facts ? names : 0, note);
    ImGui::Unindent(scaled(14));
  }
  ImGui::PopID();
}

/// `names`: where the figure begins; 0: it ends where all do.
void NotesDraft::draw_line(PanelContext& context, const DraftLine& line, int number, float names,
                           const std::function<void(const Selection&)>& note) const {
  const std::string text = inspector::printable(line.text);
  const bool leads = !line.panel.empty();
  ImGui::PushID(number);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  // A figure stands near its name, also in a wide window.
  const float room = ImGui::GetContentRegionAvail().x, gap = scaled(12);
  const float width = line.figure.empty() ? room : std::min(room, scaled(760));
  // A name and its figure are a line; a sentence takes as many as it needs.
  const bool sentence = line.figure.empty();
  float figure = std::min(text_width(line.figure), width * 0.6F);
  const float beside = width - names;  // of a fact, which takes as many lines as it needs, too
  const std::string lines = sentence    ? wrapped_text(line.text, width)
                            : names > 0 ? wrapped_text(line.figure, beside)
                                        : std::string();
  const float height = lines.empty() ? ImGui::GetTextLineHeight() : height_of_lines(lines);
  const bool clicked = ImGui::InvisibleButton("##draft_line", {std::max(width, 1.0F), height},
                                              leads ? ImGuiButtonFlags_EnableNav : ImGuiButtonFlags_None);
  const bool hovered = leads && ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 color = !leads ? theme().text : hovered ? theme().text : ImGui::GetColorU32(ImGuiCol_TextLink);
  if (sentence) {
    list->AddText(at, color, lines.c_str());
  } else if (names > 0) {
    list->AddText(at, leads ? color : theme().muted, fitting(text, names - gap).c_str());
    list->AddText({at.x + names, at.y}, theme().text, lines.c_str());
  } else {
    const std::string name = fitting(text, width - figure - gap), value = fitting(line.figure, figure + 1);
    figure = text_width(value);
    list->AddText(at, leads ? color : theme().muted, name.c_str());
    list->AddText({at.x + width - figure, at.y}, theme().text, value.c_str());
  }
  if (clicked && leads)
    context.document.select(line.target.empty() ? context.document.selection() : line.target, line.panel);
  if (ImGui::IsItemHovered() && begin_item_tooltip()) {
    ImGui::TextUnformatted(text.c_str());
    if (!line.figure.empty()) ImGui::TextUnformatted(inspector::printable(line.figure).c_str());
    if (leads) text_colored(theme().muted, "click: show in " + line.panel);
    if (!line.target.empty()) text_colored(theme().muted, "right-click: note it");
    end_item_tooltip();
  }
  if (!line.target.empty() && ImGui::BeginPopupContextItem("##draft_menu")) {
    if (ImGui::MenuItem("Note on this…")) note(line.target);
    if (ImGui::MenuItem(("Show in " + line.panel).c_str())) context.document.select(line.target, line.panel);
    ImGui::EndPopup();
  }
  ImGui::PopID();
}

}  // namespace et::gui
