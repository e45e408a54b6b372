// MethodMeta: what a method takes, gives and needs, without loading it. Views into the program.
#pragma once

#include "base/result.h"
#include "runtime/core/device.h"
#include "runtime/core/span.h"
#include "runtime/core/tag.h"
#include "runtime/format/program.h"

namespace et {

/// Shape and dtype of a tensor input or output; sizes are upper bounds where the shape is dynamic.
class TensorInfo {
 public:
  explicit TensorInfo(const format::TensorView& tensor) : tensor_(tensor) {}
  ArrayRef<int32_t> sizes() const { return tensor_.sizes(); }
  ArrayRef<uint8_t> dim_order() const { return tensor_.dim_order(); }
  ScalarType scalar_type() const { return tensor_.scalar_type(); }
  bool is_dynamic() const { return tensor_.shape_dynamism() != format::ShapeDynamism::Static; }
  bool is_memory_planned() const { return tensor_.has_allocation() || tensor_.data_buffer_idx() != 0; }
  /// SIZE_MAX: more than this machine can address.
  size_t nbytes() const { return tensor_.nbytes() > SIZE_MAX ? SIZE_MAX : static_cast<size_t>(tensor_.nbytes()); }
  string_view name() const { return tensor_.fully_qualified_name(); }

 private:
  format::TensorView tensor_;
};

class MethodMeta {
 public:
  explicit MethodMeta(const format::Method& method) : method_(method) {}

  /// Zero-terminated; lives as long as the program.
  const char* name() const { return method_.name().data(); }
  size_t num_inputs() const { return method_.inputs().size(); }
  /// InvalidArgument: no such input.
  Result<Tag> input_tag(size_t i) const { return tag(method_.inputs(), i); }
  /// InvalidArgument: no such input, or no tensor.
  Result<TensorInfo> input_tensor_meta(size_t i) const { return tensor(method_.inputs(), i); }
  size_t num_outputs() const { return method_.outputs().size(); }
  Result<Tag> output_tag(size_t i) const { return tag(method_.outputs(), i); }
  Result<TensorInfo> output_tensor_meta(size_t i) const { return tensor(method_.outputs(), i); }
  /// Planned arenas: their count, and bytes of each.
  size_t num_memory_planned_buffers() const { return method_.buffer_sizes().size() - 1; }
  Result<int64_t> memory_planned_buffer_size(size_t i) const {
    if (i >= num_memory_planned_buffers()) return Error::InvalidArgument;
    return method_.buffer_sizes()[i + 1];
  }
  /// Where that arena has to be, as the program says it: the processor where it says nothing.
  Result<Device> memory_planned_buffer_device(size_t i) const {
    if (i >= num_memory_planned_buffers()) return Error::InvalidArgument;
    for (uint32_t k = 0; k < method_.buffer_device_count(); ++k) {
      const format::BufferDevice at = method_.buffer_device(k);
      if (static_cast<size_t>(at.buffer) == i + 1) {
        return Device(static_cast<DeviceType>(at.device_type), static_cast<DeviceIndex>(at.device_index));
      }
    }
    return Device(DeviceType::CPU);
  }
  size_t num_backends() const { return method_.delegate_count(); }
  Result<const char*> get_backend_name(size_t i) const {
    if (i >= num_backends()) return Error::InvalidArgument;
    return method_.delegate(static_cast<uint32_t>(i)).id().data();
  }
  bool uses_backend(string_view id) const;
  size_t num_instructions() const { return method_.instruction_count(); }
  /// Tensors that carry a name: mutable buffers and external weights.
  size_t num_attributes() const;
  Result<TensorInfo> attribute_tensor_meta(size_t i) const;
  const format::Method& view() const { return method_; }

 private:
  Result<Tag> tag(ArrayRef<int32_t> list, size_t i) const {
    if (i >= list.size()) return Error::InvalidArgument;
    return static_cast<Tag>(method_.value(static_cast<uint32_t>(list[i])).kind());
  }
  Result<TensorInfo> tensor(ArrayRef<int32_t> list, size_t i) const {
    if (i >= list.size()) return Error::InvalidArgument;
    const format::Value v = method_.value(static_cast<uint32_t>(list[i]));
    if (v.kind() != format::ValueKind::Tensor) return Error::InvalidArgument;
    return TensorInfo(v.as_tensor());
  }
  format::Method method_;
};

}  // namespace et
