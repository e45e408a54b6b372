// The exit codes of all commands: documented once here, printed by --help and the man pages.
#pragma once

#include "base/status.h"

namespace et::cli {

enum ExitCode : int {
  kExitOk = 0,
  kExitDifference = 1,  // a check failed, or what was compared differs
  kExitUsage = 2,
  kExitInput = 3,          // a file cannot be read, or is corrupt
  kExitIncomplete = 4,     // the result has only what could be read, traced or judged
  kExitInterrupted = 128,  // and the signal's number
};

struct ExitCodeHelp {
  int code;
  const char* text;
};

inline constexpr ExitCodeHelp kExitCodes[] = {
    {kExitOk, "success"},
    {kExitDifference, "a check failed, or files do not match (e.g. the ETRecord belongs to another program)"},
    {kExitUsage, "usage error: unknown option, invalid value, or options that exclude each other"},
    {kExitInput, "input cannot be read or is corrupt, or output cannot be written"},
    {kExitIncomplete,
     "incomplete: data was lost, or a limit could not be judged; the output contains what could be read"},
    {kExitInterrupted + 2, "interrupted by Ctrl-C (SIGINT); et-run and et-check keep what was measured until then"},
    {kExitInterrupted + 15, "terminated (SIGTERM), likewise"},
};

/// InvalidArgument is a usage error, everything else a problem of the files.
inline int exit_code_of(const Status& status) {
  if (status.ok()) return kExitOk;
  return status.code() == Error::InvalidArgument ? kExitUsage : kExitInput;
}

}  // namespace et::cli
