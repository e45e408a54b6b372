// The golden runner's own text form: a case that is read wrongly would pass without testing anything.
#include "tests/golden/case_file.h"

#include <gtest/gtest.h>

#include "tests/golden/command.h"

namespace et::golden {
namespace {

TEST(CaseFile, ReadsStepsWithTheirExpectations) {
  const CaseFile file = parse_cases(
      "# comment\n[first]\nenv: NO_COLOR=1\nrun: a | b\nexit: 3\nstdout is:\n| one\n|\n|  two\n"
      "run: c\nstderr contains: x: y\nstdout excludes: z\nstdout file: t.txt\n[second]\nrun: d\n");
  ASSERT_EQ(file.error, "");
  ASSERT_EQ(file.cases.size(), 2u);
  const Case& first = file.cases[0];
  ASSERT_EQ(first.steps.size(), 2u);
  EXPECT_EQ(first.env, std::vector<std::string>{"NO_COLOR=1"});
  EXPECT_EQ(first.steps[0].command, "a | b");
  EXPECT_EQ(first.steps[0].exit_code, 3);
  ASSERT_EQ(first.steps[0].expectations.size(), 1u);
  EXPECT_EQ(first.steps[0].expectations[0].text, "one\n\n two\n");
  EXPECT_EQ(first.steps[0].expectations[0].block_size, 3u);
  ASSERT_EQ(first.steps[1].expectations.size(), 3u);
  EXPECT_EQ(first.steps[1].expectations[0].text, "x: y");
  EXPECT_EQ(first.steps[1].expectations[0].stream, Expectation::Stream::kErr);
}

TEST(CaseFile, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(parse_cases("[a]\nrun: x\nstdut is:\n| y\n").error, "line 3: unknown key 'stdut is'");
  EXPECT_EQ(parse_cases("[a]\nrun: x\nexit: 3x\n").error, "line 3: exit: wants a number");
  EXPECT_EQ(parse_cases("run: x\n").error, "line 1: expected '[name]' before the first key");
  EXPECT_EQ(parse_cases("[a]\nexit: 1\n").error, "line 2: 'exit' before the first run: line");
  EXPECT_EQ(parse_cases("[a]\n[a]\n").error, "line 2: a second case 'a'");
  EXPECT_EQ(parse_cases("[a]\n").error, "line 1: case 'a' has no run: line");
  EXPECT_EQ(parse_cases("[a]\nrun: x\nstdout is: y\n").error,
            "line 3: the text of 'is:' stands on the lines below, each after '| '");
}

TEST(CaseFile, AnUpdateChangesTheBlocksAndNothingElse) {
  const std::string text = "[a]\nrun: x\nstdout is:\n| old\nstderr is:\n# end\n";
  const std::string updated = with_blocks(text, {{3, 1, "new\n\nlines\n"}, {5, 0, "e\n"}});
  EXPECT_EQ(updated, "[a]\nrun: x\nstdout is:\n| new\n|\n| lines\nstderr is:\n| e\n# end\n");
  const CaseFile again = parse_cases(updated);
  ASSERT_EQ(again.error, "");
  EXPECT_EQ(again.cases[0].steps[0].expectations[0].text, "new\n\nlines\n");
}

TEST(Command, AHangingCommandIsEnded) {
  const CommandResult result = run_command("sleep 60", testing::TempDir(), {"PATH=/usr/bin:/bin"}, 1);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 128 + 9);
}

TEST(Command, PathsWithBlanksStayOneWord) {
  EXPECT_EQ(shell_word("/a/b-1.txt"), "/a/b-1.txt");
  EXPECT_EQ(shell_word("/a b/it's"), "'/a b/it'\\''s'");
}

}  // namespace
}  // namespace et::golden
