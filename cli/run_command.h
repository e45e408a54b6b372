// The program et-run: its one command and its options.
#pragma once

#include "base/status.h"
#include "cli/option_table.h"
#include "inspector/analysis/work/machine.h"

namespace et::cli {

/// How --calibrate measures; null in a program that was built without all kernels, which then says so.
using Calibration = Status (*)(inspector::MachinePeaks* out);

const ProgramSpec& et_run(Calibration calibration = nullptr);

}  // namespace et::cli
