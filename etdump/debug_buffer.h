// The debug buffer of an ETDump: raw bytes of the logged tensors, addressed by TensorInfo. Checks a tensor against the
// buffer and reads its elements in row-major order, honouring strides. Knows no file: the caller maps it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "etdump/event.h"

namespace et::etdump {

/// Why a tensor's elements cannot be read.
enum class TensorFault : uint8_t {
  None,
  NotStored,    // offset -1 with elements: the writer stored nothing
  UnknownType,  // an unknown dtype number
  BadSizes,     // negative size, more than kMaxRank dimensions, or a product that overflows
  BadStrides,   // negative, another number than sizes, or they lead out of the tensor's own bytes
  BadOffset,    // negative (other than -1)
  OutOfBuffer,  // the tensor's bytes run past the end of the buffer
};
/// A phrase for a person: "runs past the end of the debug buffer".
const char* tensor_fault_text(TensorFault fault);

/// A tensor whose bytes were checked. Elements are numbered in row-major order of `sizes`. Types as double:
///  - integers, bool, bits and quantised types: the stored integer (quantised values are not dequantised; 64-bit
///    integers round beyond 2^53); packed types (quint4x2, bits1x8…): each byte as stored;
///  - half, bfloat16, float8_*: exact;
///  - complex: the magnitude.
class TensorView {
 public:
  static constexpr size_t kMaxRank = 64;

  ScalarType dtype() const { return dtype_; }
  size_t rank() const { return rank_; }
  uint64_t size(size_t dim) const { return sizes_[dim]; }
  uint64_t numel() const { return numel_; }
  size_t element_bytes() const { return element_bytes_; }
  uint64_t byte_count() const { return numel_ * element_bytes_; }
  /// Stored in row-major order: storage() is the dense tensor.
  bool contiguous() const { return contiguous_; }
  /// The bytes as stored (memory order), byte_count() of them.
  std::span<const uint8_t> storage() const { return storage_; }

  /// Element `i` < numel() in row-major order.
  double at(uint64_t i) const;
  /// Elements [first, first + out.size()) as doubles; the fast way to read many. Stops at numel(); returns how many.
  size_t read(uint64_t first, std::span<double> out) const;
  /// Dense row-major bytes into `out`. False when `out` is smaller than byte_count().
  bool copy_dense(std::span<uint8_t> out) const;

 private:
  friend class DebugBuffer;
  template <class F>
  void walk(uint64_t first, uint64_t count, F&& visit) const;

  ScalarType dtype_ = ScalarType::Byte;
  size_t rank_ = 0;
  size_t element_bytes_ = 0;
  uint64_t numel_ = 0;
  bool contiguous_ = true;
  std::array<uint64_t, kMaxRank> sizes_{};
  std::array<uint64_t, kMaxRank> strides_{};
  std::span<const uint8_t> storage_;
};

class DebugBuffer {
 public:
  explicit DebugBuffer(std::span<const uint8_t> bytes) : bytes_(bytes) {}
  /// Checks `tensor` against the buffer. A tensor without elements is fine wherever it lies.
  TensorFault open(const TensorInfo& tensor, TensorView* out) const;
  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  std::span<const uint8_t> bytes_;
};

/// One double of the value of element bytes at `at` (element_size(dtype) bytes).
double element_as_double(ScalarType dtype, const uint8_t* at);

struct TensorSummary {
  TensorFault fault = TensorFault::None;  // otherwise nothing below was computed
  uint64_t numel = 0;
  uint64_t nan_count = 0, inf_count = 0;
  // Over the elements that are not NaN (infinities count). min and max are 0 when there is none.
  double min = 0, max = 0, sum = 0, sum_abs = 0;
  double mean = 0;                // sum / number of elements that are not NaN
  std::array<double, 4> first{};  // first values in row-major order
  size_t first_count = 0;
};

TensorSummary summarise(const DebugBuffer& buffer, const TensorInfo& tensor);

}  // namespace et::etdump
