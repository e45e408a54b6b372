// tile_crop (an image [C, H, W] as tiles [n, C, size, size], row by row) and fallback (a copy).
#include <cstring>

#include "runtime/kernels/common/kernel.h"

namespace et::ET_KERNELS {
namespace {

Tensor& tile_crop_out(KernelRuntimeContext& ctx, const Tensor& input, int64_t tile_size, Tensor& out) {
  constexpr const char* kName = "preprocess::tile_crop";
  ET_KERNEL_CHECK_MSG(ctx, input.dim() == 3 && out.dim() == 4 && input.scalar_type() == out.scalar_type(),
                      InvalidArgument, out, "%s: input is %s with %zd dimensions, out %s with %zd", kName,
                      scalar_type_name(input.scalar_type()), input.dim(), scalar_type_name(out.scalar_type()),
                      out.dim());
  ET_KERNEL_CHECK_MSG(
      ctx, tile_size > 0 && tile_size <= INT32_MAX && input.size(1) % tile_size == 0 && input.size(2) % tile_size == 0,
      InvalidArgument, out, "%s: tile_size %lld does not divide %zd x %zd", kName, static_cast<long long>(tile_size),
      input.size(1), input.size(2));
  const int64_t channels = input.size(0), down = input.size(1) / tile_size, across = input.size(2) / tile_size;
  Shape shape;
  for (int64_t n : {down * across, channels, tile_size, tile_size}) shape.push(n);
  ET_KERNEL_CHECK_MSG(ctx, down * across <= INT32_MAX, InvalidArgument, out, "%s: too many tiles", kName);
  if (!resize_out(ctx, out, shape.view(), kName) || out.numel() == 0) return out;
  ET_KERNEL_CHECK_MSG(ctx, input.const_data_ptr() != nullptr && out.const_data_ptr() != nullptr, InvalidArgument, out,
                      "%s: input or out has no memory", kName);
  const auto size = static_cast<int64_t>(input.element_size());
  const auto* in_data = static_cast<const char*>(input.const_data_ptr());
  auto* out_data = static_cast<char*>(out.mutable_data_ptr());
  const auto in = input.strides(), to = out.strides();
  const bool rows = in[2] == 1 && to[3] == 1;
  for (int64_t tile = 0; tile < down * across; ++tile) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t y = 0; y < tile_size; ++y) {
        const char* from =
            in_data + (c * in[0] + (tile / across * tile_size + y) * in[1] + tile % across * tile_size * in[2]) * size;
        char* target = out_data + (tile * to[0] + c * to[1] + y * to[2]) * size;
        if (rows) {
          std::memcpy(target, from, static_cast<size_t>(tile_size * size));
        } else {
          for (int64_t x = 0; x < tile_size; ++x) {
            std::memcpy(target + x * to[3] * size, from + x * in[2] * size, static_cast<size_t>(size));
          }
        }
      }
    }
  }
  return out;
}

Tensor& fallback_out(KernelRuntimeContext& ctx, const Tensor& input, Tensor& out) {
  constexpr const char* kName = "llama::fallback";
  ET_KERNEL_CHECK_MSG(ctx, input.scalar_type() == out.scalar_type(), InvalidArgument, out, "%s: input is %s, out %s",
                      kName, scalar_type_name(input.scalar_type()), scalar_type_name(out.scalar_type()));
  if (!resize_out(ctx, out, input.sizes(), kName) || out.nbytes() == 0) return out;
  ET_KERNEL_CHECK_MSG(
      ctx, same_dim_order(input, out) && input.const_data_ptr() != nullptr && out.const_data_ptr() != nullptr,
      InvalidArgument, out, "%s: input and out differ in dim order, or have no memory", kName);
  std::memmove(out.mutable_data_ptr(), input.const_data_ptr(), input.nbytes());
  return out;
}

}  // namespace

ET_KERNEL(tile_crop_out)
ET_KERNEL(fallback_out)

}  // namespace et::ET_KERNELS
