// Opening, selecting, history, and what happens to a store while it is open.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "gui/core/document.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

struct DocumentTest : testing::Test {
  TemporaryFolder folder;
  Jobs jobs;
  Document document{jobs};

  void open(const std::string& name) {
    document.open_files(
        {artifact(name) + "/program.pte", artifact(name) + "/etrecord.bin", artifact(name) + "/etdump.etdp"});
    jobs.finish();
  }
};

TEST_F(DocumentTest, ImportsFilesInAnyOrder) {
  open("partial_delegation");
  ASSERT_EQ(document.state(), Document::State::Ready) << document.error().message();
  EXPECT_TRUE(document.is_temporary());
  EXPECT_FALSE(document.data()->table.ops.empty());
  EXPECT_FALSE(document.data()->graphs.empty());
  EXPECT_EQ(document.request().title(), "etdump.etdp + etrecord.bin + program.pte");
}

TEST_F(DocumentTest, FindsWhatBelongsToAnETDumpBesideIt) {
  document.open_files({artifact("partial_delegation") + "/etdump.etdp"});
  jobs.finish();
  ASSERT_EQ(document.state(), Document::State::Ready) << document.error().message();
  EXPECT_FALSE(document.data()->graphs.empty());
  EXPECT_EQ(document.request().title(), "etdump.etdp + etrecord.bin + program.pte");
  EXPECT_EQ(document.request().files().size(), 1U) << "only what was asked for is asked for again";
  EXPECT_NE(document.notice().find("found beside it"), std::string::npos) << document.notice();
}

TEST_F(DocumentTest, LeavesOutWhatBelongsToAnotherModel) {
  std::filesystem::copy_file(artifact("partial_delegation") + "/etdump.etdp", folder / "etdump.etdp");
  std::filesystem::copy_file(artifact("add_mul") + "/etrecord.bin", folder / "etrecord.bin");
  document.open_files({folder / ""});
  jobs.finish();
  ASSERT_EQ(document.state(), Document::State::Ready) << document.error().message();
  EXPECT_TRUE(document.data()->graphs.empty());
  EXPECT_EQ(document.request().title(), "etdump.etdp");
  EXPECT_NE(document.notice().find("not used: another model's"), std::string::npos) << document.notice();
}

TEST_F(DocumentTest, AFolderWithSeveralETDumpsListsThem) {
  const std::string two = folder / "two";
  std::filesystem::create_directory(two);
  for (const char* name : {"a.etdp", "b.etdp"})
    std::filesystem::copy_file(artifact("add_mul") + "/etdump.etdp", two + "/" + name);
  document.open_files({two});
  EXPECT_EQ(document.state(), Document::State::Failed);
  EXPECT_NE(document.error().message().find("b.etdp"), std::string::npos) << document.error().message();
}

TEST_F(DocumentTest, OfSeveralETDumpsOfAFolderTheOneWithTheUsualNameIsTaken) {
  document.open_files({artifact("add_mul")});
  jobs.finish();
  ASSERT_EQ(document.state(), Document::State::Ready) << document.error().message();
  EXPECT_NE(document.notice().find("not "), std::string::npos) << document.notice();
  EXPECT_NE(document.notice().find("debug.etdp"), std::string::npos) << document.notice();
}

TEST_F(DocumentTest, TemporaryStoreGoesAway) {
  std::string path;
  {
    Document other(jobs);
    other.open_files({artifact("add_mul") + "/etdump.etdp"});
    jobs.finish();
    path = other.store_path();
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(DocumentTest, SavedStoreCanBeOpened) {
  open("add_mul");
  const std::string path = folder / "saved.db";
  const Status status = document.save_store(path);
  EXPECT_TRUE(status.ok()) << status.message();
  jobs.finish();
  EXPECT_FALSE(document.is_temporary());
  EXPECT_EQ(document.store_path(), path);
  EXPECT_FALSE(document.save_store(path).ok());  // never overwrites
}

TEST_F(DocumentTest, ErrorsNameTheFile) {
  document.open_files({folder / "nothing.etdp"});
  EXPECT_EQ(document.state(), Document::State::Failed);
  EXPECT_NE(document.error().message().find("nothing.etdp"), std::string::npos);
  std::ofstream(folder / "tensors.bin", std::ios::binary) << '\0' << '\1';
  document.open_files({folder / "tensors.bin"});
  jobs.finish();
  // As the command has it: what nothing marks may be a damaged dump.
  EXPECT_NE(document.error().message().find("tensors.bin: ETDump at byte 0: expected"), std::string::npos)
      << document.error().message();
  std::ofstream(folder / "bad.db") << "SQLite format 3\0 and then nothing that makes sense";
  document.open_files({folder / "bad.db"});
  jobs.finish();
  EXPECT_NE(document.error().message().find("bad.db"), std::string::npos) << document.error().message();
}

TEST_F(DocumentTest, ASerialLogIsOpenedLikeTheETDumpInIt) {
  document.open_files({artifact("add_mul") + "/../../../../samples/embedded_host/products/serial.log"});
  jobs.finish();
  ASSERT_EQ(document.state(), Document::State::Ready) << document.error().message();
  EXPECT_EQ(document.data()->facts.executions, 3) << "and a block of loading";
  EXPECT_TRUE(document.data()->has_etdump());
}

TEST_F(DocumentTest, ATextWithoutAnETDumpIsRefused) {
  std::ofstream(folder / "notes.txt") << "nothing but words\n";
  document.open_files({folder / "notes.txt"});
  jobs.finish();
  EXPECT_NE(document.error().message().find("notes.txt: expected an ETDump, got text"), std::string::npos)
      << document.error().message();
  document.open_files({artifact("add_mul") + "/etdump.etdp", folder / "notes.txt"});
  jobs.finish();
  EXPECT_NE(document.error().message().find("notes.txt: expected"), std::string::npos) << document.error().message();
}

TEST_F(DocumentTest, FailureKeepsWhatIsOpen) {
  open("add_mul");
  const auto before = document.shared_data();
  document.open_files({folder / "nothing.etdp"});
  EXPECT_EQ(document.state(), Document::State::Ready);
  EXPECT_EQ(document.shared_data(), before);
  EXPECT_FALSE(document.error().ok());
}

TEST_F(DocumentTest, SelectionLinksOpsNodesAndLines) {
  open("partial_delegation");
  const TraceData& data = *document.data();
  size_t linked = 0;
  for (const inspector::OpEntry& op : data.table.ops) {
    const Selection s = select_op(data, op.id);
    ASSERT_EQ(s.kind, Selection::Kind::Op);
    ASSERT_EQ(s.ops.size(), 1U);
    EXPECT_EQ(s.nodes.empty(), op.nodes == 0);
    if (s.nodes.empty()) continue;
    ++linked;
    if (s.node.empty()) {  // a delegate's call has no one node
      EXPECT_GT(s.nodes.size(), 1U);
      continue;
    }
    const Selection node = select_node(data, s.node);
    // What is around the op that does the work is no part of the node's.
    const bool around = op.is_wrapper() || op.encloses;
    EXPECT_EQ(node.has_op(s.ops.front()), !around);
    if (!s.file.empty()) {
      EXPECT_EQ(select_line(data, s.file, s.line).has_op(s.ops.front()), !around);
      EXPECT_TRUE(select_module(data, s.module).has_node(s.node));
    }
  }
  EXPECT_GT(linked, 0U);
  EXPECT_TRUE(select_node(data, "no such node").empty());
  EXPECT_TRUE(select_op(data, -5).empty());
}

TEST_F(DocumentTest, HistoryGoesBackAndForward) {
  open("partial_delegation");
  const TraceData& data = *document.data();
  const Selection a = select_op(data, data.table.ops[0].id), b = select_op(data, data.table.ops[1].id);
  document.select(a, "timeline");
  EXPECT_EQ(document.take_wanted_panel(), "timeline");
  document.select(b);
  EXPECT_TRUE(document.can_back());
  EXPECT_FALSE(document.can_forward());
  document.back();
  EXPECT_TRUE(document.selection().same(a));
  EXPECT_EQ(document.take_wanted_panel(), "timeline");
  document.back();
  EXPECT_TRUE(document.selection().empty());
  document.forward();
  document.forward();
  EXPECT_TRUE(document.selection().same(b));
}

TEST_F(DocumentTest, BackLeadsToThePanelThatOneCameFrom) {
  open("partial_delegation");
  const TraceData& data = *document.data();
  const Selection both = union_of({select_op(data, data.table.ops[3].id), select_op(data, data.table.ops[4].id)});
  document.set_panel("llm");
  document.select(both);
  document.select(both, "operators");
  EXPECT_EQ(document.take_wanted_panel(), "operators");
  document.set_panel("operators");
  document.back();
  EXPECT_EQ(document.take_wanted_panel(), "llm") << "being led elsewhere is a step";
  EXPECT_EQ(document.selection().ops, both.ops) << "all that was selected";
  document.forward();
  EXPECT_EQ(document.take_wanted_panel(), "operators");
  EXPECT_EQ(document.selection().ops, both.ops);
  document.back();
  document.back();
  EXPECT_TRUE(document.selection().empty());
  EXPECT_FALSE(document.can_back());
}

TEST_F(DocumentTest, BackBringsTheExecutionBack) {
  open("partial_delegation");
  const int64_t run = document.data()->runs.back().id;
  document.set_panel("overview");
  document.select({}, "timeline");
  document.select_run(run);
  document.back();
  EXPECT_EQ(document.run(), 0);
  EXPECT_EQ(document.take_wanted_panel(), "overview");
  document.forward();
  EXPECT_EQ(document.run(), run);
}

TEST_F(DocumentTest, FollowsAGrowingStore) {
  const std::string path = folder / "store.db";
  ASSERT_TRUE(import_artifact("add_mul", path).ok());
  document.open_files({path});
  jobs.finish();
  ASSERT_EQ(document.traces().size(), 1U) << document.error().message();
  EXPECT_FALSE(document.poll());
  ASSERT_TRUE(import_artifact("partial_delegation", path).ok());
  EXPECT_TRUE(document.poll());
  jobs.finish();
  EXPECT_EQ(document.traces().size(), 2U);
  EXPECT_EQ(document.data()->trace_id(), 2);
  EXPECT_NE(document.notice().find("#2"), std::string::npos);
}

TEST_F(DocumentTest, DeletedAndReplacedStore) {
  const std::string path = folder / "store.db";
  ASSERT_TRUE(import_artifact("add_mul", path).ok());
  document.open_files({path});
  jobs.finish();
  const size_t ops = document.data()->table.ops.size();
  std::filesystem::remove(path);
  EXPECT_TRUE(document.poll());
  EXPECT_TRUE(document.store_deleted());
  EXPECT_EQ(document.data()->table.ops.size(), ops);
  ASSERT_TRUE(import_artifact("partial_delegation", path).ok());
  EXPECT_TRUE(document.poll());
  jobs.finish();
  ASSERT_EQ(document.state(), Document::State::Ready) << document.error().message();
  EXPECT_NE(document.data()->facts.dump_path->find("partial_delegation"), std::string::npos);
}

TEST_F(DocumentTest, ANoteThatIsBeingWrittenIsAskedAboutBeforeAnotherTraceIsOpened) {
  open("add_mul");
  const std::string before = document.store_path();
  const uint64_t subject = document.subject_version();
  document.set_begun_note(true);
  open("partial_delegation");
  EXPECT_EQ(document.leaving(), Document::Leaving::Open);
  EXPECT_EQ(document.store_path(), before) << "not without the user's word";
  document.stay();
  EXPECT_EQ(document.leaving(), Document::Leaving::Nothing);
  open("partial_delegation");
  document.go_on_leaving();
  jobs.finish();
  EXPECT_NE(document.store_path(), before);
  EXPECT_GT(document.subject_version(), subject);
  // What cannot be opened asks nothing.
  document.open_files({"/no/such/file.etdp"});
  EXPECT_EQ(document.leaving(), Document::Leaving::Nothing);
  EXPECT_FALSE(document.error().ok());
}

TEST_F(DocumentTest, TheSameTraceReadAgainIsNoOtherSubject) {
  open("add_mul");
  const uint64_t subject = document.subject_version();
  document.set_begun_note(true);
  document.set_basis({.kind = inspector::BasisKind::Mean});
  jobs.finish();
  document.set_lines(inspector::LineRule::Innermost);
  jobs.finish();
  ASSERT_TRUE(document.save_store(folder / "kept.db").ok());
  jobs.finish();
  EXPECT_EQ(document.subject_version(), subject);
  EXPECT_EQ(document.leaving(), Document::Leaving::Nothing);
  bool closed = false;
  document.leave(Document::Leaving::Close, [&] { closed = true; });
  EXPECT_FALSE(closed);
  document.set_begun_note(false);
  document.leave(Document::Leaving::Close, [&] { closed = true; });
  EXPECT_TRUE(closed);
}

TEST_F(DocumentTest, ANewTraceWaitsForTheNoteThatIsBeingWritten) {
  const std::string path = folder / "store.db";
  ASSERT_TRUE(import_artifact("add_mul", path).ok());
  document.open_files({path});
  jobs.finish();
  document.set_begun_note(true);
  ASSERT_TRUE(import_artifact("partial_delegation", path).ok());
  document.poll();
  jobs.finish();
  ASSERT_EQ(document.traces().size(), 2U);
  EXPECT_EQ(document.data()->trace_id(), 1);
  EXPECT_EQ(document.notice(), "new trace #2");
}

TEST_F(DocumentTest, CancelledImportLeavesNothing) {
  document.open_files({artifact("nanogpt_xnnpack_qd4") + "/etdump.etdp"});
  document.cancel();
  jobs.finish();
  EXPECT_EQ(document.state(), Document::State::Empty);
  EXPECT_EQ(document.data(), nullptr);
}

// Blocks that differ by the cold run are one: what is selected in a table is marked in every execution.
TEST(Selection, NodesOfASharedHandleAreNotTheOpsOwn) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  size_t shared = 0;
  for (const inspector::OpEntry& op : trace.data->table.ops) {
    double charged = 0;
    const std::vector<const inspector::OpNode*> own = trace.data->table.own_nodes(op);
    for (const inspector::OpNode* const link : own) charged += link->weight;
    if (op.kind != "kernel" || op.nodes == 0) continue;
    EXPECT_NEAR(charged, 1, 1e-9) << op.name.str();
    if (own.size() == op.nodes) continue;
    ++shared;
    EXPECT_EQ(select_op(*trace.data, op.id).nodes.size(), own.size());
    for (size_t n = op.first_node; n < op.first_node + op.nodes; ++n) {
      const inspector::OpNode& link = trace.data->table.nodes[n];
      if (link.weight > 0 || link.via != "instruction") continue;
      const Selection node = select_node(*trace.data, link.node->name);
      EXPECT_FALSE(node.has_op(trace.data->find_op(op.id))) << link.node->name;
    }
  }
  EXPECT_GT(shared, 0U);
}

TEST(Selection, WhatIsPreparedWhileLoadingIsNoPartOfAModule) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const Selection all = select_module(*trace.data, "");
  ASSERT_FALSE(all.ops.empty());
  for (const int32_t op : all.ops)
    EXPECT_EQ(trace.data->table.block_of(trace.data->table.ops[static_cast<size_t>(op)]).kind, "execute");
}

TEST(Selection, AnOpIsSelectedInAllBlocksThatItWasMergedFrom) {
  TraceData data;
  data.table.blocks.resize(2);
  data.table.ops.resize(3);
  for (size_t i = 0; i < data.table.ops.size(); ++i) {
    data.table.ops[i].id = static_cast<int64_t>(i) + 1;
    data.table.ops[i].block = i == 0 ? 0 : 1;
  }
  data.table.index_ids();
  data.shown.blocks.resize(1);
  data.shown.ops = {data.table.ops[0], data.table.ops[2]};
  for (inspector::OpEntry& op : data.shown.ops) op.block = 0;
  data.shown.merged_ids = {{2, 0}};
  data.shown.index_ids();
  EXPECT_EQ(select_op(data, 1).ops, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(select_op(data, 2).ops, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(select_op(data, 2).op, 2);
  EXPECT_EQ(select_op(data, 3).ops, (std::vector<int32_t>{2}));
}

TEST_F(DocumentTest, ASelectedRangeRestrictsWhatPanelsRank) {
  open("partial_delegation");
  const auto whole = document.shared_data();
  const auto executes = [&](const gui::Run& r) {
    return whole->table.blocks[static_cast<size_t>(r.block)].kind == "execute";
  };
  const auto run = std::find_if(whole->runs.begin(), whole->runs.end(), executes);
  ASSERT_NE(run, whole->runs.end());
  const int64_t middle = run->start + run->duration / 2;
  document.select(select_range(*whole, run->start, middle));
  EXPECT_EQ(document.data(), whole.get()) << "until it is read";
  const uint64_t version = document.version();
  jobs.finish();
  ASSERT_TRUE(document.data()->range);
  EXPECT_GT(document.version(), version);
  EXPECT_NE(document.restriction_text().find("of execution #0"), std::string::npos) << document.restriction_text();
  double cost = 0;
  size_t idle = 0;
  for (const auto& op : document.data()->shown.ops) {
    cost += op.cost;
    idle += op.count == 0 ? 1 : 0;
  }
  EXPECT_NEAR(cost, static_cast<double>(middle - run->start), 1e-6);
  EXPECT_GT(idle, 0U) << "what runs later is not there";
  EXPECT_EQ(&document.data()->usual(), &whole->shown);
  double lines = 0;
  for (const auto& file : document.data()->sources.files) lines += file.ns;
  EXPECT_NEAR(lines + document.data()->sources.no_line_ns, cost, 1e-6);
  // Something else is selected: the restriction stays until it is lifted.
  document.select(select_op(*document.data(), whole->table.ops[5].id));
  EXPECT_TRUE(document.restriction());
  document.restrict_to(inspector::TimeRange{run->start, run->start + run->duration});
  jobs.finish();
  EXPECT_EQ(document.restriction_text(), "execution #0 of forward");
  EXPECT_EQ(document.data()->shown.basis.text(), "sum in execution #0 of forward") << "in every panel";
  EXPECT_EQ(document.data()->sources.basis, document.data()->shown.basis);
  EXPECT_EQ(document.data()->whole, whole);
  document.restrict_to(std::nullopt);
  EXPECT_EQ(document.shared_data(), whole);
  EXPECT_EQ(document.restriction_text(), "");
  document.restrict_to(inspector::TimeRange{run->start, middle});
  document.set_basis({inspector::BasisKind::Mean});
  jobs.finish();
  EXPECT_TRUE(document.data()->range) << "another basis is no reason to show everything";
  EXPECT_EQ(document.data()->usual().basis.kind, inspector::BasisKind::Mean);
  open("add_mul");
  EXPECT_FALSE(document.restriction()) << "of another trace";
  EXPECT_FALSE(document.data()->range);
}

}  // namespace
}  // namespace et::gui::test
