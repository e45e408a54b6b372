// What every view of a program holds: the caller's bytes and where the parts of the file lie in them. Views copy it, so
// that they stay valid when the Program object moves; the bytes must outlive them all.
#pragma once

#include <cstdint>
#include "base/span.h"

namespace et::format {

namespace pte_fb {
struct Program;
struct ExecutionPlan;
struct Chain;
struct EValue;
struct Tensor;
struct Instruction;
struct BackendDelegate;
struct FrameList;
}  // namespace pte_fb

struct ProgramSource {
  Span<const uint8_t> file;
  const pte_fb::Program* root = nullptr;
  uint64_t segment_base = 0;  // bytes from the start of the file; 0 = the file has no segments

  uint32_t segment_count() const;
  /// Bytes of segment `index`; empty when there is no such segment.
  Span<const uint8_t> segment(uint32_t index) const;
  /// Bytes from the start of the file of something inside it.
  uint64_t offset_of(const void* part) const {
    return static_cast<uint64_t>(static_cast<const uint8_t*>(part) - file.data());
  }
};

}  // namespace et::format
