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

/// A trace on its basis, with the peaks of its machine where they are known.
struct WorkSource {
  TraceSource source;
  inspector::OpTable table;
  inspector::TraceMachine trace;
  inspector::MachinePeaks machine;
  bool has_machine = false;
  inspector::DimValues dims;  ///< of --dim

  const inspector::MachinePeaks* peaks() const { return has_machine ? &machine : nullptr; }
};

/// Opens the trace of the arguments and reads --basis, --dim and --machine: the file named there, or this host's peaks
/// where the trace was made on its processor. Says on standard error what is missing. Errors: of reading these.
Status open_work_source(const Arguments& args, WorkSource* out);

}  // namespace et::cli
