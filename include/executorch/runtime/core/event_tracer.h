// EventTracer: what the runtime tells of an execution.
#pragma once

#include "executorch/runtime/core/evalue.h"
#include "executorch/runtime/platform/platform.h"
#include "runtime/core/event_tracer.h"

namespace executorch::runtime {
using ::et::AllocatorID;
using ::et::ChainID;
using ::et::DebugHandle;
using ::et::DelegateDebugIdType;
using ::et::DelegateDebugIntId;
using ::et::EventTracer;
using ::et::EventTracerDebugLogLevel;
using ::et::EventTracerEntry;
using ::et::EventTracerFilterBase;
using ::et::EventTracerProfilingLevel;
using ::et::kUnsetBundledInputIndex;
using ::et::kUnsetChainId;
using ::et::kUnsetDebugHandle;
using ::et::kUnsetDelegateDebugIntId;
using ::et::LoggedEValueType;
}  // namespace executorch::runtime
namespace torch::executor {
using ::executorch::runtime::AllocatorID;
using ::executorch::runtime::ChainID;
using ::executorch::runtime::DebugHandle;
using ::executorch::runtime::DelegateDebugIdType;
using ::executorch::runtime::DelegateDebugIntId;
using ::executorch::runtime::EventTracer;
using ::executorch::runtime::EventTracerDebugLogLevel;
using ::executorch::runtime::EventTracerEntry;
using ::executorch::runtime::EventTracerFilterBase;
using ::executorch::runtime::EventTracerProfilingLevel;
using ::executorch::runtime::kUnsetBundledInputIndex;
using ::executorch::runtime::kUnsetChainId;
using ::executorch::runtime::kUnsetDebugHandle;
using ::executorch::runtime::kUnsetDelegateDebugIntId;
using ::executorch::runtime::LoggedEValueType;
}  // namespace torch::executor
