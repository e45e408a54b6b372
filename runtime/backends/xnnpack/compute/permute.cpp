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
  void offsets(int64_t index, int64_t* in_at, int64_t* out_at) const {
    *in_at = *out_at = 0;
    for (size_t d = rank; d-- > 0;) {
      *in_at += index % size[d] * in[d];
      *out_at += index % size[d] * out[d];
      index /= size[d];
    }
  }
};

template <class T>
void permute_items(const Axes& a, const uint8_t* in, uint8_t* out) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  const size_t last = a.rank - 1;
  if (a.in[last] == 1) {
    const OuterLoops loops(a, last, last);
    const int64_t run = a.size[last] * kSize;
    parallel_parts(loops.count, 65536 / run + 1, [&](int64_t first, int64_t end) {
      for (int64_t i = first; i < end; ++i) {
        int64_t from = 0, to = 0;
        loops.offsets(i, &from, &to);
        std::memcpy(out + to * kSize, in + from * kSize, static_cast<size_t>(run));
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
    for (int64_t i = first; i < end;) {
      const int64_t item = i / bands, band = i % bands;
      const int64_t together = std::min(bands - band, end - i);
      const int64_t line = band * kBand, line_end = std::min(lines, (band + together) * kBand);
      int64_t from = 0, to = 0;
      loops.offsets(item, &from, &to);
      uint8_t* const dst = out + (to + line * a.out[along]) * kSize;
      const uint8_t* const src = in + (from + line) * kSize;
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
