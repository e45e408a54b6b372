// Why an op has no link, and what a user can do about it: a reason is a stable id, a text and an advice.
#pragma once

#include <cstdint>
#include <string_view>

namespace et::inspector {

enum class Unlinked : uint8_t {
  none,
#define ET_UNLINKED(id, helpable, text, advice) id,
#include "inspector/ingest/links/unlinked_reasons.def"
#undef ET_UNLINKED
};

struct UnlinkedReason {
  const char* id;
  bool helpable;  // the user can do something about it
  const char* text;
  const char* advice;
};

/// Not for `none`.
const UnlinkedReason& unlinked_reason(Unlinked reason);
/// By its text, as the store has it; null for one that this version does not know.
const UnlinkedReason* find_unlinked_reason(std::string_view text);

}  // namespace et::inspector
