#include "cli/option_table.h"

#include <cstring>

#include "cli/shared_options.h"

namespace et::cli {

namespace {

constexpr OptionSpec kCommon[] = {
    kOutputOption, kColorOption,
    kQuietOption,  {.name = "no-progress", .help = "no progress on standard error (never shown without a terminal)"},
    kLangOption,   kHelpOption,
};
constexpr OptionSpec kFormat[] = {kFormatOption, kJsonOption};

}  // namespace

constexpr OptionGroup kCommonOptions = {"Common options", kCommon};
constexpr OptionGroup kFormatOptions = {"Format", kFormat};

const CommandSpec& main_command(const ProgramSpec& program) { return *program.commands[0]; }

const CommandSpec* find_command(const ProgramSpec& program, std::string_view name) {
  for (const CommandSpec* c : program.commands) {
    if (c->name[0] != 0 && name == c->name) return c;
  }
  return nullptr;
}

std::vector<const OptionGroup*> groups_of(const CommandSpec& command) {
  std::vector<const OptionGroup*> out(command.groups.begin(), command.groups.end());
  out.push_back(command.common != nullptr ? command.common : &kCommonOptions);
  return out;
}

std::vector<const OptionSpec*> options_of(const CommandSpec& command) {
  std::vector<const OptionSpec*> out;
  for (const OptionGroup* g : groups_of(command)) {
    for (const OptionSpec& o : g->options) out.push_back(&o);
  }
  return out;
}

std::vector<std::string> words_of(const char* list) {
  std::vector<std::string> out;
  for (const char* p = list; p != nullptr;) {
    const char* bar = std::strchr(p, '|');
    out.emplace_back(p, bar == nullptr ? std::strlen(p) : static_cast<size_t>(bar - p));
    p = bar == nullptr ? nullptr : bar + 1;
  }
  return out;
}

std::vector<std::string> choices_of(const OptionSpec& option) {
  return option.choices_from != nullptr ? option.choices_from() : words_of(option.choices);
}

std::string full_name(const ProgramSpec& program, const CommandSpec& command) {
  return command.name[0] == 0 ? program.name : std::string(program.name) + " " + command.name;
}

std::string positional_usage(const CommandSpec& command) {
  std::string out;
  for (const OptionSpec& p : command.positionals) {
    if (!out.empty()) out += ' ';
    const std::string name = std::string(p.argument) + (p.many ? "..." : "");
    out += p.required ? name : "[" + name + "]";
  }
  return out;
}

}  // namespace et::cli
