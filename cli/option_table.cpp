#include "cli/option_table.h"

#include <cstring>

#include "cli/commands/commands.h"
#include "cli/version.h"

namespace et::cli {

namespace {

#define ET_ADDRESS(command) &command,
constexpr const CommandSpec* kCommands[] = {ET_INSPECT_COMMANDS(ET_ADDRESS)};
#undef ET_ADDRESS

constexpr ProgramSpec kProgram = {"et-inspect", kVersion, kCommands};

constexpr OptionSpec kCommon[] = {
    {.name = "output",
     .short_name = 'o',
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "write to FILE instead of standard output; the file appears whole or not at all"},
    {.name = "color",
     .argument = "WHEN",
     .type = Value::Choice,
     .choices = "auto|always|never",
     .fallback = "auto",
     .complete = Complete::Choices,
     .help = "colours: auto means on a terminal, unless NO_COLOR is set"},
    {.name = "quiet", .short_name = 'q', .help = "no progress and no warnings on standard error"},
    {.name = "no-progress", .help = "no progress on standard error (there is none without a terminal)"},
    {.name = "help", .short_name = 'h', .help = "show this help"},
};

constexpr OptionSpec kInput[] = {
    {.name = "etrecord",
     .short_name = 'e',
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "ETRecord of the program: graph nodes, Python lines, modules"},
    {.name = "pte",
     .short_name = 'p',
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "the program: operators, memory plan, the nodes inside delegates"},
    {.name = "debug-buffer",
     .short_name = 'b',
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "debug buffer of the dump: the logged tensors"},
    {.name = "store",
     .short_name = 's',
     .argument = "FILE",
     .type = Value::Text,
     .complete = Complete::File,
     .help = "keep the trace in this store (made when missing); without it the store lives in memory"},
    {.name = "name", .argument = "NAME", .type = Value::Text, .help = "name of the trace in the store: store.db#NAME"},
    {.name = "source-time-scale",
     .argument = "UNIT",
     .type = Value::Choice,
     .choices = "ns|us|ms|s|cycles",
     .fallback = "ns",
     .complete = Complete::Choices,
     .help = "unit of the dump's ticks"},
    {.name = "delegate-clock",
     .argument = "BACKEND=UNIT[@FREQ]",
     .type = Value::Text,
     .many = true,
     .help = "clock of a delegate's events, e.g. QnnBackend=us or EthosUBackend=cycles@1GHz"},
};

constexpr OptionSpec kFormat[] = {
    {.name = "format",
     .short_name = 'f',
     .argument = "FORMAT",
     .type = Value::Choice,
     .choices = "table|json|csv|tsv|markdown",
     .fallback = "table",
     .complete = Complete::Choices,
     .help = "format of the output"},
};

}  // namespace

constexpr OptionGroup kCommonOptions = {"Common options", kCommon};
constexpr OptionGroup kInputOptions = {"Input", kInput};
constexpr OptionGroup kFormatOptions = {"Format", kFormat};

const ProgramSpec& et_inspect() { return kProgram; }

const CommandSpec& main_command(const ProgramSpec& program) { return *program.commands[0]; }

const CommandSpec* find_command(const ProgramSpec& program, std::string_view name) {
  for (const CommandSpec* c : program.commands) {
    if (c->name[0] != 0 && name == c->name) return c;
  }
  return nullptr;
}

std::vector<const OptionGroup*> groups_of(const CommandSpec& command) {
  std::vector<const OptionGroup*> out(command.groups.begin(), command.groups.end());
  out.push_back(&kCommonOptions);
  return out;
}

std::vector<const OptionSpec*> options_of(const CommandSpec& command) {
  std::vector<const OptionSpec*> out;
  for (const OptionGroup* g : groups_of(command)) {
    for (const OptionSpec& o : g->options) out.push_back(&o);
  }
  return out;
}

std::vector<std::string> choices_of(const OptionSpec& option) {
  if (option.choices_from != nullptr) return option.choices_from();
  std::vector<std::string> out;
  for (const char* p = option.choices; p != nullptr;) {
    const char* bar = std::strchr(p, '|');
    out.emplace_back(p, bar == nullptr ? std::strlen(p) : static_cast<size_t>(bar - p));
    p = bar == nullptr ? nullptr : bar + 1;
  }
  return out;
}

std::string full_name(const ProgramSpec& program, const CommandSpec& command) {
  return command.name[0] == 0 ? program.name : std::string(program.name) + " " + command.name;
}

std::string positional_usage(const CommandSpec& command) {
  std::string out;
  for (const OptionSpec& p : command.positionals) {
    if (!out.empty()) out += ' ';
    out += p.required ? p.argument : "[" + std::string(p.argument) + "]";
  }
  return out;
}

}  // namespace et::cli
