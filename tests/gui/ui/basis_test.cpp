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
    t->MenuClick("View/Times: sum of all executions");
    t->Yield(4);
  });
  settle();
  EXPECT_EQ(data().shown.basis.kind, BasisKind::Total);
  EXPECT_EQ(model<Overview>("overview").basis.kind, BasisKind::Total);
  EXPECT_EQ(app().settings().basis, "total");
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

}  // namespace
}  // namespace et::gui::test
