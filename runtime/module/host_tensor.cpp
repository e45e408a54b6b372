#include "runtime/module/host_tensor.h"

#include <cstring>
#include <numeric>

namespace et {

HostTensor::HostTensor(ScalarType type, Span<const int32_t> sizes, Span<const uint8_t> dim_order)
    : sizes_(sizes.begin(), sizes.end()), strides_(sizes.size()), dim_order_(dim_order.begin(), dim_order.end()) {
  constexpr size_t kAlignment = 64;
  if (dim_order_.empty()) {
    dim_order_.resize(sizes.size());
    std::iota(dim_order_.begin(), dim_order_.end(), uint8_t{0});
  }
  dim_order_to_strides(sizes_, dim_order_, strides_.data());
  impl_.emplace(type, sizes_.size(), sizes_.data(), nullptr, dim_order_.data(), strides_.data());
  memory_.resize(impl_->nbytes() + kAlignment);
  data_ =
      reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(memory_.data()) + kAlignment - 1) & ~(kAlignment - 1));
  impl_->set_data(data_);
}

std::unique_ptr<HostTensor> HostTensor::with_dim_order(Span<const uint8_t> dim_order) const {
  auto out = std::make_unique<HostTensor>(impl_->scalar_type(), sizes_, dim_order);
  const size_t rank = sizes_.size();
  const size_t width = impl_->element_size();
  std::vector<int32_t> index(rank, 0);
  for (ssize_t n = 0; n < impl_->numel(); ++n) {
    size_t from = 0;
    size_t to = 0;
    for (size_t d = 0; d < rank; ++d) {
      from += static_cast<size_t>(index[d]) * static_cast<size_t>(strides_[d]);
      to += static_cast<size_t>(index[d]) * static_cast<size_t>(out->strides_[d]);
    }
    std::memcpy(out->data_ + to * width, data_ + from * width, width);
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < sizes_[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

}  // namespace et
