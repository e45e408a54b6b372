// The switch beside the trace's name, and the commands that do the same.
#include "gui/models/overview_model.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

using inspector::BasisKind;

TEST_F(UiTest, TheBasisIsChosenInTheMenu) {
  open("multi_method");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("##MainMenuBar");
    t->MenuClick("View/Times/Times: sum of all executions");
    t->Yield(4);
  });
  settle();
  EXPECT_EQ(data().shown.basis.kind, BasisKind::Total);
  EXPECT_EQ(model<Overview>("overview").basis.kind, BasisKind::Total);
  EXPECT_EQ(app().settings().basis, "total");
}

TEST_F(UiTest, TheBasisIsChosenBesideTheName) {
  open("multi_method");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("//##MainMenuBar/##MenuBar");
    t->ComboClick("##basis/cold execution");
    t->Yield(2);
  });
  settle();
  EXPECT_EQ(data().shown.basis.kind, BasisKind::Cold);
}

TEST_F(UiTest, TheExecutionOfTheTimelineIsABasis) {
  open("multi_method");
  const auto run_command = [&](const char* title) {
    for (const Command& command : app().commands()) {
      if (command.title == title && command.enabled) return command.run(), true;
    }
    return false;
  };
  EXPECT_FALSE(run_command(kExecutionBasisCommand)) << "none is chosen";
  const et::gui::Run& run = data().runs.back();
  const int64_t number = data().execution_of(run.id);
  ASSERT_GE(number, 0);
  document().select_run(run.id);
  EXPECT_TRUE(run_command(kExecutionBasisCommand));
  settle();
  EXPECT_EQ(data().shown.basis, (inspector::Basis{BasisKind::Execution, number}));
  EXPECT_EQ(app().settings().basis, "") << "an execution is of this trace only";
  for (const auto& [title, kind] : kBasisCommands) {
    EXPECT_TRUE(run_command(title)) << title;
    settle();
    EXPECT_EQ(data().shown.basis.kind, kind) << title;
    EXPECT_FALSE(run_command(title)) << title;
  }
}

TEST_F(UiTest, AMethodThatABasisLacksIsNamedOnTop) {
  open("multi_method", {"etdump.etdp"});  // nothing tells which method a block is of
  document().set_basis({BasisKind::Cold});
  settle();
  EXPECT_NE(app().banner().find("was the cold one is unknown"), std::string::npos) << app().banner();
  EXPECT_FALSE(app().banner_is_error());
}

// Nothing of another model's ETRecord or program is shown, and that they are is said on top of every panel.
TEST_F(UiTest, FilesOfAnotherModelAreSaidOnTop) {
  document().open_files({artifact("lstm") + "/etdump.etdp", artifact("partial_delegation") + "/etrecord.bin",
                         artifact("partial_delegation") + "/program.pte"});
  app().jobs().finish();
  ASSERT_NE(document().data(), nullptr) << document().error().message();
  settle();
  EXPECT_TRUE(app().banner_is_error());
  EXPECT_TRUE(app().banner().starts_with("The ETRecord is another model's")) << app().banner();
  EXPECT_TRUE(data().graphs.empty());
  EXPECT_TRUE(data().sources.files.empty());
  for (const PanelSpec* spec : all_panels()) {
    solo(spec->id);
    drive([&](ImGuiTestContext* t) { EXPECT_NE(t->WindowInfo("//##banner").Window, nullptr) << spec->id; });
  }
  app().set_solo("");
  open("partial_delegation");
  EXPECT_FALSE(app().banner_is_error());
}

}  // namespace
}  // namespace et::gui::test
