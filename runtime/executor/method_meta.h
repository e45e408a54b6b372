// MethodMeta: what a method takes, gives and needs, without loading it. Views into the program.
#pragma once

#include "base/result.h"
#include "runtime/core/device.h"
#include "runtime/core/span.h"
#include "runtime/core/tag.h"
#include "runtime/format/program.h"
#include "runtime/format/tensor_facts.h"

namespace et {

/// Shape and dtype of a tensor input or output; sizes are upper bounds where the shape is dynamic.
class TensorInfo {
 public:
  explicit TensorInfo(const format::TensorView& tensor)
      : sizes_(tensor.sizes()),
        dim_order_(tensor.dim_order()),
        name_(tensor.fully_qualified_name()),
        scalar_type_(tensor.scalar_type()),
        is_dynamic_(tensor.shape_dynamism() != format::ShapeDynamism::Static),
        is_memory_planned_(tensor.has_allocation() || tensor.data_buffer_idx() != 0) {}
  /// Of its parts, which must outlive it. InvalidArgument: it exceeds the address space, or the dim order is not as
  /// long as the shape.
  static Result<TensorInfo> create(ArrayRef<int32_t> sizes, ArrayRef<uint8_t> dim_order, ScalarType scalar_type,
                                   bool is_memory_planned, string_view name) {
    TensorInfo info(sizes, dim_order, scalar_type, is_memory_planned, name);
    if (sizes.size() != dim_order.size() || info.nbytes() == SIZE_MAX) return Error::InvalidArgument;
    return info;
  }
  ArrayRef<int32_t> sizes() const { return sizes_; }
  ArrayRef<uint8_t> dim_order() const { return dim_order_; }
  ScalarType scalar_type() const { return scalar_type_; }
  bool is_dynamic() const { return is_dynamic_; }
  bool is_memory_planned() const { return is_memory_planned_; }
  /// SIZE_MAX: more than this machine can address.
  size_t nbytes() const {
    const uint64_t bytes = format::byte_count(format::element_count(sizes_), scalar_type_);
    return bytes > SIZE_MAX ? SIZE_MAX : static_cast<size_t>(bytes);
  }
  string_view name() const { return name_; }

 private:
  TensorInfo(ArrayRef<int32_t> sizes, ArrayRef<uint8_t> dim_order, ScalarType scalar_type, bool is_memory_planned,
             string_view name)
      : sizes_(sizes),
        dim_order_(dim_order),
        name_(name),
        scalar_type_(scalar_type),
        is_memory_planned_(is_memory_planned) {}

  ArrayRef<int32_t> sizes_;
  ArrayRef<uint8_t> dim_order_;
  string_view name_;
  ScalarType scalar_type_;
  bool is_dynamic_ = false;
  bool is_memory_planned_;
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
  /// As older applications write them.
  size_t num_non_const_buffers() const { return num_memory_planned_buffers(); }
  Result<int64_t> non_const_buffer_size(size_t i) const { return memory_planned_buffer_size(i); }
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
