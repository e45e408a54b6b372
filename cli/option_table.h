// The table of commands and options. Parsing, --help, shell completions and man pages all come from it; nothing about
// an option is said anywhere else. All of it is constant data: no code runs before main.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace et::cli {

class Arguments;

enum class Value { Flag, Text, Integer, Choice };
enum class Complete { None, File, Directory, Choices };

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
extern const OptionGroup kInputOptions;   // what belongs to a dump: record, program, debug buffer, store, clocks
extern const OptionGroup kFormatOptions;  // --format of tables

/// The positional argument of every command that reads one trace.
inline constexpr OptionSpec kTraceArgument = {
    .name = "trace",
    .argument = "TRACE",
    .type = Value::Text,
    .complete = Complete::File,
    .required = true,
    .unless = "etrecord|pte",
    .help =
        "ETDump file, or a trace of a store: store.db (its only trace), store.db#3, store.db#name, store.db@latest; "
        "--etrecord or --pte alone show what is known without a run"};

/// --units of every command that shows times of a trace.
constexpr OptionSpec units_option(const char* help) {
  return {.name = "units",
          .short_name = 'u',
          .argument = "UNIT",
          .type = Value::Choice,
          .choices = "auto|ns|us|ms|s|cycles",
          .fallback = "auto",
          .complete = Complete::Choices,
          .help = help};
}
inline constexpr OptionSpec kUnitsOption = units_option("unit of times");

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
