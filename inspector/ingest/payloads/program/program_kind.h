// A program as the payload of another (ExecutorBackend): its instructions are the nodes.
#pragma once

#include <cstdint>
#include <span>

#include "base/file_error.h"
#include "base/span.h"

namespace et::inspector {

struct DelegateCall;
struct DelegateFacts;

FileError read_nested_program(Span<const uint8_t> bytes, DelegateFacts* out);

/// Events of the nested program's kernels → graph nodes of the call, by name and order: the nested program was emitted
/// from them. It carries no handles of its own.
void link_nested_program(DelegateCall& call);

}  // namespace et::inspector
