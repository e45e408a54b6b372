// The call tree: rows that fold chains, add up, are found and lead to ops.
#include "gui/models/call_tree_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "gui/models/frame_text.h"
#include "inspector/analysis/ops/called_kernel.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::CostKind;
using inspector::CostTree;

void open(const OpenedTrace& trace, CallTreeModel* model, inspector::FrameScope scope = inspector::FrameScope::Model) {
  auto tree = std::make_shared<CostTree>();
  const Status status = inspector::frame_tree(trace.store, trace.data->shown, {.scope = scope}, tree.get());
  ASSERT_TRUE(status.ok()) << status.message();
  model->set(tree, trace.data);
}

struct CallTree : testing::TestWithParam<const char*> {};

TEST_P(CallTree, RowsOfALevelAddUpToTheRowAbove) {
  const OpenedTrace trace(GetParam());
  CallTreeModel model;
  open(trace, &model);
  ASSERT_NE(model.tree(), nullptr);
  model.open_all(true);
  const std::vector<CallRow> rows = model.rows();
  double top = 0;
  const double near = 1e-6 * std::max(1.0, model.total());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].level == 0) top += model.node(rows[i].node).total;
    double inside = 0;
    for (size_t j = i + 1; j < rows.size() && rows[j].level > rows[i].level; ++j)
      inside += rows[j].level == rows[i].level + 1 ? model.node(rows[j].node).total : 0;
    if (rows[i].open) {
      EXPECT_NEAR(inside, model.node(rows[i].node).total, near) << model.label(rows[i]);
    }
    EXPECT_FALSE(model.label(rows[i]).empty());
    // A folded chain hides no time.
    EXPECT_NEAR(model.node(rows[i].first).total, model.node(rows[i].node).total, near);
  }
  EXPECT_NEAR(top, model.total(), near);
}

TEST_P(CallTree, OwnTimesAreTheTimesOfTheLinesOps) {
  const OpenedTrace trace(GetParam());
  CallTreeModel model;
  open(trace, &model);
  double own = 0, rest = 0;
  for (size_t i = 0; i < model.tree()->nodes.size(); ++i) {
    const CallTreeModel::Node& n = model.tree()->nodes[i];
    const auto at = static_cast<int32_t>(i);
    if (n.kind == CostKind::Frame) own += model.own(at);
    if (n.kind == CostKind::Outside && model.node(n.parent).kind == CostKind::Method) rest += n.total;
    double ops = 0;
    for (const CallOp& op : model.ops(at)) ops += op.time;
    double variation = 0;
    for (const CallTreeModel::Node& v : model.tree()->nodes) variation += v.name == "(variation)" ? v.total : 0;
    if (n.kind == CostKind::Frame || n.kind == CostKind::Node) {
      EXPECT_NEAR(ops, n.total, 1e-6 * model.total());
    }
    if (i == 0) {
      EXPECT_NEAR(ops + variation, n.total, 1e-6 * model.total());
    }
  }
  EXPECT_NEAR(own + rest, model.total(), 1e-6 * model.total());
}

// The text beside the tree has the tree's own times, whatever frames are chosen.
TEST_P(CallTree, LinesOfTheTextCostWhatTheirRowsDo) {
  const OpenedTrace trace(GetParam());
  for (const auto scope : {inspector::FrameScope::Model, inspector::FrameScope::User, inspector::FrameScope::Outermost,
                           inspector::FrameScope::Everything}) {
    auto tree = std::make_shared<CostTree>();
    ASSERT_TRUE(inspector::frame_tree(trace.store, trace.data->shown, {.scope = scope}, tree.get()).ok());
    CallTreeModel model;
    model.set(tree, trace.data);
    const double near = 1e-6 * model.total();
    const inspector::SourceCost& lines = *model.lines();
    EXPECT_NEAR(lines.base_ns, model.base(), near);
    std::map<std::pair<std::string, int64_t>, double> own, inclusive;
    for (size_t i = 0; i < tree->nodes.size(); ++i) {
      const CallTreeModel::Node& n = tree->nodes[i];
      if (n.kind != CostKind::Frame) continue;
      own[{n.file.str(), n.line}] += model.own(static_cast<int32_t>(i));
      bool again = false;
      for (int32_t at = n.parent; at >= 0; at = model.node(at).parent)
        again = again || (model.node(at).file == n.file && model.node(at).line == n.line);
      inclusive[{n.file.str(), n.line}] += again ? 0 : n.total;
    }
    size_t count = 0;
    double all = 0;
    for (const inspector::SourceFileCost& file : lines.files) {
      for (const inspector::SourceLine& line : file.lines) {
        ++count;
        all += line.ns;
        EXPECT_NEAR(line.ns, (own[{file.file, line.line}]), near) << file.file << ":" << line.line;
        EXPECT_NEAR(line.inclusive_ns, (inclusive[{file.file, line.line}]), near) << file.file << ":" << line.line;
        EXPECT_TRUE(line.ops == 0 || !line.op_types.empty()) << file.file << ":" << line.line;
      }
      EXPECT_EQ(model.file_cost(file.file).lines.size(), file.lines.size());
    }
    EXPECT_EQ(count, own.size());
    EXPECT_NEAR(all + lines.no_line_ns + lines.variation_ns, lines.total_ns, near);
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, CallTree,
                         testing::Values("partial_delegation", "nanogpt_xnnpack_qd4", "multi_method",
                                         "control_flow_map"));

TEST(CallTreeModel, AChainOfCallsIsOneRow) {
  auto tree = std::make_shared<CostTree>();
  const auto add = [&](int32_t parent, CostKind kind, const char* code, double self) {
    inspector::CostNode n;
    n.kind = kind;
    n.name = tree->texts.keep("forward");
    n.code = tree->texts.keep(code);
    n.file = tree->texts.keep("/src/model.py");
    n.line = static_cast<int64_t>(tree->nodes.size());
    n.parent = parent;
    n.self = self;
    for (int32_t at = parent; at >= 0; at = tree->nodes[static_cast<size_t>(at)].parent)
      tree->nodes[static_cast<size_t>(at)].total += self;
    n.total = self;
    const auto index = static_cast<int32_t>(tree->nodes.size());
    if (parent >= 0) tree->nodes[static_cast<size_t>(parent)].children.push_back(index);
    tree->nodes.push_back(n);
    return index;
  };
  const int32_t method = add(add(-1, CostKind::Root, "", 0), CostKind::Method, "", 0);
  const int32_t model_line = add(method, CostKind::Frame, "out = self.bert(ids)", 0);
  const int32_t encoder = add(model_line, CostKind::Frame, "x = self.encoder(", 0);
  const int32_t layer = add(encoder, CostKind::Frame, "x = layer_module(", 0);
  add(layer, CostKind::Frame, "x = self.attention(x)", 30);
  add(layer, CostKind::Frame, "x = self.output(x)", 70);
  CallTreeModel model;
  model.set(tree, nullptr);
  ASSERT_EQ(model.rows().size(), 3U);
  EXPECT_EQ(model.label(model.rows()[0]), "self.bert › self.encoder › layer_module");
  EXPECT_EQ(model.details(model.rows()[0]).size(), 3U);
  EXPECT_EQ(model.rows()[0].node, layer);
  EXPECT_EQ(model.label(model.rows()[1]), "self.output(x)");  // the costliest first
  EXPECT_EQ(model.short_label(model.rows()[1]), "self.output(…)");
  model.fold_chains(false);
  EXPECT_EQ(model.rows().size(), 5U);
  model.toggle(model.rows()[1]);
  EXPECT_EQ(model.rows().size(), 2U);
  // What is found is opened, and a chain is found by any of its lines.
  model.fold_chains(true);
  model.open_all(false);
  EXPECT_EQ(model.rows().size(), 1U);
  model.search("ENCODER");
  ASSERT_EQ(model.found().size(), 1U);
  EXPECT_TRUE(model.is_found(model.rows()[0]));
  model.search("attention");
  EXPECT_EQ(model.reveal(model.next_found(1)), 2);
  EXPECT_TRUE(model.is_found(model.rows()[2]));
  EXPECT_FALSE(model.is_found(model.rows()[0]));
}

// Noise that shares leave out is not counted when it is decided which rows open: the dear lines are seen at once.
TEST(CallTreeModel, OpensToTheDearLinesOnADisturbedMachine) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  CallTreeModel calm, disturbed;
  open(trace, &calm);
  auto noisy = std::make_shared<CostTree>();
  ASSERT_TRUE(
      inspector::frame_tree(trace.store, trace.data->shown, {.scope = inspector::FrameScope::Model}, noisy.get()).ok());
  double before = 0;
  for (CallTreeModel::Node& n : noisy->nodes) {
    if (n.name == "(variation)") before = n.total;
  }
  const double usual = noisy->nodes[0].total - before, added = 9 * usual - before;  // 90 % of all
  bool found = false;
  for (CallTreeModel::Node& n : noisy->nodes) {
    if (n.name != "(variation)") continue;
    found = true;
    n.total = n.self = before + added;
    for (int32_t up = n.parent; up >= 0; up = noisy->nodes[static_cast<size_t>(up)].parent)
      noisy->nodes[static_cast<size_t>(up)].total += added;
  }
  ASSERT_TRUE(found);
  disturbed.set(noisy, trace.data);
  EXPECT_NEAR(disturbed.base(), usual, 1e-6 * usual);
  const auto lines = [](CallTreeModel& model) {
    std::set<std::pair<int32_t, bool>> out;
    for (const CallRow& row : model.rows()) {
      if (model.node(row.node).kind != CostKind::Outside) out.insert({row.node, row.open});
    }
    return out;
  };
  EXPECT_EQ(lines(disturbed), lines(calm));
  EXPECT_GT(std::count_if(disturbed.rows().begin(), disturbed.rows().end(), [](const CallRow& r) { return r.open; }),
            1);
  for (size_t i = 0; i < noisy->nodes.size(); ++i) {
    const auto at = static_cast<int32_t>(i);
    EXPECT_EQ(disturbed.is_left_out(at), noisy->nodes[i].name == "(variation)");
    if (!disturbed.is_left_out(at) && noisy->nodes[i].kind == CostKind::Frame) {
      EXPECT_LE(disturbed.share(at), 1 + 1e-9);
    }
  }
}

TEST(CallTreeModel, CodeOfInstalledPackagesIsNotMine) {
  auto tree = std::make_shared<CostTree>();
  const auto add = [&](int32_t parent, CostKind kind, const char* file) {
    inspector::CostNode n;
    n.kind = kind;
    n.name = tree->texts.keep("forward");
    n.file = tree->texts.keep(file);
    n.parent = parent;
    const auto index = static_cast<int32_t>(tree->nodes.size());
    if (parent >= 0) tree->nodes[static_cast<size_t>(parent)].children.push_back(index);
    tree->nodes.push_back(n);
    return index;
  };
  const int32_t root = add(-1, CostKind::Root, "");
  const int32_t own = add(root, CostKind::Frame, "/home/me/model.py");
  const int32_t package = add(own, CostKind::Frame, "/usr/lib/python3/site-packages/transformers/modeling_bert.py");
  const int32_t torch = add(package, CostKind::Frame, "/usr/lib/python3/site-packages/torch/nn/modules/linear.py");
  CallTreeModel model;
  model.set(tree, nullptr);
  EXPECT_TRUE(model.is_mine(own));
  for (const int32_t other : {root, package, torch}) EXPECT_FALSE(model.is_mine(other));
  EXPECT_FALSE(model.is_mine(-1));
}

TEST(CallTreeModel, SelectsEverythingInside) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  CallTreeModel model;
  open(trace, &model);
  ASSERT_FALSE(model.rows().empty());
  const int32_t node = model.rows()[0].node;
  const Selection s = select_inside(*trace.data, *model.tree(), node);
  EXPECT_EQ(s.kind, Selection::Kind::Line);
  EXPECT_EQ(s.file, model.node(node).file.str());
  EXPECT_EQ(s.line, model.node(node).line);
  std::set<int64_t> shown;
  for (const CallOp& op : model.ops(node)) shown.insert(trace.data->shown.ops[op.op].id);
  ASSERT_FALSE(s.ops.empty());
  for (const int32_t op : s.ops) {  // calls are selected with their kernels, and listed as these
    const inspector::OpEntry& entry = inspector::called_kernel(trace.data->shown, trace.data->shown_op(op));
    EXPECT_TRUE(shown.contains(entry.id)) << entry.name.str();
  }
  EXPECT_GE(s.ops.size(), shown.size());
  // The line that calls all has no ops of its own: a selection by line alone would be empty.
  EXPECT_TRUE(select_line(*trace.data, s.file, s.line).ops.empty());
  EXPECT_EQ(model.find(s.file, s.line), node);
}

TEST(CallTreeModel, WithoutARecordTheRowsSayWhatToDo) {
  const OpenedTrace trace("partial_delegation");
  inspector::Store store;
  ASSERT_TRUE(inspector::Store::open("", inspector::Store::Mode::Memory, &store).ok());
  inspector::IngestInputs inputs;
  inputs.dump = artifact("partial_delegation") + "/etdump.etdp";
  inspector::IngestResult result;
  ASSERT_TRUE(inspector::ingest(store, inputs, nullptr, &result).ok());
  inspector::OpTable table;
  ASSERT_TRUE(inspector::load_shown_ops(store, result.trace_id, {}, &table).ok());
  auto tree = std::make_shared<CostTree>();
  ASSERT_TRUE(inspector::frame_tree(store, table, {}, tree.get()).ok());
  CallTreeModel model;
  model.set(tree, nullptr);
  model.open_all(true);
  size_t advised = 0;
  for (const CallRow& row : model.rows()) {
    EXPECT_NE(model.node(row.node).kind, CostKind::Frame);
    advised += model.details(row).size() > 1 ? 1 : 0;
  }
  EXPECT_GE(advised, 1U);
}

TEST(FrameText, SaysWhatALineCalls) {
  EXPECT_EQ(called_name("encoder_outputs = self.encoder(", "forward"), "self.encoder");
  EXPECT_EQ(called_name("x = x + self.attn(self.ln1(x))", "forward"), "self.attn");
  EXPECT_EQ(called_name("y = (a + b) * 2", "forward"), "y = (a + b) * 2");
  EXPECT_EQ(called_name("", "forward"), "forward");
  EXPECT_EQ(called_name("", ""), "?");
  EXPECT_EQ(called_text("self_attention_output, _ = self.attention("), "self.attention(…)");
  EXPECT_EQ(called_text("return F.relu(x)"), "F.relu(x)");
  EXPECT_EQ(called_text("(a, b) = self.pair(x, y = 2)"), "self.pair(x, y = 2)");
  EXPECT_EQ(called_text("self.run(x, mode = 1)"), "self.run(x, mode = 1)");
  EXPECT_EQ(called_text("def forward(self, x): return self.down(self.up(x))"), "self.down(self.up(x))");
  EXPECT_EQ(called_text(""), "");
}

TEST(FrameText, CallsALineByWhatCosts) {
  inspector::CostTree tree;
  tree.nodes.resize(3);
  auto& line = tree.nodes[0];
  line.kind = CostKind::Frame;
  line.code = tree.texts.keep("x = x + self.attn(self.ln(x)); return x + self.mlp(self.ln2(x))");
  line.path = tree.texts.keep("blocks.*");
  line.children = {1, 2};
  const auto child = [&](size_t at, const char* path, double time) {
    tree.nodes[at].kind = CostKind::Frame;
    tree.nodes[at].path = tree.texts.keep(path);
    tree.nodes[at].total = time;
    tree.nodes[at].parent = 0;
  };
  child(1, "blocks.*.attn", 10);
  child(2, "blocks.*.mlp.up", 30);
  EXPECT_EQ(costliest_call(tree, 0), "self.mlp") << "not the first call on the line";
  child(1, "blocks.*.attn.qkv", 40);
  EXPECT_EQ(costliest_call(tree, 0), "self.attn");
  line.code = tree.texts.keep("x = q @ k");
  EXPECT_EQ(costliest_call(tree, 0), "") << "no call is known to cost";
}

TEST(CallTreeModel, LinesOfInferredLinksSaySo) {
  const OpenedTrace trace("partial_delegation");
  ASSERT_NE(trace.data, nullptr);
  auto guessed = std::make_shared<TraceData>();
  ASSERT_TRUE(load_trace_data(trace.store, trace.data->trace_id(), Cancel(), guessed.get()).ok());
  for (inspector::OpNode& link : guessed->shown.nodes) link.confidence = 0.5;
  inspector::CostTree tree;
  ASSERT_TRUE(inspector::frame_tree(trace.store, trace.data->shown, {}, &tree).ok());
  const auto shared = std::make_shared<const inspector::CostTree>(std::move(tree));
  CallTreeModel sure, unsure;
  sure.set(shared, trace.data);
  unsure.set(shared, guessed);
  const int32_t line = sure.costliest_line();
  ASSERT_GE(line, 0);
  EXPECT_FALSE(sure.is_uncertain(line));
  EXPECT_TRUE(unsure.is_uncertain(line));
}

}  // namespace
}  // namespace et::gui::test
