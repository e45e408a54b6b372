// The program et-inspect: its commands, and the options that several of them share.
#include "cli/commands/commands.h"
#include "cli/input_files.h"
#include "cli/version.h"

namespace et::cli {

namespace {

#define ET_ADDRESS(command) &command,
constexpr const CommandSpec* kCommands[] = {ET_INSPECT_COMMANDS(ET_ADDRESS)};
#undef ET_ADDRESS

constexpr ProgramSpec kProgram = {"et-inspect", kVersion, kCommands};

constexpr OptionSpec kImportOptions[] = {
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
     .help = "unit of the ETDump's timestamps"},
    {.name = "delegate-clock",
     .argument = "BACKEND=UNIT[@FREQ]",
     .type = Value::Text,
     .many = true,
     .help = "clock of a delegate's events, e.g. QnnBackend=us or EthosUBackend=cycles@1GHz"},
};
constexpr auto kInput = importer_options_and(kImportOptions);

}  // namespace

constexpr OptionGroup kInputOptions = {"Input", kInput};

const ProgramSpec& et_inspect() { return kProgram; }

}  // namespace et::cli
