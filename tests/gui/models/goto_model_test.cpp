// Go to anything: what has a name is found by a few of its letters, and leads to its place.
#include "gui/models/goto_model.h"

#include <gtest/gtest.h>

#include <algorithm>

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
    model.refresh(document, {{GotoTarget::Kind::Command, "Light theme", "Ctrl+T", "", 0, ""},
                             {GotoTarget::Kind::Panel, "Show Source", "Ctrl+7", "", 1, ""}});
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
    EXPECT_LE(t.time, whole * 1.0001) << t.text;
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

TEST_F(GotoTest, WhatIsTypedAsItStandsComesFirst) {
  EXPECT_GT(goto_score("softmax", "aten__softmax_default"), goto_score("softmax", "scope of tensor max"));
  EXPECT_GT(goto_score("relu", "relu"), goto_score("relu", "prelu"));
  EXPECT_EQ(goto_score("zzz", "relu"), -1);
  EXPECT_GE(goto_score("theme light", "Light theme"), 0) << "words in any order";
  open("partial_delegation");
  ASSERT_NE(best("cumsum"), nullptr);
  EXPECT_NE(best("cumsum")->text.find("cumsum"), std::string::npos);
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
      const bool own = target.kind == GotoTarget::Kind::Command || target.kind == GotoTarget::Kind::Panel;
      EXPECT_EQ(s.empty(), own) << name << ": " << goto_kind_name(target.kind) << " " << target.text;
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
