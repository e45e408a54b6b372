// Go to anything: what has a name is found by a few of its letters, and leads to its place.
#include "gui/models/goto_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gui/models/goto_score.h"
#include "inspector/analysis/ops/op_title.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

struct GotoTest : testing::Test {
  TemporaryFolder folder;
  Jobs jobs;
  Document document{jobs};
  GotoModel model;

  void open(const std::string& name) {
    document.open_files({artifact(name) + "/etdump.etdp", artifact(name) + "/etrecord.bin"});
    jobs.finish();
    ASSERT_NE(document.data(), nullptr) << document.error().message();
    refresh();
  }
  /// With the findings, which come later.
  void refresh() {
    model.refresh(document, {{GotoTarget::Kind::Command, "Light theme", "Ctrl+T", "", 0, ""},
                             {GotoTarget::Kind::Panel, "Show Source", "Ctrl+7", "", 1, ""}});
    jobs.finish();
  }
  const GotoTarget* best(const std::string& query) {
    const auto& found = model.search(query, 50);
    return found.empty() ? nullptr : &model.target(found.front());
  }
  bool finds(const std::string& query, GotoTarget::Kind kind, const std::string& text) {
    const auto& found = model.search(query, 50);
    return std::any_of(found.begin(), found.end(),
                       [&](int32_t i) { return model.target(i).kind == kind && model.target(i).text == text; });
  }
};

TEST_F(GotoTest, FindsEveryKindOfThing) {
  open("partial_delegation");
  using Kind = GotoTarget::Kind;
  EXPECT_TRUE(finds("light th", Kind::Command, "Light theme"));
  EXPECT_TRUE(finds("source", Kind::Panel, "Show Source"));
  const TraceData& data = *document.data();
  int loading = 0;
  for (const inspector::OpEntry& op : data.table.ops) {
    const bool loads = data.table.block_of(op).kind != "execute";
    const std::string title = row_title(data.table, op);
    EXPECT_TRUE(finds(title, loads ? Kind::Loading : Kind::Op, title)) << title;
    loading += loads ? 1 : 0;
  }
  EXPECT_GT(loading, 0);
  for (const auto& node : data.graphs[0].nodes) EXPECT_TRUE(finds(node.name, Kind::Node, node.name)) << node.name;
  for (const auto& file : data.sources.files) {
    for (const auto& line : file.lines) {
      const std::string place = std::filesystem::path(file.file).filename().string() + ":" + std::to_string(line.line);
      EXPECT_TRUE(finds(place, Kind::Line, place)) << place;
    }
  }
  EXPECT_TRUE(finds("conv", Kind::Module, "conv"));
}

// Of what is called alike what costs most is the first; the whole operator, of which they are, above all of them.
TEST_F(GotoTest, TheCostliestOfWhatIsAlikeComesFirst) {
  open("nanogpt_xnnpack_qd4");
  const auto& found = model.search("softmax", 50);
  ASSERT_GT(found.size(), 3U);
  const GotoTarget& first = model.target(found.front());
  EXPECT_EQ(first.kind, GotoTarget::Kind::Type) << first.text;
  EXPECT_TRUE(first.text.starts_with("aten._softmax ×")) << first.text;
  std::string panel;
  const Selection all = GotoModel::selection(*document.data(), first, &panel);
  EXPECT_EQ(all.kind, Selection::Kind::Group);
  EXPECT_EQ(panel, "operators");
  double sum = 0, before = first.time;
  for (const int32_t i : found) {
    const GotoTarget& t = model.target(i);
    if (t.kind != GotoTarget::Kind::Op || t.text != "aten._softmax") continue;
    EXPECT_LE(t.time, before);
    before = t.time;
    sum += t.time;
  }
  EXPECT_NEAR(sum, first.time, 1e-6 * first.time);
}

// What loading takes is in no execution, so it has no time beside those of ops; modules have that of all inside.
TEST_F(GotoTest, TimesAreThoseOfAnExecution) {
  open("nanogpt_xnnpack_qd4");
  double whole = 0, longest = 0;
  for (const inspector::OpBlock& block : document.data()->shown.blocks)
    whole += block.kind == "execute" ? block.cost : 0;
  int loading = 0;
  for (size_t i = 0; i < model.size(); ++i) {
    const GotoTarget& t = model.target(static_cast<int32_t>(i));
    if (t.kind == GotoTarget::Kind::Loading) {
      ++loading;
      EXPECT_EQ(t.time, 0) << t.text;
    }
    if (t.kind == GotoTarget::Kind::Module) longest = std::max(longest, t.time);
    const bool one = t.kind == GotoTarget::Kind::Execution;  // a slow one takes longer than the basis says
    EXPECT_TRUE(one || t.time <= whole * 1.0001) << t.text;
  }
  EXPECT_GT(loading, 0);
  EXPECT_GT(longest, 0.2 * whole) << "with what is inside";
}

TEST_F(GotoTest, AnOpIsFoundByItsModule) {
  open("nanogpt_xnnpack_qd4");
  const inspector::OpTable& table = document.data()->table;
  const auto op = std::find_if(table.ops.begin(), table.ops.end(), [&](const inspector::OpEntry& o) {
    const inspector::OpNode* const node = table.main_node(o);
    return node != nullptr && node->node->module_path.find('.') != std::string::npos;
  });
  ASSERT_NE(op, table.ops.end());
  const std::string& module = table.main_node(*op)->node->module_path;
  const auto& found = model.search(module, 500);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](int32_t i) {
    const GotoTarget& t = model.target(i);
    return t.kind == GotoTarget::Kind::Op && t.text == row_title(table, *op) &&
           t.events.find(module) != std::string::npos;
  })) << module;
}

TEST_F(GotoTest, BeginningsComeBeforeWordsAndThoseBeforePartsOfThem) {
  EXPECT_GT(goto_score("relu", "relu"), goto_score("relu", "relu of"));
  EXPECT_GT(goto_score("relu", "relu of"), goto_score("relu", "relux"));
  EXPECT_GT(goto_score("relu", "relux"), goto_score("relu", "of relu"));
  EXPECT_GT(goto_score("relu", "of relu"), goto_score("relu", "of relux"));
  EXPECT_GT(goto_score("relu", "of relux"), goto_score("relu", "prelu"));
  EXPECT_GT(goto_score("relu", "prelu"), goto_score("relu", "relfu"));
  EXPECT_GT(goto_score("relu", "relfu"), -1) << "a letter is missing";
  EXPECT_EQ(goto_score("linear", searched_text("aten.linear ×12")), goto_score("linear", "linear"))
      << "what all operators begin with is no part of the name, nor is their number";
  EXPECT_EQ(goto_score("timeline", searched_text("Show Timeline")), goto_score("timeline", "timeline"));
  EXPECT_GT(goto_score("sdpa", "scaled_dot_product_attention"), -1) << "the beginnings of its words";
  EXPECT_GE(goto_score("theme light", searched_text("Light theme")), 0) << "words in any order";
  EXPECT_GE(goto_score("fc1 x6", searched_text("layers.{0..5}.fc1 ×6")), 0);
  EXPECT_GT(goto_score("fc1", "linear", "layers.0.fc1"), -1);
  EXPECT_GT(goto_score("fc1", "layers.0.fc1"), goto_score("fc1", "linear", "layers.0.fc1"));
}

TEST_F(GotoTest, LettersThatAreFarApartAreNoName) {
  EXPECT_EQ(goto_score("zzz", "relu"), -1);
  EXPECT_EQ(goto_score("gelu", "graph beside source, layout unchanged"), -1);
  EXPECT_EQ(goto_score("conv", "copy this panel's rows as csv"), -1);
  EXPECT_EQ(goto_score("add", "all markdown"), -1);
  EXPECT_EQ(goto_score("fc", "flame graph: colour by change"), -1) << "two letters are everywhere";
  open("nanogpt_xnnpack_qd4");
  for (const char* query : {"softmax", "gelu", "layer_norm", "conv"}) {
    for (const int32_t i : model.search(query, 500)) {
      const GotoTarget& t = model.target(i);
      const std::string all = searched_text(t.text + " " + t.events);
      EXPECT_NE(all.find(query), std::string::npos) << query << " is not in " << t.text;
    }
  }
}

TEST_F(GotoTest, ExecutionsAreFoundByTheirNumberAndByWhatTheyAre) {
  open("partial_delegation");
  const TraceData& data = *document.data();
  std::vector<const gui::Run*> runs;
  for (const gui::Run& r : data.runs) {
    if (data.table.blocks[static_cast<size_t>(r.block)].kind == "execute") runs.push_back(&r);
  }
  ASSERT_GT(runs.size(), 3U);
  const auto longer = [](const gui::Run* a, const gui::Run* b) { return a->duration < b->duration; };
  const gui::Run* const slowest = *std::max_element(runs.begin(), runs.end(), longer);
  for (const char* query : {"#3", "execution 3", "execution #3", "3 execution"}) {
    const GotoTarget* const found = best(query);
    ASSERT_NE(found, nullptr) << query;
    EXPECT_EQ(found->kind, GotoTarget::Kind::Execution) << query << ": " << found->text;
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const gui::Run* r) { return r->id == found->number; });
    ASSERT_NE(run, runs.end());
    EXPECT_EQ((*run)->execution, 3) << query;
    EXPECT_EQ(found->time, static_cast<double>((*run)->duration));
    std::string panel;
    EXPECT_TRUE(GotoModel::selection(data, *found, &panel).empty());
    EXPECT_EQ(panel, "timeline");
  }
  ASSERT_NE(best("slowest"), nullptr);
  EXPECT_EQ(best("slowest")->number, slowest->id);
  EXPECT_EQ(best("slowest")->text, "Slowest execution #" + std::to_string(slowest->execution));
  ASSERT_NE(best("cold execution"), nullptr);
  const int64_t cold = best("cold execution")->number;
  EXPECT_TRUE((*std::find_if(runs.begin(), runs.end(), [&](const gui::Run* r) { return r->id == cold; }))->cold);
  EXPECT_TRUE(model.search("#999999", 50).empty()) << "there is no such execution";
}

TEST_F(GotoTest, ModulesThatRepeatAreOneThingToGoTo) {
  open("nanogpt_xnnpack_qd4");
  const auto& found = model.search("qkv", 50);
  ASSERT_FALSE(found.empty());
  const GotoTarget all = model.target(found.front());
  ASSERT_EQ(all.kind, GotoTarget::Kind::Modules) << all.text;
  ASSERT_GT(all.members.size(), 1U);
  EXPECT_TRUE(all.text.ends_with(".attn.qkv ×" + std::to_string(all.members.size()))) << all.text;
  double sum = 0;
  for (const std::string& path : all.members) {
    EXPECT_TRUE(path.ends_with(".attn.qkv")) << path;
    for (size_t i = 0; i < model.size(); ++i) {
      const GotoTarget& t = model.target(static_cast<int32_t>(i));
      if (t.kind == GotoTarget::Kind::Module && t.key == path) sum += t.time;
    }
  }
  EXPECT_NEAR(sum, all.time, 1e-6 * sum);
  std::string panel;
  const Selection s = GotoModel::selection(*document.data(), all, &panel);
  EXPECT_EQ(panel, "flame");
  EXPECT_EQ(s.kind, Selection::Kind::Module);
  EXPECT_EQ(s.modules.size(), all.members.size());
  // By their number, as tables and boxes write it.
  const std::string query = "qkv x" + std::to_string(all.members.size());
  ASSERT_NE(best(query), nullptr);
  EXPECT_EQ(best(query)->text, all.text);
  EXPECT_EQ(model.search(query, 50).size(), 1U) << "and nothing else";
}

TEST_F(GotoTest, OpsOfOneNameAreToldApartByTheirModules) {
  open("nanogpt_xnnpack_qd4");
  std::set<std::string> details;
  size_t ops = 0;
  for (const int32_t i : model.search("aten._softmax", 50)) {
    const GotoTarget& t = model.target(i);
    if (t.kind != GotoTarget::Kind::Op) continue;
    ++ops;
    const TraceData& data = *document.data();
    const inspector::OpNode* const node =
        data.table.main_node(data.table.ops[static_cast<size_t>(data.find_op(t.number))]);
    ASSERT_NE(node, nullptr);
    EXPECT_FALSE(node->node->module_path.empty());
    EXPECT_TRUE(t.detail.starts_with(node->node->module_path + ", ")) << t.detail;
    EXPECT_TRUE(details.insert(t.detail).second) << t.detail;
  }
  EXPECT_GT(ops, 2U);
}

TEST_F(GotoTest, FindingsAreGoneTo) {
  open("partial_delegation");
  size_t findings = 0;
  std::set<std::string> panels;
  for (const int32_t i : model.search("finding", 500)) {
    const GotoTarget& t = model.target(i);
    if (t.kind != GotoTarget::Kind::Finding) continue;
    ++findings;
    std::string panel;
    EXPECT_TRUE(GotoModel::selection(*document.data(), t, &panel).empty());
    panels.insert(panel);
    if (panel == "findings") {
      ASSERT_TRUE(t.finding);
      EXPECT_EQ(t.finding->title, t.text);
      EXPECT_EQ(t.finding->id, t.key);
      EXPECT_TRUE(finds(t.text, GotoTarget::Kind::Finding, t.text)) << t.text;
    }
  }
  EXPECT_GT(findings, 1U);
  EXPECT_TRUE(panels.contains("findings")) << "what could be faster is worked out, too";
}

TEST_F(GotoTest, OpsAreFoundByWhatTheirEventsAreCalled) {
  for (const char* name : {"partial_delegation", "add_mul"}) {
    open(name);
    const TraceData& data = *document.data();
    for (const inspector::OpEntry& op : data.table.ops) {
      const auto& found = model.search(op.name.str(), 500);
      EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                              [&](int32_t i) {
                                const GotoTarget& t = model.target(i);
                                const bool is_op =
                                    t.kind == GotoTarget::Kind::Op || t.kind == GotoTarget::Kind::Loading;
                                return is_op && t.text == row_title(data.table, op);
                              }))
          << name << ": " << op.name.str();
    }
    // Beside its call it is the kernel that one goes to.
    for (size_t i = 0; i < model.size(); ++i) {
      const GotoTarget& t = model.target(static_cast<int32_t>(i));
      if (t.events.find("native_call_") == std::string::npos) continue;
      EXPECT_TRUE(data.table.ops[static_cast<size_t>(data.find_op(t.number))].name.str().starts_with("native_call_"));
    }
  }
}

TEST_F(GotoTest, LinesAreFoundByTheirCode) {
  open("partial_delegation");
  const auto& found = model.search("cumsum(", 50);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](int32_t i) {
    return model.target(i).kind == GotoTarget::Kind::Line && model.target(i).detail.find("cumsum") != std::string::npos;
  }));
}

TEST_F(GotoTest, EveryTargetOfTheTraceSelectsSomething) {
  for (const char* name : {"partial_delegation", "nanogpt_xnnpack_qd4", "control_flow_cond"}) {
    open(name);
    for (size_t i = 0; i < model.size(); ++i) {
      const GotoTarget& target = model.target(static_cast<int32_t>(i));
      std::string panel;
      const Selection s = GotoModel::selection(*document.data(), target, &panel);
      using Kind = GotoTarget::Kind;
      const bool own = target.kind == Kind::Command || target.kind == Kind::Panel;
      const bool told = target.kind == Kind::Execution || target.kind == Kind::Finding;  // by a panel alone
      EXPECT_EQ(s.empty(), own || told) << name << ": " << goto_kind_name(target.kind) << " " << target.text;
      EXPECT_EQ(panel.empty(), own);
    }
  }
}

TEST_F(GotoTest, TheListIsThatOfTheTraceThatIsOpen) {
  open("partial_delegation");
  EXPECT_TRUE(finds("cumsum", GotoTarget::Kind::Op, "aten.cumsum.out") || best("cumsum") != nullptr);
  const size_t before = model.size();
  document.close();
  model.refresh(document, {});
  EXPECT_LT(model.size(), before);
  EXPECT_TRUE(model.search("cumsum", 50).empty());
}

}  // namespace
}  // namespace et::gui::test
