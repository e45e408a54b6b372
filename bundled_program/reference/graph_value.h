// What a value of a graph holds while the graph runs: a tensor with its own memory, or a number.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/core/evalue.h"
#include "runtime/core/tensor.h"

namespace et::reference {

/// Counts the bytes of the tensors that are alive.
struct MemoryCount {
  uint64_t live = 0;
  uint64_t peak = 0;
};

/// A tensor on the heap that may be resized up to the elements it was made with. Zeroed; memory that is never written
/// costs nothing, so that the bound may be generous.
class OwnTensor {
 public:
  /// Null when sizes are negative, too many or too large for `max_bytes`, the dim order is none, or memory is out.
  /// `dim_order` empty: row-major.
  static std::shared_ptr<OwnTensor> make(ScalarType type, std::span<const int32_t> sizes,
                                         std::span<const uint8_t> dim_order, uint64_t max_bytes,
                                         const std::shared_ptr<MemoryCount>& count);
  ~OwnTensor();
  OwnTensor(const OwnTensor&) = delete;
  OwnTensor& operator=(const OwnTensor&) = delete;

  Tensor tensor() const { return Tensor(&*impl_); }
  uint8_t* data() const { return data_; }
  size_t size() const { return impl_->nbytes(); }
  void set_read_only(bool read_only) { impl_->set_read_only(read_only); }
  /// The size it has now is final: the rest of the bound is given up.
  void settle();

 private:
  OwnTensor() = default;

  std::vector<int32_t> sizes_, strides_;
  std::vector<uint8_t> dim_order_;
  mutable std::optional<TensorImpl> impl_;
  void* memory_ = nullptr;
  uint8_t* data_ = nullptr;
  uint64_t bytes_ = 0;
  std::shared_ptr<MemoryCount> count_;
};
using TensorHandle = std::shared_ptr<OwnTensor>;

struct GraphValue {
  enum class Kind : uint8_t { None, Tensor, Int, Double, Bool };

  Kind kind = Kind::None;
  TensorHandle tensor;
  int64_t integer = 0;
  double number = 0;

  GraphValue() = default;
  explicit GraphValue(TensorHandle t) : kind(t != nullptr ? Kind::Tensor : Kind::None), tensor(std::move(t)) {}
  static GraphValue of_int(int64_t v);
  static GraphValue of_double(double v);
  static GraphValue of_bool(bool v);

  bool is_number() const { return kind == Kind::Int || kind == Kind::Double || kind == Kind::Bool; }
  double as_double() const { return kind == Kind::Double ? number : static_cast<double>(integer); }
  EValue evalue() const;
};

/// Copies elements between two tensors of the same dtype and sizes, whatever their dim orders. False: they differ.
bool copy_elements(const Tensor& from, const Tensor& to);

}  // namespace et::reference
