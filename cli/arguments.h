// A parsed command line: which command, and the values of its options by the names of the option table. CLI11 splits
// the words (split_words.h); values are checked here against the table, so that every command reports them alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "cli/option_table.h"

namespace et::cli {

class Arguments {
 public:
  const ProgramSpec& program() const { return *program_; }
  const CommandSpec& command() const { return *command_; }

  /// True when the user gave the option or the positional.
  bool given(std::string_view name) const { return !list(name).empty(); }
  bool flag(std::string_view name) const { return given(name); }
  /// The value given, else the default of the table, else "".
  std::string text(std::string_view name) const;
  /// As text(), for options of type Integer; `otherwise` without value and default.
  int64_t integer(std::string_view name, int64_t otherwise = 0) const;
  /// All values given, in their order; empty without.
  const std::vector<std::string>& list(std::string_view name) const;
  /// The values of an option of type Pair, split at the first '='; parse() has checked them.
  std::vector<std::pair<std::string, std::string>> pairs(std::string_view name) const;
  /// The same with other values of an option or positional.
  Arguments with(std::string_view name, std::vector<std::string> values) const;
  /// Names and values of all options in the order of the command line, where it matters what belongs to what.
  const std::vector<std::pair<std::string_view, std::string>>& in_order() const { return in_order_; }

 private:
  friend Status parse(const ProgramSpec&, const std::vector<std::string>&, Arguments*);
  struct Entry {
    const OptionSpec* spec;
    std::vector<std::string> values;
  };
  const Entry* find(std::string_view name) const;
  Status join_json();    // --json is --format json where a command has both
  Status take_config();  // what configuration files say of options that were not given

  const ProgramSpec* program_ = nullptr;
  const CommandSpec* command_ = nullptr;
  std::vector<Entry> entries_;
  std::vector<std::pair<std::string_view, std::string>> in_order_;
};

/// Parses the words after the program's name; what they leave open is taken from the configuration files. With --help
/// (or, on the main command, --version) nothing else is required. Errors: InvalidArgument with a message that names the
/// option and, for a typo, what was probably meant; the command of `out` is set even then, for a hint at its --help.
Status parse(const ProgramSpec& program, const std::vector<std::string>& words, Arguments* out);

}  // namespace et::cli
