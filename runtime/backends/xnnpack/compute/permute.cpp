// Permutation of dimensions: as copies of runs, or as transposes of matrices.
#include <algorithm>
#include <cstring>

#include "runtime/backends/xnnpack/compute/elementwise.h"
#include "runtime/backends/xnnpack/compute/matrix_loops.h"
#include "runtime/backends/xnnpack/compute/parallel_parts.h"
#include "runtime/kernels/movement/transpose.h"

namespace et::xnn {
namespace {

/// Dimensions of the output, the last one innermost, with the input's steps. Neighbours that move on together are one.
struct Axes {
  int64_t size[kMaxRank], in[kMaxRank], out[kMaxRank];
  size_t rank = 0;
};

Axes axes_of(Dims in_shape, std::span<const uint32_t> perm) {
  int64_t stride[kMaxRank] = {};
  int64_t step = 1;
  for (size_t i = in_shape.size(); i-- > 0;) {
    stride[i] = step;
    step *= in_shape[i];
  }
  Axes a;
  for (const uint32_t from : perm) {
    const int64_t size = in_shape[from];
    if (size == 1) continue;
    if (a.rank > 0 && a.in[a.rank - 1] == stride[from] * size) {
      a.size[a.rank - 1] *= size;
      a.in[a.rank - 1] = stride[from];
      continue;
    }
    a.size[a.rank] = size;
    a.in[a.rank++] = stride[from];
  }
  step = 1;
  for (size_t i = a.rank; i-- > 0;) {
    a.out[i] = step;
    step *= a.size[i];
  }
  return a;
}

/// The dimensions but for up to two, which the caller walks.
struct OuterLoops {
  int64_t size[kMaxRank], in[kMaxRank], out[kMaxRank];
  size_t rank = 0;
  int64_t count = 1;

  OuterLoops(const Axes& a, size_t skip, size_t skip_too) {
    for (size_t i = 0; i < a.rank; ++i) {
      if (i == skip || i == skip_too) continue;
      size[rank] = a.size[i];
      in[rank] = a.in[i];
      out[rank++] = a.out[i];
      count *= a.size[i];
    }
  }
  /// The innermost one is walked without looking at the others: of the last two the one that is worth it.
  void lengthen_innermost() {
    constexpr int64_t kShort = 4;
    if (rank < 2 || size[rank - 1] >= kShort || size[rank - 2] <= size[rank - 1]) return;
    std::swap(size[rank - 1], size[rank - 2]);
    std::swap(in[rank - 1], in[rank - 2]);
    std::swap(out[rank - 1], out[rank - 2]);
  }
};

/// Where an index of the loops leads, in elements; steps cost no division.
class Place {
 public:
  Place(const OuterLoops& loops, int64_t index) : loops_(loops) {
    for (size_t d = loops.rank; d-- > 0;) {
      at_[d] = index % loops.size[d];
      index /= loops.size[d];
      in += at_[d] * loops.in[d];
      out += at_[d] * loops.out[d];
    }
  }
  int64_t in = 0, out = 0;
  /// Of the innermost loop.
  int64_t left() const { return loops_.rank == 0 ? 1 : loops_.size[loops_.rank - 1] - at_[loops_.rank - 1]; }
  /// `steps` of the innermost loop, at most left().
  void advance(int64_t steps) {
    for (size_t d = loops_.rank; d-- > 0; steps = 1) {
      at_[d] += steps;
      in += steps * loops_.in[d];
      out += steps * loops_.out[d];
      if (at_[d] < loops_.size[d]) return;
      at_[d] = 0;
      in -= loops_.size[d] * loops_.in[d];
      out -= loops_.size[d] * loops_.out[d];
    }
  }

 private:
  const OuterLoops& loops_;
  int64_t at_[kMaxRank] = {};
};

/// `count` runs of bytes, from `in` and to `out` in steps of so many bytes. kRun: their length, 0 where it is `run`.
template <size_t kRun>
void copy_runs(int64_t count, const uint8_t* in, int64_t in_step, uint8_t* out, int64_t out_step, size_t run) {
  for (; count > 0; --count, in += in_step, out += out_step) std::memcpy(out, in, kRun == 0 ? run : kRun);
}
using CopyRuns = void (*)(int64_t, const uint8_t*, int64_t, uint8_t*, int64_t, size_t);
CopyRuns copy_of(size_t run) {
  switch (run) {
    case 2:
      return copy_runs<2>;
    case 4:
      return copy_runs<4>;
    case 8:
      return copy_runs<8>;
    case 16:
      return copy_runs<16>;
    case 32:
      return copy_runs<32>;
    case 64:
      return copy_runs<64>;
    default:
      return copy_runs<0>;
  }
}

template <class T>
void permute_items(const Axes& a, const uint8_t* in, uint8_t* out) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  const size_t last = a.rank - 1;
  if (a.in[last] == 1) {
    OuterLoops loops(a, last, last);
    loops.lengthen_innermost();
    const int64_t run = a.size[last] * kSize;
    const CopyRuns copy = copy_of(static_cast<size_t>(run));
    const int64_t in_step = loops.in[loops.rank - 1] * kSize, out_step = loops.out[loops.rank - 1] * kSize;
    parallel_parts(loops.count, 65536 / run + 1, [&](int64_t first, int64_t end) {
      Place at(loops, first);
      for (int64_t i = first; i < end;) {
        const int64_t count = std::min(at.left(), end - i);
        copy(count, in + at.in * kSize, in_step, out + at.out * kSize, out_step, static_cast<size_t>(run));
        at.advance(count);
        i += count;
      }
    });
    return;
  }
  size_t along = 0;  // where the input is contiguous
  while (a.in[along] != 1) ++along;
  const OuterLoops loops(a, along, last);
  // Bands of lines of the output, so that a single matrix is split as well.
  constexpr int64_t kBand = 64;
  const int64_t lines = a.size[along], columns = a.size[last], bands = (lines + kBand - 1) / kBand;
  parallel_parts(loops.count * bands, 16384 / (kBand * columns + 1) + 1, [&](int64_t first, int64_t end) {
    Place at(loops, first / bands);
    for (int64_t i = first; i < end; at.advance(1)) {
      const int64_t band = i % bands;
      const int64_t together = std::min(bands - band, end - i);
      const int64_t line = band * kBand, line_end = std::min(lines, (band + together) * kBand);
      uint8_t* const dst = out + (at.out + line * a.out[along]) * kSize;
      const uint8_t* const src = in + (at.in + line) * kSize;
      if constexpr (sizeof(T) == 1) {
        matrix_loops().transpose_x8(dst, a.out[along], src, a.in[last], line_end - line, columns);
      } else if constexpr (sizeof(T) == 4) {
        matrix_loops().transpose_x32(dst, a.out[along] * kSize, src, a.in[last] * kSize, line_end - line, columns);
      } else {
        kernels::transpose<T>(dst, a.out[along] * kSize, src, a.in[last] * kSize, line_end - line, columns);
      }
      i += together;
    }
  });
}

}  // namespace

void permute(Dims in_shape, std::span<const uint32_t> perm, size_t element_size, const void* in, void* out) {
  int64_t count = 1;
  for (const int64_t size : in_shape) count *= size;
  if (count == 0) return;
  const Axes a = axes_of(in_shape, perm);
  const auto* from = static_cast<const uint8_t*>(in);
  auto* to = static_cast<uint8_t*>(out);
  if (a.rank <= 1) {
    std::memcpy(to, from, static_cast<size_t>(count) * element_size);
    return;
  }
  switch (element_size) {
    case 1:
      return permute_items<kernels::Bytes1>(a, from, to);
    case 2:
      return permute_items<kernels::Bytes2>(a, from, to);
    case 4:
      return permute_items<kernels::Bytes4>(a, from, to);
    default:
      return permute_items<kernels::Bytes8>(a, from, to);
  }
}

}  // namespace et::xnn
