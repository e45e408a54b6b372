// Beside the notes: the draft of a report with what the trace says by itself, each line a link, to be copied or saved.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gui/models/report_draft.h"
#include "gui/panels/panel.h"

namespace et::gui {

class NotesDraft {
 public:
  /// Reads the trace's facts again where it changed.
  void refresh(Document& document);
  bool ready() const { return made_.data != nullptr; }
  const std::vector<NoteSuggestion>& suggestions() const { return made_.suggestions; }
  /// The whole report; "" until it was made.
  std::string markdown(const NotesModel& notes) const;
  /// `note`: begins a note on a target.
  void draw(PanelContext& context, const NotesModel& notes, const std::function<void(const Selection&)>& note);

 private:
  struct Made {
    std::shared_ptr<const TraceData> data;
    std::string title;
    std::vector<DraftSection> sections;
    std::vector<NoteSuggestion> suggestions;
  };
  void draw_section(PanelContext& context, const DraftSection& section,
                    const std::function<void(const Selection&)>& note);
  void draw_line(PanelContext& context, const DraftLine& line, int number, float names,
                 const std::function<void(const Selection&)>& note) const;

  Made made_;
  std::vector<std::string> left_out_;  // ids of sections
  uint64_t version_ = 0;
  JobHandle job_;
};

}  // namespace et::gui
