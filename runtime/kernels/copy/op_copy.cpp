// Copies: between layouts, between dtypes, or both, and broadcast. The layout of a result is that of its output tensor.
// Elements of one dtype are moved as views; a change of dtype runs along the output's memory, and when the layout
// changes as well, it is done first, in temporary memory with the source's layout.
#include <limits>

#include "runtime/core/device_allocator.h"
#include "runtime/kernels/common/convert.h"
#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {
namespace {

constexpr int64_t kGrain = 32768;  // elements

bool has_memory(KernelRuntimeContext& ctx, const char* name, const char* argument, const Tensor& t) {
  ET_KERNEL_CHECK_MSG(ctx, t.numel() == 0 || t.const_data_ptr() != nullptr, InvalidArgument, false,
                      "%s: %s has no data", name, argument);
  return true;
}

/// Rows along the output's memory; `strides` are the source's, over the output's dimensions.
void convert_rows(const Tensor& out, const Tensor& in, const int64_t* strides, const Converter& converter) {
  const size_t rank = out.sizes().size();
  Shape shape;
  int64_t to[kTensorDimensionLimit];
  int64_t from[kTensorDimensionLimit];
  for (size_t d = 0; d < rank; ++d) {
    const size_t original = out.dim_order()[d];
    shape.push(out.sizes()[original]);
    to[d] = out.strides()[original];
    from[d] = strides[original];
  }
  const StridedWalk<2> walk(shape.view(), {to, from});
  auto* const o = out.mutable_data_ptr<std::byte>();
  const auto* const i = in.const_data_ptr<std::byte>();
  const int64_t o_size = out.itemsize();
  const int64_t i_size = in.itemsize();
  if (walk.rows() == 1) {
    const auto by = walk.inner_strides();
    parallel_for(0, walk.row_length(), kGrain, [&](int64_t begin, int64_t end) {
      converter.run(o + begin * by[0] * o_size, by[0], i + begin * by[1] * i_size, by[1], end - begin);
    });
    return;
  }
  parallel_for(0, walk.rows(), kGrain / walk.row_length() + 1, [&](int64_t begin, int64_t end) {
    walk.run(begin, end, [&](const auto& at, int64_t n, const auto& by) {
      converter.run(o + at[0] * o_size, by[0], i + at[1] * i_size, by[1], n);
    });
  });
}

/// out[…] = in[…], broadcast to the sizes that the output has.
void copy_into(KernelRuntimeContext& ctx, const char* name, const Tensor& in, const Tensor& out) {
  Shape shape;
  bool stretches = broadcast_shapes(in.sizes(), out.sizes(), &shape) && shape.rank == out.sizes().size();
  for (size_t d = 0; stretches && d < shape.rank; ++d) stretches = shape.sizes[d] == out.sizes()[d];
  ET_KERNEL_CHECK_MSG(ctx, stretches, InvalidArgument, , "%s: the source does not broadcast to the destination", name);
  if (!has_memory(ctx, name, "the source", in) || !has_memory(ctx, name, "the destination", out)) return;
  const Converter converter(in.scalar_type(), out.scalar_type());
  ET_KERNEL_CHECK_MSG(ctx, converter.valid(), InvalidArgument, , "%s: %s cannot become %s", name,
                      scalar_type_name(in.scalar_type()), scalar_type_name(out.scalar_type()));
  if (out.numel() == 0) return;
  int64_t strides[kTensorDimensionLimit];
  broadcast_strides(in, out.sizes(), strides);
  View from = view_of(out);
  from.data = in.mutable_data_ptr<uint8_t>();
  from.item = in.element_size();
  for (size_t d = 0; d < from.rank; ++d) from.steps[d] = strides[d] * static_cast<int64_t>(from.item);
  if (in.scalar_type() == out.scalar_type()) return copy_view(view_of(out), from);

  if (same_sizes(in, out) && !same_dim_order(in, out) && in.dim() > 1) {
    Result<void*> temporary = ctx.allocate_temp(out.nbytes());
    if (temporary.ok()) {
      View wide = view_of(out);
      for (size_t d = 0; d < wide.rank; ++d) wide.steps[d] = strides[d] * static_cast<int64_t>(wide.item);
      wide.data = static_cast<uint8_t*>(*temporary);
      parallel_for(0, in.numel(), kGrain, [&](int64_t begin, int64_t end) {
        converter.run(wide.data + begin * out.itemsize(), 1, in.const_data_ptr<uint8_t>() + begin * in.itemsize(), 1,
                      end - begin);
      });
      return copy_view(view_of(out), wide);
    }
  }
  convert_rows(out, in, strides, converter);
}

/// The result has the input's sizes, and its dtype too unless `converts`.
Tensor& copy_whole(KernelRuntimeContext& ctx, const char* name, const Tensor& in, bool converts, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, converts || in.scalar_type() == out.scalar_type(), InvalidArgument, out,
                      "%s: self is %s, out %s", name, scalar_type_name(in.scalar_type()),
                      scalar_type_name(out.scalar_type()));
  if (resize_out(ctx, out, in.sizes(), name)) copy_into(ctx, name, in, out);
  return out;
}

/// An explicit order must be the output's; None takes what the output has.
bool order_agrees(KernelRuntimeContext& ctx, const char* name, const optional<ArrayRef<int64_t>>& order,
                  const Tensor& out) {
  if (!order.has_value()) return true;
  bool agrees = order->size() == out.dim_order().size();
  for (size_t d = 0; agrees && d < order->size(); ++d) agrees = (*order)[d] == out.dim_order()[d];
  ET_KERNEL_CHECK_MSG(ctx, agrees, InvalidArgument, false, "%s: dim_order is not the dim order of out", name);
  return true;
}
bool format_agrees(KernelRuntimeContext& ctx, const char* name, const optional<MemoryFormat>& format,
                   const Tensor& out) {
  if (!format.has_value() || *format == MemoryFormat::Preserve) return true;
  const bool last = *format != MemoryFormat::Contiguous;
  const bool agrees =
      last ? is_channels_last(out) && out.dim() == (*format == MemoryFormat::ChannelsLast ? 4 : 5) : is_contiguous(out);
  ET_KERNEL_CHECK_MSG(ctx, agrees, InvalidArgument, false, "%s: memory_format %d is not the dim order of out", name,
                      static_cast<int>(*format));
  return true;
}

#define ET_PLAIN_COPY(function, name)                                          \
  Tensor& function(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) { \
    return copy_whole(ctx, name, in, false, out);                              \
  }
ET_PLAIN_COPY(alias_copy_out, "aten::alias_copy")
ET_PLAIN_COPY(detach_copy_out, "aten::detach_copy")
ET_PLAIN_COPY(lift_fresh_copy_out, "aten::lift_fresh_copy")
#undef ET_PLAIN_COPY

/// To or from the memory of another device, by its allocator. Where a program that was planned for a device runs with
/// all of its memory on the processor, a copy like any other.
Tensor& device_copy(KernelRuntimeContext& ctx, const char* name, const Tensor& in, bool to_device, Tensor& out) {
  const Device host = to_device ? in.device() : out.device(), device = to_device ? out.device() : in.device();
  ET_KERNEL_CHECK_MSG(ctx, host.is_cpu(), InvalidArgument, out, "%s: expected %s on the processor, got device type %d",
                      name, to_device ? "self" : "out", static_cast<int>(host.type()));
  if (device.is_cpu()) return copy_whole(ctx, name, in, false, out);
  ET_KERNEL_CHECK_MSG(ctx, in.scalar_type() == out.scalar_type() && same_dim_order(in, out), InvalidArgument, out,
                      "%s: self and out differ in dtype or dim order", name);
  ET_KERNEL_CHECK_MSG(ctx, resize_tensor(out, in.sizes()) == Error::Ok, InvalidArgument, out,
                      "%s: self does not fit into out", name);
  if (!has_memory(ctx, name, "self", in) || !has_memory(ctx, name, "out", out) || out.numel() == 0) return out;
  DeviceAllocator* allocator = get_device_allocator(device.type());
  ET_KERNEL_CHECK_MSG(ctx, allocator != nullptr, NotFound, out, "%s: no allocator is registered for device type %d",
                      name, static_cast<int>(device.type()));
  const Error error =
      to_device
          ? allocator->copy_host_to_device(out.mutable_data_ptr(), in.const_data_ptr(), in.nbytes(), device.index())
          : allocator->copy_device_to_host(out.mutable_data_ptr(), in.const_data_ptr(), in.nbytes(), device.index());
  ET_KERNEL_CHECK_MSG(ctx, error == Error::Ok, Internal, out, "%s: the allocator of device type %d failed: %s", name,
                      static_cast<int>(device.type()), error_name(error));
  return out;
}
Tensor& h2d_copy_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return device_copy(ctx, "et_copy::_h2d_copy", in, true, out);
}
Tensor& d2h_copy_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return device_copy(ctx, "et_copy::_d2h_copy", in, false, out);
}

Tensor& clone_out(KernelRuntimeContext& ctx, const Tensor& in, const optional<MemoryFormat>& format, Tensor& out) {
  if (!format_agrees(ctx, "aten::clone", format, out)) return out;
  return copy_whole(ctx, "aten::clone", in, false, out);
}
Tensor& to_copy_out(KernelRuntimeContext& ctx, const Tensor& in, bool, const optional<MemoryFormat>& format,
                    Tensor& out) {
  if (!format_agrees(ctx, "aten::_to_copy", format, out)) return out;
  return copy_whole(ctx, "aten::_to_copy", in, true, out);
}
Tensor& to_dim_order_copy_out(KernelRuntimeContext& ctx, const Tensor& in, bool,
                              const optional<ArrayRef<int64_t>>& order, Tensor& out) {
  constexpr const char* kName = "dim_order_ops::_to_dim_order_copy";
  return order_agrees(ctx, kName, order, out) ? copy_whole(ctx, kName, in, true, out) : out;
}
Tensor& clone_dim_order_out(KernelRuntimeContext& ctx, const Tensor& in, bool, const optional<ArrayRef<int64_t>>& order,
                            Tensor& out) {
  constexpr const char* kName = "dim_order_ops::_clone_dim_order";
  return order_agrees(ctx, kName, order, out) ? copy_whole(ctx, kName, in, false, out) : out;
}
Tensor& empty_dim_order_out(KernelRuntimeContext& ctx, ArrayRef<int64_t> size, const optional<ArrayRef<int64_t>>& order,
                            Tensor& out) {
  constexpr const char* kName = "dim_order_ops::_empty_dim_order";
  Sizes sizes;
  for (const int64_t n : size) sizes.push(n);
  if (order_agrees(ctx, kName, order, out)) resize_result(ctx, out, sizes, kName);
  return out;
}

Tensor& copy_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& src, bool, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, in.scalar_type() == out.scalar_type(), InvalidArgument, out,
                      "aten::copy: self is %s, out %s", scalar_type_name(in.scalar_type()),
                      scalar_type_name(out.scalar_type()));
  if (resize_out(ctx, out, in.sizes(), "aten::copy")) copy_into(ctx, "aten::copy", src, out);
  return out;
}
Tensor& copy_(KernelRuntimeContext& ctx, Tensor& self, const Tensor& src, bool) {
  copy_into(ctx, "aten::copy_", src, self);
  return self;
}

/// The two parts of each number become a last dimension.
Tensor& view_as_real_copy_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  constexpr const char* kName = "aten::view_as_real_copy";
  const ScalarType t = in.scalar_type();
  ET_KERNEL_CHECK_MSG(ctx, is_complex(t), InvalidArgument, out, "%s: expected complex self, got %s", kName,
                      scalar_type_name(t));
  const ScalarType part = t == ScalarType::ComplexDouble  ? ScalarType::Double
                          : t == ScalarType::ComplexFloat ? ScalarType::Float
                                                          : ScalarType::Half;
  Sizes sizes = sizes_of(in);
  sizes.push(2);
  if (!resize_result(ctx, out, sizes, kName) || !has_memory(ctx, kName, "self", in)) return out;
  View from = view_of(in);
  from.item /= 2;
  from.push(2, static_cast<int64_t>(from.item));
  ET_KERNEL_CHECK_MSG(ctx, convert_view(view_of(out), out.scalar_type(), from, part), InvalidArgument, out,
                      "%s: out is %s", kName, scalar_type_name(out.scalar_type()));
  return out;
}

}  // namespace

ET_KERNEL(alias_copy_out)
ET_KERNEL(detach_copy_out)
ET_KERNEL(lift_fresh_copy_out)
ET_KERNEL(h2d_copy_out)
ET_KERNEL(d2h_copy_out)
ET_KERNEL(clone_out)
ET_KERNEL(to_copy_out)
ET_KERNEL(to_dim_order_copy_out)
ET_KERNEL(clone_dim_order_out)
ET_KERNEL(empty_dim_order_out)
ET_KERNEL(copy_out)
ET_KERNEL(copy_)
ET_KERNEL(view_as_real_copy_out)

}  // namespace et::ET_KERNELS
