// The list of et-check's commands: one file in this folder each, one line here each. The first is the main command.
#pragma once

#include "cli/shared_options.h"

#define ET_CHECK_COMMANDS(X) \
  X(kCheckCommand)           \
  X(kBundleCommand)          \
  X(kExtractCommand)         \
  X(kReferenceCommand)       \
  X(kCheckSensitivityCommand)

namespace et::cli {

#define ET_DECLARE(command) extern const CommandSpec command;
ET_CHECK_COMMANDS(ET_DECLARE)
#undef ET_DECLARE

/// The program et-check.
const ProgramSpec& et_check();

}  // namespace et::cli
