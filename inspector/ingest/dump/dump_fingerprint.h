// What tells one ETDump from all others, cheaply: results of et-check name their ETDumps by path, and paths get reused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "inspector/store/store.h"

namespace et::inspector {

/// SHA-256, in hex, of the size and of the first and last 64 KiB. Both ends of an ETDump contain event times, so that
/// two executions of one program differ in them. nullopt when it is not a regular file or cannot be read.
std::optional<std::string> dump_fingerprint(const std::string& path);

/// Remembers the fingerprint of a trace's ETDump, where the store has a place for it (see schema.sql, part checks).
void write_dump_fingerprint(Store& store, int64_t trace, const std::string& path);

}  // namespace et::inspector
