// Which frame a node's line is, by rule and by time; and that a connection shows another rule than the store has.
#include "inspector/store/line_rule.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "inspector/ingest/record_import.h"

namespace et::inspector {
namespace {

constexpr const char* kTorch = "/opt/torch/nn/modules/linear.py";
constexpr const char* kLibrary = "/venv/lib/python3.11/site-packages/transformers/bert.py";

/// A trace whose ops have one node each; lines come in as the import writes them: the user's.
struct Traced {
  Store store;
  int64_t node = 0;

  explicit Traced(const std::string& path = "") {
    if (!path.empty()) std::filesystem::remove(path);
    EXPECT_TRUE(Store::open(path, path.empty() ? Store::Mode::Memory : Store::Mode::ReadWrite, &store).ok());
    run("INSERT INTO raw_trace(id, unit, events, executions) VALUES(1, 'ns', 1, 1)");
    run("INSERT INTO raw_block(id, trace, ordinal, name, kind, runs, total) VALUES(1, 1, 0, 'Execute', 'execute', 1, "
        "1000)");
  }
  void run(const std::string& sql) {
    const Status s = store.exec(sql.c_str());
    EXPECT_TRUE(s.ok()) << s.message();
  }

  using Frames = std::vector<std::pair<std::string, int64_t>>;
  /// `own`: index of the frame that the import writes first; -1 for a node without frames.
  void add(int64_t ns, const Frames& frames, int own = 0) {
    ++node;
    const std::string id = std::to_string(node), name = std::to_string(store.intern("op" + id));
    const auto text = [&](const std::string& t) { return std::to_string(store.intern(t)); };
    const bool known = own >= 0;
    run("INSERT INTO raw_node(id, trace, graph, subgraph, ordinal, name, target, op, file, line) VALUES(" + id +
        ", 1, 'edge', '', " + id + ", 'n" + id + "', 't', 't', " +
        (known ? text(frames[static_cast<size_t>(own)].first) : "NULL") + ", " +
        (known ? std::to_string(frames[static_cast<size_t>(own)].second) : "NULL") + ")");
    for (size_t d = 0; d < frames.size(); ++d) {
      run("INSERT INTO raw_frame VALUES(" + id + ", " + std::to_string(d) + ", " + text(frames[d].first) + ", " +
          std::to_string(frames[d].second) + ", " + text("f" + std::to_string(d)) + ", " +
          text(d == 0 ? "" : "y = g(x)") + ")");
    }
    if (ns == 0) return;
    run("INSERT INTO raw_op(id, trace, block, ordinal, name, kind, resolution_limited, count, sum, self, share, "
        "self_share, unit) VALUES(" +
        id + ", 1, 1, " + id + ", " + name + ", 'kernel', 0, 1, " + std::to_string(ns) + ", " + std::to_string(ns) +
        ", 0, 0, 'ns')");
    run("INSERT INTO raw_link VALUES(" + id + ", " + id + ", 'instruction', 1.0, 1.0, 0)");
  }
  void decide() {
    const Status s = write_line_rule(store, 1);
    EXPECT_TRUE(s.ok()) << s.message();
  }
  std::string lines(const char* column = "line") {
    std::string out;
    Statement st = store.query(std::string("SELECT coalesce(") + column + ", '-') FROM nodes ORDER BY node_id");
    while (st.step()) out += (out.empty() ? "" : " ") + st.str(0);
    return out;
  }
  std::string cost() {
    std::string out;
    Statement st = store.query("SELECT coalesce(line, 0), ns FROM lines ORDER BY 1");
    while (st.step())
      out += (out.empty() ? "" : " ") + st.str(0) + "=" + std::to_string(static_cast<int64_t>(st.real(1)));
    return out;
  }
  std::string show(LineRule rule) {
    const Status s = show_lines(store, 1, rule);
    EXPECT_TRUE(s.ok()) << s.message();
    return lines();
  }
};

Traced::Frames called(int64_t line, int64_t inside) {
  return {{"/app/model.py", line}, {kTorch, 1}, {kLibrary, inside}, {kTorch, 134}};
}

TEST(LineRuleTest, ALineWithMostOfTheTimeIsOpened) {
  Traced t;
  t.add(400, called(12, 900));
  t.add(300, called(12, 901));
  t.add(300, {{"/app/model.py", 20}, {kTorch, 134}});
  t.decide();
  EXPECT_EQ(t.lines(), "900 901 20");
  EXPECT_EQ(t.lines("function"), "f2 f2 -") << "the test's own lines have no function";
  EXPECT_EQ(t.cost(), "20=300 900=400 901=300");
  const ShownLines shown = shown_lines(t.store, 1);
  EXPECT_EQ(shown.rule, "auto");
  EXPECT_EQ(shown.user_nodes, 1);
  ASSERT_EQ(shown.opened.size(), 1U);
  EXPECT_EQ(shown.opened[0].line, 12);
  EXPECT_EQ(shown.opened[0].nodes, 2);
  EXPECT_DOUBLE_EQ(shown.opened[0].share, 0.7);
  EXPECT_NE(shown.text().find("model.py:12 (70.0%)"), std::string::npos) << shown.text();
}

TEST(LineRuleTest, AThirdIsNotMoreThanAThird) {
  Traced t;
  for (const int line : {12, 13, 14}) t.add(300, called(line, 900 + line));
  t.decide();
  EXPECT_EQ(t.lines(), "12 13 14");
  EXPECT_TRUE(shown_lines(t.store, 1).opened.empty());
}

TEST(LineRuleTest, WithoutDeeperFramesALineStays) {
  Traced t;
  t.add(900, {{"/app/model.py", 20}, {kTorch, 134}});
  t.add(100, called(12, 900));
  t.decide();
  EXPECT_EQ(t.lines(), "20 12");
}

TEST(LineRuleTest, TimeThatLeadsToNoLineDoesNotCount) {
  Traced t;
  t.add(800, {}, -1);
  t.add(150, called(12, 900));
  t.add(50, called(13, 901));
  t.decide();
  EXPECT_EQ(t.lines(), "- 900 13");
}

TEST(LineRuleTest, WithoutARunNodesCount) {
  Traced t;
  for (int i = 0; i < 3; ++i) t.add(0, called(12, 900 + i));
  t.add(0, {{"/app/model.py", 20}});
  t.add(0, {{"/app/model.py", 21}});
  t.decide();
  EXPECT_EQ(t.lines(), "900 901 902 20 21");
}

TEST(LineRuleTest, WithoutFramesOfTheUsersNothingIsOpened) {
  Traced t;
  t.add(900, {{kLibrary, 130}, {kTorch, 5823}}, 0);
  t.add(100, {{kTorch, 5}, {"<eval_with_key>.56", 12}}, 0);
  t.decide();
  EXPECT_EQ(t.lines(), "130 5");
  EXPECT_NE(shown_lines(t.store, 1).text().find("no frame is in code of your own"), std::string::npos);
}

TEST(LineRuleTest, AConnectionShowsAnotherRule) {
  const std::string path = testing::TempDir() + "line_rule_test.db";
  {
    Traced t(path);
    t.add(400, called(12, 900));
    t.add(600, {{"/app/main.py", 5}, {"/app/model.py", 20}, {kTorch, 134}}, 1);
    t.decide();
    EXPECT_EQ(t.lines(), "900 20");
  }
  Traced reader;
  ASSERT_TRUE(Store::open(path, Store::Mode::ReadOnly, &reader.store).ok());
  EXPECT_EQ(reader.show(LineRule::User), "12 20");
  EXPECT_EQ(reader.cost(), "12=400 20=600");
  EXPECT_EQ(shown_lines(reader.store, 1).rule, "user");
  EXPECT_EQ(reader.show(LineRule::Innermost), "900 20");
  EXPECT_EQ(reader.lines("code"), "y = g(x) y = g(x)");
  EXPECT_EQ(reader.show(LineRule::Outermost), "12 5");
  EXPECT_EQ(reader.cost(), "5=600 12=400");
  EXPECT_EQ(reader.lines("function"), "f0 f0");
  // Another connection sees what the import decided.
  Traced other;
  ASSERT_TRUE(Store::open(path, Store::Mode::ReadOnly, &other.store).ok());
  EXPECT_EQ(other.show(LineRule::Auto), "900 20");
  EXPECT_EQ(shown_lines(other.store, 1).rule, "auto");
  std::filesystem::remove(path);
}

TEST(LineRuleTest, StoresOfOlderVersionsAreDecidedWhenTheyAreRead) {
  Traced t;
  t.add(700, called(12, 900), 3);  // as the older rule had it, for torch outside of site-packages
  t.add(300, called(13, 901));
  t.run("DROP VIEW source_files; DROP VIEW line_rules; DROP TABLE raw_source_file; DROP TABLE raw_line_rule");
  EXPECT_EQ(shown_lines(t.store, 1).rule, "user");
  EXPECT_EQ(t.show(LineRule::Auto), "900 13");
  EXPECT_EQ(shown_lines(t.store, 1).opened.size(), 1U);
  EXPECT_EQ(owners_of_files(t.store, 1).at(kTorch), "torch");
  EXPECT_EQ(t.show(LineRule::User), "12 13");
}

etrecord::Frame frame(const char* file, int32_t line) {
  etrecord::Frame f;
  f.file = file;
  f.line = line;
  return f;
}

TEST(UserFrameTest, TorchOutsideOfSitePackagesIsNotTheUsers) {
  const std::vector<etrecord::Frame> frames = {frame("/home/me/model.py", 7),
                                               frame("/opt/torch/nn/modules/conv.py", 565)};
  FileOwners owners;
  for (const etrecord::Frame& f : frames) owners.learn(f.file);
  ASSERT_NE(user_frame(frames, owners), nullptr);
  EXPECT_EQ(user_frame(frames, owners)->line, 7);
  EXPECT_EQ(user_frame({}, owners), nullptr);
}

TEST(UserFrameTest, PadOfAnInstalledModelIsTheModelsLine) {
  const std::string packages = "/venv/lib/python3.11/site-packages/";
  const std::vector<etrecord::Frame> frames = {frame((packages + "torchcrepe/model.py").c_str(), 130),
                                               frame((packages + "torch/nn/functional.py").c_str(), 5823),
                                               frame("<eval_with_key>.56", 12)};
  FileOwners owners;
  for (const etrecord::Frame& f : frames) owners.learn(f.file);
  EXPECT_EQ(user_frame(frames, owners)->line, 130);
}

TEST(LineRuleTest, TracesOfOlderVersionsBesideNewOnes) {
  Traced t;
  t.add(700, called(12, 900));
  t.add(300, called(13, 901));
  ASSERT_TRUE(t.store.ensure_part("lines", "raw_line_rule").ok());  // another trace brought it
  EXPECT_EQ(t.lines(), "12 13");
  EXPECT_EQ(t.show(LineRule::Auto), "900 13");
  EXPECT_EQ(shown_lines(t.store, 1).rule, "auto");
}

TEST(LineRuleTest, NamesOfRules) {
  for (const char* name : {"auto", "user", "innermost", "outermost"}) {
    ASSERT_TRUE(parse_line_rule(name).has_value()) << name;
    EXPECT_STREQ(line_rule_name(*parse_line_rule(name)), name);
  }
  EXPECT_FALSE(parse_line_rule("outer").has_value());
}

}  // namespace
}  // namespace et::inspector
