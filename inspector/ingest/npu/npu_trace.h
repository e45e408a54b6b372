// Traces of an Ethos-U's counters, as Arm's models write them: JSON in the format of Chrome's tracer, where events of
// the thread "qread" say how far the command queue has been read, in words, and when, in cycles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inspector/ingest/npu/vela_estimates.h"
#include "inspector/ingest/program_facts.h"

namespace et::inspector {

struct QueueRead {
  int64_t cycles = 0, offset = 0;  // when, and bytes from the stream's first command
};

/// Errors: InvalidExternalData with `path` and what was expected.
Status read_npu_trace(std::string_view json, const std::string& path, std::vector<QueueRead>* out);

/// A command lasts until the queue is read beyond it; the operators that run as a part of another count to that. The
/// queue's return to an earlier command begins the next inference.
std::vector<DeviceSlice> device_slices(const VelaEstimates& estimates, const std::vector<QueueRead>& reads);

}  // namespace et::inspector
