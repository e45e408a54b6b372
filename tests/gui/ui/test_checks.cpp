// Checks by mouse: choose a check, filter, click on a run and see its trace.
#include <imgui_te_utils.h>

#include "gui/models/checks_model.h"
#include "inspector/ingest/check_results.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct ChecksUiTest : UiTest {
  void open_checks(bool with_traces) {
    const std::string path = folder / "store.db";
    if (with_traces) {
      ASSERT_TRUE(import_artifact("add_mul", path).ok());
      ASSERT_TRUE(import_artifact("add_mul", path, "debug.etdp").ok());
    }
    inspector::Store store;
    ASSERT_TRUE(inspector::Store::open(path, inspector::Store::Mode::ReadWrite, &store).ok());
    for (int run = 1; run <= 6; ++run) {
      ASSERT_TRUE(
          inspector::import_check_file(store, std::string(ET_FIXTURES) + "/checks/run_" + std::to_string(run) + ".json")
              .ok());
    }
    store = inspector::Store();
    app().open_files({path});
    app().jobs().finish();
    settle();
    solo("checks");
  }
  ChecksModel& checks() { return model<ChecksModel>("checks"); }
};

TEST_F(ChecksUiTest, ACheckIsChosenAndFiltered) {
  open_checks(false);
  EXPECT_EQ(document().data(), nullptr) << "a store of checks alone is looked at, too";
  EXPECT_EQ(checks().chosen()->key.file, "models/lstm.bpte");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Checks##solo");
    t->ItemClick("**/##checks/$$1/##check");
    t->Yield(2);
    t->ItemCheck("failed only");
    t->Yield(2);
  });
  EXPECT_EQ(checks().chosen()->key.case_index, 1);
  EXPECT_EQ(checks().shown().size(), 1U);
}

TEST_F(ChecksUiTest, AClickOnARunOpensItsTrace) {
  open_checks(true);
  EXPECT_EQ(data().trace_id(), 2);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Checks##solo");
    t->ItemClick("**/##checks/$$0/##check");
    t->Yield(3);
    // The first of six runs: a twelfth of the plot's width from its left edge.
    const ImGuiTestItemInfo plot = t->ItemInfo("**/##times");
    const float axis = 70;
    t->MouseMoveToPos({plot.RectFull.Min.x + axis + (plot.RectFull.GetWidth() - axis) / 12,
                       (plot.RectFull.Min.y + plot.RectFull.Max.y) / 2});
    t->MouseClick();
    t->Yield(3);
  });
  settle();
  EXPECT_EQ(checks().point_index(), 0);
  EXPECT_EQ(data().trace_id(), 1);
}

}  // namespace
}  // namespace et::gui::test
