// The source: from hot line to hot line, selections from here and from elsewhere, files found by a map.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "gui/models/frame_text.h"
#include "gui/models/source_model.h"
#include "gui/panels/source_panel.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct SourceUi : UiTest {
  SourceModel& source() { return model<SourceModel>("source"); }
  SourcePanel& panel() { return *static_cast<SourcePanel*>(app().panel("source")); }
  int64_t line() { return panel().line(); }
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
  // The window's own keys choose no other line.
  drive([](ImGuiTestContext* t) { t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_P); });
  EXPECT_EQ(line(), hot[0]);
  drive([](ImGuiTestContext* t) { t->KeyPress(ImGuiKey_Escape); });
  EXPECT_EQ(line(), hot[0]);
}

TEST_F(SourceUi, GoesFromTheHottestLineToTheNextOfAllFiles) {
  open("nanogpt_xnnpack_qd4");
  solo("source");
  const std::vector<HotLine> hottest = source().hottest();
  ASSERT_GE(hottest.size(), 3U);
  const auto time = [&](const HotLine& hot) {
    for (const inspector::SourceLine& l : source().sources().files[static_cast<size_t>(hot.file)].lines)
      if (l.line == hot.line) return l.ns;
    return 0.0;
  };
  for (size_t i = 0; i < 3; ++i) {
    drive([](ImGuiTestContext* t) { t->KeyPress(ImGuiKey_F8); });
    EXPECT_EQ(source().file(), hottest[i].file);
    EXPECT_EQ(line(), hottest[i].line);
    EXPECT_EQ(document().selection().line, hottest[i].line);
    if (i > 0) {
      EXPECT_LE(time(hottest[i]), time(hottest[i - 1]));
    }
  }
  drive([](ImGuiTestContext* t) { t->KeyPress(ImGuiMod_Shift | ImGuiKey_F8); });
  EXPECT_EQ(line(), hottest[1].line);
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
    t->ItemClick("**/Files");
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

TEST_F(SourceUi, TheCallTreeLeadsToTheLineAndItsOps) {
  open("nanogpt_xnnpack_qd4");
  solo("source");
  CallTreeModel& calls = panel().calls();
  ASSERT_NE(calls.tree(), nullptr);
  ASSERT_FALSE(calls.rows().empty());
  const CallRow row = calls.rows()[0];  // the line that calls the blocks: it has no op of its own
  ASSERT_TRUE(row.open);
  const std::string item = "**/##call" + std::to_string(row.node);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Source##solo");
    t->ItemClick(item.c_str());
  });
  EXPECT_EQ(panel().call(), row.node);
  EXPECT_EQ(line(), calls.node(row.node).line);
  EXPECT_EQ(document().selection().line, line());
  EXPECT_GT(document().selection().ops.size(), 10U);
  // The same line, chosen in the text, is the same ops.
  const size_t ops = document().selection().ops.size(), rows = calls.rows().size();
  drive([&](ImGuiTestContext* t) {
    t->ItemClick(("**/##line" + std::to_string(line())).c_str());
    t->Yield(2);
    EXPECT_EQ(document().selection().ops.size(), ops);
    t->ItemDoubleClick(item.c_str());
  });
  EXPECT_LT(calls.rows().size(), rows);
}

// A line without ops is looked at, too: nothing on the screen speaks of the line before it.
TEST_F(SourceUi, ALineWithoutOpsLeavesTheCallTreesRow) {
  open("nanogpt_xnnpack_qd4");
  solo("source");
  ASSERT_NE(source().cost(), nullptr);
  ASSERT_GE(panel().call(), 0);
  const std::filesystem::path file = source().cost()->file;
  const TemporaryFolder other;
  std::ofstream out(other / file.filename().string());
  for (int i = 0; i < 2000; ++i) out << "x = " << i << "\n";
  out.close();
  document().set_path_maps({{file.parent_path().string(), other.path()}});
  settle();
  drive([](ImGuiTestContext* t) { t->KeyPress(ImGuiKey_F8); });
  ASSERT_GE(panel().call(), 0);
  const auto& lines = source().cost()->lines;
  const int64_t with_ops = line();
  int64_t free = with_ops + 1;
  while (std::any_of(lines.begin(), lines.end(), [&](const auto& l) { return l.line == free; })) ++free;
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Source##solo");
    t->ItemClick(("**/##line" + std::to_string(free)).c_str());
    t->Yield(2);
  });
  EXPECT_EQ(line(), free);
  EXPECT_EQ(panel().call(), -1);
  drive([&](ImGuiTestContext* t) {
    t->ItemClick(("**/##line" + std::to_string(with_ops)).c_str());
    t->Yield(2);
  });
  ASSERT_GE(panel().call(), 0);
  EXPECT_EQ(panel().calls().node(panel().call()).line, with_ops);
}

TEST_F(SourceUi, OtherFramesKeepWhatIsLookedAtAndHaveTheirOwnTimes) {
  open("nanogpt_xnnpack_qd4");
  solo("source");
  drive([](ImGuiTestContext* t) { t->KeyPress(ImGuiKey_F8); });
  ASSERT_GT(line(), 0);
  const Selection looked_at = document().selection();
  for (const char* scope : {"2", "3", "0"}) {
    panel().restore("frames", scope);
    settle();
    CallTreeModel& calls = panel().calls();
    ASSERT_GE(panel().call(), 0);
    const inspector::CostNode& n = calls.node(panel().call());
    EXPECT_EQ(source().cost()->file, n.file.str()) << scope;
    EXPECT_EQ(line(), n.line) << scope;
    EXPECT_EQ(&source().sources(), calls.lines().get()) << scope;
    // It has ops of what was looked at.
    const Selection inside = select_inside(*calls.data(), *calls.tree(), panel().call());
    EXPECT_TRUE(std::any_of(looked_at.ops.begin(), looked_at.ops.end(), [&](int32_t op) { return inside.has_op(op); }))
        << scope;
  }
  panel().restore("view", "files");
  settle();
  EXPECT_EQ(&source().sources(), &data().sources);
}

// torch's own files are in no list of files: the line that asked for the ops is looked at instead.
TEST_F(SourceUi, FromFramesOfTorchFilesLookAtTheLineThatAsked) {
  open("nanogpt_xnnpack_qd4");
  solo("source");
  panel().restore("frames", "3");
  settle();
  const auto& files = data().sources.files;
  const auto listed = [&] {
    return std::any_of(files.begin(), files.end(), [&](const auto& f) { return f.file == source().cost()->file; });
  };
  for (size_t i = 0; i < source().hottest().size() && (i == 0 || listed()); ++i)
    drive([](ImGuiTestContext* t) { t->KeyPress(ImGuiKey_F8); });
  ASSERT_FALSE(listed()) << source().cost()->file;
  panel().restore("view", "files");
  settle();
  ASSERT_NE(source().cost(), nullptr);
  const auto& lines = source().cost()->lines;
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [&](const auto& l) { return l.line == line() && l.ops > 0; }))
      << line();
}

TEST_F(SourceUi, SearchInTheCallTreeOpensWhatItFinds) {
  open("nanogpt_xnnpack_qd4");
  solo("source");
  CallTreeModel& calls = panel().calls();
  calls.open_all(false);
  drive([](ImGuiTestContext* t) {
    t->SetRef("Source##solo");
    t->ItemInput("**/##search");
    t->KeyCharsReplace("attn");
    t->Yield(2);
    t->ItemClick("**/##next_found");
  });
  ASSERT_FALSE(calls.found().empty());
  EXPECT_EQ(panel().call(), calls.found().front());
  const auto& rows = calls.rows();
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const CallRow& r) { return calls.is_found(r); }));
}

TEST_F(SourceUi, CtrlFSearchesFromTheFiles) {
  open("nanogpt_xnnpack_qd4");
  solo("source");
  panel().restore("view", "files");
  settle();
  drive([](ImGuiTestContext* t) {
    t->SetRef("Source##solo");
    t->ItemClick("**/##file0");
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_F);
    t->Yield(3);
    t->KeyCharsReplace("attn");
    t->Yield(2);
  });
  EXPECT_EQ(panel().calls().query(), "attn");
}

TEST_F(SourceUi, FramesAreASettingThatIsKept) {
  open("partial_delegation");
  solo("source");
  panel().restore("frames", "3");
  settle();
  EXPECT_EQ(panel().calls().scope(), inspector::FrameScope::Everything);
  const auto kept = panel().settings();
  EXPECT_NE(std::find(kept.begin(), kept.end(), std::pair<std::string, std::string>("frames", "3")), kept.end());
  panel().restore("frames", "9");
  EXPECT_EQ(panel().calls().scope(), inspector::FrameScope::Everything);
}

TEST_F(SourceUi, SaysWhyThereAreNoLines) {
  open("partial_delegation", {"etdump.etdp"});
  solo("source");
  EXPECT_EQ(source().cost(), nullptr);
  EXPECT_TRUE(source().listing().rows.empty());
}

}  // namespace
}  // namespace et::gui::test
