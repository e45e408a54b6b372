// Options of commands that hold ops against the peaks of a machine, shared by them.
#pragma once

#include <string>

#include "base/status.h"
#include "cli/shared_options.h"
#include "cli/trace_source.h"
#include "inspector/analysis/work/machine.h"
#include "inspector/analysis/work/node_work.h"

namespace et::cli {

inline constexpr OptionSpec kDimOption = repeated(value_option(
    "dim", 0, "NAME=N", "number for a symbol of dynamic shapes, e.g. s27=128", Complete::None, Value::Pair));
inline constexpr OptionSpec kMachineOption =
    file_option("machine", 0,
                "peaks of the machine, from et-run --calibrate (default: those of this host, when they are of the "
                "trace's processor)");

struct TraceMachine {
  std::string cpu;
  int64_t threads = 1;
};
Status read_trace_machine(const TraceSource& source, TraceMachine* out);

/// Peaks that were asked for, or those of this host where the trace was made on its processor. Without them `found` is
/// false and `hint` says what to do. Errors: those of reading the file.
Status find_machine(const Arguments& args, const TraceMachine& trace, inspector::MachinePeaks* peaks, bool* found,
                    std::string* hint);

/// Errors: InvalidArgument for what is not NAME=N.
Status read_dims(const Arguments& args, inspector::DimValues* out);

}  // namespace et::cli
