// Tensors: memory, and shapes as text.
#include <cstdio>
#include <cstring>

#include "executorch/runtime/core/exec_aten/util/tensor_util.h"

namespace executorch::runtime {
namespace internal {

Error share_tensor_data(const Tensor& to, const Tensor& from) {
  ET_CHECK_OR_RETURN_ERROR(to.nbytes() == from.nbytes(), InvalidArgument, "tensors of %zu and %zu bytes", to.nbytes(),
                           from.nbytes());
  ET_CHECK_OR_RETURN_ERROR(from.const_data_ptr() != nullptr || from.nbytes() == 0, InvalidArgument,
                           "the source tensor has no memory");
  to.unsafeGetTensorImpl()->set_data(from.numel() == 0 ? nullptr : from.mutable_data_ptr());
  return Error::Ok;
}

Error copy_tensor_data(const Tensor& to, const Tensor& from) {
  ET_CHECK_OR_RETURN_ERROR(to.const_data_ptr() != nullptr || (to.nbytes() == 0 && from.nbytes() == 0), InvalidArgument,
                           "the destination tensor has no memory");
  if (from.const_data_ptr() == nullptr) return Error::Ok;
  ET_CHECK_OR_RETURN_ERROR(to.nbytes() == from.nbytes(), InvalidArgument, "tensors of %zu and %zu bytes", to.nbytes(),
                           from.nbytes());
  ET_CHECK_OR_RETURN_ERROR(to.device().is_cpu() && from.device().is_cpu(), NotSupported,
                           "only memory of the processor can be copied");
  // Nothing is copied onto itself.
  if (to.nbytes() > 0 && to.mutable_data_ptr() != from.const_data_ptr()) {
    std::memcpy(to.mutable_data_ptr(), from.const_data_ptr(), from.nbytes());
  }
  return Error::Ok;
}

Error set_tensor_data(const Tensor& t, void* buffer, size_t buffer_size) {
  ET_CHECK_OR_RETURN_ERROR(buffer_size >= t.nbytes(), InvalidArgument, "the tensor needs %zu bytes, got %zu",
                           t.nbytes(), buffer_size);
  t.unsafeGetTensorImpl()->set_data(buffer);
  return Error::Ok;
}

void reset_data_ptr(const Tensor& t) { t.unsafeGetTensorImpl()->set_data(nullptr); }

Error resize_tensor_impl(::executorch::aten::TensorImpl* impl, ArrayRef<::executorch::aten::SizesType> new_sizes) {
  return ::et::resize_tensor(Tensor(impl), new_sizes);
}

}  // namespace internal

namespace {

template <class T>
std::array<char, kTensorShapeStringSizeLimit> shape_text(Span<const T> shape) {
  std::array<char, kTensorShapeStringSizeLimit> out{};
  if (shape.size() > kTensorDimensionLimit) {
    std::snprintf(out.data(), out.size(), "(ERR: tensor ndim exceeds limit)");
    return out;
  }
  size_t used = static_cast<size_t>(std::snprintf(out.data(), out.size(), "("));
  for (size_t i = 0; i < shape.size(); ++i) {
    const char* separator = i == 0 ? "" : ", ";
    const bool fits = shape[i] >= 0 && static_cast<uint64_t>(shape[i]) <= internal::kMaximumPrintableTensorShapeElement;
    used += static_cast<size_t>(fits ? std::snprintf(out.data() + used, out.size() - used, "%s%lld", separator,
                                                     static_cast<long long>(shape[i]))
                                     : std::snprintf(out.data() + used, out.size() - used, "%sERR", separator));
  }
  std::snprintf(out.data() + used, out.size() - used, ")");
  return out;
}

}  // namespace

std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(Span<const int32_t> shape) {
  return shape_text(shape);
}
std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(Span<const int64_t> shape) {
  return shape_text(shape);
}

}  // namespace executorch::runtime
