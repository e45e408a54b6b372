#include "cli/check/commands.h"
#include "cli/version.h"

namespace et::cli {
namespace {

#define ET_ADDRESS(command) &command,
constexpr const CommandSpec* kCheckCommands[] = {ET_CHECK_COMMANDS(ET_ADDRESS)};
#undef ET_ADDRESS
constexpr const char* kCheckRelated[] = {"et-inspect", "et-run"};
constexpr ProgramSpec kCheckProgram = {"et-check", kVersion, kCheckCommands, kCheckRelated};

}  // namespace

const ProgramSpec& et_check() { return kCheckProgram; }

}  // namespace et::cli
