// et-check as its user calls it: exit codes, reports, baselines, explanations, the store.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>

#include "tests/cli/shell.h"

namespace et::cli {
namespace {

using golden::CommandResult;
using golden::shell_word;
using test::read_file;
using test::shell;
using test::write_file;

std::string fixture(const std::string& name) { return std::string(ET_FIXTURES) + "/" + name; }
const std::string& add_mul() {
  static const std::string path = fixture("bundles/add_mul/bundled.bpte");
  return path;
}

class CheckCommand : public testing::Test {
 protected:
  CommandResult check(const std::string& arguments) {
    return shell(dir_, shell_word(ET_CHECK_COMMAND) + " " + arguments);
  }
  CommandResult inspect(const std::string& arguments) {
    return shell(dir_, shell_word(ET_INSPECT_COMMAND) + " " + arguments);
  }
  /// `bundle` with other numbers in the middle of the program's constants.
  std::string damaged(const std::string& bundle) {
    std::string bytes = read_file(bundle);
    const size_t header = bytes.find("eh00", 16);
    EXPECT_NE(header, std::string::npos);
    uint64_t segments = 0, size = 0;
    std::memcpy(&segments, bytes.data() + header + 16, 8);
    std::memcpy(&size, bytes.data() + header + 24, 8);
    const size_t at = (header - 8 + segments + size / 2) & ~size_t{3};
    for (size_t i = 0; i < 16; ++i) {
      const float v = 3;
      std::memcpy(bytes.data() + at + 4 * i, &v, 4);
    }
    write_file(dir_ / "damaged.bpte", bytes);
    return dir_ / "damaged.bpte";
  }
  static std::string last_line(const std::string& text) {
    const size_t end = text.find_last_not_of('\n');
    const size_t begin = text.rfind('\n', end);
    return text.substr(begin + 1, end - begin);
  }
  const test::Scratch dir_;
};

TEST_F(CheckCommand, GoodBundlesAreGreen) {
  const CommandResult r = check(add_mul() + " -v");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(last_line(r.out), "3 passed, 0 failed");
  EXPECT_NE(r.out.find("forward case 2"), std::string::npos);
  EXPECT_EQ(r.err, "");
}

TEST_F(CheckCommand, BrokenFilesAmongGoodOnesAreFailedChecks) {
  write_file(dir_ / "a.bpte", "junk");
  std::filesystem::copy_file(add_mul(), dir_ / "b.bpte");
  std::filesystem::create_directory(dir_ / "c");
  write_file(dir_ / "c/c.bpte", read_file(add_mul()).substr(0, 700));
  for (const char* jobs : {"1", "2", "0"}) {
    const CommandResult r = check(". --jobs " + std::string(jobs));
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_EQ(last_line(r.out), "3 passed, 2 failed");
    EXPECT_NE(r.out.find("a.bpte"), std::string::npos);
    EXPECT_NE(r.out.find("c/c.bpte"), std::string::npos);
  }
}

TEST_F(CheckCommand, NothingToReadIsNoFailedCheckAlone) {
  EXPECT_EQ(check("missing.bpte").exit_code, 3);
  write_file(dir_ / "junk.bpte", "junk");
  EXPECT_EQ(check("junk.bpte missing.bpte").exit_code, 3);
  std::filesystem::create_directory(dir_ / "empty");
  const CommandResult r = check("empty");
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_NE(r.err.find("empty: found no bundled programs"), std::string::npos) << r.err;
}

TEST_F(CheckCommand, WhatTheCommandLineGotWrong) {
  struct Row {
    const char* options;
    const char* says;
  };
  constexpr Row kRows[] = {
      {"--rtol -1", "--rtol: expected a non-negative number, got '-1'"},
      {"--atol x", "--atol: expected a non-negative number, got 'x'"},
      {"--case -2", "--case"},
      {"--timeout 0", "--timeout: expected a positive time such as 10s or 250ms, got '0'"},
      {"--max-memory lots", "--max-memory: expected a size such as 4096 or 2MiB, got 'lots'"},
      {"--iterations 0", "--iterations: expected 1 to 100000000, got '0'"},
      {"--max-slowdown 5%", "--max-slowdown needs --baseline or --against"},
      {"--allow-other-host", "--allow-other-host needs --baseline"},
      {"--log-values", "--log-values needs --etdump-dir"},
      {"--reference x.pte", "--reference needs --explain"},
      {"--etrecord x.bin", "--etrecord needs --explain or --store"},
      {"--min-effect 0", "--min-effect: expected a share from 0.1% to below 100%, got '0'"},
      {"--budget never", "--budget: expected a positive time such as 4s, got 'never'"},
      {"--clock sun", "cpu, wall"},
      {"--policy wrong.toml", "wrong.toml:2:3"},
  };
  write_file(dir_ / "wrong.toml", "version = 1\n[[[");
  for (const Row& row : kRows) {
    const CommandResult r = check(add_mul() + " " + row.options);
    EXPECT_EQ(r.exit_code, 2) << row.options;
    EXPECT_NE(r.err.find(row.says), std::string::npos) << row.options << ": " << r.err;
  }
}

TEST_F(CheckCommand, MethodsAndCases) {
  EXPECT_EQ(last_line(check(add_mul() + " --case 1").out), "1 passed, 0 failed");
  CommandResult r = check(add_mul() + " --case 3");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_NE(r.out.find("no method has a case 3"), std::string::npos) << r.out;
  r = check(add_mul() + " --method backward");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_NE(r.out.find("no method 'backward', the program has forward"), std::string::npos) << r.out;
}

TEST_F(CheckCommand, ReportsGoWhereTheyAreAskedFor) {
  const CommandResult r =
      check(add_mul() + " junk.bpte --json --junit j.xml --sarif s.sarif --etdump-dir traces --log-values");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_NE(r.out.find("\"schema\": \"et-check/1\""), std::string::npos);
  EXPECT_NE(read_file(dir_ / "j.xml").find("<testsuites"), std::string::npos);
  EXPECT_NE(read_file(dir_ / "s.sarif").find("\"2.1.0\""), std::string::npos);
  EXPECT_EQ(inspect("traces/bundled.etdp --debug-buffer traces/bundled.bin --format json").exit_code, 0);
  const CommandResult github = check("junk.bpte --github");
  EXPECT_EQ(github.out.find("::error "), 0u) << github.out;
  EXPECT_EQ(check(add_mul() + " --junit no/such/folder.xml").exit_code, 3);
}

TEST_F(CheckCommand, OperatorsOfWhatFailedAreCounted) {
  CommandResult r = check(add_mul() + " --case 0 -n 100000000 --timeout 200ms --by-operator");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_NE(r.out.find("aten::mul.out       0       1"), std::string::npos) << "a case that is stopped, too\n" << r.out;
  write_file(dir_ / "junk.bpte", "no bundle at all");
  r = check("junk.bpte " + add_mul() + " --by-operator");
  EXPECT_NE(r.out.find("(not loaded)"), std::string::npos) << r.out;
  const std::string delegated = fixture("artifacts/lstm_xnnpack/program.pte");
  ASSERT_EQ(check("bundle " + delegated + " --fill ones --record -o x.bpte").exit_code, 0);
  r = check("x.bpte --by-operator");
  EXPECT_NE(r.out.find("XnnpackBackend (delegate)"), std::string::npos) << r.out;
  EXPECT_NE(check("x.bpte --json").out.find("\"backends\": [\"XnnpackBackend\"]"), std::string::npos);
}

TEST_F(CheckCommand, ASuggestedPolicyIsEnough) {
  const std::string bad = damaged(fixture("bundles/lstm/bundled.bpte"));
  ASSERT_EQ(check(bad).exit_code, 1);
  CommandResult r = check(bad + " --suggest-policy -o p.toml");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_NE(read_file(dir_ / "p.toml").find("[method.forward.output.0]\natol = "), std::string::npos)
      << read_file(dir_ / "p.toml");
  EXPECT_EQ(check(bad + " --policy p.toml").exit_code, 0);
  write_file(dir_ / "junk.bpte", "no bundle at all");
  r = check("junk.bpte " + add_mul() + " --suggest-policy");
  EXPECT_EQ(r.exit_code, 1) << "no tolerance covers a damaged file";
  EXPECT_NE(r.out.find("# no tolerance covers junk.bpte"), std::string::npos) << r.out;
}

TEST_F(CheckCommand, WhatIsNotThereToCompareWithIsNoFailedCheck) {
  const CommandResult r = check(add_mul() + " --against missing.bpte");
  EXPECT_EQ(r.exit_code, 3) << r.out;
  EXPECT_NE(r.err.find("missing.bpte: cannot open: no such file (--against)"), std::string::npos) << r.err;
}

TEST_F(CheckCommand, BaselinesAreRecordedAndCompared) {
  const std::string quick = " --case 0 --budget 300ms ";
  CommandResult r = check(add_mul() + quick + "--record-baseline b.json");
  ASSERT_EQ(r.exit_code, 0) << r.out << r.err;
  r = check(add_mul() + quick + "--baseline b.json --max-slowdown 100% --json");
  EXPECT_EQ(r.exit_code, 0) << r.out;
  EXPECT_NE(r.out.find("\"verdict\": "), std::string::npos);
  r = check(add_mul() + quick + "--against " + shell_word(fixture("bundles/lstm/bundled.bpte")));
  EXPECT_EQ(r.exit_code, 1) << "another program cannot be measured with these inputs: " << r.out;

  std::string text = read_file(dir_ / "b.json");
  const size_t cpu = text.find("\"cpu\": \"");
  ASSERT_NE(cpu, std::string::npos);
  text.insert(cpu + 8, "Another ");
  write_file(dir_ / "other.json", text);
  r = check(add_mul() + quick + "--baseline other.json");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_NE(r.out.find("Another "), std::string::npos) << r.out;
  r = check(add_mul() + quick + "--baseline other.json --allow-other-host --max-slowdown 100%");
  EXPECT_EQ(r.exit_code, 0) << r.out;

  r = check(fixture("bundles/dtypes/bundled.bpte") + quick + "--baseline b.json");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_NE(r.out.find("no entry for it"), std::string::npos) << r.out;
  write_file(dir_ / "broken.json", text.substr(0, text.size() / 2));
  r = check(add_mul() + quick + "--baseline broken.json");
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_NE(r.err.find("broken.json"), std::string::npos) << r.err;
}

TEST_F(CheckCommand, ExplainNamesTheFirstOperatorThatDiverges) {
  const std::string good = fixture("bundles/lstm/bundled.bpte"), bad = damaged(good);
  ASSERT_EQ(check(good + " --etdump-dir good --log-values").exit_code, 0);
  ASSERT_EQ(check(bad).exit_code, 1);
  const std::string record = " --etrecord " + shell_word(fixture("artifacts/lstm/etrecord.bin"));
  std::string by_program;
  for (const std::string& reference :
       {good, fixture("artifacts/lstm/program.pte"), std::string("good/bundled.etdp"), std::string()}) {
    const std::string of = reference.empty() ? "" : " --reference " + shell_word(reference);
    const CommandResult r = check(bad + " --case 0 --explain" + of + record);
    EXPECT_EQ(r.exit_code, 1);
    const size_t at = r.out.find("first divergence");
    ASSERT_NE(at, std::string::npos) << reference << ": " << r.out << r.err;
    const std::string line = r.out.substr(at, r.out.find("models.py", at) - at);
    EXPECT_NE(line.find("(instruction "), std::string::npos) << line;
    EXPECT_NE(line.find("aten_"), std::string::npos) << "the node: " << line;
    EXPECT_NE(r.out.find(" in module ", at), std::string::npos) << r.out;
    if (by_program.empty()) by_program = line;
    // Several weights are damaged. Against the record's graph each operator is judged by what it adds itself, so there
    // the one is named that moves the outputs.
    if (!reference.empty()) {
      EXPECT_EQ(line, by_program) << "every good run leads to the same operator";
    }
  }
  const CommandResult same = check(good + " --explain --rtol 0 --atol 0 --reference " + shell_word(good));
  if (same.exit_code != 0) {
    EXPECT_NE(same.out.find("logged values agree"), std::string::npos) << same.out;
  }
  EXPECT_EQ(check(bad + " --explain --reference missing.pte").exit_code, 3);
}

TEST_F(CheckCommand, AFileIsTheSameCheckHoweverItIsSpelt) {
  namespace fs = std::filesystem;
  fs::create_directories(dir_ / "sub/deep");
  fs::copy_file(add_mul(), dir_ / "sub/m.bpte");
  const test::Scratch elsewhere;
  fs::create_directory_symlink(dir_.path(), elsewhere / "link");
  const std::string here = fs::canonical(dir_.path());
  const std::vector<std::string> spelt = {"sub/m.bpte",
                                          "./sub/m.bpte",
                                          "sub/deep/../m.bpte",
                                          here + "/sub/m.bpte",
                                          elsewhere / "link/sub/m.bpte",
                                          "sub",
                                          ".",
                                          here};
  for (const std::string& path : spelt) {
    const CommandResult r = check(shell_word(path) + " --case 0 --store h.db");
    EXPECT_EQ(r.exit_code, 0) << path << r.err;
  }
  const std::string files = "sql h.db --format csv \"SELECT DISTINCT file FROM check_cases\"";
  EXPECT_EQ(inspect(files).out, "file\r\nsub/m.bpte\r\n");
  const CommandResult history = inspect("history h.db --format csv --file ./sub/m.bpte");
  EXPECT_EQ(std::count(history.out.begin(), history.out.end(), '\n'), 1 + std::ssize(spelt))
      << history.out << history.err;
  // What is not below the current folder is named in full, wherever one looks from.
  const auto name_from = [&](const std::string& folder, const std::string& path) {
    const CommandResult r = shell(dir_, "cd " + folder + " && " + shell_word(ET_CHECK_COMMAND) + " --json " + path);
    const size_t at = r.out.find("\"file\":");
    return r.out.substr(at, r.out.find(',', at) - at);
  };
  EXPECT_EQ(name_from("sub/deep", "../m.bpte"), name_from("sub/deep", here + "/sub/m.bpte"));
  EXPECT_NE(name_from("sub/deep", "../m.bpte").find("\"" + here + "/sub/m.bpte\""), std::string::npos);
}

TEST_F(CheckCommand, ResultsAreKeptInAStore) {
  for (int i = 0; i < 2; ++i) EXPECT_EQ(check(add_mul() + " --iterations 5 --store h.db").exit_code, 0);
  const CommandResult history = inspect("history h.db --case 0 --format csv");
  EXPECT_EQ(history.exit_code, 0) << history.err;
  EXPECT_EQ(std::count(history.out.begin(), history.out.end(), '\n'), 3) << history.out;
  const CommandResult traces = inspect("traces h.db --format csv");
  EXPECT_EQ(std::count(traces.out.begin(), traces.out.end(), '\n'), 3) << traces.out;
  const CommandResult linked =
      inspect("sql h.db --format csv \"SELECT count(*) FROM check_cases WHERE trace_id IS NOT NULL\"");
  EXPECT_NE(linked.out.find("\n6"), std::string::npos) << linked.out << linked.err;
}

}  // namespace
}  // namespace et::cli
