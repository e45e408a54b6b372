// et-check: runs the test cases of bundled programs and says which of them fail, and why; makes bundled programs.
#include "cli/check/bundle_command.h"
#include "cli/check/check_command.h"
#include "cli/run/program_main.h"
#include "cli/version.h"

namespace et::cli {
namespace {

constexpr const CommandSpec* kCommands[] = {&kCheckCommand, &kBundleCommand, &kExtractCommand};
constexpr const char* kRelated[] = {"et-inspect", "et-run"};
constexpr ProgramSpec kProgram = {"et-check", kVersion, kCommands, kRelated};

}  // namespace
}  // namespace et::cli

int main(int argc, char** argv) { return et::cli::run_program(et::cli::kProgram, argc, argv); }
