// ETDumpGen: the event tracer that makes ETDump files.
#pragma once

#include "etdump/etdump_gen.h"
#include "executorch/devtools/etdump/data_sinks/buffer_data_sink.h"
#include "executorch/devtools/etdump/data_sinks/data_sink_base.h"
#include "executorch/runtime/core/event_tracer.h"
#include "executorch/runtime/core/span.h"

#define ETDUMP_VERSION 0

namespace executorch::etdump {
using ::et::etdump::ETDumpGen;
using ::et::etdump::ETDumpResult;
using ::executorch::runtime::DelegateDebugIntId;
using ::executorch::runtime::EventTracerFilterBase;
using ::executorch::runtime::Result;
}  // namespace executorch::etdump
namespace torch::executor {
using etdump_result = ::executorch::etdump::ETDumpResult;
using ::executorch::etdump::ETDumpGen;
}  // namespace torch::executor
