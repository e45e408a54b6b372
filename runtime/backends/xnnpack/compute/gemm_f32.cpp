// GEMMs and convolutions in float32: split over threads, rows gathered where they do not lie in place.
#include "runtime/backends/xnnpack/compute/provided_f32.h"
#include "runtime/backends/xnnpack/compute/split_gemm.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"

namespace et::xnn {
namespace {

constexpr int64_t kBlockFloats = 48 * 1024;  // rows of A: 192 KB of the second cache

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

namespace {

/// Output pixels of a line whose inputs lie side by side in the image: rows of a GEMM's A as they are.
class RowsInPlace {
 public:
  explicit RowsInPlace(const ConvShape& shape) : s_(shape) {
    constexpr int64_t kPays = 4 * kTileRows;  // shorter lines make thin tiles
    if (s_.groups != 1 || s_.transposed || s_.kernel_h != 1 || s_.pad_top != 0) return;
    if (s_.in_pixel() != s_.in_channels || (s_.dilation_w != 1 && s_.kernel_w != 1)) return;
    first_ = std::min(s_.out_w, (s_.pad_left + s_.stride_w - 1) / s_.stride_w);
    const int64_t slack = s_.in_w - s_.kernel_w + s_.pad_left;
    last_ = slack < 0 ? first_ : std::clamp(slack / s_.stride_w + 1, first_, s_.out_w);
    if (last_ - first_ < kPays) last_ = first_;
  }
  /// f(first, last, rows of A or null) for parts of the output pixels [first, last).
  template <class F>
  void each_part(const float* in, int64_t first, int64_t last, const F& f) const {
    if (first_ == last_) return f(first, last, nullptr);
    for (int64_t i = first; i < last;) {
      const int64_t line = i / s_.out_w, x = i % s_.out_w;
      const int64_t image = line / s_.out_h, row = line % s_.out_h * s_.stride_h;
      const bool in_place = x >= first_ && x < last_ && row < s_.in_h;
      const int64_t end = row >= s_.in_h || x >= last_ ? s_.out_w : x < first_ ? first_ : last_;
      const int64_t count = std::min(last - i, end - x);
      const float* pixels = in + ((image * s_.in_h + row) * s_.in_w + x * s_.stride_w - s_.pad_left) * s_.in_channels;
      f(i, i + count, in_place ? pixels : nullptr);
      i += count;
    }
  }

 private:
  const ConvShape& s_;
  int64_t first_ = 0, last_ = 0;
};

}  // namespace

namespace {

/// Two groups a panel: their rows are gathered at once.
void conv_paired_f32(const PackedF32& w, const ConvShape& shape, const float* in, float* out, Clamp clamp) {
  const MatrixLoops& table = matrix_loops();
  ConvShape s = shape;
  s.groups = w.groups();
  const int64_t k = 2 * w.k();
  split_gemm(s.out_pixels(), 1, work_of(s.out_pixels(), s.out_channels, k / 2),
             [&](int64_t i0, int64_t i1, int64_t, int64_t) {
               BlockPairF32 block;
               block.n = w.n();
               block.depth = s.in_group() / 2;
               block.taps = s.kernel_size();
               block.out_stride = s.out_pixel();
               block.clamp = clamp;
               each_row_block(i0, i1, k, kBlockFloats / 2, [&](int64_t first, int64_t last) {
                 block.m = last - first;
                 float* rows = thread_workspace<float>(WorkspaceSlot::Rows, block.m * k);
                 block.a = rows;
                 for (int64_t group = 0; group < s.groups; ++group) {
                   table.gather_f32({&s, first, block.m, in + group * s.in_group(), 0.0f, rows, k});
                   block.panel = w.panels(group);
                   block.bias = w.bias(group);
                   block.out = out + first * s.out_pixel() + group * 2 * w.n();
                   table.pair_f32(block);
                 }
               });
             });
}

}  // namespace

void conv_f32(const PackedF32& w, const ConvShape& s, const float* in, float* out, Clamp clamp) {
  if (w.paired()) return conv_paired_f32(w, s, in, out, clamp);
  if (s.is_pointwise() && s.groups == 1) {
    return linear_f32(w, s.out_pixels(), in, s.in_pixel(), out, s.out_pixel(), clamp);
  }
  if (provided_conv_f32(w, s, in, out, clamp)) return;
  const MatrixLoops& table = matrix_loops();
  const RowsInPlace rows_in_place(s);
  const int64_t k = w.k();
  const auto run = [&](int64_t i0, int64_t i1, int64_t p0, int64_t p1) {
    const int64_t j = p0 * PackedF32::kPanel;
    BlockF32 block;
    block.n = std::min(w.n(), p1 * PackedF32::kPanel) - j;
    block.k = k;
    block.out_stride = s.out_pixel();
    block.clamp = clamp;
    const auto part = [&](int64_t first, int64_t last, const float* in_place) {
      block.m = last - first;
      block.a = in_place;
      block.a_stride = s.stride_w * s.in_channels;
      float* rows = nullptr;
      if (in_place == nullptr) {
        block.a = rows = thread_workspace<float>(WorkspaceSlot::Rows, block.m * k);
        block.a_stride = k;
      }
      for (int64_t group = 0; group < s.groups; ++group) {
        if (rows != nullptr) table.gather_f32({&s, first, block.m, in + group * s.in_group(), 0.0f, rows, k});
        block.panels = w.panels(group) + j * k;
        block.bias = w.bias(group) + j;
        block.out = out + first * s.out_pixel() + group * w.n() + j;
        table.f32(block);
      }
    };
    each_row_block(i0, i1, k, kBlockFloats / 2,
                   [&](int64_t first, int64_t last) { rows_in_place.each_part(in, first, last, part); });
  };
  split_gemm(s.out_pixels(), w.panel_count(), work_of(s.out_pixels(), s.out_channels, k), run);
}

void batch_matmul_f32(const BatchMatrix& g) {
  if (g.batch == 0 || g.m == 0 || g.n == 0) return;
  const MatrixLoops& table = matrix_loops();
  // Few rows do not repay packing.
  constexpr int64_t kFewRows = 3;
  const bool in_place = g.m <= kFewRows;
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
      // Panel by panel, so that little is packed at a time.
      float* panel = thread_workspace<float>(WorkspaceSlot::Panel, g.k * PackedF32::kPanel);
      for (int64_t j = j0; j < j1; j += PackedF32::kPanel) {
        BlockF32 block;
        block.m = g.m;
        block.n = std::min(PackedF32::kPanel, j1 - j);
        block.k = block.a_stride = g.k;
        block.a = a;
        table.pack_f32(block.n, g.k, g.transposed, g.transposed ? b + j * g.k : b + j, g.n, panel);
        block.panels = panel;
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
