// The list of the subcommands of et-inspect: one file in this folder each, one line here each. --help keeps this order.
#pragma once

#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "cli/shared_options.h"

#define ET_INSPECT_COMMANDS(X) \
  X(kReportCommand)            \
  X(kSourceCommand)            \
  X(kGraphCommand)             \
  X(kDelegationCommand)        \
  X(kDiffCommand)              \
  X(kFindingsCommand)          \
  X(kRooflineCommand)          \
  X(kWhatIfCommand)            \
  X(kGapCommand)               \
  X(kSensitivityCommand)       \
  X(kLlmCommand)               \
  X(kPayloadsCommand)          \
  X(kSizeCommand)              \
  X(kMemoryCommand)            \
  X(kPredictCommand)           \
  X(kPteCommand)               \
  X(kWhereCommand)             \
  X(kExportCommand)            \
  X(kFleetReportCommand)       \
  X(kGuiCommand)               \
  X(kDoctorCommand)            \
  X(kTracesCommand)            \
  X(kHistoryCommand)           \
  X(kSqlCommand)               \
  X(kSchemaCommand)            \
  X(kCompletionCommand)        \
  X(kManCommand)               \
  X(kVersionCommand)

namespace et::cli {

#define ET_DECLARE(command) extern const CommandSpec command;
ET_INSPECT_COMMANDS(ET_DECLARE)
#undef ET_DECLARE

}  // namespace et::cli
