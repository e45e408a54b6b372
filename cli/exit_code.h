// The exit codes of all commands: documented once here, printed by --help and the man pages.
#pragma once

#include "base/status.h"

namespace et::cli {

enum ExitCode : int {
  kExitOk = 0,
  kExitDifference = 1,  // a check failed, or what was compared differs
  kExitUsage = 2,
  kExitInput = 3,       // a file cannot be read, or is corrupt
  kExitIncomplete = 4,  // data loss: the result holds only what could be read
};

struct ExitCodeHelp {
  int code;
  const char* text;
};

inline constexpr ExitCodeHelp kExitCodes[] = {
    {kExitOk, "success"},
    {kExitDifference, "a check failed or a difference was found (e.g. the record belongs to another program)"},
    {kExitUsage, "usage: unknown option, bad value, or an option that makes no sense here"},
    {kExitInput, "input that cannot be read or is corrupt, or output that cannot be written"},
    {kExitIncomplete, "incomplete: data was lost, the output holds what could be read"},
};

/// What the command line got wrong is usage, everything else lies in the files.
inline int exit_code_of(const Status& status) {
  if (status.ok()) return kExitOk;
  return status.code() == Error::InvalidArgument ? kExitUsage : kExitInput;
}

}  // namespace et::cli
