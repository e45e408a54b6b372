// Tensors from numbers: full, full_like, ones, zeros, empty, fill, scalar_tensor, arange.
#include "runtime/kernels/elementwise/factory.h"

#include <cmath>
#include <limits>

#include "runtime/kernels/common/convert.h"
#include "runtime/kernels/elementwise/engine.h"

namespace et::ET_KERNELS {

bool make_shape(KernelRuntimeContext& context, const char* name, ArrayRef<int64_t> size, const Tensor& out) {
  ET_KERNEL_CHECK_MSG(context, size.size() <= kTensorDimensionLimit, InvalidArgument, false,
                      "%s: size has %zu dimensions", name, size.size());
  Shape shape;
  for (const int64_t n : size) {
    ET_KERNEL_CHECK_MSG(context, n >= 0 && n <= std::numeric_limits<int32_t>::max(), InvalidArgument, false,
                        "%s: size has an entry of %lld", name, static_cast<long long>(n));
    shape.push(n);
  }
  if (!resize_out(context, out, shape.view(), name)) return false;
  ET_KERNEL_CHECK_MSG(context, out.numel() == 0 || out.const_data_ptr() != nullptr, InvalidArgument, false,
                      "%s: out has no data", name);
  return true;
}

namespace {

constexpr int64_t kGrain = 32768;

/// Every element of the output becomes the element at `value`, of the output's dtype.
bool spread(KernelRuntimeContext& ctx, const char* name, const void* value, const Tensor& out) {
  const ConvertRun move = find_move(out.element_size());
  ET_KERNEL_CHECK_MSG(ctx, move != nullptr, InvalidArgument, false, "%s: out has dtype %s, which is not supported",
                      name, scalar_type_name(out.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, out.numel() == 0 || out.const_data_ptr() != nullptr, InvalidArgument, false,
                      "%s: out has no data", name);
  parallel_for(0, out.numel(), kGrain, [&](int64_t from, int64_t to) {
    move(out.mutable_data_ptr<std::byte>() + from * out.itemsize(), 1, value, 0, to - from);
  });
  return true;
}

Tensor& fill_with(KernelRuntimeContext& ctx, const char* name, const Scalar& value, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, fits(value, out.scalar_type()), InvalidArgument, out, "%s: value %g does not fit dtype %s",
                      name, value.to<double>(), scalar_type_name(out.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, Converter(ScalarType::Double, out.scalar_type()).valid(), InvalidArgument, out,
                      "%s: out has dtype %s, which is not supported", name, scalar_type_name(out.scalar_type()));
  const Operand number(value, out.scalar_type());
  spread(ctx, name, number.number, out);
  return out;
}

Tensor& full_out(KernelRuntimeContext& ctx, ArrayRef<int64_t> size, const Scalar& value, Tensor& out) {
  return make_shape(ctx, "aten::full", size, out) ? fill_with(ctx, "aten::full", value, out) : out;
}
Tensor& full_like_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& value, const optional<MemoryFormat>&,
                      Tensor& out) {
  return resize_out(ctx, out, in.sizes(), "aten::full_like") ? fill_with(ctx, "aten::full_like", value, out) : out;
}
Tensor& ones_out(KernelRuntimeContext& ctx, ArrayRef<int64_t> size, Tensor& out) {
  return make_shape(ctx, "aten::ones", size, out) ? fill_with(ctx, "aten::ones", 1, out) : out;
}
Tensor& zeros_out(KernelRuntimeContext& ctx, ArrayRef<int64_t> size, Tensor& out) {
  return make_shape(ctx, "aten::zeros", size, out) ? fill_with(ctx, "aten::zeros", 0, out) : out;
}
Tensor& empty_out(KernelRuntimeContext& ctx, ArrayRef<int64_t> size, const optional<MemoryFormat>&, Tensor& out) {
  make_shape(ctx, "aten::empty", size, out);
  return out;
}
Tensor& scalar_tensor_out(KernelRuntimeContext& ctx, const Scalar& value, Tensor& out) {
  return make_shape(ctx, "aten::scalar_tensor", {}, out) ? fill_with(ctx, "aten::scalar_tensor", value, out) : out;
}
Tensor& fill_scalar_out(KernelRuntimeContext& ctx, const Tensor& in, const Scalar& value, Tensor& out) {
  return resize_out(ctx, out, in.sizes(), "aten::fill") ? fill_with(ctx, "aten::fill", value, out) : out;
}
Tensor& fill_tensor_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& value, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, value.numel() == 1 && value.const_data_ptr() != nullptr, InvalidArgument, out,
                      "aten::fill: value has %zd elements, not 1", value.numel());
  if (!resize_out(ctx, out, in.sizes(), "aten::fill")) return out;
  const Converter converter(value.scalar_type(), out.scalar_type());
  ET_KERNEL_CHECK_MSG(ctx, converter.valid(), InvalidArgument, out, "aten::fill: dtype %s cannot become dtype %s",
                      scalar_type_name(value.scalar_type()), scalar_type_name(out.scalar_type()));
  alignas(16) std::byte element[16];
  converter.run(element, 1, value.const_data_ptr(), 1, 1);
  spread(ctx, "aten::fill", element, out);
  return out;
}

/// out[i] = start + i·step: in int64 for integer outputs, else in double.
template <class T>
void count_up(const Tensor& out, T start, T step, const Converter& converter) {
  constexpr int64_t kChunk = 512;
  T buffer[kChunk];
  for (int64_t done = 0; done < out.numel(); done += kChunk) {
    const int64_t m = out.numel() - done < kChunk ? out.numel() - done : kChunk;
    for (int64_t k = 0; k < m; ++k) {
      if constexpr (std::is_integral_v<T>) {
        buffer[k] = static_cast<T>(static_cast<uint64_t>(start) +
                                   static_cast<uint64_t>(done + k) * static_cast<uint64_t>(step));
      } else {
        buffer[k] = start + static_cast<T>(done + k) * step;
      }
    }
    converter.run(out.mutable_data_ptr<std::byte>() + done * out.itemsize(), 1, buffer, 1, m);
  }
}

Tensor& arange_start_out(KernelRuntimeContext& ctx, const Scalar& start, const Scalar& end, const Scalar& step,
                         Tensor& out) {
  const ScalarType t = out.scalar_type();
  double span = end.to<double>() - start.to<double>();
  double stride = step.to<double>();
  if (t == ScalarType::Long) {
    // int64 outputs cut the numbers first.
    int64_t exact = 0;
    const bool small = !__builtin_sub_overflow(end.to<int64_t>(), start.to<int64_t>(), &exact);
    span = small ? static_cast<double>(exact) : std::trunc(span);
    stride = static_cast<double>(step.to<int64_t>());
  }
  ET_KERNEL_CHECK_MSG(ctx, stride != 0 && std::isfinite(span) && std::isfinite(stride), InvalidArgument, out,
                      "aten::arange: no range from %g to %g by %g", start.to<double>(), end.to<double>(),
                      step.to<double>());
  ET_KERNEL_CHECK_MSG(ctx, span == 0 || (span > 0) == (stride > 0), InvalidArgument, out,
                      "aten::arange: step %g leads away from the end %g", stride, end.to<double>());
  const double count = std::ceil(span / stride);
  ET_KERNEL_CHECK_MSG(ctx, count <= 2147483647.0, InvalidArgument, out, "aten::arange: %g elements", count);
  const int64_t size[] = {static_cast<int64_t>(count)};
  if (!make_shape(ctx, "aten::arange", size, out)) return out;
  const ScalarType from = is_integral(t) ? ScalarType::Long : ScalarType::Double;
  const Converter converter(from, t);
  ET_KERNEL_CHECK_MSG(ctx, converter.valid() && t != ScalarType::Bool && !is_complex(t), InvalidArgument, out,
                      "aten::arange: out has dtype %s, which is not supported", scalar_type_name(t));
  if (from == ScalarType::Long) {
    count_up(out, start.to<int64_t>(), step.to<int64_t>(), converter);
  } else {
    count_up(out, start.to<double>(), step.to<double>(), converter);
  }
  return out;
}
Tensor& arange_out(KernelRuntimeContext& ctx, const Scalar& end, Tensor& out) {
  return arange_start_out(ctx, 0, end, 1, out);
}

}  // namespace

ET_KERNEL(full_out)
ET_KERNEL(full_like_out)
ET_KERNEL(ones_out)
ET_KERNEL(zeros_out)
ET_KERNEL(empty_out)
ET_KERNEL(scalar_tensor_out)
ET_KERNEL(fill_scalar_out)
ET_KERNEL(fill_tensor_out)
ET_KERNEL(arange_out)
ET_KERNEL(arange_start_out)

}  // namespace et::ET_KERNELS
