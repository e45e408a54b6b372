// Overview: what was run, where its time goes, what to look at first.
#include "gui/panels/panel.h"
#include "inspector/report/format.h"

namespace et::gui {
namespace {

class OverviewPanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    const TraceData* data = context.document.data();
    if (data == nullptr)
      return draw_empty("No trace is open",
                        "Open a store, or drop an ETDump here together with its ETRecord and program.");
    ImGui::Text("%s", data->facts.dump_path.value_or("").c_str());
    for (const inspector::PartRow& part : data->parts) {
      ImGui::Text("%s %s", inspector::part_name(part).c_str(), inspector::format_share(part.share).c_str());
    }
  }
};

}  // namespace

extern const PanelSpec k_overview_panel;
const PanelSpec k_overview_panel = {
    .id = "overview",
    .title = "Overview",
    .summary = "What was run and where its time goes",
    .key = ImGuiKey_1,
    .dock = Dock::Center,
    .make = [] { return std::unique_ptr<Panel>(new OverviewPanel); },
};

}  // namespace et::gui
