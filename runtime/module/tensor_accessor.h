// TensorAccessor<T, N>: a[i][j] on a row-major tensor of rank N, without checks of the indices.
#pragma once

#include "base/result.h"
#include "runtime/core/tensor.h"
#include "runtime/platform/log.h"

namespace et {

template <class T, ssize_t N>
class TensorAccessor;
template <class T, ssize_t N>
Result<TensorAccessor<T, N>> make_tensor_accessor(const Tensor& tensor);

template <class T, ssize_t N>
class TensorAccessor {
 public:
  int32_t size(ssize_t i) const { return sizes_[checked(i)]; }
  int32_t stride(ssize_t i) const { return strides_[checked(i)]; }

  /// The element of rank 1, else an accessor of the next rank.
  decltype(auto) operator[](ssize_t i) const {
    if constexpr (N == 1) {
      return static_cast<T&>(data_[strides_[0] * i]);
    } else {
      return TensorAccessor<T, N - 1>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
  }

 private:
  template <class T2, ssize_t N2>
  friend class TensorAccessor;
  friend Result<TensorAccessor> make_tensor_accessor<T, N>(const Tensor& tensor);

  TensorAccessor(T* data, const int32_t* sizes, const int32_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  static ssize_t checked(ssize_t i) {
    ET_CHECK_MSG(i >= 0 && i < N, "dimension %zd is out of range for rank %zd", i, N);
    return i;
  }

  T* data_;
  const int32_t* sizes_;
  const int32_t* strides_;
};

/// The tensor must outlive the accessor. InvalidArgument: another rank, or elements of another size than T;
/// NotSupported: another dim order than row-major.
template <class T, ssize_t N>
Result<TensorAccessor<T, N>> make_tensor_accessor(const Tensor& tensor) {
  static_assert(N > 0, "a tensor of rank 0 cannot be indexed: read its data pointer");
  ET_CHECK_OR_RETURN_ERROR(tensor.dim() == N, InvalidArgument, "accessor of rank %zd used on a tensor of rank %zd", N,
                           tensor.dim());
  ET_CHECK_OR_RETURN_ERROR(tensor.element_size() == sizeof(T), InvalidArgument,
                           "accessor with %zu-byte elements used on a tensor of %s", sizeof(T),
                           scalar_type_name(tensor.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(is_contiguous_dim_order(tensor.dim_order()), NotSupported,
                           "accessor: expected a row-major tensor");
  return TensorAccessor<T, N>(static_cast<T*>(tensor.mutable_data_ptr()), tensor.sizes().data(),
                              tensor.strides().data());
}

}  // namespace et
