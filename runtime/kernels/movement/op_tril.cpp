// tril: the lower triangle of matrices, zeros above.
#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {
namespace {

Tensor& tril_out(KernelRuntimeContext& ctx, const Tensor& self, int64_t diagonal, Tensor& out) {
  const char* name = "aten::tril";
  ET_KERNEL_CHECK_MSG(ctx, self.dim() >= 2, InvalidArgument, out, "%s: expected self of rank 2 or more, got %zd", name,
                      self.dim());
  if (!resize_result(ctx, out, sizes_of(self), name) || !check_source(ctx, self, out, name) || out.numel() == 0) {
    return out;
  }
  View from = view_of(self), to = view_of(out);
  const size_t r = to.rank - 2;
  const int64_t rows = to.sizes[r], columns = to.sizes[r + 1];
  if (diagonal > columns) diagonal = columns;
  if (diagonal < -rows) diagonal = -rows;
  const uint8_t zero[16] = {};
  // Row by row over all matrices at once when there are many small ones; the views do the rest.
  for (int64_t row = 0; row < rows; ++row) {
    int64_t keep = row + diagonal + 1;
    keep = keep < 0 ? 0 : keep > columns ? columns : keep;
    View row_from = from, row_to = to;
    row_from.slice(r, row, 1);
    row_to.slice(r, row, 1);
    View zeros = row_to;
    row_from.slice(r + 1, 0, keep);
    row_to.slice(r + 1, 0, keep);
    copy_view(row_to, row_from);
    zeros.slice(r + 1, keep, columns - keep);
    fill_view(zeros, zero);
  }
  return out;
}

}  // namespace

ET_KERNEL(tril_out)

}  // namespace et::ET_KERNELS
