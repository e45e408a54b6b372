// nonzero: the places of all elements that are not zero, in logical order: a first pass counts, a second one writes.
#include "runtime/kernels/reduction/plan.h"

namespace et::ET_KERNELS {
namespace {

template <class U>
void nonzero_bits(KernelRuntimeContext& ctx, const Tensor& in, U mask, const Tensor& out) {
  const U* data = in.const_data_ptr<U>();
  int64_t count = 0;
  // A dense tensor: for the number, the order does not matter.
  for (int64_t i = 0; i < in.numel(); ++i) count += (data[i] & mask) != 0 ? 1 : 0;
  const size_t rank = in.sizes().size();
  ET_KERNEL_CHECK_MSG(ctx, count <= INT32_MAX, InvalidArgument, , "aten::nonzero.out: %lld elements are too many",
                      static_cast<long long>(count));
  Shape shape;
  shape.push(count);
  shape.push(static_cast<int64_t>(rank));
  if (!prepare_out(ctx, "aten::nonzero.out", out, shape) || out.numel() == 0) return;
  int64_t* places = out.mutable_data_ptr<int64_t>();
  const int64_t row_stride = out.strides()[0];
  const int64_t column_stride = out.strides()[1];
  int64_t index[kTensorDimensionLimit] = {};
  const int64_t last_size = in.sizes()[rank - 1];
  const int64_t last_stride = in.strides()[rank - 1];
  int64_t at = 0;
  int64_t row = 0;
  while (row < count) {
    for (int64_t i = 0; i < last_size && row < count; ++i) {
      if ((data[at + i * last_stride] & mask) == 0) continue;
      for (size_t d = 0; d + 1 < rank; ++d)
        places[row * row_stride + static_cast<int64_t>(d) * column_stride] = index[d];
      places[row * row_stride + static_cast<int64_t>(rank - 1) * column_stride] = i;
      ++row;
    }
    size_t d = rank - 1;
    while (d-- > 0) {
      at += in.strides()[d];
      if (++index[d] < in.sizes()[d]) break;
      at -= index[d] * in.strides()[d];
      index[d] = 0;
    }
    if (d == static_cast<size_t>(-1)) break;
  }
}

Tensor& nonzero_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, in_set(in.scalar_type(), kRealHB | kUnsigned), InvalidArgument, out,
                      "aten::nonzero.out: self has dtype %s", scalar_type_name(in.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, out.scalar_type() == ScalarType::Long && out.dim() == 2, InvalidArgument, out,
                      "aten::nonzero.out: expected out to be int64 of rank 2, got %s of rank %zd",
                      scalar_type_name(out.scalar_type()), out.dim());
  if (!check_memory(ctx, "aten::nonzero.out", "self", in)) return out;
  const bool floating = is_floating(in.scalar_type());  // -0.0 is zero
  switch (in.element_size()) {
    case 1:
      nonzero_bits<uint8_t>(ctx, in, 0xffu, out);
      break;
    case 2:
      nonzero_bits<uint16_t>(ctx, in, floating ? 0x7fffu : 0xffffu, out);
      break;
    case 4:
      nonzero_bits<uint32_t>(ctx, in, floating ? 0x7fffffffu : 0xffffffffu, out);
      break;
    default:
      nonzero_bits<uint64_t>(ctx, in, floating ? ~uint64_t{0} >> 1 : ~uint64_t{0}, out);
  }
  return out;
}

}  // namespace

ET_KERNEL(nonzero_out)

}  // namespace et::ET_KERNELS
