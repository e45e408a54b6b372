// One table for TOSA's attributes: union tag -> fields. Not for users of the views.
#pragma once

#include <cstdint>
#include "base/span.h"

#include "runtime/format/tosa_payload.h"

namespace et::format {

struct TosaField {
  uint16_t slot;  // byte offset in the flatbuffers vtable
  const char* name;
  TosaAttribute::Kind kind;
};

/// Fields of an attribute in the schema's order; none for an unknown tag.
Span<const TosaField> tosa_attribute_fields(uint8_t tag);

}  // namespace et::format
