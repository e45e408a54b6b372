// FileDataSink: into a file.
#pragma once

#include "etdump/file_data_sink.h"
#include "executorch/devtools/etdump/data_sinks/data_sink_base.h"

namespace executorch::etdump {
using ::et::etdump::FileDataSink;
}  // namespace executorch::etdump
