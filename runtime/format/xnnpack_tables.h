// One table for XNNPACK's nodes: union tag -> name -> layout of the parameters. Everything that depends on a node's
// type goes through it. Not for users of the views.
#pragma once

#include <cstdint>
#include "base/span.h"

#include "runtime/format/xnnpack_payload.h"

namespace et::format {

struct XnnField {
  uint16_t slot;  // byte offset in the flatbuffers vtable
  const char* name;
  XnnParameter::Kind kind = XnnParameter::Kind::Uint;
  XnnParameter::Role role = XnnParameter::Role::Setting;
};

struct XnnNodeInfo {
  const char* name;
  Span<const XnnField> fields;
};

/// Entry of a union tag; "Unknown" without fields for a tag outside the table.
const XnnNodeInfo& xnn_node_info(uint8_t tag);

}  // namespace et::format
