// Inputs and outputs of a method: checked against what the program says, copied into planned memory or kept as
// pointers.
#include "runtime/executor/method.h"

#include <cstring>

#include "runtime/platform/log.h"

namespace et {
namespace {

bool same_order(ArrayRef<uint8_t> a, ArrayRef<uint8_t> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// Two dim orders store the same sequence of elements when they differ only in dimensions of size 1.
bool same_layout(const Tensor& a, const Tensor& b) {
  if (same_order(a.dim_order(), b.dim_order())) return true;
  for (size_t d = 0; d < a.sizes().size(); ++d) {
    if (a.sizes()[d] > 1 && a.strides()[d] != b.strides()[d]) return false;
  }
  return true;
}

// Copies element by element between layouts; both tensors have the same sizes.
void copy_reordered(const Tensor& from, const Tensor& to) {
  const size_t rank = static_cast<size_t>(from.dim());
  const size_t width = from.element_size();
  const auto* source = from.const_data_ptr<uint8_t>();
  auto* target = to.mutable_data_ptr<uint8_t>();
  int32_t index[kTensorDimensionLimit] = {};
  for (ssize_t n = 0; n < from.numel(); ++n) {
    int64_t a = 0;
    int64_t b = 0;
    for (size_t d = 0; d < rank; ++d) {
      a += static_cast<int64_t>(index[d]) * from.strides()[d];
      b += static_cast<int64_t>(index[d]) * to.strides()[d];
    }
    std::memcpy(target + b * static_cast<int64_t>(width), source + a * static_cast<int64_t>(width), width);
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < from.sizes()[d]) break;
      index[d] = 0;
    }
  }
}

bool close_enough(double given, double traced) {
  if (given != given || traced != traced) return given != given && traced != traced;
  if (given == traced) return true;  // infinities too
  const double distance = given > traced ? given - traced : traced - given;
  const double size = traced < 0 ? -traced : traced;
  return distance <= 1e-4 + 1e-5 * size;
}

}  // namespace

Error Method::set_input(const EValue& value, size_t i) {
  ET_CHECK_OR_RETURN_ERROR(!in_progress(), InvalidState, "input %zu: an execution is in progress", i);
  ET_CHECK_OR_RETURN_ERROR(i < inputs_size(), InvalidArgument,
                           "input %zu is out of range: method %s expects %zu inputs", i, meta_.name(), inputs_size());
  const size_t at = input_index(i);
  const EValue& own = values_[at];
  ET_CHECK_OR_RETURN_ERROR(own.tag == value.tag, InvalidArgument, "input %zu: expected %s, got %s", i,
                           tag_name(own.tag), tag_name(value.tag));
  switch (value.tag) {
    case Tag::None:
      break;
    case Tag::Tensor:
      ET_CHECK_OK_OR_RETURN_ERROR(set_tensor_input(value.toTensor(), i, at));
      break;
    case Tag::Int:
      ET_CHECK_OR_RETURN_ERROR(own.toInt() == value.toInt(), InvalidArgument,
                               "input %zu: the program was exported for %lld, got %lld", i,
                               static_cast<long long>(own.toInt()), static_cast<long long>(value.toInt()));
      break;
    case Tag::Bool:
      ET_CHECK_OR_RETURN_ERROR(own.toBool() == value.toBool(), InvalidArgument,
                               "input %zu: the program was exported for %s, got %s", i, own.toBool() ? "true" : "false",
                               value.toBool() ? "true" : "false");
      break;
    case Tag::Double:
      ET_CHECK_OR_RETURN_ERROR(close_enough(value.toDouble(), own.toDouble()), InvalidArgument,
                               "input %zu: the program was exported for %g, got %g", i, own.toDouble(),
                               value.toDouble());
      break;
    case Tag::String:
      ET_CHECK_OR_RETURN_ERROR(own.toString() == value.toString(), InvalidArgument,
                               "input %zu: the program was exported for another string", i);
      break;
    default:
      ET_LOG(Error, "input %zu: %s is not supported as an input", i, tag_name(value.tag));
      return Error::InvalidArgument;
  }
  input_set_[i] = true;
  return Error::Ok;
}

Error Method::set_tensor_input(const Tensor& value, size_t i, size_t at) {
  const Tensor own = values_[at].toTensor();
  TensorImpl* impl = own.unsafeGetTensorImpl();
  ET_CHECK_OR_RETURN_ERROR(value.unsafeGetTensorImpl() != nullptr, InvalidArgument, "input %zu: null tensor handle", i);
  ET_CHECK_OR_RETURN_ERROR(own.scalar_type() == value.scalar_type(), InvalidArgument, "input %zu: expected %s, got %s",
                           i, scalar_type_name(own.scalar_type()), scalar_type_name(value.scalar_type()));
  const format::TensorView view = meta_.view().value(static_cast<uint32_t>(at)).as_tensor();
  const bool planned = view.has_allocation() || view.data_buffer_idx() != 0;
  // The size of the previous buffer does not bound this one.
  if (!planned) impl->set_data(nullptr);
  const Error resized = resize_tensor(own, value.sizes());
  ET_CHECK_OR_RETURN_ERROR(resized == Error::Ok, NotSupported, "input %zu: the program does not allow this shape", i);
  if (value.const_data_ptr() == nullptr && value.nbytes() > 0) {
    ET_CHECK_OR_RETURN_ERROR(planned, InvalidArgument, "input %zu: the tensor has no data", i);
    return Error::Ok;  // planned memory keeps what it holds
  }
  if (planned) {
    ET_CHECK_OR_RETURN_ERROR(!impl->is_read_only(), InvalidArgument, "input %zu is a constant of the program", i);
    if (value.nbytes() == 0 || value.const_data_ptr() == own.const_data_ptr()) return Error::Ok;
    if (same_layout(value, own)) {
      std::memmove(own.mutable_data_ptr(), value.const_data_ptr(), value.nbytes());
    } else {
      copy_reordered(value, own);
    }
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(same_layout(value, own), InvalidArgument,
                           "input %zu: expected the program's dim order, because the input is not copied", i);
  impl->set_data(value.mutable_data_ptr(), static_cast<size_t>(value.numel()));
  return Error::Ok;
}

Error Method::set_inputs(ArrayRef<EValue> values) {
  ET_CHECK_OR_RETURN_ERROR(values.size() == inputs_size(), InvalidArgument, "method %s expects %zu inputs, got %zu",
                           meta_.name(), inputs_size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) ET_CHECK_OK_OR_RETURN_ERROR(set_input(values[i], i));
  return Error::Ok;
}

void Method::out_of_range(const char* what, size_t i, size_t count) {
  ET_LOG(Fatal, "%s index is out of range: %zu >= %zu", what, i, count);
  log_internal::fail();
}

Error Method::get_outputs(Span<EValue> out) const {
  ET_CHECK_OR_RETURN_ERROR(out.size() >= outputs_size(), InvalidArgument,
                           "method %s produces %zu outputs, but the span holds %zu", meta_.name(), outputs_size(),
                           out.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = i < outputs_size() ? get_output(i) : EValue();
  return Error::Ok;
}

Error Method::get_inputs(EValue* out, size_t length) const {
  ET_CHECK_OR_RETURN_ERROR(length >= inputs_size(), InvalidArgument,
                           "method %s takes %zu inputs, but there is room for %zu", meta_.name(), inputs_size(),
                           length);
  for (size_t i = 0; i < length; ++i) out[i] = i < inputs_size() ? get_input(i) : EValue();
  return Error::Ok;
}

Error Method::set_output_data_ptr(void* data, size_t size, size_t i) {
  ET_CHECK_OR_RETURN_ERROR(i < outputs_size(), InvalidArgument,
                           "output %zu is out of range: method %s produces %zu outputs", i, meta_.name(),
                           outputs_size());
  const EValue& own = get_output(i);
  ET_CHECK_OR_RETURN_ERROR(own.isTensor(), InvalidArgument, "output %zu is %s, not a tensor", i, tag_name(own.tag));
  const format::TensorView view = meta_.view().value(static_cast<uint32_t>(output_index(i))).as_tensor();
  ET_CHECK_OR_RETURN_ERROR(view.data() == format::TensorData::None, InvalidState,
                           "output %zu: its memory is planned by the program", i);
  TensorImpl* impl = own.payload.as_tensor.unsafeGetTensorImpl();
  ET_CHECK_OR_RETURN_ERROR(data != nullptr && size >= impl->nbytes(), InvalidArgument,
                           "output %zu: expected at least %zu bytes, got %zu", i, impl->nbytes(), size);
  impl->set_data(data, size / impl->element_size());
  return Error::Ok;
}

Result<Tensor> Method::get_attribute(string_view name) const {
  for (uint32_t i = 0; i < value_count_; ++i) {
    if (!values_[i].isTensor() || name.empty()) continue;
    if (meta_.view().value(i).as_tensor().fully_qualified_name() == name) return values_[i].toTensor();
  }
  return Error::NotFound;
}

}  // namespace et
