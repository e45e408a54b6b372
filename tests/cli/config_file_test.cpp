// Configuration files: what the words leave open, from the nearest table; wrong ones are named with their line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include "cli/option_names.h"
#include "tests/cli/shell.h"

namespace et::cli {
namespace {

using golden::CommandResult;
using golden::shell_word;
using test::shell;
using test::write_file;

class ConfigFile : public testing::Test {
 protected:
  CommandResult inspect(const std::string& words, const std::string& before = "") {
    return shell(dir_, before + ET_INSPECT_COMMAND + " " + words);
  }
  void config(const std::string& text, const std::string& path = ".et-inspect.toml") {
    std::filesystem::create_directories(std::filesystem::path(dir_ / path).parent_path());
    write_file(dir_ / path, text);
  }
  const test::Scratch dir_;
  const std::string trace_ = shell_word(std::string(ET_FIXTURES) + "/artifacts/partial_delegation/etdump.etdp");
};

bool is_json(const CommandResult& r) { return r.exit_code == 0 && (r.out.starts_with("{") || r.out.starts_with("[")); }

TEST_F(ConfigFile, OpenOptionsAreTakenFromTheNearestTable) {
  const CommandResult plain = inspect(trace_ + " --top 1");
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  config("top = 1\n");
  EXPECT_EQ(inspect(trace_).out, plain.out) << "the root: wherever the option exists";
  config("top = 3\n[et-inspect]\ntop = 1\n[et-inspect.source]\nformat = 'json'\n[et-run]\niterations = 7\n");
  EXPECT_EQ(inspect(trace_).out, plain.out) << "the program's own";
  EXPECT_TRUE(is_json(inspect("source " + trace_))) << "the command's own";
  EXPECT_NE(inspect(trace_ + " --top 2").out, plain.out) << "words go before files";
}

TEST_F(ConfigFile, TheRootHasOptionsOfAnyProgram) {
  config("colour = 'never'\n");
  const CommandResult r = inspect(trace_);
  EXPECT_EQ(r.exit_code, 2) << r.out;
  EXPECT_NE(r.err.find(".et-inspect.toml:1:10: no program has an option 'colour'"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("color"), std::string::npos) << r.err;
  config("iterations = 7\njunit = 'x.xml'\nscale = 2\n");
  EXPECT_EQ(inspect(trace_).exit_code, 0) << "of et-run, et-check and et-inspect-gui";
}

// option_names.h lists what only the programs themselves know.
TEST_F(ConfigFile, EveryOptionOfAProgramIsKnown) {
  const std::set<std::string_view> known(std::begin(kOptionNames), std::end(kOptionNames));
  EXPECT_TRUE(std::is_sorted(std::begin(kOptionNames), std::end(kOptionNames)));
  std::set<std::string> found;
  for (const char* program : {ET_INSPECT_COMMAND, ET_RUN_COMMAND, ET_CHECK_COMMAND}) {
    const CommandResult r = shell(dir_, std::string(program) + " --completion bash");
    ASSERT_EQ(r.exit_code, 0) << r.err;
    const std::regex option("--([a-z][a-z0-9-]*)");
    for (std::sregex_iterator at(r.out.begin(), r.out.end(), option), end; at != end; ++at) found.insert((*at)[1]);
  }
  for (const char* none : {"help", "version", "man", "completion"}) EXPECT_EQ(found.erase(none), 1u) << none;
  for (const std::string& name : found) EXPECT_TRUE(known.contains(name)) << name;
  EXPECT_GT(found.size(), 100u);
}

TEST_F(ConfigFile, TheWorkingFolderGoesBeforeTheUser) {
  config("format = 'json'\ntop = 1\n", ".config/et-inspect/config.toml");
  EXPECT_TRUE(is_json(inspect(trace_)));
  config("[et-inspect]\nformat = 'csv'\n");
  const CommandResult both = inspect(trace_);
  EXPECT_FALSE(is_json(both));
  EXPECT_EQ(std::count(both.out.begin(), both.out.end(), '\n'), 2) << "a heading, and --top 1 of the other file";
  EXPECT_TRUE(is_json(inspect(trace_ + " --format json"))) << both.err;
  EXPECT_FALSE(is_json(inspect(trace_, "ET_INSPECT_CONFIG= "))) << "empty: none";
  config("format = 'json'\n", "other.toml");
  EXPECT_TRUE(is_json(inspect(trace_, "ET_INSPECT_CONFIG=other.toml ")));
  EXPECT_EQ(inspect(trace_, "ET_INSPECT_CONFIG=none.toml ").exit_code, 2) << "a file that is named has to be there";
}

TEST_F(ConfigFile, TheFileOfAFolderMayNotWriteFiles) {
  for (const char* text :
       {"output = 'lost'\n", "[et-inspect]\nstore = 'lost'\n", "[et-inspect.sql]\noutput = 'lost'\n"}) {
    config(text);
    const CommandResult r = inspect(trace_);
    EXPECT_EQ(r.exit_code, 2) << text;
    EXPECT_NE(r.err.find("writes files"), std::string::npos) << r.err;
    EXPECT_FALSE(std::filesystem::exists(dir_ / "lost")) << text;
  }
  config("[et-run]\netdump = 'lost'\n");
  EXPECT_EQ(inspect(trace_).exit_code, 0) << "of another program: et-run says it";
  config("");
  config("[et-inspect]\noutput = 'wanted'\n", ".config/et-inspect/config.toml");
  EXPECT_EQ(inspect(trace_).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "wanted")) << "the user's own may";
}

TEST_F(ConfigFile, FlagsAndListsAreValuesToo) {
  config("[et-inspect]\nquiet = true\nsamples = false\nsource-map = ['/a=/b', '/c=/d']\n");
  const CommandResult r = inspect(trace_);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out, inspect(trace_ + " --quiet", "ET_INSPECT_CONFIG= ").out);
}

TEST_F(ConfigFile, WhatIsWrongIsNamedWithItsLine) {
  const auto error = [&](const std::string& text) {
    config(text);
    const CommandResult r = inspect(trace_);
    EXPECT_EQ(r.exit_code, 2) << text;
    EXPECT_EQ(r.out, "") << text;
    return r.err.substr(0, r.err.find('\n'));
  };
  EXPECT_EQ(error("[et-inspect]\ntopp = 3\n"),
            "et-inspect: error: .et-inspect.toml:2:8: et-inspect has no option 'topp'; did you mean 'top'?");
  EXPECT_EQ(
      error("\n[et-inspekt]\ntop = 3\n"),
      "et-inspect: error: .et-inspect.toml:3:7: unknown table 'et-inspekt'; expected et-inspect, et-run, et-check or "
      "et-inspect-gui");
  EXPECT_EQ(error("[et-inspect.sauce]\ntop = 3\n"),
            "et-inspect: error: .et-inspect.toml:2:7: et-inspect has no command 'sauce'");
  EXPECT_EQ(error("[et-inspect]\ntop = 'many'\n"),
            "et-inspect: error: .et-inspect.toml:2:7: --top: expected a non-negative integer, got 'many'");
  EXPECT_EQ(error("[et-inspect]\nformat = ['csv', 'json']\n"),
            "et-inspect: error: .et-inspect.toml:2:10: format: expected one value, got 2");
  EXPECT_EQ(
      error("[et-inspect]\ntop = 1979-05-27\n"),
      "et-inspect: error: .et-inspect.toml:2:7: top: expected a text, a number, true or false, or a list of these");
  EXPECT_EQ(error("[et-inspect]\nhelp = true\n").substr(0, 73),
            "et-inspect: error: .et-inspect.toml:2:8: et-inspect has no option 'help'");
  EXPECT_NE(error("[[[").find(".et-inspect.toml:1:"), std::string::npos);
  EXPECT_EQ(inspect("--help").exit_code, 0) << "help comes even then";
}

TEST_F(ConfigFile, EveryProgramReadsItsOwnTable) {
  config("[et-inspect]\ntop = 1\n[et-run]\niterations = 7\n[et-check]\niterations = 0\n");
  const std::string program = shell_word(std::string(ET_FIXTURES) + "/artifacts/add_mul/program.pte");
  const CommandResult r = shell(dir_, std::string(ET_RUN_COMMAND) + " " + program);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_NE(r.out.find("7 iterations"), std::string::npos) << r.out;
}

}  // namespace
}  // namespace et::cli
