// The text form of golden cases: parsing it, and writing new expected output back into it. README.md has the grammar.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace et::golden {

// One thing that a step promises.
struct Expectation {
  enum class Kind { kIs, kFile, kContains, kExcludes };
  enum class Stream { kOut, kErr };
  Kind kind = Kind::kContains;
  Stream stream = Stream::kOut;
  std::string text;            // kIs: the whole text; kFile: name under expected/; else the wanted part
  std::size_t line = 0;        // 1-based line of the key in the case file
  std::size_t block_size = 0;  // kIs: lines of the block that follow the key
};

// One command of a case.
struct Step {
  std::string command;  // a shell command with placeholders
  int exit_code = 0;
  std::size_t line = 0;
  std::vector<Expectation> expectations;
};

struct Case {
  std::string name;
  std::size_t line = 0;
  std::vector<std::string> env;        // NAME=value
  std::vector<std::string> masks;      // regular expressions whose matches read {masked}
  std::vector<std::string> requires_;  // commands that must be there, else the case is skipped
  std::vector<Step> steps;
};

struct CaseFile {
  std::vector<Case> cases;
  std::string error;  // "line 3: ..." when the text is not a case file
};

CaseFile parse_cases(const std::string& text);

// New text of a `stdout is:` or `stderr is:` block.
struct BlockUpdate {
  std::size_t line = 0;  // of the key
  std::size_t block_size = 0;
  std::string text;
};

// `text` with the blocks replaced; the order of the updates does not matter.
std::string with_blocks(const std::string& text, std::vector<BlockUpdate> updates);

}  // namespace et::golden
