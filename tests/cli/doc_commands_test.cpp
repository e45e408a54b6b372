// Documents show commands that exist: every `et-inspect|et-run|et-check … --option` in them is looked up in the tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/check/commands.h"
#include "cli/option_table.h"
#include "cli/run_command.h"

namespace et::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> documents() {
  const fs::path root = ET_SOURCE_DIR;
  std::vector<fs::path> out = {root / "README.md", root / "README.zh-CN.md", root / "CONTRIBUTING.md"};
  for (const char* folder : {"docs", "samples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      // The reference is made from the tables (scripts/make_reference.py).
      if (entry.path().extension() == ".md" && entry.path().filename() != "reference-cli.md")
        out.push_back(entry.path());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool ends_command(const std::string& word) {
  return word == "|" || word == "||" || word == "&&" || word == ";" || word.starts_with('#') || word.starts_with('>') ||
         word.starts_with('<');
}

/// Letters, digits and dashes: what a subcommand or the name of an option may consist of.
std::string name_at_start(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && (std::isalnum(static_cast<unsigned char>(text[n])) != 0 || text[n] == '-')) ++n;
  return std::string(text.substr(0, n));
}

class Checker {
 public:
  explicit Checker(std::string place) : place_(std::move(place)) {}

  /// `words`: what follows the program's name, up to the end of the line or of the quotation. In
  /// a command (`code`) the first word must be a subcommand or a file, and letters are looked up, too.
  void command(const ProgramSpec& program, const std::vector<std::string>& words, bool code) {
    const CommandSpec* spec = &main_command(program);
    if (!words.empty()) {
      if (const CommandSpec* found = find_command(program, words[0])) {
        spec = found;
      } else if (code && &program == &et_inspect()) {  // et-check takes folders, whose names look alike
        const bool bare = name_at_start(words[0]) == words[0] && !words[0].starts_with('-') && words[0] != "COMMAND";
        EXPECT_FALSE(bare) << place_ << ": " << program.name << " has no command '" << words[0] << "'";
      }
    }
    for (const std::string& word : words) {
      if (ends_command(word)) return;
      if (word.starts_with("--") && word.size() > 2) option(program, *spec, word);
      if (code && word.size() == 2 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) != 0) {
        letter(program, *spec, word[1]);
      }
    }
  }

  size_t checked = 0;

 private:
  void option(const ProgramSpec& program, const CommandSpec& spec, const std::string& word) {
    const std::string name = name_at_start(std::string_view(word).substr(2));
    ++checked;
    for (const OptionSpec* o : options_of(spec)) {
      if (name == o->name) return;
    }
    ADD_FAILURE() << place_ << ": " << full_name(program, spec) << " has no option --" << name;
  }
  void letter(const ProgramSpec& program, const CommandSpec& spec, char name) {
    for (const OptionSpec* o : options_of(spec)) {
      if (name == o->short_name) return;
    }
    ADD_FAILURE() << place_ << ": " << full_name(program, spec) << " has no option -" << name;
  }

  std::string place_;
};

/// The command lines in one line of a document: behind a program's name as a word, up to the closing backtick if the
/// name stands behind one.
size_t check_line(const std::string& line, bool block, const std::string& place) {
  Checker checker(place);
  for (const ProgramSpec* program : {&et_inspect(), &et_run(), &et_check()}) {
    const std::string name = program->name;
    for (size_t at = line.find(name); at != std::string::npos; at = line.find(name, at + 1)) {
      const size_t end = at + name.size();
      if (end >= line.size() || line[end] != ' ') continue;  // et-inspect-gui, `et-inspect`, …
      const bool path = at > 0 && line[at - 1] == '/';       // build/release/bin/et-inspect
      if (at > 0 && line[at - 1] != ' ' && line[at - 1] != '`' && !path) continue;
      const bool quoted = std::count(line.begin(), line.begin() + static_cast<ptrdiff_t>(at), '`') % 2 == 1;
      const size_t stop = quoted ? std::min(line.find('`', at), line.size()) : line.size();
      if (!quoted && !block) continue;  // prose
      // In a comment or a list of arguments the name is no command.
      const size_t before = line.find_first_not_of(" `$");
      const bool first = before == std::string::npos || before >= at || (path && line.find(' ', before) > at) ||
                         (quoted && line[at - 1] == '`');
      std::istringstream text(line.substr(end, stop - end));
      std::vector<std::string> words;
      for (std::string w; text >> w;) words.push_back(w);
      checker.command(*program, words, first);
    }
  }
  return checker.checked;
}

TEST(DocCommands, DocumentsShowOptionsThatExist) {
  size_t checked = 0;
  for (const fs::path& path : documents()) {
    std::ifstream in(path);
    ASSERT_TRUE(in) << path;
    bool fenced = false;
    size_t number = 0;
    std::string pending;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line.starts_with("```")) fenced = !fenced;
      if (line.ends_with('\\')) {  // a command that goes on in the next line
        pending += line.substr(0, line.size() - 1);
        continue;
      }
      line = pending + line;
      pending.clear();
      checked += check_line(line, fenced || line.starts_with("    "), path.string() + ":" + std::to_string(number));
    }
  }
  EXPECT_GT(checked, 50U) << "the documents show commands, and this test finds them";
}

}  // namespace
}  // namespace et::cli
