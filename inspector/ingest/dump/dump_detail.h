// Inner parts of the dump import that its files share.
#pragma once

#include <cstdint>
#include <string>

#include "etdump/reader.h"
#include "inspector/ingest/import_context.h"
#include "inspector/ingest/trace_model.h"

namespace et::inspector::detail {

constexpr uint8_t kDebug = 1, kOutput = 2, kAllocation = 4;

/// What keeps runs apart besides their events: name, bundled input, and the method where the trailer tells it.
std::string run_identity(const etdump::Reader& reader, const etdump::Run& run);
/// Losses and oddities that the reader met, as diagnostics.
void report_reader_state(const etdump::Reader& reader, ImportContext& context, const Trace& trace);

}  // namespace et::inspector::detail
