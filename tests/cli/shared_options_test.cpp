// One option is one thing in et-inspect, et-run and et-check: the same letter, the same words, whatever the command.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "cli/check/commands.h"
#include "cli/help.h"
#include "cli/option_table.h"
#include "cli/run_command.h"

namespace et::cli {
namespace {

struct Row {
  std::string command;
  const OptionSpec* option;
};

std::vector<Row> all_rows() {
  std::vector<Row> out;
  for (const ProgramSpec* program : {&et_inspect(), &et_run(), &et_check()}) {
    for (const CommandSpec* c : program->commands) {
      for (const OptionSpec* o : options_of(*c)) out.push_back({full_name(*program, *c), o});
    }
  }
  return out;
}

/// Options with a narrower meaning in one command, which their help says there.
bool has_help_of_its_own(const Row& row) {
  static const std::set<std::pair<std::string, std::string>> kExceptions = {
      {"et-run", "method"},              // the one to run, not a filter
      {"et-check bundle", "method"},     // of the options that follow
      {"et-run", "output"},              // tensors
      {"et-run", "ones"},                // its default
      {"et-check reference", "method"},  // the one to run
      {"et-check reference", "output"},  // an archive
      {"et-inspect gap", "sort"},        // of figures that no other command has
      {"et-inspect gap", "fail-above"},  // an error, not a time
      {"et-check reference", "quiet"},   // the summary, too
      {"et-check bundle", "output"},     // the bundle
      {"et-check bundle", "quiet"},      // the summary, too
      {"et-check extract", "quiet"},
      {"et-run", "no-neighbours"},            // weights
      {"et-inspect export", "samples"},       // of a data set
      {"et-inspect predict", "method"},       // the one that will run
      {"et-inspect predict", "debug-level"},  // there is no --debug-buffer
      {"et-inspect sensitivity", "method"},   // the one to run
      {"et-check sensitivity", "method"},     // the one to run
      {"et-check sensitivity", "output"},     // an archive
      {"et-check sensitivity", "quiet"},      // the summary, too
  };
  return kExceptions.contains({row.command, row.option->name});
}

TEST(SharedOptions, ALetterMeansOneOption) {
  std::map<char, Row> letters;
  for (const Row& row : all_rows()) {
    if (row.option->short_name == 0) continue;
    const auto [at, added] = letters.try_emplace(row.option->short_name, row);
    EXPECT_STREQ(at->second.option->name, row.option->name)
        << "-" << row.option->short_name << " in " << at->second.command << " and in " << row.command;
  }
}

TEST(SharedOptions, AnOptionHasOneLetter) {
  std::map<std::tuple<std::string, std::string>, Row> options;  // by name and value
  for (const Row& row : all_rows()) {
    const OptionSpec& o = *row.option;
    const auto [at, added] = options.try_emplace({o.name, o.argument == nullptr ? "" : o.argument}, row);
    EXPECT_EQ(at->second.option->short_name, o.short_name)
        << "--" << o.name << " in " << at->second.command << " and in " << row.command;
  }
}

TEST(SharedOptions, AnOptionHasOneHelpText) {
  std::map<std::tuple<std::string, std::string>, Row> options;
  for (const Row& row : all_rows()) {
    if (has_help_of_its_own(row)) continue;
    const OptionSpec& o = *row.option;
    const auto [at, added] = options.try_emplace({o.name, o.argument == nullptr ? "" : o.argument}, row);
    EXPECT_STREQ(at->second.option->help, o.help)
        << "--" << o.name << " in " << at->second.command << " and in " << row.command;
    EXPECT_EQ(at->second.option->complete, o.complete) << "--" << o.name;
    EXPECT_EQ(at->second.option->type, o.type) << "--" << o.name;
  }
}

TEST(SharedOptions, EtrecordIsE) {
  for (const Row& row : all_rows()) {
    EXPECT_EQ(row.option->short_name == 'e', std::string_view(row.option->name) == "etrecord") << row.command;
  }
}

TEST(SharedOptions, PairsShowTheirSign) {
  for (const Row& row : all_rows()) {
    if (row.option->type != Value::Pair) continue;
    EXPECT_NE(std::string_view(row.option->argument).find('='), std::string_view::npos) << row.option->name;
  }
}

TEST(SharedOptions, HelpFitsTheTerminal) {
  for (const ProgramSpec* program : {&et_run(), &et_check()}) {
    for (const CommandSpec* c : program->commands) {
      const std::string help = help_text(*program, *c, 80, false);
      const std::string options = help.substr(0, help.find("Examples:"));
      for (size_t at = 0; at < options.size();) {
        const size_t end = std::min(options.find('\n', at), options.size());
        EXPECT_LE(end - at, 80U) << options.substr(at, end - at);
        at = end + 1;
      }
    }
  }
}

}  // namespace
}  // namespace et::cli
