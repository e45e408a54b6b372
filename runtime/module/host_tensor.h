// A tensor that owns its memory, for inputs and outputs of the programs that run models on a desktop.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>
#include "base/span.h"

#include "runtime/core/tensor.h"

namespace et {

class HostTensor {
 public:
  /// Zeroed. `dim_order` empty: row-major. The caller has checked that sizes multiply to a size that memory holds.
  HostTensor(ScalarType type, Span<const int32_t> sizes, Span<const uint8_t> dim_order = {});
  HostTensor(const HostTensor&) = delete;
  HostTensor& operator=(const HostTensor&) = delete;

  Tensor tensor() { return Tensor(&*impl_); }
  uint8_t* data() { return data_; }
  size_t size() const { return impl_->nbytes(); }
  /// The same values in another dim order.
  std::unique_ptr<HostTensor> with_dim_order(Span<const uint8_t> dim_order) const;

 private:
  std::vector<int32_t> sizes_, strides_;
  std::vector<uint8_t> dim_order_;
  std::vector<uint8_t> memory_;
  uint8_t* data_ = nullptr;
  std::optional<TensorImpl> impl_;
};

}  // namespace et
