// et-inspect predict beside what et-run then writes: every artefact, with and without logged values.
#include <gtest/gtest.h>

#include <simdjson.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "tests/cli/scratch.h"
#include "tests/golden/command.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;

golden::CommandResult run(const test::Scratch& dir, const std::string& words) {
  const char* path = std::getenv("PATH");
  return golden::run_command(words, dir.path(), {"PATH=" + std::string(path == nullptr ? "/usr/bin:/bin" : path)}, 300);
}

struct Range {
  double least = 0, most = 0;
  bool open = false;
  void expect(double real, bool straight, const std::string& what) const {
    if (straight) {
      EXPECT_NEAR(most, real, real * 0.1) << what;
      return;
    }
    EXPECT_GE(real, least) << what;
    if (!open) {
      EXPECT_LE(real, most * 1.1) << what;
    }
  }
};

struct Predicted {
  Range dump, values;
  bool straight = true, shapes_vary = false, unknown = false;
};

Predicted read_prediction(const std::string& text) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  Predicted out;
  EXPECT_EQ(parser.parse(text).get(root), simdjson::SUCCESS) << text;
  EXPECT_EQ(int64_t(root["schema_version"]), 1);
  const simdjson::dom::element p = root["prediction"];
  const auto range = [&](const char* key) {
    return Range{double(int64_t(p[key]["least"])), double(int64_t(p[key]["most"])), bool(p[key]["open"])};
  };
  out.dump = range("dump_bytes");
  out.values = range("debug_buffer_bytes");
  out.straight = int64_t(p["branches"]) == 0 && int64_t(p["loops"]) == 0;
  out.shapes_vary = bool(p["dynamic_shapes"]);
  out.unknown = simdjson::dom::array(p["unknown_delegates"]).size() > 0;
  return out;
}

std::set<fs::path> programs() {
  std::set<fs::path> out;
  for (const fs::directory_entry& e : fs::directory_iterator(std::string(ET_FIXTURES) + "/artifacts")) {
    if (fs::exists(e.path() / "program.pte")) out.insert(e.path() / "program.pte");
  }
  const char* shared = std::getenv("ET_SHARED_ARTIFACTS");
  if (shared == nullptr || !fs::is_directory(shared)) return out;
  for (const fs::directory_entry& e : fs::directory_iterator(shared)) {
    if (fs::exists(e.path() / "program.pte")) out.insert(e.path() / "program.pte");
  }
  return out;
}

class Prediction : public ::testing::TestWithParam<bool> {};

TEST_P(Prediction, IsWhatTheRunThenWrites) {
  const bool values = GetParam();
  const test::Scratch dir;
  int compared = 0;
  for (const fs::path& program : programs()) {
    const std::string word = golden::shell_word(program.string());
    const std::string method = program.parent_path().filename() == "multi_method_no_forward"     ? " --method decode"
                               : program.parent_path().filename() == "multi_method_shared_state" ? " --method add"
                                                                                                 : "";
    const golden::CommandResult told =
        run(dir, golden::shell_word(ET_INSPECT_COMMAND) + " predict " + word + method + " -n 4 --format json" +
                     (values ? " --debug-level intermediate" : ""));
    ASSERT_EQ(told.exit_code, 0) << program << told.err;
    const golden::CommandResult made =
        run(dir, golden::shell_word(ET_RUN_COMMAND) + " " + word + method + " -n 4 -q --etdump t.etdp" +
                     (values ? " --debug-buffer t.bin" : ""));
    if (made.exit_code != 0) continue;  // no backend for it here
    const Predicted p = read_prediction(told.out);
    if (p.unknown) continue;
    ++compared;
    p.dump.expect(static_cast<double>(fs::file_size(dir / "t.etdp")), p.straight, program.string());
    if (values)
      p.values.expect(static_cast<double>(fs::file_size(dir / "t.bin")), p.straight && !p.shapes_vary,
                      program.string());
  }
  EXPECT_GE(compared, 24);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutValues, Prediction, ::testing::Bool());

TEST(PredictionOf, LongRunsIsAsLongAsThem) {
  const test::Scratch dir;
  const std::string program = golden::shell_word(std::string(ET_FIXTURES) + "/artifacts/lstm_xnnpack/program.pte");
  const golden::CommandResult told =
      run(dir, golden::shell_word(ET_INSPECT_COMMAND) + " predict " + program + " -n 500 --json");
  ASSERT_EQ(run(dir, golden::shell_word(ET_RUN_COMMAND) + " " + program + " -n 500 -q --etdump t.etdp").exit_code, 0);
  const auto real = static_cast<double>(fs::file_size(dir / "t.etdp"));
  EXPECT_NEAR(read_prediction(told.out).dump.most, real, real * 0.02);
}

TEST(PredictionOf, AFileThatIsNoProgramIsRefused) {
  const test::Scratch dir;
  test::write_file(dir / "x.pte", "no program");
  EXPECT_EQ(run(dir, golden::shell_word(ET_INSPECT_COMMAND) + " predict x.pte").exit_code, 3);
  const std::string program = golden::shell_word(std::string(ET_FIXTURES) + "/artifacts/add_mul/program.pte");
  EXPECT_EQ(run(dir, golden::shell_word(ET_INSPECT_COMMAND) + " predict -n 0 " + program).exit_code, 2);
  EXPECT_EQ(run(dir, golden::shell_word(ET_INSPECT_COMMAND) + " predict -m none " + program).exit_code, 3);
}

}  // namespace
}  // namespace et::cli
