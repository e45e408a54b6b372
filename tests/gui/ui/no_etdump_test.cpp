// An ETRecord or a program without an ETDump: what is known is shown, panels with times say what they need.
#include "gui/models/delegation_model.h"
#include "gui/models/graph_model.h"
#include "gui/models/memory_model.h"
#include "gui/models/overview_model.h"
#include "gui/models/source_model.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct NoDump : UiTest {
  /// Every panel, alone, for some frames.
  void visit_all() {
    for (const PanelSpec* spec : all_panels()) {
      solo(spec->id);
      frames(2);
    }
  }
};

TEST_F(NoDump, RecordAndProgram) {
  open("ethosu55_int8", {"etrecord.bin", "program.pte"});
  EXPECT_FALSE(data().has_etdump());
  visit_all();
  const auto* overview = static_cast<Overview*>(app().panel("overview")->model());
  ASSERT_NE(overview, nullptr);
  ASSERT_EQ(overview->exports.size(), 1U);
  EXPECT_EQ(overview->exports[0].instructions, 3);
  EXPECT_EQ(overview->exports[0].delegates, 1);
  EXPECT_EQ(overview->exports[0].delegated, 42);
  EXPECT_NE(model<GraphViewModel>("graph").graph(), nullptr);
  ASSERT_EQ(model<DelegationModel>("delegation").maps().size(), 1U);
  EXPECT_EQ(model<DelegationModel>("delegation").map(0).items.size(), 3U);
  EXPECT_TRUE(model<MemoryModel>("memory").has_plan());
  ASSERT_FALSE(data().sources.files.empty());
  EXPECT_FALSE(data().sources.timed);
  int64_t nodes = 0;
  for (const auto& line : data().sources.files[0].lines) nodes += line.nodes;
  EXPECT_GT(nodes, 0);
  EXPECT_EQ(app().panel("operators")->csv().find("aten"), std::string::npos);
}

TEST_F(NoDump, ProgramAlone) {
  open("tosa_int8", {"program.pte"});
  visit_all();
  EXPECT_EQ(model<GraphViewModel>("graph").graph(), nullptr);
  EXPECT_TRUE(model<MemoryModel>("memory").has_plan());
  ASSERT_EQ(model<DelegationModel>("delegation").maps().size(), 1U);
  EXPECT_GT(model<DelegationModel>("delegation").map(0).delegates(), 0U);
}

TEST_F(NoDump, BundleAlone) {
  const std::string fixtures = ET_FIXTURES;
  const auto instructions = [&](const std::string& file) {
    app().open_files({file});
    app().jobs().finish();
    EXPECT_TRUE(document().error().ok()) << document().error().message();
    settle();
    visit_all();
    EXPECT_TRUE(model<MemoryModel>("memory").has_plan()) << file;
    const auto* overview = static_cast<Overview*>(app().panel("overview")->model());
    std::vector<int64_t> found;
    for (const auto& method : overview->exports) found.push_back(method.instructions.value_or(-1));
    return found;
  };
  const auto inside = instructions(fixtures + "/bundles/lstm/bundled.bpte");
  ASSERT_EQ(inside.size(), 1U);
  EXPECT_GT(inside[0], 10);
  EXPECT_EQ(inside, instructions(fixtures + "/artifacts/lstm/program.pte")) << "the same program without its bundle";
}

TEST_F(NoDump, RecordAlone) {
  open("demo_nested", {"etrecord.bin"});
  visit_all();
  EXPECT_NE(model<GraphViewModel>("graph").graph(), nullptr);
  EXPECT_FALSE(model<MemoryModel>("memory").has_plan());
  EXPECT_FALSE(data().sources.files.empty());
}

TEST_F(NoDump, TheOverviewLeadsToWhatIsKnown) {
  open("tosa_int8", {"etrecord.bin", "program.pte"});
  app().show_panel("overview");
  settle();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("###Overview");
    t->ItemClick("**/Memory plan");
    t->Yield(4);
  });
  EXPECT_EQ(app().focused_panel(), "memory");
}

}  // namespace
}  // namespace et::gui::test
