// The option table is sound: everything else is written from it.
#include "cli/option_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "cli/arguments.h"
#include "cli/help.h"

namespace et::cli {
namespace {

const ProgramSpec& program() { return et_inspect(); }

std::string label(const CommandSpec& c) { return full_name(program(), c); }

TEST(OptionTable, EveryNameMeansOneThing) {
  std::set<std::string> commands;
  for (const CommandSpec* c : program().commands) {
    EXPECT_TRUE(commands.insert(c->name).second) << c->name;
    std::set<std::string> names;
    for (const OptionSpec* o : options_of(*c)) {
      EXPECT_TRUE(names.insert(o->name).second) << label(*c) << " --" << o->name;
      if (o->short_name != 0) {
        EXPECT_TRUE(names.insert(std::string(1, o->short_name)).second) << label(*c) << " -" << o->short_name;
      }
    }
    for (const OptionSpec& p : c->positionals) EXPECT_TRUE(names.insert(p.name).second) << label(*c) << " " << p.name;
  }
}

TEST(OptionTable, ShortOptionsMeanTheSameInEveryCommand) {
  std::set<std::pair<char, std::string>> seen;
  std::set<char> letters;
  for (const CommandSpec* c : program().commands) {
    for (const OptionSpec* o : options_of(*c)) {
      if (o->short_name == 0) continue;
      if (seen.insert({o->short_name, o->name}).second) {
        EXPECT_TRUE(letters.insert(o->short_name).second) << o->short_name;
      }
    }
  }
}

TEST(OptionTable, EveryEntryIsExplained) {
  for (const CommandSpec* c : program().commands) {
    EXPECT_NE(c->run, nullptr);
    EXPECT_FALSE(std::string_view(c->summary).empty()) << label(*c);
    EXPECT_FALSE(std::string_view(c->description).empty()) << label(*c);
    EXPECT_FALSE(c->examples.empty()) << label(*c) << ": --help shows examples";
    auto check = [&](const OptionSpec& o) {
      const std::string_view help = o.help;
      EXPECT_FALSE(help.empty()) << label(*c) << " " << o.name;
      EXPECT_FALSE(help.ends_with('.')) << label(*c) << " " << o.name << ": one sentence without a full stop";
      EXPECT_EQ(help.find('\n'), std::string_view::npos) << o.name;
      EXPECT_EQ(o.argument == nullptr, o.type == Value::Flag) << o.name;
      if (o.type != Value::Choice) return;
      const std::vector<std::string> choices = choices_of(o);
      EXPECT_GE(choices.size(), 2U) << o.name;
      EXPECT_EQ(o.complete, Complete::Choices) << o.name;
      if (o.fallback != nullptr) {
        EXPECT_NE(std::find(choices.begin(), choices.end(), o.fallback), choices.end()) << o.name;
      }
    };
    for (const OptionSpec* o : options_of(*c)) check(*o);
    for (const OptionSpec& p : c->positionals) {
      EXPECT_NE(p.argument, nullptr) << label(*c) << ": a positional has a name";
      check(p);
    }
  }
}

/// The words of an example as a shell would see them, up to a pipe or a redirection.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> out;
  std::string word;
  char quote = 0;
  bool any = false;
  for (const char ch : line + " ") {
    if (quote != 0) {
      if (ch == quote)
        quote = 0;
      else
        word += ch;
    } else if (ch == '"' || ch == '\'') {
      quote = ch;
      any = true;
    } else if (ch == ' ') {
      if (!word.empty() || any) out.push_back(word);
      word.clear();
      any = false;
    } else if (ch == '|' || ch == '>' || ch == '<') {
      break;
    } else {
      word += ch;
    }
  }
  return out;
}

TEST(OptionTable, EveryExampleOfTheHelpParses) {
  for (const CommandSpec* c : program().commands) {
    for (const Example& e : c->examples) {
      Arguments args;
      const Status status = parse(program(), words_of(e.command), &args);
      EXPECT_TRUE(status.ok()) << e.command << ": " << status.message();
      EXPECT_EQ(&args.command(), c) << e.command;
    }
  }
}

TEST(OptionTable, HelpNamesEveryOptionChoiceAndExitCode) {
  for (const CommandSpec* c : program().commands) {
    const std::string help = help_text(program(), *c, 80, false);
    for (const OptionSpec* o : options_of(*c)) {
      EXPECT_NE(help.find(option_heading(*o)), std::string::npos) << label(*c) << " --" << o->name;
      for (const std::string& choice : choices_of(*o)) EXPECT_NE(help.find(choice), std::string::npos) << choice;
    }
    for (const Example& e : c->examples) EXPECT_NE(help.find(e.command), std::string::npos) << e.command;
    EXPECT_NE(help.find("Exit codes:"), std::string::npos);
    EXPECT_NE(help.find("  4    incomplete"), std::string::npos);
    EXPECT_EQ(help.find('\033'), std::string::npos) << "no colours unless asked for";
  }
}

TEST(OptionTable, HelpFitsTheTerminal) {
  for (const CommandSpec* c : program().commands) {
    std::istringstream lines(help_text(program(), *c, 80, false));
    bool example = false;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(' ')) example = line == "Examples:";
      if (!example) {
        EXPECT_LE(line.size(), 80U) << line;  // commands of examples are kept whole, to be copied
      }
    }
  }
}

}  // namespace
}  // namespace et::cli
