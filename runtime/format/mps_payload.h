// MPS delegate payload: the graph as verified, zero-copy views of operators and values.
// Source: MPS delegate schema (identifier MP00), behind a header of 24 bytes in newer payloads.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/file_error.h"
#include "base/span.h"

namespace et::format {

namespace mps_fb {
struct Graph;
}

/// "float32"; "unknown" for a number that the format does not have.
const char* mps_dtype_name(int32_t type);

struct MpsOperator {
  std::string_view name;                 // "Conv2D"; "" for an operator that is newer than this reader
  std::vector<int32_t> inputs, outputs;  // value ids
};

struct MpsValue {
  int32_t dtype = 0;
  Span<const int32_t> dims;
  uint64_t constant_bytes = 0;  // 0: computed, or an input
};

class MpsPayload {
 public:
  /// Checks the whole payload. Errors: InvalidArgument (flatbuffer not aligned to 8 bytes),
  /// DelegateInvalidCompatibility (another identifier), InvalidProgram (truncated or inconsistent).
  static FileError open(Span<const uint8_t> payload, MpsPayload* out);

  std::string_view version() const;
  bool is_metal_kernel() const;  ///< one hand-written kernel instead of a graph
  uint64_t constant_bytes() const { return constant_bytes_; }
  uint32_t operator_count() const;
  MpsOperator op(uint32_t i) const;
  uint32_t value_count() const;
  MpsValue value(uint32_t i) const;
  Span<const int32_t> input_ids() const;
  Span<const int32_t> output_ids() const;
  Span<const int32_t> constant_ids() const;

 private:
  const mps_fb::Graph* graph_ = nullptr;
  uint64_t constant_bytes_ = 0;
};

}  // namespace et::format
