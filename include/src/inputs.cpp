// Inputs for a method that is only to run.
#include "executorch/extension/runner_util/inputs.h"

#include <algorithm>
#include <cstring>

#include "executorch/runtime/core/exec_aten/util/dim_order_util.h"
#include "executorch/runtime/core/exec_aten/util/scalar_type_util.h"

namespace executorch::extension {

using ::et::Error;
using ::et::EValue;
using ::et::Result;
using ::et::ScalarType;
using ::et::Tag;
using ::et::TensorImpl;
using ::et::TensorInfo;

namespace internal {

Error fill_and_set_input(::et::Method& method, TensorInfo& info, size_t input_index, void* data, bool fill_tensor) {
  int32_t sizes[::et::kTensorDimensionLimit];
  uint8_t dim_order[::et::kTensorDimensionLimit];
  int32_t strides[::et::kTensorDimensionLimit];
  const size_t rank = info.sizes().size();
  std::copy(info.sizes().begin(), info.sizes().end(), sizes);
  std::copy(info.dim_order().begin(), info.dim_order().end(), dim_order);
  ET_CHECK_OK_OR_RETURN_ERROR(::executorch::runtime::dim_order_to_stride(sizes, dim_order, rank, strides));
  TensorImpl impl(info.scalar_type(), rank, sizes, data, dim_order, strides);
  if (fill_tensor) {
#define ET_FILL(ctype, name)                                                             \
  case ScalarType::name:                                                                 \
    std::fill_n(static_cast<ctype*>(data), static_cast<size_t>(impl.numel()), ctype(1)); \
    break;
    switch (info.scalar_type()) {
      ET_FORALL_REALHBBF16_TYPES(ET_FILL)
      default:
        ET_LOG(Error, "input %zu: a tensor of %s cannot be filled", input_index,
               ::executorch::runtime::toString(info.scalar_type()));
        return Error::InvalidArgument;
    }
#undef ET_FILL
  }
  return method.set_input(EValue(::et::Tensor(&impl)), input_index);
}

}  // namespace internal

namespace {

template <class T>
Error set_number_of(::et::Method& method, size_t index, const std::pair<char*, size_t>& bytes) {
  ET_CHECK_OR_RETURN_ERROR(bytes.second == sizeof(T), InvalidArgument, "input %zu has %zu bytes, expected %zu", index,
                           bytes.second, sizeof(T));
  T value;
  std::memcpy(&value, bytes.first, sizeof value);
  return method.set_input(EValue(value), index);
}

/// An input that is no tensor, from the bytes of its value; others than numbers stay as they are.
Error set_number(::et::Method& method, Tag tag, size_t index, const std::pair<char*, size_t>& bytes) {
  if (tag == Tag::Int) return set_number_of<int64_t>(method, index, bytes);
  if (tag == Tag::Double) return set_number_of<double>(method, index, bytes);
  if (tag == Tag::Bool) return set_number_of<bool>(method, index, bytes);
  return Error::Ok;
}

}  // namespace

Result<BufferCleanup> prepare_input_tensors(::et::Method& method, PrepareInputTensorsOptions options,
                                            const std::vector<std::pair<char*, size_t>>& input_buffers) {
  const ::et::MethodMeta meta = method.method_meta();
  const size_t count = meta.num_inputs();
  ET_CHECK_OR_RETURN_ERROR(count <= options.max_inputs, InvalidProgram,
                           "the method has %zu inputs, at most %zu allowed", count, options.max_inputs);
  ET_CHECK_OR_RETURN_ERROR(input_buffers.empty() || input_buffers.size() == count, InvalidArgument,
                           "expected %zu input buffers, got %zu", count, input_buffers.size());
  void** buffers = static_cast<void**>(std::calloc(count == 0 ? 1 : count, sizeof(void*)));
  if (buffers == nullptr) return Error::MemoryAllocationFailed;
  BufferCleanup cleanup({buffers, count});
  size_t total = 0;
  for (size_t i = 0; i < count; ++i) {
    const Result<Tag> tag = meta.input_tag(i);
    if (!tag.ok()) return tag.error();
    if (*tag != Tag::Tensor && !input_buffers.empty()) {
      ET_CHECK_OK_OR_RETURN_ERROR(set_number(method, *tag, i, input_buffers[i]));
      continue;
    }
    if (*tag != Tag::Tensor) {
      ET_LOG(Debug, "input %zu is no tensor and stays as it is", i);
      continue;
    }
    Result<TensorInfo> info = meta.input_tensor_meta(i);
    if (!info.ok()) return info.error();
    const size_t bytes = info->nbytes();
    if (!input_buffers.empty()) {
      ET_CHECK_OR_RETURN_ERROR(input_buffers[i].second == bytes, InvalidArgument,
                               "input %zu has %zu bytes, expected %zu", i, input_buffers[i].second, bytes);
      ET_CHECK_OK_OR_RETURN_ERROR(internal::fill_and_set_input(method, *info, i, input_buffers[i].first, false));
      continue;
    }
    ET_CHECK_OR_RETURN_ERROR(bytes <= options.max_total_allocation_size - total, InvalidProgram,
                             "the inputs take more than %zu bytes", options.max_total_allocation_size);
    total += bytes;
    buffers[i] = std::malloc(bytes == 0 ? 1 : bytes);
    if (buffers[i] == nullptr) return Error::MemoryAllocationFailed;
    ET_CHECK_OK_OR_RETURN_ERROR(internal::fill_and_set_input(method, *info, i, buffers[i]));
  }
  return cleanup;
}

}  // namespace executorch::extension
