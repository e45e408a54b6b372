// Checks and result sizes that all resizing operators share.
#include "runtime/kernels/resample/source_index.h"

#include "runtime/kernels/movement/view.h"
#include "runtime/platform/log.h"

namespace et::ET_KERNELS {

bool resize_image(KernelRuntimeContext& ctx, const Tensor& in, optional<ArrayRef<int64_t>> output_size,
                  optional<ArrayRef<double>> scale_factors, const Tensor& out, const char* name) {
  ET_KERNEL_CHECK_MSG(ctx, in.dim() == 4, InvalidArgument, false, "%s: expected input of rank 4, got %zd", name,
                      in.dim());
  for (ssize_t d = 1; d < 4; ++d) {
    ET_KERNEL_CHECK_MSG(ctx, in.size(d) > 0, InvalidArgument, false, "%s: dimension %zd of input is empty", name, d);
  }
  ET_KERNEL_CHECK_MSG(ctx, output_size.has_value() != scale_factors.has_value(), InvalidArgument, false,
                      "%s: expected exactly one of output_size and scale_factors", name);
  const size_t given = output_size.has_value() ? output_size->size() : scale_factors->size();
  ET_KERNEL_CHECK_MSG(ctx, given == 2, InvalidArgument, false, "%s: expected 2 sizes or factors, got %zu", name, given);
  Sizes sizes = sizes_of(in);
  for (size_t d = 0; d < 2; ++d) {
    if (output_size.has_value()) {
      sizes.v[d + 2] = (*output_size)[d];
    } else {
      const double size = static_cast<double>(sizes.v[d + 2]) * (*scale_factors)[d];
      ET_KERNEL_CHECK_MSG(ctx, size >= 0 && size <= INT32_MAX, InvalidArgument, false, "%s: scale_factors[%zu] is %g",
                          name, d, (*scale_factors)[d]);
      sizes.v[d + 2] = static_cast<int64_t>(size);
    }
    ET_KERNEL_CHECK_MSG(ctx, sizes.v[d + 2] > 0, InvalidArgument, false, "%s: size %lld of the result", name,
                        static_cast<long long>(sizes.v[d + 2]));
  }
  return resize_result(ctx, out, sizes, name) && check_source(ctx, in, out, name);
}

}  // namespace et::ET_KERNELS
