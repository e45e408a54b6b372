// The source: from hot line to hot line, selections from here and from elsewhere, files found by a map.
#include <filesystem>
#include <fstream>

#include "gui/models/source_model.h"
#include "gui/panels/source_panel.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct SourceUi : UiTest {
  SourceModel& source() { return model<SourceModel>("source"); }
  int64_t line() { return static_cast<SourcePanel*>(app().panel("source"))->line(); }
};

TEST_F(SourceUi, GoesFromHotLineToHotLine) {
  open("nanogpt_xnnpack_qd4");
  solo("source");
  const std::vector<int64_t> hot = source().hot();
  ASSERT_GE(hot.size(), 2U);
  drive([](ImGuiTestContext* t) {
    t->SetRef("Source##solo");
    t->ItemClick("**/##next");
  });
  EXPECT_EQ(line(), hot[0]);
  EXPECT_EQ(document().selection().kind, Selection::Kind::Line);
  EXPECT_FALSE(document().selection().ops.empty());
  drive([](ImGuiTestContext* t) { t->KeyPress(ImGuiKey_N); });
  EXPECT_EQ(line(), hot[1]);
  drive([](ImGuiTestContext* t) { t->KeyPress(ImGuiMod_Shift | ImGuiKey_N); });
  EXPECT_EQ(line(), hot[0]);
}

TEST_F(SourceUi, ClickOnALineSelectsItsOps) {
  open("nanogpt_xnnpack_qd4");
  solo("source");
  const int64_t wanted = source().hot().back();
  const std::string item = "**/##line" + std::to_string(wanted);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Source##solo");
    t->ItemClick(item.c_str());
  });
  EXPECT_EQ(document().selection().line, wanted);
  EXPECT_FALSE(source().ops().at(source().cost()->file, wanted).empty());
  const int32_t op = source().ops().at(source().cost()->file, wanted).front().op;
  EXPECT_TRUE(document().selection().has_op(op));
}

TEST_F(SourceUi, FollowsASelectionFromElsewhere) {
  open("nanogpt_xnnpack_qd4");
  solo("source");
  for (const inspector::OpEntry& op : data().table.ops) {
    const Selection s = select_op(data(), op.id);
    if (s.file.empty()) continue;
    document().select(s);
    settle();
    EXPECT_EQ(line(), s.line);
    EXPECT_EQ(source().cost()->file, s.file);
    break;
  }
  drive([](ImGuiTestContext* t) {
    t->SetRef("Source##solo");
    t->ItemClick("**/##file_none");
  });
  EXPECT_EQ(source().file(), SourceModel::kNoLine);
}

TEST_F(SourceUi, FindsTheFileByAMap) {
  open("nanogpt_xnnpack_qd4");
  solo("source");
  ASSERT_NE(source().cost(), nullptr);
  const std::filesystem::path file = source().cost()->file;
  const TemporaryFolder other;
  std::ofstream out(other / file.filename().string());
  for (int i = 0; i < 2000; ++i) out << "x = " << i << "  # a line that the ETRecord does not have\n";
  out.close();
  document().set_path_maps({{file.parent_path().string(), other.path()}});
  settle();
  EXPECT_EQ(source().listing().found, other / file.filename().string());
  EXPECT_GT(source().listing().changed, 0);
  EXPECT_EQ(source().listing().rows.size(), 2000U);
}

TEST_F(SourceUi, SaysWhyThereAreNoLines) {
  open("partial_delegation", {"etdump.etdp"});
  solo("source");
  EXPECT_EQ(source().cost(), nullptr);
  EXPECT_TRUE(source().listing().rows.empty());
}

}  // namespace
}  // namespace et::gui::test
