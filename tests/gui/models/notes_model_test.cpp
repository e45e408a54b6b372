// Notes in the window: what they hang on is found again, they are written and read in jobs.
#include "gui/models/notes_model.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "inspector/text/format.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::AnchorKind;
using inspector::NoteKind;

struct NotesModelTest : testing::Test {
  void open(const std::string& name) {
    path = folder / "store.db";
    ASSERT_TRUE(import_artifact(name, path).ok());
    document.open_files({path});
    jobs.finish();
    ASSERT_NE(document.data(), nullptr) << document.error().message();
    refresh();
  }
  void refresh() {
    model.refresh(document);
    jobs.finish();
  }
  TemporaryFolder folder;
  Jobs jobs;
  Document document{jobs};
  NotesModel model;
  std::string path;
};

TEST_F(NotesModelTest, EveryOpIsFoundAgainByItsAnchor) {
  for (const char* name : {"partial_delegation", "lstm_xnnpack", "control_flow_cond", "multi_method"}) {
    const OpenedTrace t(name);
    for (const inspector::OpEntry& op : t.data->table.ops) {
      const inspector::NoteAnchor anchor = anchor_of(*t.data, select_op(*t.data, op.id));
      EXPECT_EQ(anchor.kind, AnchorKind::Op);
      EXPECT_EQ(selection_of(*t.data, anchor).op, op.id) << name << ": " << op.name.str();
    }
  }
}

TEST_F(NotesModelTest, OtherThingsAreFoundAgain) {
  const OpenedTrace t("partial_delegation");
  ASSERT_FALSE(t.data->graphs.empty());
  const auto& node = t.data->graphs[0].nodes[0];
  std::vector<Selection> things = {select_node(*t.data, node.name)};
  for (const auto& file : t.data->sources.files) {
    if (!file.file.empty()) things.push_back(select_line(*t.data, file.file, 0));
  }
  things.push_back(select_module(*t.data, ""));
  for (const auto& part : t.data->graphs[0].parts) things.push_back(select_part(*t.data, "forward", part.instruction));
  for (const Selection& s : things) {
    ASSERT_FALSE(s.empty());
    EXPECT_TRUE(selection_of(*t.data, anchor_of(*t.data, s)).same(s)) << s.label;
  }
  EXPECT_EQ(anchor_of(*t.data, {}).kind, AnchorKind::Trace);
  inspector::NoteAnchor gone;
  gone.kind = AnchorKind::Node;
  gone.name = "gone";
  EXPECT_TRUE(selection_of(*t.data, gone).empty());
}

TEST_F(NotesModelTest, ANoteOnSeveralThingsStaysOnAllOfThem) {
  const OpenedTrace t("lstm_xnnpack");
  const TraceData& data = *t.data;
  std::vector<Selection> ops;
  for (const inspector::OpEntry& op : data.table.ops) {
    if (data.table.block_of(op).kind == "execute" && !op.encloses) ops.push_back(select_op(data, op.id));
  }
  ASSERT_GE(ops.size(), 3U);
  ops.resize(3);
  const Selection several = select_several(ops, "Output head: 3 ops");
  const inspector::NoteAnchor anchor = anchor_of(data, several);
  EXPECT_EQ(anchor.kind, AnchorKind::Set);
  EXPECT_EQ(anchor_text(data, anchor), "Output head: 3 ops");
  EXPECT_TRUE(selection_of(data, anchor).same(several));
  EXPECT_EQ(cost_text(data, selection_of(data, anchor)), cost_text(data, several));
  EXPECT_NE(cost_text(data, several), cost_text(data, ops[0])) << "not that of the first";
}

TEST_F(NotesModelTest, ANoteOnAGroupOrOnModulesStaysOnThem) {
  const OpenedTrace t("nanogpt_xnnpack_qd4");
  const TraceData& data = *t.data;
  const Selection modules = select_modules(data, {"blocks.1", "blocks.0"}, "blocks.{0,1}");
  ASSERT_EQ(modules.modules.size(), 2U);
  EXPECT_EQ(anchor_of(data, modules).kind, AnchorKind::Set);
  EXPECT_TRUE(selection_of(data, anchor_of(data, modules)).same(modules));
  EXPECT_EQ(anchor_text(data, anchor_of(data, modules)), "blocks.{0,1}");
  const inspector::GroupTable types = inspector::group_costs(data.shown, inspector::GroupBy::Type, {});
  ASSERT_FALSE(types.rows.empty());
  size_t groups = 0;
  for (const inspector::GroupRow& row : types.rows) {
    const Selection group = select_group(data, inspector::GroupBy::Type, row.key);
    if (group.kind != Selection::Kind::Group) continue;
    ++groups;
    const inspector::NoteAnchor anchor = anchor_of(data, group);
    EXPECT_EQ(anchor.kind, AnchorKind::Group) << row.key;
    EXPECT_TRUE(selection_of(data, anchor).same(group)) << row.key;
    EXPECT_EQ(anchor_text(data, anchor), group.label);
  }
  EXPECT_GT(groups, 1U);
}

TEST_F(NotesModelTest, WhatIsLostIsSaid) {
  open("add_mul");
  EXPECT_FALSE(model.lost());
  model.add(document, NoteKind::Note, {}, "here", "");
  EXPECT_TRUE(document.writes_notes());
  jobs.finish();
  EXPECT_FALSE(document.writes_notes());
  EXPECT_FALSE(model.lost());
  std::filesystem::remove(path);
  model.add(document, NoteKind::Note, {}, "nowhere", "");
  jobs.finish();
  EXPECT_TRUE(model.lost()) << "its text is with who wrote it";
  EXPECT_NE(model.error(), "");
}

TEST_F(NotesModelTest, NotesAreWrittenEditedAndRemoved) {
  open("partial_delegation");
  document.select(select_op(*document.data(), document.data()->table.ops[3].id));
  model.add(document, NoteKind::Note, anchor_of(*document.data(), document.selection()), "why so slow?", "warning");
  jobs.finish();
  ASSERT_EQ(model.rows().size(), 1U) << model.error();
  EXPECT_TRUE(model.rows()[0].found);
  EXPECT_EQ(model.rows()[0].place, document.selection().label);
  model.edit(document, model.rows()[0].note.id, "first call only", "good");
  jobs.finish();
  EXPECT_EQ(model.rows()[0].note.text, "first call only");
  EXPECT_EQ(model.shown("").size(), 1U);
  EXPECT_NE(model.csv().find("first call only"), std::string::npos);
  model.remove(document, model.rows()[0].note.id);
  jobs.finish();
  EXPECT_TRUE(model.rows().empty());
  EXPECT_EQ(model.error(), "");
}

TEST_F(NotesModelTest, MarkdownHasPlaceCostAndText) {
  open("partial_delegation");
  const TraceData& data = *document.data();
  EXPECT_EQ(model.markdown(data), "");
  const inspector::OpEntry& op = data.shown.ops[3];
  document.select(select_op(data, op.id));
  model.add(document, NoteKind::Note, anchor_of(data, document.selection()), "first\nsecond *line*", "warning");
  jobs.finish();
  (void)model.shown("");
  const std::string text = model.markdown(data);
  EXPECT_TRUE(text.starts_with("# Notes on ")) << text;
  EXPECT_NE(text.find("Times: warm median per execution."), std::string::npos) << text;
  // Of a call around its kernel it is what the call takes by itself, in the words of the status bar.
  EXPECT_NE(text.find("- `" + document.selection().label + "` (" + (op.encloses ? "own time " : "") +
                      inspector::format_duration_with_unit(op.cost, data.unit())),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("**to check**:\n  first\n  second *line*\n"), std::string::npos) << text;
}

TEST_F(NotesModelTest, CostsCountEachOpOnce) {
  const OpenedTrace t("control_flow_cond");
  Selection all;
  all.kind = Selection::Kind::Module;
  for (size_t i = 0; i < t.data->table.ops.size(); ++i) all.ops.push_back(static_cast<int32_t>(i));
  double cost = 0, variation = 0;
  for (const inspector::OpBlock& b : t.data->shown.blocks) {
    if (b.kind == "execute") cost += b.cost, variation += b.variation;
  }
  const std::string text = cost_text(*t.data, all);
  EXPECT_TRUE(text.starts_with(inspector::format_duration_with_unit(cost - variation, t.data->unit()))) << text;
  EXPECT_EQ(cost_text(*t.data, {}), "");
}

TEST_F(NotesModelTest, ANodeCostsNothingOfWhatItsCallTakes) {
  const OpenedTrace t("partial_delegation");
  Selection node;
  node.kind = Selection::Kind::Node;
  double own = 0;
  for (size_t i = 0; i < t.data->table.ops.size(); ++i) {
    const inspector::OpEntry& op = t.data->shown_op(static_cast<int32_t>(i));
    if (t.data->shown.block_of(op).kind != "execute" || op.kind == "kernel") continue;
    node.ops.push_back(static_cast<int32_t>(i));
    if (op.kind == "delegate_op" && op.on_trace_clock()) own += op.cost;
  }
  const std::string text = cost_text(*t.data, node);
  EXPECT_TRUE(text.starts_with(inspector::format_duration_with_unit(own, t.data->unit()))) << text;
}

TEST_F(NotesModelTest, BookmarkIsToggled) {
  open("add_mul");
  document.select(select_op(*document.data(), document.data()->table.ops[0].id));
  model.toggle_bookmark(document);
  jobs.finish();
  EXPECT_EQ(model.bookmark_of(document), 0);
  document.select(select_op(*document.data(), document.data()->table.ops[1].id));
  EXPECT_EQ(model.bookmark_of(document), -1);
  document.back();
  model.toggle_bookmark(document);
  jobs.finish();
  EXPECT_EQ(model.bookmark_of(document), -1);
}

TEST_F(NotesModelTest, FilterLooksAtTextAndPlace) {
  open("add_mul");
  const inspector::NoteAnchor trace;
  for (const char* text : {"Alpha one", "beta two", "alpha three"}) {
    model.add(document, NoteKind::Note, trace, text, "");
    jobs.finish();
  }
  EXPECT_EQ(model.shown("").size(), 3U);
  EXPECT_EQ(model.shown("").front(), 2);  // newest first
  EXPECT_EQ(model.shown("ALPHA").size(), 2U);
  EXPECT_EQ(model.shown("alpha three").size(), 1U);
  EXPECT_EQ(model.shown("the trace beta").size(), 1U);
  EXPECT_TRUE(model.shown("gamma").empty());
}

TEST_F(NotesModelTest, ErrorsAreTold) {
  open("add_mul");
  model.add(document, NoteKind::Note, {}, "", "");
  jobs.finish();
  EXPECT_NE(model.error().find("empty"), std::string::npos);
  std::filesystem::remove(path);
  model.add(document, NoteKind::Note, {}, "text", "");
  jobs.finish();
  EXPECT_NE(model.error().find("no longer exists"), std::string::npos) << model.error();
}

TEST_F(NotesModelTest, SavedTemporaryStoreKeepsThem) {
  document.open_files({artifact("add_mul") + "/etdump.etdp"});
  jobs.finish();
  refresh();
  ASSERT_TRUE(document.is_temporary());
  model.add(document, NoteKind::Note, {}, "kept", "");
  jobs.finish();
  ASSERT_EQ(model.rows().size(), 1U) << model.error();
  ASSERT_TRUE(document.save_store(folder / "saved.db").ok());
  jobs.finish();
  refresh();
  EXPECT_FALSE(document.is_temporary());
  ASSERT_EQ(model.rows().size(), 1U) << model.error();
  EXPECT_EQ(model.rows()[0].note.text, "kept");
}

}  // namespace
}  // namespace et::gui::test
