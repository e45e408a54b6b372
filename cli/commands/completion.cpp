// `et-inspect completion SHELL`: the completion script of a shell.
#include "cli/commands/commands.h"
#include "cli/completion_script.h"
#include "cli/output.h"

namespace et::cli {
namespace {

constexpr OptionSpec kCompletionPositionals[] = {
    {.name = "shell",
     .argument = "SHELL",
     .type = Value::Choice,
     .choices = "bash|zsh|fish",
     .complete = Complete::Choices,
     .required = true,
     .help = "the shell"},
};

constexpr Example kCompletionExamples[] = {
    {"completion bash > ~/.local/share/bash-completion/completions/et-inspect", "for bash"},
    {"completion zsh > ~/.zfunc/_et-inspect", "for zsh, when ~/.zfunc is in $fpath"},
    {"completion fish > ~/.config/fish/completions/et-inspect.fish", "for fish"},
};

int run_completion(const Arguments& args) {
  return write_output(args, completion_script(args.program(), args.text("shell")));
}

}  // namespace

constexpr CommandSpec kCompletionCommand = {
    .name = "completion",
    .summary = "print a completion script for bash, zsh or fish",
    .description = "Prints a script that lets the shell complete commands, options, their values and file names.",
    .positionals = kCompletionPositionals,
    .groups = {},
    .examples = kCompletionExamples,
    .run = run_completion,
};

}  // namespace et::cli
