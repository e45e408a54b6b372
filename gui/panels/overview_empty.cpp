// The overview before anything is open: where to begin.
#include <algorithm>

#include "gui/core/recent_files.h"
#include "gui/panels/overview_tables.h"
#include "gui/widgets/cells.h"
#include "inspector/text/format.h"

namespace et::gui {

void draw_overview_start(PanelContext& context) {
  constexpr size_t kMostRecent = 8;
  heading("No trace is open");
  ImGui::PushTextWrapPos(std::min(ImGui::GetContentRegionAvail().x, scaled(760)));
  text_colored(theme().muted,
               "Open a store, or drop an ETDump here together with its ETRecord and program; each also opens on its "
               "own. Neighbours are found: of a folder with all three, one is enough.");
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
  if (ImGui::Button("Open files…")) context.command = "Open files…";
  ImGui::SameLine();
  text_colored(theme().muted, "Ctrl+O");
  const std::vector<std::string>& recent = context.document.comparison().recent;
  if (!recent.empty()) {
    ImGui::Spacing();
    heading("Opened before");
    for (size_t i = 0; i < std::min(recent.size(), kMostRecent); ++i) {
      const std::vector<std::string> files = recent_files(recent[i]);
      const std::string title = fitting(recent_title(files), std::min(ImGui::GetContentRegionAvail().x, scaled(760)));
      if (!ImGui::TextLink((title + "##recent" + std::to_string(i)).c_str())) continue;
      context.document.open_files(files);
      break;
    }
  }
  ImGui::Spacing();
  heading("To have one");
  draw_commands({"et-run model.pte -n 50 -w 5 --etdump etdump.etdp", "et-inspect-gui etdump.etdp"});
}

}  // namespace et::gui
