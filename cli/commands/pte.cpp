// `et-inspect pte PROGRAM`: its methods, values, instructions and delegates as text.
#include "cli/commands/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/program_argument.h"
#include "inspector/report/program_dump.h"

namespace et::cli {
namespace {

constexpr OptionSpec kPtePositionals[] = {kProgramArgument};
constexpr OptionSpec kPte[] = {
    kMethodOption,
    {.name = "list-values", .help = "list every value of a method: type, shape and where its bytes are"},
    choice_option("format", 'f', "FORMAT", "text|json", "text", "output format"),
    kJsonOption,
};
constexpr OptionGroup kPteOptions = {"Program", kPte};
constexpr const OptionGroup* kPteGroups[] = {&kPteOptions};
constexpr Example kPteExamples[] = {
    {"pte model.pte", "what the runtime will do, instruction by instruction"},
    {"pte model.pte --list-values > new.txt; diff old.txt new.txt", "what an export changed"},
};

int run_pte(const Arguments& args) {
  std::string text, path;
  Status status = program_of(args.text("program"), &path);
  if (!status.ok()) return fail(status);
  status = inspector::write_program_dump(
      path, {.method = args.text("method"), .format = args.text("format"), .values = args.flag("list-values")}, &text);
  return status.ok() ? write_output(args, text) : fail(status);
}

}  // namespace

constexpr CommandSpec kPteCommand = {
    .name = "pte",
    .summary = "print a program: methods, values, instructions, delegates",
    .description =
        "Prints a program as the runtime will run it: the instructions of each method with their arguments, delegates, "
        "planned\n"
        "memory, segments. Values are called v0, v1 and so on; small constants stand where they are used. Nothing is "
        "executed.",
    .positionals = kPtePositionals,
    .groups = kPteGroups,
    .examples = kPteExamples,
    .run = run_pte,
};

}  // namespace et::cli
