// Inputs for a method that is only to run: ones, or the bytes that are given.
#pragma once

#include <cstdlib>
#include <utility>
#include <vector>

#include "executorch/runtime/core/result.h"
#include "executorch/runtime/core/span.h"
#include "executorch/runtime/executor/method.h"
#include "executorch/runtime/executor/method_meta.h"

namespace executorch::extension {

/// Frees the memory of inputs.
class BufferCleanup {
 public:
  explicit BufferCleanup(::et::Span<void*> buffers) : buffers_(buffers) {}
  BufferCleanup(BufferCleanup&& other) noexcept : buffers_(std::exchange(other.buffers_, {})) {}
  BufferCleanup(const BufferCleanup&) = delete;
  BufferCleanup& operator=(const BufferCleanup&) = delete;
  BufferCleanup& operator=(BufferCleanup&&) = delete;
  ~BufferCleanup() {
    for (void* buffer : buffers_) std::free(buffer);
    std::free(buffers_.data());
  }

 private:
  ::et::Span<void*> buffers_;
};

struct PrepareInputTensorsOptions {
  size_t max_total_allocation_size = size_t{1} << 30;
  size_t max_inputs = 1024;
};

/// Sets every input; the result must live until the method has run. With `input_buffers` (pointer and size of each,
/// without a copy) their count and sizes must be those of the method.
/// InvalidProgram: more inputs or bytes than the options allow; InvalidArgument: the buffers do not fit.
::et::Result<BufferCleanup> prepare_input_tensors(::et::Method& method, PrepareInputTensorsOptions options = {},
                                                  const std::vector<std::pair<char*, size_t>>& input_buffers = {});

namespace internal {
/// A tensor of that shape over `data`, filled with ones first unless told otherwise, as an input.
::et::Error fill_and_set_input(::et::Method& method, ::et::TensorInfo& tensor_meta, size_t input_index, void* data,
                               bool fill_tensor = true);
}  // namespace internal

}  // namespace executorch::extension
namespace torch::executor::util {
using ::executorch::extension::BufferCleanup;
using ::executorch::extension::prepare_input_tensors;
}  // namespace torch::executor::util
