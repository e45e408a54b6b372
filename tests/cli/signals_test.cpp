// SIGINT and SIGTERM: what was measured is kept, no process is left behind, the text and the exit code say so.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/shell.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;
using golden::CommandResult;
using golden::shell_word;
using test::read_file;
using test::shell;

class Signals : public testing::Test {
 protected:
  // To the process alone, and, as a terminal does, to it and its children.
  static constexpr const char* kAlone = ET_INTERRUPT " alone ";
  static constexpr const char* kGroup = ET_INTERRUPT " group ";
  static constexpr const char* kStopped = ET_INTERRUPT " stopped ";

  static std::string fixture(const std::string& name) { return shell_word(std::string(ET_FIXTURES) + "/" + name); }
  CommandResult run(const std::string& command) { return shell(dir_, command); }

  /// Processes that work in the test's folder, a moment after the command has ended.
  std::string left_behind() {
    for (int tries = 0;; ++tries) {
      std::string out;
      for (const auto& entry : fs::directory_iterator("/proc")) {
        std::error_code ec;
        const fs::path work = fs::read_symlink(entry.path() / "cwd", ec);
        if (!ec && work == fs::canonical(dir_.path())) out += read_file((entry.path() / "cmdline").string()) + "\n";
      }
      if (out.empty() || tries == 20) return out;
      ::usleep(50'000);
    }
  }
  const test::Scratch dir_;
};

TEST_F(Signals, ARunKeepsItsTraceAndItsTimes) {
  const std::string words = std::string(" ") + ET_RUN_COMMAND + " " +
                            fixture("artifacts/quantised_portable/program.pte") +
                            " -n 100000000 --methods-only --etdump ";
  for (const char* how : {kAlone, kGroup}) {
    const CommandResult r = run(how + ("INT" + words) + "t.etdp");
    EXPECT_EQ(r.exit_code, 130) << r.err;
    EXPECT_NE(r.out.find("forward: interrupted by SIGINT after "), std::string::npos) << r.out;
    EXPECT_NE(r.out.find(" of 100,000,000 iterations"), std::string::npos) << r.out;
    const CommandResult trace = run(std::string(ET_INSPECT_COMMAND) + " t.etdp --format csv");
    EXPECT_EQ(trace.exit_code, 0) << "a whole trace: " << trace.err;
    const CommandResult json = run(how + ("TERM" + words) + "u.etdp --json");
    EXPECT_EQ(json.exit_code, 143) << json.err;
    EXPECT_NE(json.out.find("\"interrupted\": true"), std::string::npos) << json.out;
  }
  EXPECT_EQ(left_behind(), "");
}

TEST_F(Signals, ACheckReportsWhatItHas) {
  const std::string words = std::string(ET_CHECK_COMMAND) + " " + fixture("bundles/quantised_portable/bundled.bpte") +
                            " " + fixture("bundles/many_outputs/bundled.bpte") +
                            " -n 100000000 --junit j.xml --sarif s.sarif --etdump-dir traces --output text";
  for (const char* how : {kAlone, kGroup}) {
    for (const auto& [name, code] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
      fs::remove_all(dir_ / "traces");
      fs::remove(dir_ / "text");
      const CommandResult r = run(how + (name + (" " + words)));
      const std::string text = read_file(dir_ / "text");
      EXPECT_EQ(r.exit_code, code) << how << name << r.err;
      EXPECT_NE(text.find(std::string("1 passed, 0 failed, interrupted by SIG") + name + ": 2 of 2 files not checked"),
                std::string::npos)
          << how << name << text << r.err;
      EXPECT_NE(read_file(dir_ / "j.xml").find("<skipped message=\"not checked to the end: interrupted"),
                std::string::npos);
      EXPECT_NE(read_file(dir_ / "j.xml").find("name=\"forward[0]\""), std::string::npos) << "what was measured";
      EXPECT_NE(read_file(dir_ / "s.sarif").find("\"exitSignalName\": \"SIG"), std::string::npos);
      size_t traces = 0;
      for (const auto& entry : fs::directory_iterator(dir_ / "traces")) {
        ++traces;
        const CommandResult t = run(std::string(ET_INSPECT_COMMAND) + " " + entry.path().string() + " --format csv");
        EXPECT_TRUE(t.exit_code == 0 || t.exit_code == 4) << t.err;
      }
      EXPECT_EQ(traces, 1u);
      EXPECT_EQ(left_behind(), "") << how << name;
    }
  }
}

TEST_F(Signals, WorkersThatDoNotAnswerEndToo) {
  const std::string check =
      std::string(ET_CHECK_COMMAND) + " " + fixture("bundles/add_mul/bundled.bpte") + " -n 100000000 --output text";
  const CommandResult stopped = run(kStopped + ("TERM " + check));
  EXPECT_EQ(stopped.exit_code, 143) << stopped.out << stopped.err;
  EXPECT_NE(read_file(dir_ / "text").find("0 passed, 0 failed, interrupted by SIGTERM: 1 of 1 file"), std::string::npos)
      << read_file(dir_ / "text");
  EXPECT_EQ(left_behind(), "");
  EXPECT_EQ(run(kAlone + ("KILL " + check)).exit_code, 137);
  EXPECT_EQ(left_behind(), "") << "nobody is left to end them";
}

TEST_F(Signals, AComparisonEnds) {
  const std::string bundle = fixture("bundles/add_mul/bundled.bpte");
  // Many, so that they cannot all be decided before the signal.
  for (const char* folder : {"models", "base"}) {
    fs::create_directories(dir_ / std::string(folder));
    for (int i = 0; i < 20; ++i)
      fs::copy_file(bundle, dir_ / (std::string(folder) + "/m" + std::to_string(i) + ".bpte"));
  }
  const CommandResult r =
      run(kAlone + ("INT " + std::string(ET_CHECK_COMMAND) + " models --against base --min-effect 0.1% --budget 60s"));
  EXPECT_EQ(r.exit_code, 130) << r.out << r.err;
  EXPECT_NE(r.out.find(" passed, 0 failed, interrupted by SIGINT"), std::string::npos) << r.out;
  EXPECT_EQ(left_behind(), "");
}

TEST_F(Signals, NoHalfWrittenFileStays) {
  ASSERT_EQ(run(std::string(ET_INSPECT_COMMAND) + " " + fixture("artifacts/add_mul/etdump.etdp") + " --store runs.db")
                .exit_code,
            0);
  test::write_file(dir_ / "old.txt", "as it was");
  const std::string query = "\"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n\"";
  for (const auto& [name, code] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    const CommandResult r =
        run(kAlone + (name + (" " + (ET_INSPECT_COMMAND + (" sql runs.db " + query)))) + " --format csv -o old.txt");
    EXPECT_EQ(r.exit_code, code) << r.err;
    EXPECT_EQ(r.err, std::string("et-inspect: interrupted by SIG") + name + "\n");
    EXPECT_EQ(read_file(dir_ / "old.txt"), "as it was");
  }
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(dir_.path())) files += entry.is_regular_file();
  EXPECT_EQ(files, 2u) << "runs.db and old.txt";
}

TEST_F(Signals, IgnoredSignalsStayIgnored) {
  const CommandResult r =
      run("trap '' INT; " + std::string(ET_RUN_COMMAND) + " " + fixture("artifacts/quantised_portable/program.pte") +
          " -n 20000 > text & p=$!; sleep 0.2; kill -INT $p; wait $p; echo code $?");
  EXPECT_NE(r.out.find("code 0"), std::string::npos) << r.out << r.err;
}

TEST_F(Signals, LostEventsAreExitCodeFour) {
  const std::string program = fixture("artifacts/add_mul/program.pte");
  CommandResult r = run(std::string(ET_RUN_COMMAND) + " " + program + " -n 100 --trace-limit 1000 --etdump t.etdp");
  EXPECT_EQ(r.exit_code, 4) << r.err;
  EXPECT_NE(r.err.find("exceeded the trace limit"), std::string::npos) << r.err;
  EXPECT_NE(r.out.find("latency"), std::string::npos);
  EXPECT_EQ(run(std::string(ET_INSPECT_COMMAND) + " t.etdp --format csv").exit_code, 4) << "the trace says it, too";
  r = run(std::string(ET_RUN_COMMAND) + " " + program + " --trace-limit 10 --etdump none.etdp");
  EXPECT_EQ(r.exit_code, 4) << r.err;
  EXPECT_NE(r.err.find("none.etdp: not written: no events were recorded; raise --trace-limit"), std::string::npos);
  r = run(std::string(ET_RUN_COMMAND) + " " + program + " -n 100 --trace-limit 1MiB --etdump u.etdp");
  EXPECT_EQ(r.exit_code, 0) << r.err;
}

}  // namespace
}  // namespace et::cli
