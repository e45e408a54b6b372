#include "runtime/kernels/common/shape.h"

namespace et::ET_KERNELS {

bool broadcast_shapes(ArrayRef<int32_t> a, ArrayRef<int32_t> b, Shape* out) {
  out->rank = a.size() > b.size() ? a.size() : b.size();
  for (size_t i = 0; i < out->rank; ++i) {
    const int32_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int32_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return false;
    out->sizes[out->rank - 1 - i] = x == 1 ? y : x;
  }
  return true;
}

void broadcast_strides(const Tensor& t, ArrayRef<int32_t> shape, int64_t* strides) {
  const size_t rank = static_cast<size_t>(t.dim());
  for (size_t i = 0; i < shape.size(); ++i) {
    const size_t from_right = shape.size() - 1 - i;
    const bool there = from_right < rank && t.sizes()[rank - 1 - from_right] != 1;
    strides[i] = there ? t.strides()[rank - 1 - from_right] : 0;
  }
}

bool resize_out(KernelRuntimeContext& context, const Tensor& out, ArrayRef<int32_t> sizes, const char* operator_name) {
  if (out.dim() == static_cast<ssize_t>(sizes.size())) {
    bool equal = true;
    for (size_t i = 0; i < sizes.size(); ++i) equal = equal && out.sizes()[i] == sizes[i];
    if (equal) return true;
  }
  const Error error = resize_tensor(out, sizes);
  if (error == Error::Ok) return true;
  ET_LOG(Error, "%s: the output cannot take the result's shape", operator_name);
  context.fail(Error::InvalidArgument);
  return false;
}

bool same_sizes(const Tensor& a, const Tensor& b) {
  if (a.dim() != b.dim()) return false;
  for (size_t i = 0; i < a.sizes().size(); ++i) {
    if (a.sizes()[i] != b.sizes()[i]) return false;
  }
  return true;
}

bool share_memory(const Tensor& a, const Tensor& b) {
  const auto x = reinterpret_cast<uintptr_t>(a.const_data_ptr()), y = reinterpret_cast<uintptr_t>(b.const_data_ptr());
  return a.nbytes() > 0 && b.nbytes() > 0 && x < y + b.nbytes() && y < x + a.nbytes();
}

bool same_dim_order(const Tensor& a, const Tensor& b) {
  if (a.dim() != b.dim()) return false;
  for (size_t i = 0; i < a.dim_order().size(); ++i) {
    if (a.dim_order()[i] != b.dim_order()[i]) return false;
  }
  return true;
}

}  // namespace et::ET_KERNELS
