// Files dropped on the window.
#include <fstream>

#include "gui/models/numerics_model.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

class Drop : public UiTest {
 protected:
  /// What the window does with files that are dropped on it.
  void drop(const std::vector<std::string>& files) {
    app().open_files(files);
    app().jobs().finish();
    settle();
  }
  std::string file(const char* name) { return artifact("partial_delegation") + "/" + name; }
};

TEST_F(Drop, SeveralFilesInAnyOrderAreOneTrace) {
  drop({file("program.pte"), file("etdump.etdp"), file("etrecord.bin")});
  ASSERT_NE(document().data(), nullptr) << document().error().message();
  EXPECT_TRUE(data().has_etdump());
  EXPECT_TRUE(data().has_etrecord());
  EXPECT_TRUE(data().facts.program_path.has_value());
}

TEST_F(Drop, TheNextReplacesWhatIsOpen) {
  drop({file("etdump.etdp")});
  ASSERT_NE(document().data(), nullptr) << document().error().message();
  const uint64_t before = document().version();
  drop({artifact("add_mul") + "/etdump.etdp"});
  EXPECT_GT(document().version(), before);
  EXPECT_NE(document().request().inputs.dump.find("add_mul"), std::string::npos);
}

TEST_F(Drop, WhatCannotBeOpenedIsSaidAndTheRestStays) {
  drop({file("etdump.etdp")});
  const uint64_t before = document().version();
  const std::string text = folder / "picture.png";
  std::ofstream(text) << "no trace\n";
  drop({text});
  EXPECT_FALSE(document().error().ok());
  EXPECT_NE(document().error().message().find("picture.png"), std::string::npos) << document().error().message();
  EXPECT_EQ(document().version(), before);
  EXPECT_NE(document().data(), nullptr);
  drive([&](ImGuiTestContext* t) { t->ItemClick("//Cannot open##error/Close"); });
}

TEST_F(Drop, RecordedTensorsBecomeTheReferenceOfNumerics) {
  const std::string archive = std::string(ET_FIXTURES) + "/numeric_gap/partial_delegation.npz";
  open("partial_delegation", {"debug.etdp", "debug.bin", "program.pte"});
  const uint64_t before = document().version();
  app().drop_files({archive});
  settle();
  EXPECT_TRUE(document().error().ok()) << document().error().message();
  EXPECT_EQ(document().version(), before);
  EXPECT_EQ(app().focused_panel(), "numerics");
  const auto& numerics = model<NumericsModel>("numerics");
  ASSERT_EQ(numerics.state(), NumericsModel::State::Ready) << numerics.explanation();
  EXPECT_EQ(numerics.reference().name, archive);
  // It stays the reference of the next run, and may come with it.
  app().drop_files({artifact("partial_delegation") + "/debug.etdp", artifact("partial_delegation") + "/debug.bin",
                    artifact("partial_delegation") + "/program.pte", archive});
  app().jobs().finish();
  settle();
  EXPECT_GT(document().version(), before);
  app().show_panel("numerics");
  settle();
  ASSERT_EQ(numerics.state(), NumericsModel::State::Ready) << numerics.explanation();
  EXPECT_EQ(numerics.reference().name, archive);
}

TEST_F(Drop, AFolderOfARunIsARunThoughItHasInputs) {
  const std::string run = folder / "run";
  std::filesystem::create_directories(run);
  for (const char* name : {"etdump.etdp", "etrecord.bin", "program.pte"})
    std::filesystem::copy_file(file(name), run + "/" + name);
  std::ofstream(run + "/input.npy") << "an array";
  app().drop_files({run});
  app().jobs().finish();
  settle();
  ASSERT_NE(document().data(), nullptr) << document().error().message();
}

TEST_F(Drop, NothingIsNoReasonToCrash) {
  drop({});
  EXPECT_EQ(document().data(), nullptr);
}

}  // namespace
}  // namespace et::gui::test
