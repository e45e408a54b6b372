// et-inspect sensitivity as it is called: which quantisation costs most, and what it refuses.
#include <gtest/gtest.h>

#include <simdjson.h>

#include <cmath>
#include <set>

#include "tests/cli/run.h"

namespace et::cli {
namespace {

struct Row {
  std::string kind, node, layer, file, module;
  double noise = 0, snr = 0;
  size_t repeated = 0;
};

struct Ranked {
  std::vector<Row> rows;
  double whole = 0, activations = 0;
};

Ranked read_ranked(const std::string& text) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  EXPECT_EQ(parser.parse(text).get(root), simdjson::SUCCESS) << text;
  EXPECT_EQ(int64_t(root["schema_version"]), 1);
  const simdjson::dom::element s = root["sensitivity"];
  Ranked out;
  out.whole = double(s["whole"]["noise"]);
  out.activations = double(s["activation_noise"]);
  const auto some = [](simdjson::dom::element e) { return e.is_null() ? std::string() : std::string(e); };
  for (const simdjson::dom::element e : simdjson::dom::array(s["layers"])) {
    Row row = {some(e["kind"]), some(e["node"]), some(e["layer"]), some(e["file"]), some(e["module"])};
    row.noise = double(e["noise"]);
    row.repeated = simdjson::dom::array(e["repeated"]).size();
    row.snr = e["snr_db"].is_null() ? HUGE_VAL : double(e["snr_db"]);
    EXPECT_EQ(bool(e["estimated"]), row.kind == "weights");
    out.rows.push_back(std::move(row));
  }
  return out;
}

Ranked ranked(const test::Scratch& dir, const std::string& words) {
  const golden::CommandResult r = test::inspect(dir, "sensitivity " + words + " --json");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  return r.exit_code == 0 ? read_ranked(r.out) : Ranked();
}

std::string record(const std::string& name) { return golden::shell_word(test::artifact(name) + "/etrecord.bin"); }

TEST(SensitivityCommand, RanksActivationsAndWeightsWithTheirLines) {
  const test::Scratch dir;
  const Ranked r = ranked(dir, record("quantised_portable"));
  ASSERT_EQ(r.rows.size(), 9U) << "6 activations, 3 weights";
  double sum = 0;
  std::set<std::string> modules;
  for (size_t i = 0; i < r.rows.size(); ++i) {
    EXPECT_GE(r.rows[i == 0 ? 0 : i - 1].noise, r.rows[i].noise);
    EXPECT_GT(r.rows[i].noise, 0) << r.rows[i].node;
    if (r.rows[i].kind == "activations") sum += r.rows[i].noise;
    modules.insert(r.rows[i].module);
  }
  EXPECT_NEAR(sum, r.activations, sum * 1e-9);
  EXPECT_NEAR(sum, r.whole, r.whole * 0.5) << "roughly: errors are not quite independent";
  EXPECT_TRUE(modules.contains("fc"));
  EXPECT_EQ(r.rows[0].layer, "aten_mean_dim");
  EXPECT_FALSE(r.rows[0].file.empty());
}

TEST(SensitivityCommand, ReadsTheAffineDialectToo) {
  const char* shared = std::getenv("ET_SHARED_ARTIFACTS");
  if (shared == nullptr) GTEST_SKIP() << "needs an ETRecord with all weights (ET_SHARED_ARTIFACTS)";
  const test::Scratch dir;
  const Ranked r = ranked(dir, golden::shell_word(std::string(shared) + "/nanogpt_xnnpack_qd4/etrecord.bin"));
  ASSERT_EQ(r.rows.size(), 26U) << "13 linear layers";
  EXPECT_EQ(r.rows[0].kind, "weights") << "4 bits cost more than 8";
  EXPECT_TRUE(r.rows[0].module.starts_with("blocks.")) << r.rows[0].module;
}

TEST(SensitivityCommand, OneRoundingIsOneRow) {
  const char* shared = std::getenv("ET_SHARED_ARTIFACTS");
  if (shared == nullptr) GTEST_SKIP() << "needs an ETRecord with all weights (ET_SHARED_ARTIFACTS)";
  const test::Scratch dir;
  const Ranked r = ranked(dir, golden::shell_word(std::string(shared) + "/mobilenet_v2_035_xnnpack_int8/etrecord.bin"));
  std::set<std::string> layers;
  size_t repeated = 0;
  for (const Row& row : r.rows) {
    if (row.kind != "activations") continue;
    repeated += row.repeated;
    EXPECT_TRUE(layers.insert(row.layer).second) << row.layer;
    EXPECT_FALSE(row.layer.starts_with("aten_hardtanh")) << "quantised by the convolution before it";
  }
  EXPECT_EQ(repeated, 36U) << "35 clamps, and the reshape behind the mean";
  EXPECT_NEAR(r.activations, r.whole, 0.2 * r.whole) << "errors are nearly independent when none is counted twice";
}

TEST(SensitivityCommand, AnErrorOfTheGraphIsTold) {
  const test::Scratch dir;
  const golden::CommandResult r = test::inspect(dir, "sensitivity " + record("nanogpt_xnnpack_qd4"));
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_NE(r.err.find("has no tensor token.weight"), std::string::npos) << r.err;
}

TEST(SensitivityCommand, DependsOnTheInputsAndIsTheSameTwice) {
  const test::Scratch dir;
  const Ranked kept = ranked(dir, record("quantised_portable")), again = ranked(dir, record("quantised_portable"));
  const Ranked zeros = ranked(dir, record("quantised_portable") + " --zeros");
  ASSERT_EQ(kept.rows.size(), again.rows.size());
  for (size_t i = 0; i < kept.rows.size(); ++i) EXPECT_EQ(kept.rows[i].noise, again.rows[i].noise);
  EXPECT_NE(zeros.whole, kept.whole);
}

TEST(SensitivityCommand, TheExitCodeSaysWhetherALayerIsBelow) {
  const test::Scratch dir;
  const std::string words = "sensitivity " + record("quantised_portable") + " --fail-below ";
  EXPECT_EQ(test::inspect(dir, words + "20").exit_code, 0);
  EXPECT_EQ(test::inspect(dir, words + "60").exit_code, 1);
  EXPECT_EQ(test::inspect(dir, words + "much").exit_code, 2);
}

TEST(SensitivityCommand, RefusesWhatHasNoQuantisationOrNoGraph) {
  const test::Scratch dir;
  const golden::CommandResult none = test::inspect(dir, "sensitivity " + record("add_mul"));
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_NE(none.err.find("nothing is quantised"), std::string::npos) << none.err;
  EXPECT_EQ(
      test::inspect(dir, "sensitivity " + golden::shell_word(test::artifact("add_mul") + "/program.pte")).exit_code, 3);
}

}  // namespace
}  // namespace et::cli
