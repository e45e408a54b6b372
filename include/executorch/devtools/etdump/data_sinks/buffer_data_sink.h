// BufferDataSink: into memory.
#pragma once

#include "etdump/data_sink.h"
#include "executorch/devtools/etdump/data_sinks/data_sink_base.h"
#include "executorch/runtime/core/span.h"

namespace executorch::etdump {
using ::et::etdump::BufferDataSink;
}  // namespace executorch::etdump
