// Help and messages in another language: what has no translation is found here, and nothing is lost in one.
#include "cli/language.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "cli/check/commands.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/option_table.h"
#include "cli/run_command.h"

namespace et::cli {
namespace {

constexpr int kWidth = 100;
// Of all texts of the tables; a text that was just written is translated by somebody who can.
constexpr double kMostWithoutTranslation = 0.05;

class Language : public testing::Test {
 protected:
  void choose(const std::string& language) {
    const std::vector<std::string> words = {"--lang", language};
    choose_language(words);
  }
  void TearDown() override { choose("en"); }
};

void add_paragraphs(const char* description, std::set<std::string>* out) {
  std::istringstream text(description);
  std::string paragraph;
  for (std::string line; std::getline(text, line);) {
    if (line.empty()) {
      out->insert(paragraph);
      paragraph.clear();
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + line;
    }
  }
  out->insert(paragraph);
}

/// All that --help of any command shows but names and command lines.
std::set<std::string> texts_of_help() {
  std::set<std::string> out = {"Usage", "Arguments", "Commands", "Examples", "Exit codes"};
  for (const ProgramSpec* program : {&et_inspect(), &et_run(), &et_check()}) {
    for (const CommandSpec* command : program->commands) {
      out.insert(command->summary);
      add_paragraphs(command->description, &out);
      for (const OptionSpec& argument : command->positionals) out.insert(argument.help);
      for (const OptionGroup* group : groups_of(*command)) {
        out.insert(group->title);
        for (const OptionSpec& option : group->options) out.insert(option.help);
      }
      for (const Example& example : command->examples) out.insert(example.text);
    }
  }
  for (const ExitCodeHelp& code : kExitCodes) out.insert(code.text);
  out.erase("");
  return out;
}

TEST_F(Language, TextsOfHelpHaveATranslationInEachLanguage) {
  const std::set<std::string> texts = texts_of_help();
  ASSERT_GT(texts.size(), 300U);
  for (const std::string& language : languages()) {
    if (language == "en") continue;
    choose(language);
    std::string without;
    size_t count = 0;
    for (const std::string& text : texts) {
      if (tr(text) != text) continue;
      ++count;
      without += "  " + text + "\n";
    }
    RecordProperty("without_" + language, static_cast<int>(count));
    EXPECT_LE(static_cast<double>(count), kMostWithoutTranslation * static_cast<double>(texts.size()))
        << "po/" << language << "*.po lacks\n"
        << without;
  }
}

TEST_F(Language, NoLineOfHelpIsWiderThanThePage) {
  for (const std::string& language : languages()) {
    choose(language);
    for (const CommandSpec* command : et_inspect().commands) {
      std::istringstream text(help_text(et_inspect(), *command, kWidth, false));
      for (std::string line; std::getline(text, line);) {
        if (line.find("et-inspect") != std::string::npos) continue;  // command lines of examples are not wrapped
        EXPECT_LE(text_columns(line), static_cast<size_t>(kWidth)) << language << ": " << line;
      }
    }
  }
}

TEST_F(Language, OptionsKeepTheirNames) {
  choose("zh");
  const std::string help = help_text(et_inspect(), main_command(et_inspect()), kWidth, false);
  for (const OptionSpec* option : options_of(main_command(et_inspect()))) {
    EXPECT_NE(help.find(std::string("--") + option->name), std::string::npos) << option->name;
  }
}

TEST_F(Language, WhatAMessageNamesStandsInItsTranslation) {
  choose("zh");
  const std::string message = tr_message("x.bin: expected an ETDump, got an ETRecord; pass it with --etrecord");
  EXPECT_EQ(message.find("expected"), std::string::npos) << message;
  for (const char* part : {"x.bin", "ETDump", "ETRecord", "--etrecord"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_EQ(tr_message("x.bin: expected an ETDump, got an ETRecord").find("an ET"), std::string::npos)
      << "what the program says of them is translated, too";
  EXPECT_EQ(tr_message("nobody ever wrote this message"), "nobody ever wrote this message");
}

TEST_F(Language, TheCommandLineGoesBeforeTheEnvironment) {
  ASSERT_EQ(setenv("LC_ALL", "zh_CN.UTF-8", 1), 0);
  choose_language({});
  EXPECT_NE(tr("success"), "success");
  const std::vector<std::string> english = {"--lang=en"};
  choose_language(english);
  EXPECT_EQ(tr("success"), "success");
  const std::vector<std::string> after = {"--", "--lang", "en"};  // a file's name
  choose_language(after);
  EXPECT_NE(tr("success"), "success");
  ASSERT_EQ(setenv("LC_ALL", "C.UTF-8", 1), 0);
  choose_language({});
  EXPECT_EQ(tr("success"), "success");
}

TEST_F(Language, LinesOfChineseBreakBetweenCharactersButNotBeforeACommaOrBehindABracket) {
  const std::vector<Piece> pieces = pieces_of("程序（.pte），好 ok");
  std::vector<std::string> texts;
  for (const Piece& piece : pieces) texts.push_back(piece.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"程", "序", "（.pte），", "好", "ok"}));
  EXPECT_TRUE(pieces.back().space);
  EXPECT_EQ(text_columns("好ok"), 4U);
  EXPECT_EQ(pieces_of("\xff\xe4\xb8").size(), 1U) << "broken UTF-8 ends";
}

}  // namespace
}  // namespace et::cli
