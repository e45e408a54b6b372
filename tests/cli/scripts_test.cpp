// Completions and man pages: valid for their readers, and complete.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "cli/completion_script.h"
#include "cli/man_page.h"
#include "tests/cli/shell.h"

namespace et::cli {
namespace {

using golden::CommandResult;
using test::installed;
using test::shell;

const ProgramSpec& program() { return et_inspect(); }

TEST(Completion, BashScriptIsValid) {
  const test::Scratch dir;
  test::write_file(dir / "script", bash_completion(program()));
  const CommandResult r = shell(dir, "bash -n script");
  EXPECT_EQ(r.exit_code, 0) << r.err;
}

std::string bash_offers(const test::Scratch& dir, const std::vector<std::string>& words) {
  return test::bash_offers(dir, bash_completion(program()), "_et_inspect", words);
}

TEST(Completion, BashOffersEveryOptionOfEveryCommand) {
  const test::Scratch dir;
  for (const CommandSpec* c : program().commands) {
    std::vector<std::string> words = {"et-inspect"};
    if (c->name[0] != 0) words.emplace_back(c->name);
    words.emplace_back("--");
    const std::string offers = bash_offers(dir, words);
    for (const OptionSpec* o : options_of(*c)) {
      EXPECT_NE(offers.find(" --" + std::string(o->name) + " "), std::string::npos) << c->name << " --" << o->name;
    }
  }
}

TEST(Completion, BashOffersCommandsValuesAndFiles) {
  const test::Scratch dir;
  test::write_file(dir / "mine.etdp", "");
  EXPECT_EQ(bash_offers(dir, {"et-inspect", "sch"}), " schema \n");
  EXPECT_EQ(bash_offers(dir, {"et-inspect", "--format", "j"}), " json \n");
  EXPECT_EQ(bash_offers(dir, {"et-inspect", "x", "--format", "=", "ma"}), " markdown \n")
      << "--format=ma is three words for bash";
  EXPECT_EQ(bash_offers(dir, {"et-inspect", "x", "--format", "="}).find("--"), std::string::npos);
  EXPECT_EQ(bash_offers(dir, {"et-inspect", "mi"}), " mine.etdp \n");
  EXPECT_EQ(bash_offers(dir, {"et-inspect", "sql", "mi"}), " mine.etdp \n");
  EXPECT_EQ(bash_offers(dir, {"et-inspect", "graph", "x", "--format", "s"}), " svg \n");
  EXPECT_EQ(bash_offers(dir, {"et-inspect", "completion", ""}), " bash zsh fish \n");
}

TEST(Completion, ZshScriptIsValidAndListsEveryOption) {
  const std::string script = zsh_completion(program());
  for (const CommandSpec* c : program().commands) {
    for (const OptionSpec* o : options_of(*c)) {
      EXPECT_NE(script.find("--" + std::string(o->name) + (o->argument == nullptr ? "[" : "=[")), std::string::npos)
          << o->name;
    }
  }
  const test::Scratch dir;
  if (!installed(dir, "zsh")) GTEST_SKIP() << "zsh is not installed";
  test::write_file(dir / "script", script);
  CommandResult r = shell(dir, "zsh -n script");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  r = shell(dir, "zsh -f -c 'source ./script && whence -w _et_inspect'");
  EXPECT_EQ(r.out, "_et_inspect: function\n") << r.err;
}

TEST(Completion, FishScriptIsValidAndListsEveryOption) {
  const std::string script = fish_completion(program());
  for (const CommandSpec* c : program().commands) {
    const std::string when = std::string("__fish_et_inspect_using ") + (c->name[0] == 0 ? "main" : c->name) + "'";
    for (const OptionSpec* o : options_of(*c)) {
      EXPECT_NE(script.find(when + " -l " + o->name), std::string::npos) << c->name << " --" << o->name;
    }
  }
  const test::Scratch dir;
  if (!installed(dir, "fish")) GTEST_SKIP() << "fish is not installed";
  test::write_file(dir / "script.fish", script);
  CommandResult r = shell(dir, "fish --no-execute script.fish");
  EXPECT_EQ(r.exit_code, 0) << r.err;
  r = shell(dir, "fish -c 'source script.fish; complete -C \"et-inspect graph x --format s\"'");
  EXPECT_EQ(r.out.substr(0, 3), "svg") << r.out << r.err;
}

TEST(ManPage, EveryPageListsItsOptionsAndExamples) {
  for (const CommandSpec* c : program().commands) {
    const std::string page = man_page(program(), *c);
    EXPECT_TRUE(page.starts_with(".TH ")) << c->name;
    for (const char* section :
         {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "\"EXIT STATUS\"", "\"SEE ALSO\""}) {
      EXPECT_NE(page.find(std::string("\n.SH ") + section + "\n"), std::string::npos) << c->name << " " << section;
    }
    for (const OptionSpec* o : options_of(*c)) {
      EXPECT_NE(page.find("\\fB\\-\\-" + roff(o->name) + "\\fR"), std::string::npos) << c->name << " --" << o->name;
    }
    for (const Example& e : c->examples) EXPECT_NE(page.find(roff(e.command)), std::string::npos) << e.command;
  }
}

TEST(ManPage, OnlyKnownRequestsAndNoBareSpecialCharacters) {
  const std::regex request(R"(^\.(TH|SH|SS|TP|PP|B|BR|br|nh|ad)( .*)?$)");
  for (const CommandSpec* c : program().commands) {
    std::istringstream lines(man_page(program(), *c));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_FALSE(line.empty()) << "an empty line in " << c->name;
      EXPECT_FALSE(line.starts_with('\'')) << line;
      if (line.starts_with('.')) {
        EXPECT_TRUE(std::regex_match(line, request)) << line;
      }
    }
  }
  EXPECT_EQ(roff(".x"), "\\&.x");
  EXPECT_EQ(roff("a\\b"), "a\\(rsb");
  EXPECT_EQ(roff("--x"), "\\-\\-x");
}

TEST(ManPage, FormattersHaveNothingToSay) {
  const test::Scratch dir;
  const bool groff = installed(dir, "groff");
  const bool mandoc = installed(dir, "mandoc");
  if (!groff && !mandoc) GTEST_SKIP() << "neither groff nor mandoc is installed";
  for (const CommandSpec* c : program().commands) {
    test::write_file(dir / "page.1", man_page(program(), *c));
    if (groff) {
      const CommandResult r = shell(dir, "groff -man -ww -Tutf8 -z page.1");
      EXPECT_EQ(r.exit_code, 0) << c->name;
      EXPECT_EQ(r.err, "") << c->name;
    }
    if (mandoc) {
      const CommandResult r = shell(dir, "mandoc -T lint -W error page.1");
      EXPECT_EQ(r.exit_code, 0) << c->name << r.out << r.err;
    }
  }
}

TEST(ManPage, ReadsAsItWasWritten) {
  const test::Scratch dir;
  if (!installed(dir, "groff")) GTEST_SKIP() << "groff is not installed";
  const CommandSpec& sql = *find_command(program(), "sql");
  test::write_file(dir / "page.1", man_page(program(), sql));
  const CommandResult r = shell(dir, "groff -man -Tascii -P-cbou -rLL=200n page.1");
  for (const Example& e : sql.examples)
    EXPECT_NE(r.out.find(e.command), std::string::npos) << e.command << "\n" << r.out;
}

}  // namespace
}  // namespace et::cli
