// `et-inspect man [COMMAND]`: a man page in roff.
#include "cli/man_page.h"

#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"

namespace et::cli {
namespace {

std::vector<std::string> page_names() {
  std::vector<std::string> out;
  for (const CommandSpec* c : et_inspect().commands) {
    if (c->name[0] != 0) out.emplace_back(c->name);
  }
  return out;
}

constexpr OptionSpec kManPositionals[] = {
    {.name = "page",
     .argument = "COMMAND",
     .type = Value::Choice,
     .choices_from = page_names,
     .complete = Complete::Choices,
     .help = "subcommand (default: et-inspect itself)"},
};

constexpr OptionSpec kMan[] = {
    {.name = "all",
     .argument = "DIR",
     .type = Value::Text,
     .complete = Complete::Directory,
     .use = FileUse::Writes,
     .help = "write the pages of et-inspect and all its commands to DIR"},
};
constexpr OptionGroup kManOptions = {"Pages", kMan};
constexpr const OptionGroup* kManGroups[] = {&kManOptions};

constexpr Example kManExamples[] = {
    {"man | man -l -", "read the page of et-inspect"},
    {"man sql > et-inspect-sql.1", "write the page of a subcommand"},
    {"man --all /usr/local/share/man/man1", "write all pages, for a package"},
};

/// DIR/et-inspect.1, DIR/et-inspect-sql.1, …
int write_all(const ProgramSpec& program, const std::string& folder) {
  for (const CommandSpec* c : program.commands) {
    Output out;
    Status status = out.open(folder + "/" + man_page_name(program, *c) + ".1");
    if (status.ok()) {
      out.stream() << man_page(program, *c);
      status = out.finish();
    }
    if (!status.ok()) return fail(status);
  }
  return kExitOk;
}

int run_man(const Arguments& args) {
  const ProgramSpec& program = args.program();
  if (args.given("all")) return write_all(program, args.text("all"));
  const CommandSpec* command = find_command(program, args.text("page"));
  return write_output(args, man_page(program, command == nullptr ? main_command(program) : *command));
}

}  // namespace

constexpr CommandSpec kManCommand = {
    .name = "man",
    .summary = "print a man page",
    .description = "Prints a man page in roff, for `man -l` and for packages.",
    .positionals = kManPositionals,
    .groups = kManGroups,
    .examples = kManExamples,
    .run = run_man,
};

}  // namespace et::cli
