// The progress line: its text, and where it is shown, on a pseudo-terminal.
#include "cli/progress.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tests/cli/scratch.h"

namespace et::cli {
namespace {

TEST(Progress, SaysHowFarItIs) {
  EXPECT_EQ(progress_text({.stage = "reading events", .done = 50, .total = 200}), "reading events 25% (50 of 200)");
  EXPECT_EQ(progress_text({.stage = "reading events", .done = 300, .total = 200}), "reading events 100% (300 of 200)");
  EXPECT_EQ(progress_text({.stage = "querying", .done = 1234}), "querying 1,234");
  EXPECT_EQ(progress_text({.stage = "indexing"}), "indexing");
  EXPECT_EQ(progress_text({.stage = "measuring", .share = 0.5, .what = "m.bpte forward"}),
            "measuring 50% (m.bpte forward)");
}

TEST(Progress, SaysHowFastItIsAndWhenItEnds) {
  EXPECT_EQ(progress_text({.stage = "running", .done = 40, .total = 200, .seconds = 4}),
            "running 20% (40 of 200), 10/s, 16 s left");
  EXPECT_EQ(progress_text({.stage = "running", .done = 2, .total = 200, .seconds = 4}),
            "running 1% (2 of 200), 0.5/s, 6 min 36 s left");
  EXPECT_EQ(progress_text({.stage = "running", .done = 0, .total = 3, .seconds = 4}), "running 0% (0 of 3), 4 s");
  EXPECT_EQ(progress_text({.stage = "indexing", .seconds = 3.2}), "indexing, 4 s");
  EXPECT_EQ(progress_text({.stage = "writing html", .done = 4 << 20, .bytes = true, .seconds = 2}),
            "writing html 4.0 MiB, 2.0 MiB/s");
  EXPECT_EQ(progress_text({.stage = "measuring", .share = 0.25, .seconds = 5}), "measuring 25%, 15 s left");
}

TEST(Progress, TimesAreShort) {
  EXPECT_EQ(short_time(0.2), "1 s");
  EXPECT_EQ(short_time(59.5), "1 min 0 s");
  EXPECT_EQ(short_time(3720), "1 h 2 min");
}

/// What a program writes to a terminal; its exit code.
struct OnTerminal {
  std::string text;
  int exit_code = -1;
};

/// `out_to_file`: standard output is not the terminal, only standard error is.
OnTerminal on_terminal(std::vector<std::string> words, const char* term = "xterm", const char* no_color = nullptr,
                       bool out_to_file = true) {
  OnTerminal result;
  int terminal = -1;
  winsize size = {};
  size.ws_row = 24;
  size.ws_col = 70;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (pid < 0) return result;
  if (pid == 0) {
    ::setenv("TERM", term, 1);
    ::unsetenv("NO_COLOR");
    if (no_color != nullptr) ::setenv("NO_COLOR", no_color, 1);
    if (out_to_file && std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(120);
    std::vector<char*> raw;
    for (std::string& w : words) raw.push_back(w.data());
    raw.push_back(nullptr);
    ::execv(raw[0], raw.data());
    ::_exit(121);
  }
  char bytes[4096];
  for (ssize_t n = 0; (n = ::read(terminal, bytes, sizeof bytes)) > 0;) {
    result.text.append(bytes, static_cast<size_t>(n));
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  ::close(terminal);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

/// What stands on the screen in the end: each line, overwritten as the terminal does it.
std::string screen(const std::string& text) {
  std::string all, line;
  size_t at = 0;
  for (const char c : text) {
    if (c == '\n') {
      all += line + "\n";
      line.clear();
      at = 0;
    } else if (c == '\r') {
      at = 0;
    } else if (c == '\b') {
      at -= at > 0 ? 1 : 0;
    } else {
      line.resize(std::max(line.size(), at + 1), ' ');
      line[at++] = c;
    }
  }
  all += line;
  std::string out;  // without the spaces that erased something
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min(all.find('\n', begin), all.size());
    const size_t last = all.find_last_not_of(' ', end == 0 ? 0 : end - 1);
    if (last != std::string::npos && last >= begin) out += all.substr(begin, last - begin + 1) + "\n";
    begin = end + 1;
  }
  return out;
}

std::string program_file() { return std::string(ET_FIXTURES) + "/artifacts/add_mul/program.pte"; }

/// `words` with -n, as many iterations as take at least `seconds`, however busy the machine is; `n`: how many.
OnTerminal run_for(double seconds, const std::vector<std::string>& words, bool out_to_file = true, int* n = nullptr) {
  OnTerminal run;
  for (int count = 20000; count <= 1 << 30; count *= 2) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"-n", std::to_string(count)});
    const auto begin = std::chrono::steady_clock::now();
    run = on_terminal(all, "xterm", nullptr, out_to_file);
    if (n != nullptr) *n = count;
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() >= seconds) break;
  }
  return run;
}

TEST(Progress, ARunShowsItsIterationsAndErasesTheLine) {
  int count = 0;
  const OnTerminal run = run_for(2, {ET_RUN_COMMAND, program_file()}, true, &count);
  const std::string n = std::to_string(count);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.text.find("running "), std::string::npos) << run.text;
  EXPECT_NE(run.text.find("/s"), std::string::npos) << "a rate: " << run.text;
  EXPECT_NE(run.text.find(" left"), std::string::npos) << "an estimate: " << run.text;
  EXPECT_EQ(screen(run.text), "");
  EXPECT_EQ(run.text.find('\n'), std::string::npos);
  EXPECT_EQ(run.text.find('\033'), std::string::npos);

  EXPECT_EQ(on_terminal({ET_RUN_COMMAND, program_file(), "-n", n, "--quiet"}).text, "");
  EXPECT_EQ(on_terminal({ET_RUN_COMMAND, program_file(), "-n", n}, "dumb").text, "");
  const OnTerminal plain = on_terminal({ET_RUN_COMMAND, program_file(), "-n", n}, "xterm", "1");
  EXPECT_EQ(plain.text.find('\033'), std::string::npos);
}

TEST(Progress, AResultOnTheSameTerminalStandsAlone) {
  const OnTerminal run = run_for(1.2, {ET_RUN_COMMAND, program_file()}, false);
  const std::string shown = screen(run.text);
  EXPECT_NE(run.text.find("running "), std::string::npos) << run.text;
  EXPECT_EQ(shown.find("running "), std::string::npos) << shown;
  EXPECT_NE(shown.find("forward"), std::string::npos) << shown;
}

TEST(Progress, AQueryShowsThatItRuns) {
  const OnTerminal sql = on_terminal(
      {ET_INSPECT_COMMAND, "sql", std::string(ET_FIXTURES) + "/artifacts/add_mul/etdump.etdp", "--no-neighbours",
       "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < 6000000) SELECT sum(x) FROM c"});
  EXPECT_EQ(sql.exit_code, 0) << sql.text;
  EXPECT_NE(sql.text.find("querying"), std::string::npos) << sql.text;
  EXPECT_EQ(screen(sql.text), "");
}

TEST(Progress, AComparisonShowsHowMuchOfItsTimeIsLeft) {
  const test::Scratch dir;
  const std::string bundle = dir / "m.bpte";
  ASSERT_EQ(
      on_terminal({ET_CHECK_COMMAND, "bundle", program_file(), "--fill", "ones", "--record", "-o", bundle}).exit_code,
      0);
  // Closer than machines can tell, so that the budget is used; a lucky comparison ends before the line is drawn.
  OnTerminal check;
  for (int tries = 0; tries < 3 && check.text.find("measuring ") == std::string::npos; ++tries) {
    check = on_terminal({ET_CHECK_COMMAND, bundle, "--against", bundle, "--budget", "2s", "--min-effect", "0.1%",
                         "--max-slowdown", "0.11%"});
  }
  EXPECT_NE(check.text.find("measuring "), std::string::npos) << check.text;
  EXPECT_EQ(screen(check.text), "");
}

TEST(Progress, ChecksShowTheirCases) {
  const test::Scratch dir;
  const std::string bundle = dir / "m.bpte";
  std::vector<std::string> words = {ET_CHECK_COMMAND, "bundle",   program_file(), "--fill",
                                    "ones",           "--record", "-o",           bundle};
  ASSERT_EQ(on_terminal(words).exit_code, 0);
  const OnTerminal check = run_for(1.5, {ET_CHECK_COMMAND, bundle});
  EXPECT_EQ(check.exit_code, 0);
  EXPECT_NE(check.text.find("checking cases 0% (0 of 1)"), std::string::npos) << check.text;
  EXPECT_EQ(screen(check.text), "");
}

}  // namespace
}  // namespace et::cli
