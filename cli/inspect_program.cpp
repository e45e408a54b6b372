// The program et-inspect: its commands, and the options that several of them share.
#include "cli/commands/commands.h"
#include "cli/input_files.h"
#include "cli/shared_options.h"
#include "cli/version.h"

namespace et::cli {

namespace {

#define ET_ADDRESS(command) &command,
constexpr const CommandSpec* kCommands[] = {ET_INSPECT_COMMANDS(ET_ADDRESS)};
#undef ET_ADDRESS

constexpr ProgramSpec kProgram = {"et-inspect", kVersion, kCommands};

constexpr OptionSpec kImportOptions[] = {
    kStoreOption,
    value_option("name", 0, "NAME", "name of the trace in the store: store.db#NAME"),
    choice_option("source-time-scale", 0, "UNIT", "ns|us|ms|s|cycles", "ns", "unit of the ETDump's timestamps"),
    number_option("dump-index", 0, nullptr, "which ETDump of a serial log with several, from 0 (default: the last)"),
    repeated(value_option("delegate-clock", 0, "BACKEND=UNIT[@FREQ]",
                          "clock of a delegate's events, e.g. QnnBackend=us or EthosUBackend=cycles@1GHz")),
    kLinesOption,
    kNoNeighboursOption,
};
constexpr auto kInput = importer_options_and(kImportOptions);

}  // namespace

constexpr OptionGroup kInputOptions = {"Input", kInput};

const ProgramSpec& et_inspect() { return kProgram; }

}  // namespace et::cli
