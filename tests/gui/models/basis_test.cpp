// One switch for the times of all panels: what it reads again, what stays, and what it says of a basis that is not
// there.
#include <gtest/gtest.h>

#include <map>

#include "gui/core/document.h"
#include "gui/core/settings.h"
#include "inspector/analysis/ops/basis_gaps.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::Basis;
using inspector::BasisKind;

struct BasisOfDocument : testing::Test {
  Jobs jobs;
  Document document{jobs};

  void open(const std::string& name) {
    document.open_files(
        {artifact(name) + "/program.pte", artifact(name) + "/etrecord.bin", artifact(name) + "/etdump.etdp"});
    jobs.finish();
    ASSERT_EQ(document.state(), Document::State::Ready) << document.error().message();
    document.dismiss_notice();
  }
  void set(const Basis& basis) {
    document.set_basis(basis);
    jobs.finish();
  }
  static void expect_alike(const TraceData& a, const TraceData& b) {
    EXPECT_EQ(a.shown.basis, b.shown.basis);
    ASSERT_TRUE(is_alike(a, &b));
    ASSERT_EQ(a.shown.ops.size(), b.shown.ops.size());
    for (size_t i = 0; i < a.shown.ops.size(); ++i) {
      EXPECT_EQ(a.shown.ops[i].name.str(), b.shown.ops[i].name.str());
      EXPECT_DOUBLE_EQ(a.shown.ops[i].cost, b.shown.ops[i].cost) << a.shown.ops[i].name.str();
      EXPECT_EQ(a.shown.ops[i].count, b.shown.ops[i].count) << a.shown.ops[i].name.str();
    }
    ASSERT_EQ(a.shown.blocks.size(), b.shown.blocks.size());
    for (size_t i = 0; i < a.shown.blocks.size(); ++i) {
      EXPECT_DOUBLE_EQ(a.shown.blocks[i].cost, b.shown.blocks[i].cost);
      EXPECT_DOUBLE_EQ(a.shown.blocks[i].variation, b.shown.blocks[i].variation);
    }
    EXPECT_EQ(a.findings.size(), b.findings.size());
    EXPECT_EQ(a.parts.size(), b.parts.size());
    EXPECT_DOUBLE_EQ(a.sources.no_line_ns, b.sources.no_line_ns);
    ASSERT_EQ(a.graphs.size(), b.graphs.size());
    for (size_t g = 0; g < a.graphs.size(); ++g) {
      EXPECT_DOUBLE_EQ(a.graphs[g].total_ns, b.graphs[g].total_ns);
      ASSERT_EQ(a.graphs[g].nodes.size(), b.graphs[g].nodes.size());
      for (size_t n = 0; n < a.graphs[g].nodes.size(); ++n)
        EXPECT_DOUBLE_EQ(a.graphs[g].nodes[n].ns, b.graphs[g].nodes[n].ns);
      for (size_t q = 0; q < a.graphs[g].parts.size(); ++q)
        EXPECT_DOUBLE_EQ(a.graphs[g].parts[q].ns, b.graphs[g].parts[q].ns);
    }
  }
  double whole() const {
    double sum = 0;
    for (const inspector::OpBlock& b : document.data()->shown.blocks) sum += b.kind == "execute" ? b.cost : 0;
    return sum;
  }
};

TEST_F(BasisOfDocument, AnotherBasisIsReadAndTheSelectionStays) {
  open("multi_method");
  const uint64_t version = document.version(), trace = document.trace_version();
  document.select(select_op(*document.data(), document.data()->table.ops.front().id));
  const uint64_t selected = document.selection_version();
  const double warm = whole();
  document.set_basis({BasisKind::Total});
  EXPECT_EQ(document.basis().kind, BasisKind::Total) << "the switch shows what was chosen";
  EXPECT_EQ(document.data()->shown.basis.kind, BasisKind::WarmMedian) << "the numbers say what they are";
  jobs.finish();
  EXPECT_EQ(document.data()->shown.basis.kind, BasisKind::Total);
  EXPECT_GT(whole(), warm);
  EXPECT_GT(document.version(), version);
  EXPECT_EQ(document.trace_version(), trace);
  EXPECT_EQ(document.selection_version(), selected);
  EXPECT_FALSE(document.selection().empty());
  // Graphs and lines are of it, too.
  double lines = document.data()->sources.no_line_ns + document.data()->sources.variation_ns;
  for (const inspector::SourceFileCost& f : document.data()->sources.files) lines += f.ns;
  EXPECT_NEAR(lines, whole(), 1e-6 * whole());
}

// What does not depend on the basis is not read again, and what does is as if all had been.
TEST_F(BasisOfDocument, OnlyTimesAreReadAgain) {
  for (const char* name : {"multi_method", "partial_delegation", "lstm"}) {
    open(name);
    const OpenedTrace fresh(name);
    const auto first = document.shared_data();
    for (const BasisKind kind : {BasisKind::Total, BasisKind::Cold, BasisKind::P99, BasisKind::Execution,
                                 BasisKind::Mean, BasisKind::WarmMedian}) {
      const Basis basis{kind, kind == BasisKind::Execution ? 1 : 0};
      SCOPED_TRACE(std::string(name) + ", " + basis.text());
      set(basis);
      const TraceData& data = *document.data();
      EXPECT_EQ(&data.table.ops.front().name.str(), &first->table.ops.front().name.str()) << "texts are kept";
      TraceData again;
      ASSERT_TRUE(load_trace_data(fresh.store, 1, Cancel(), &again, basis).ok());
      expect_alike(data, again);
      // And of a range on top of it.
      const inspector::TimeRange range{data.runs.front().start, data.runs.back().start};
      document.restrict_to(range);
      jobs.finish();
      TraceData part;
      part.range = range;
      part.whole = document.data()->whole;
      ASSERT_TRUE(load_trace_data(fresh.store, 1, Cancel(), &part).ok());
      expect_alike(*document.data(), part);
      document.restrict_to(std::nullopt);
    }
  }
}

TEST_F(BasisOfDocument, StaysForTheNextTrace) {
  open("add_mul");
  set({BasisKind::Mean});
  open("lstm");
  EXPECT_EQ(document.data()->shown.basis.kind, BasisKind::Mean);
}

TEST_F(BasisOfDocument, AnExecutionThatIsNotThereIsSaid) {
  open("multi_method");
  set({BasisKind::P99});
  set({BasisKind::Execution, 4711});
  EXPECT_EQ(document.basis().kind, BasisKind::P99);
  EXPECT_NE(document.notice().find("execution #4711: the trace has "), std::string::npos) << document.notice();
  document.close();
  document.set_basis({BasisKind::Execution, 4711});  // as an option
  document.open_files({artifact("add_mul") + "/etdump.etdp"});
  jobs.finish();
  EXPECT_EQ(document.basis(), Basis());
  EXPECT_EQ(document.data()->shown.basis, Basis());
  EXPECT_NE(document.data()->basis_error.find("execution #4711: the trace has "), std::string::npos);
}

TEST_F(BasisOfDocument, ChosenWhileFilesAreRead) {
  document.open_files({artifact("multi_method") + "/etdump.etdp"});
  document.set_basis({BasisKind::Mean});
  jobs.finish();
  ASSERT_EQ(document.state(), Document::State::Ready);
  EXPECT_EQ(document.data()->shown.basis.kind, BasisKind::Mean);
  document.set_basis({BasisKind::Total});
  document.set_basis({BasisKind::Cold});  // while the other is read
  document.cancel();
  jobs.finish();
  EXPECT_EQ(document.basis().kind, BasisKind::Mean) << "what is shown";
}

TEST_F(BasisOfDocument, RunsHaveTheNumberOfTheirMethod) {
  open("multi_method");
  const std::shared_ptr<const TraceData> kept = document.shared_data();
  const TraceData& data = *kept;
  std::map<std::string, int64_t> seen;
  size_t executions = 0;
  for (const et::gui::Run& run : data.runs) {
    const inspector::OpBlock& block = data.table.blocks[static_cast<size_t>(run.block)];
    const bool is_execution = block.kind == "execute";
    const int64_t number = is_execution ? seen[block.method.value_or("")]++ : -1;
    EXPECT_EQ(data.execution_of(run.id), number);
    if (!is_execution) continue;
    EXPECT_EQ(run.execution, number) << "the number that panels show";
    ++executions;
    set({BasisKind::Execution, number});
    double cost = 0;
    for (const inspector::OpBlock& b : document.data()->shown.blocks) cost += b.method == block.method ? b.cost : 0;
    EXPECT_NEAR(cost, static_cast<double>(run.duration), 1e-6 * static_cast<double>(run.duration));
    set({});
  }
  EXPECT_GT(executions, 1U);
  EXPECT_EQ(data.execution_of(0), -1);
}

TEST(BasisSetting, IsKept) {
  Settings settings;
  settings.basis = "p99";
  settings.fronts = {"overview", "graph"};
  Settings again;
  const std::string text = settings.to_text();
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    again.take_line(text.substr(at, text.find('\n', at) - at));
  }
  EXPECT_EQ(again.basis, "p99");
  EXPECT_EQ(again.fronts, settings.fronts) << "in their order: the last one has the keyboard";
}

}  // namespace
}  // namespace et::gui::test
