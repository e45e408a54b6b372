// Numerics by mouse: rows, the first divergence, the filter, the metric, other references.
#include <imgui_te_utils.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gui/models/numerics_model.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct NumericsUiTest : UiTest {
  void open_recorded(const std::string& name) {
    app().panel("numerics")->restore("against", std::string(ET_FIXTURES) + "/numeric_gap/" + name + ".npz");
    open(name, {"debug.etdp", "debug.bin", "etrecord.bin", "program.pte"});
    solo("numerics");
    ASSERT_EQ(numerics().state(), NumericsModel::State::Ready) << numerics().explanation();
  }
  /// The engine does not find combo boxes by a part of their path: `x` pixels right of the search's left edge.
  static void choose(ImGuiTestContext* t, float x, const std::string& entry) {
    const ImRect filter = t->ItemInfo("**/##filter").RectFull;
    t->MouseMoveToPos({filter.Min.x + x, (filter.Min.y + filter.Max.y) / 2});
    t->MouseClick();
    t->Yield(2);
    t->ItemClick(("//##Combo_00/**/" + entry).c_str());
    t->Yield(2);
  }
  NumericsModel& numerics() { return model<NumericsModel>("numerics"); }
};

TEST_F(NumericsUiTest, ARowIsChosenInAllPanelsAndADoubleClickLeadsToItsLine) {
  open_recorded("quantised_portable");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Numerics##solo");
    t->ItemClick("**/$$9/##row");
  });
  EXPECT_EQ(numerics().chosen(), 9U);
  EXPECT_EQ(document().selection().op, numerics().value(9).op_id);
  app().set_solo("");
  settle();  // windows that appear take the focus
  app().show_panel("numerics");
  settle();
  ASSERT_EQ(app().focused_panel(), "numerics");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("###Numerics");
    t->ItemDoubleClick("**/$$4/##row");
  });
  settle();
  EXPECT_EQ(app().focused_panel(), "source");
  EXPECT_EQ(document().selection().line, numerics().value(4).line);
}

TEST_F(NumericsUiTest, TheFirstDivergenceIsAClickAway) {
  // A run one of whose tensors went wrong.
  for (const char* file : {"debug.etdp", "debug.bin", "etrecord.bin", "program.pte"})
    std::filesystem::copy(artifact("partial_delegation") + "/" + file, folder / file);
  {
    std::fstream debug(folder / "debug.bin", std::ios::in | std::ios::out | std::ios::binary);
    const auto middle = static_cast<std::streamoff>(std::filesystem::file_size(folder / "debug.bin") / 2 & ~size_t{3});
    debug.seekp(middle);
    for (int i = 0; i < 16; ++i) debug.write("\x00\x00\x40\x42", 4);  // 48
  }
  app().panel("numerics")->restore("against", std::string(ET_FIXTURES) + "/numeric_gap/partial_delegation.npz");
  app().open_files({folder / "debug.etdp", folder / "debug.bin", folder / "etrecord.bin", folder / "program.pte"});
  app().jobs().finish();
  settle();
  solo("numerics");
  ASSERT_EQ(numerics().state(), NumericsModel::State::Ready) << numerics().explanation();
  ASSERT_TRUE(numerics().gap().first.has_value());
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Numerics##solo");
    t->ItemClick("**/$$0/##row");
    t->ItemClick("**/Show##first");
  });
  EXPECT_EQ(numerics().chosen(), numerics().gap().first);
  EXPECT_EQ(document().selection().op, numerics().value(*numerics().gap().first).op_id);
}

TEST_F(NumericsUiTest, TheFilterTakesCtrlFAndTheMetricChangesThePlot) {
  open_recorded("quantised_portable");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Numerics##solo");
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_F);
    t->Yield(2);
    t->KeyChars("relu");
    choose(t, -60, metric_title(NumericsMetric::Snr));
  });
  EXPECT_EQ(numerics().filter, "relu");
  EXPECT_EQ(numerics().metric, NumericsMetric::Snr);
  EXPECT_LT(numerics().shown(NumericsColumn::Order, false).size(), numerics().gap().rows.size());
}

TEST_F(NumericsUiTest, AnotherReferenceIsTyped) {
  open("lstm", {"debug.etdp", "debug.bin", "program.pte"});
  solo("numerics");
  EXPECT_EQ(numerics().state(), NumericsModel::State::NoReference);
  const std::string paths = artifact("lstm") + "/debug.etdp " + artifact("lstm") + "/debug.bin";
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Numerics##solo");
    choose(t, -200, "Files: another run, or recorded tensors");  // left of the metric
    t->ItemInputValue("**/##paths", paths.c_str());
    t->ItemClick("**/Compare");
  });
  settle();
  ASSERT_EQ(numerics().state(), NumericsModel::State::Ready) << numerics().explanation();
  EXPECT_FALSE(numerics().gap().rows.empty());
  EXPECT_FALSE(numerics().gap().first.has_value());
}

TEST_F(NumericsUiTest, ThePaletteFindsIt) {
  open("lstm", {"debug.etdp", "debug.bin", "program.pte"});
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    t->Yield(2);
    t->KeyChars("numerics");
    t->Yield(2);
    t->KeyPress(ImGuiKey_Enter);
  });
  settle();
  EXPECT_EQ(app().focused_panel(), "numerics");
}

}  // namespace
}  // namespace et::gui::test
