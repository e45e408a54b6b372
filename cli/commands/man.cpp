// `et-inspect man [COMMAND]`: a man page in roff.
#include "cli/man_page.h"

#include "cli/commands/commands.h"
#include "cli/output.h"

namespace et::cli {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const CommandSpec* c : et_inspect().commands) {
    if (c->name[0] != 0) out.emplace_back(c->name);
  }
  return out;
}

constexpr OptionSpec kPositionals[] = {
    {.name = "page",
     .argument = "COMMAND",
     .type = Value::Choice,
     .choices_from = names,
     .complete = Complete::Choices,
     .help = "the subcommand; without it the page of et-inspect itself"},
};

constexpr Example kExamples[] = {
    {"man | man -l -", "read the page of et-inspect"},
    {"man sql > et-inspect-sql.1", "write the page of a subcommand"},
};

int run(const Arguments& args) {
  const ProgramSpec& program = args.program();
  const CommandSpec* command = find_command(program, args.text("page"));
  return write_output(args, man_page(program, command == nullptr ? main_command(program) : *command));
}

}  // namespace

constexpr CommandSpec kManCommand = {
    .name = "man",
    .summary = "print a man page",
    .description = "Prints a man page in roff, as `man -l` and packagers take it.",
    .positionals = kPositionals,
    .groups = {},
    .examples = kExamples,
    .run = run,
};

}  // namespace et::cli
