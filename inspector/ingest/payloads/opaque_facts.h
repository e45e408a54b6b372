// What can be said of a payload whose format is not known, or that its reader refused.
#pragma once

#include <cstdint>
#include <span>

namespace et::inspector {

struct DelegateFacts;

/// Adds size, SHA-256, entropy, what the first bytes look like, and the first printable strings.
void add_opaque_facts(std::span<const uint8_t> bytes, DelegateFacts* out);

}  // namespace et::inspector
