// What the tests of the timeline have in common: a trace is open, and places of the drawing have coordinates.
#pragma once

#include "gui/models/timeline_model.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {

struct TimelineUiTest : UiTest {
  void start(const std::string& name) {
    open(name);
    solo("timeline");
    ASSERT_TRUE(timeline().ready());
  }
  float timeline_width() {
    float width = 0;
    drive([&](ImGuiTestContext* t) { width = t->ItemInfo("//Timeline##solo/timeline/##rows").RectFull.GetWidth(); });
    return width;
  }
  TimelineModel& timeline() { return model<TimelineModel>("timeline"); }
  const gui::Run& run(size_t execution) {
    return data().runs[static_cast<size_t>(timeline().executions().run(execution))];
  }
  /// Where a slice is on the screen: the middle of what is seen of it. `row` counts rows of the trace's own clock.
  static ImVec2 place(ImGuiTestContext* t, TimelineModel& model, double time, int row) {
    const ImGuiTestItemInfo rows = t->ItemInfo("//Timeline##solo/timeline/##rows");
    const ImRect r = rows.RectFull;
    const double width = r.GetWidth();
    return {r.Min.x + static_cast<float>(model.view.x_of(time, width)),
            r.Min.y + model.lanes.tops[static_cast<size_t>(row)] + model.lanes.heights[static_cast<size_t>(row)] / 2};
  }
  /// With the right button, which selects the range.
  static void drag_range(ImGuiTestContext* t, TimelineModel& model, double from, double to) {
    t->MouseMoveToPos(place(t, model, from, 1));
    t->MouseDown(1);
    t->MouseMoveToPos(place(t, model, to, 1));
    t->MouseUp(1);
  }
};

}  // namespace et::gui::test
