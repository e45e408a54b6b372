// et-run --calibrate: what this machine does at most, measured with the kernels of this build.
#pragma once

#include "base/status.h"
#include "inspector/analysis/work/machine.h"

namespace et::cli {

/// On the threads of the attached pool: the fastest float32 and int8 product of two square matrices, and the bandwidth
/// of an elementwise kernel of two tensors over working sets from 16 KiB to 128 MiB. Takes some three seconds.
/// Errors: MemoryAllocationFailed.
Status calibrate(inspector::MachinePeaks* out);

}  // namespace et::cli
