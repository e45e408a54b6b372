// What the bytes of a program's flatbuffer are for: one extent a table, list or text. Tables and lists that several
// places share are reported by each of them. Tensor and payload bytes in segments have no extents here; their views
// (TensorView::constant_data, Delegate::payload, NamedData::bytes) say where they lie.
#pragma once

#include <cstdint>

#include "runtime/format/program.h"

namespace et::format {

enum class ExtentKind : uint8_t {
  Header,          // root offset, identifier, extended header
  Tables,          // root table, lists of methods and segments, named data keys
  Values,          // value table of a method with its tensors' metadata
  Instructions,    // chains with instructions and their arguments
  StackTraces,     // Python frames that the exporter kept
  Operators,       // operator names
  Delegates,       // ids, compile specs and references of delegates
  Interface,       // name, inputs, outputs, pytrees and planned buffers of a method
  InlineConstant,  // tensor bytes inside the flatbuffer
  InlinePayload,   // payload bytes inside the flatbuffer
};

struct Extent {
  ExtentKind kind = ExtentKind::Header;
  int32_t method = -1;  // -1: of the whole program
  uint64_t offset = 0;  // bytes from the start of the file
  uint64_t size = 0;    // bytes
};

/// Calls `visit` with `context` for each extent. The program must be valid().
void visit_extents(const Program& program, void (*visit)(void* context, const Extent&), void* context);

}  // namespace et::format
