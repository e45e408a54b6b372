// The types of the table of commands and options. Parsing, --help, shell completions and man pages all come from the
// table. All of it is constant data: no code runs before main. Rows that commands share: shared_options.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace et::cli {

class Arguments;

/// Pair: two texts around a '=', as the name of the value shows them: "KEY=VALUE".
enum class Value { Flag, Text, Integer, Choice, Pair };
enum class Complete { None, File, Directory, Choices };
/// Updates: reads what is there, and adds to it.
enum class FileUse { Reads, Writes, Updates };

/// One option, or one positional argument.
struct OptionSpec {
  const char* name;                ///< long name without dashes; a positional's key for Arguments
  char short_name = 0;             ///< 0 for none
  const char* argument = nullptr;  ///< name of the value in --help, nullptr for a flag
  Value type = Value::Flag;
  const char* choices = nullptr;                         ///< Choice: "table|json|csv"
  std::vector<std::string> (*choices_from)() = nullptr;  ///< Choice: asked instead of `choices`
  const char* fallback = nullptr;                        ///< value when it is not given, nullptr for none
  Complete complete = Complete::None;                    ///< what a shell offers for the value
  FileUse use = FileUse::Reads;                          ///< of a file
  bool many = false;                                     ///< may be given several times
  bool required = false;                                 ///< positionals only
  const char* unless = nullptr;                          ///< not required with one of these options: "etrecord|pte"
  bool alone = false;                                    ///< given, nothing is required: it is answered by itself
  const char* help = "";                                 ///< one sentence, without a full stop
};

struct OptionGroup {
  const char* title;
  std::span<const OptionSpec> options;
};

struct Example {
  const char* command;  ///< without the program's name
  const char* text;     ///< what it does
};

struct CommandSpec {
  const char* name;         ///< "" for the program's main command
  const char* summary;      ///< one line
  const char* description;  ///< paragraphs, separated by empty lines
  std::span<const OptionSpec> positionals;
  std::span<const OptionGroup* const> groups;  ///< the group of options that every command has is added to these
  std::span<const Example> examples;
  int (*run)(const Arguments&);
  const OptionGroup* common = nullptr;  ///< nullptr: kCommonOptions
};

struct ProgramSpec {
  const char* name;
  const char* version;
  std::span<const CommandSpec* const> commands;  ///< the first is the main command
  std::span<const char* const> related = {};     ///< other programs, for SEE ALSO
};

/// The program `et-inspect`. Its commands are listed in commands/commands.h.
const ProgramSpec& et_inspect();

// Groups that commands share.
extern const OptionGroup kCommonOptions;  // help, colour, output file: every command has them
extern const OptionGroup kInputOptions;   // what belongs to an ETDump: ETRecord, program, debug buffer, store, clocks
extern const OptionGroup kFormatOptions;  // --format of tables

// Looking things up in the table.
const CommandSpec& main_command(const ProgramSpec&);
const CommandSpec* find_command(const ProgramSpec&, std::string_view name);
/// All groups of a command, the common one last.
std::vector<const OptionGroup*> groups_of(const CommandSpec&);
/// All options of a command in the order of --help.
std::vector<const OptionSpec*> options_of(const CommandSpec&);
std::vector<std::string> choices_of(const OptionSpec&);
/// The words of "table|json|csv"; none of nullptr.
std::vector<std::string> words_of(const char* list);
/// "et-inspect" or "et-inspect sql".
std::string full_name(const ProgramSpec&, const CommandSpec&);
/// "TRACE [QUERY]": the positionals as --help writes them.
std::string positional_usage(const CommandSpec&);

}  // namespace et::cli
