// GEMMs and convolutions in float32: split over threads, rows gathered where they do not lie in place.
#include "runtime/backends/xnnpack/compute/provided_f32.h"
#include "runtime/backends/xnnpack/compute/split_gemm.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"

namespace et::xnn {
namespace {

// Rows of A and of the result, 1 MB: fewer would have the weights read more often than they repay where these lie
// behind the second cache, more would not stay in it.
constexpr int64_t kBlockFloats = 256 * 1024;
constexpr int64_t kPackedFloats = 24 * 1024;

}  // namespace

void linear_f32(const PackedF32& w, int64_t m, const float* a, int64_t a_stride, float* out, int64_t out_stride,
                Clamp clamp) {
  if (provided_linear_f32(w, m, a, a_stride, out, out_stride, clamp)) return;
  const MatrixLoops& table = matrix_loops();
  split_gemm(m, w.panel_count(), work_of(m, w.n(), w.k()), [&](int64_t i0, int64_t i1, int64_t p0, int64_t p1) {
    BlockF32 block;
    const int64_t j = p0 * PackedF32::kPanel;
    block.n = std::min(w.n(), p1 * PackedF32::kPanel) - j;
    block.k = w.k();
    block.a_stride = a_stride;
    block.panels = w.panels(0) + j * w.k();
    block.columns = w.columns(0);
    block.bias = w.bias(0) + j;
    block.out_stride = out_stride;
    block.clamp = clamp;
    each_row_block(i0, i1, w.k() + block.n, kBlockFloats, [&](int64_t first, int64_t last) {
      block.m = last - first;
      block.a = a + first * a_stride;
      block.out = out + first * out_stride + j;
      table.f32(block);
    });
  });
}

void batch_matmul_f32(const BatchMatrix& g) {
  if (g.batch == 0 || g.m == 0 || g.n == 0) return;
  const MatrixLoops& table = matrix_loops();
  // Few rows do not repay packing; a few more only where reading the matrix for each of them costs little.
  constexpr int64_t kFewRows = 3, kMoreRows = 6, kNearFloats = 256 * 1024;
  const bool near = !g.transposed && g.n * g.k <= kNearFloats && g.batch >= parallel_threads();
  const bool in_place = g.m <= kFewRows || (near && g.m <= kMoreRows);
  if (!in_place && provided_batch_matmul_f32(g)) return;
  // Parts of one problem where there are fewer problems than threads.
  const int64_t panels = (g.n + PackedF32::kPanel - 1) / PackedF32::kPanel;
  const double work = work_of(g.batch * g.m, g.n, g.k);
  const int64_t threads = work < 1 << 17 ? 1 : parallel_threads();
  const int64_t parts = in_place && !g.transposed ? 1 : std::min(panels, (threads + g.batch - 1) / g.batch);
  const auto run = [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t batch = i / parts, part = i % parts;
      const int64_t j0 = panels * part / parts * PackedF32::kPanel;
      const int64_t j1 = std::min(g.n, panels * (part + 1) / parts * PackedF32::kPanel);
      const float* a = g.a + batch * g.a_batch;
      const float* b = g.b + batch * g.b_batch;
      float* out = g.out + batch * g.m * g.n;
      if (in_place) {
        for (int64_t row = 0; row < g.m; ++row) {
          table.row_f32(j1 - j0, g.k, g.transposed, a + row * g.k, g.transposed ? b + j0 * g.k : b,
                        out + row * g.n + j0);
        }
        continue;
      }
      // What stays in the second cache is packed at a time, two panels or more, as the loops take them.
      constexpr int64_t kPair = 2 * PackedF32::kPanel;
      const int64_t together = std::max<int64_t>(1, kPackedFloats / (g.k * kPair + 1)) * kPair;
      float* packed =
          thread_workspace<float>(WorkspaceSlot::Panel, g.k * std::min(together, panels * PackedF32::kPanel));
      for (int64_t j = j0; j < j1; j += together) {
        BlockF32 block;
        block.m = g.m;
        block.n = std::min(together, j1 - j);
        block.k = block.a_stride = g.k;
        block.a = a;
        for (int64_t c = 0; c < block.n; c += PackedF32::kPanel) {
          table.pack_f32(std::min(PackedF32::kPanel, block.n - c), g.k, g.transposed,
                         g.transposed ? b + (j + c) * g.k : b + j + c, g.n, packed + c * g.k);
        }
        block.panels = packed;
        block.out = out + j;
        block.out_stride = g.n;
        table.f32(block);
      }
    }
  };
  if (threads == 1) return run(0, g.batch * parts);
  parallel_for(0, g.batch * parts, 1, run);
}

}  // namespace et::xnn
