// Checks by mouse: choose a check, filter.
#include <imgui_te_utils.h>

#include "gui/models/checks_model.h"
#include "inspector/ingest/check_results.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct ChecksUiTest : UiTest {
  void open_checks(const char* change = nullptr) {
    const std::string path = folder / "store.db";
    inspector::Store store;
    ASSERT_TRUE(inspector::Store::open(path, inspector::Store::Mode::ReadWrite, &store).ok());
    for (int run = 1; run <= 6; ++run) {
      ASSERT_TRUE(
          inspector::import_check_file(store, std::string(ET_FIXTURES) + "/checks/run_" + std::to_string(run) + ".json")
              .ok());
    }
    ASSERT_TRUE(change == nullptr || store.exec(change).ok());
    store = inspector::Store();
    app().open_files({path});
    app().jobs().finish();
    settle();
    solo("checks");
  }
  ChecksModel& checks() { return model<ChecksModel>("checks"); }
};

TEST_F(ChecksUiTest, ACheckIsChosenAndFiltered) {
  open_checks();
  EXPECT_EQ(document().data(), nullptr) << "a store of checks alone is looked at, too";
  EXPECT_EQ(checks().chosen()->key.file, "models/lstm.bpte");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Checks##solo");
    t->ItemClick("**/##check");
    t->Yield(2);
    t->ItemCheck("**/Failed only");
    t->Yield(2);
  });
  EXPECT_EQ(checks().chosen()->key.file, "models/lstm.bpte") << "the row that was clicked";
  ASSERT_EQ(checks().shown().size(), 1U) << "of three checks one fails";
}

TEST_F(ChecksUiTest, WhatMeasuredNothingHasNoPlotButItsRuns) {
  open_checks(
      "UPDATE raw_check_case SET median = NULL, median_low = NULL, median_high = NULL, max_abs_error = NULL, "
      "samples = 0; DELETE FROM raw_check_sample");
  ASSERT_FALSE(checks().plot().has_time || checks().plot().has_error);
  const int32_t newest = checks().point_index();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Checks##solo");
    EXPECT_EQ(t->ItemInfo("**/##times", ImGuiTestOpFlags_NoError).ID, 0U);
    t->ItemClick("**/$$0/##run");
    t->Yield(2);
  });
  EXPECT_GT(newest, 0);
  EXPECT_EQ(checks().point_index(), 0);
}

// A trace has none: what they are, and the commands for this very model.
TEST_F(ChecksUiTest, WithoutChecksThePanelSaysHowToGetSome) {
  open("partial_delegation");
  solo("checks");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Checks##solo");
    t->ItemClick("**/Copy commands");
    const char* copied = ImGui::GetClipboardText();  // the engine's own, only here
    const std::string text = copied == nullptr ? "" : copied;
    EXPECT_NE(text.find("et-check bundle "), std::string::npos) << text;
    EXPECT_NE(text.find(document().data()->facts.program_path.value_or("?")), std::string::npos) << text;
    EXPECT_NE(text.find("et-check program.bpte --iterations 20 --store checks.db\n"), std::string::npos) << text;
  });
}

}  // namespace
}  // namespace et::gui::test
