// The draft of a report about a trace: what was measured on what, what makes the numbers doubtful, where the time goes,
// and the notes. Collected without asking anybody; copied into an issue or a pull request, where a person goes on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/models/notes_model.h"
#include "gui/models/overview_model.h"

namespace et::gui {

/// A line of a section, and what a click on it shows.
struct DraftLine {
  std::string text;
  std::string figure = {};  ///< at the right: "1.2 ms, 34%"
  Selection target = {};
  std::string panel = {};  ///< "" where the line leads nowhere
  bool code = false;       ///< a name, in Markdown a code span
};

struct DraftSection {
  std::string id;  ///< stable, for the choice of sections
  std::string title;
  std::vector<DraftLine> lines;
};

/// All but the notes, sections without a line left out. `overview`: of the same data, with its steps.
std::vector<DraftSection> draft_sections(const TraceData& data, const Overview& overview);
/// What the report is of: "BertModel · forward".
std::string draft_title(const TraceData& data, const Overview& overview);

/// The sections that are not in `left_out` (ids), then `notes`: NotesModel::markdown_list, "" for none.
std::string draft_markdown(const std::string& title, const std::vector<DraftSection>& sections,
                           const std::vector<std::string>& left_out, const std::string& notes);

/// Something worth a note though nothing is selected.
struct NoteSuggestion {
  std::string label;  ///< "the costliest op: aten.addmm"
  Selection target;   ///< empty: the trace
};
/// The costliest op, the slowest execution that was warm, the trace.
std::vector<NoteSuggestion> note_suggestions(const TraceData& data, const Overview& overview);

}  // namespace et::gui
