// A block of output positions is computed at a time: the input that it reaches is copied (converted, padded, phases of
// a stride apart) into a slab where each kernel element finds 'its' values of neighbouring outputs side by side, and
// the tile loop reads rows of B right there, at one offset for each channel and kernel element. The slab has about a
// megabyte whatever the convolution's size.
//
//   slab      [channel][z element][row entries of ly][column entries of lx]
//   weights   [output channels / kRows][channel][z][y][x][kRows]            packed, the rows of A of a tile
//   offsets   [channel][z][y][x]                                           of each row of B from the tile's start
//   sums      [output channel][row][column]                                only where T is not the output's type
//
// A Layout says which input a dimension of the slab holds, in runs. In x, kernel 3, stride 2, dilation 1, 4 outputs,
// the input 0 1 2 ... 8 (padding included) lies as
//
//   phases (neighbouring outputs of one kernel element are neighbours):   0 2 4 6 8 | 1 3 5 7 9
//                                                  element 0 reads        ^^^^^^^
//                                                  element 1                          ^^^^^^^
//                                                  element 2                ^^^^^^^
//   plain order (rows, where outputs are `stride` entries apart):         0 1 2 3 4 5 6 7 8
//   each element (where the others would take more, as dilation is large):0 2 4 6 | 1 3 5 7 | 2 4 6 8
#include "runtime/kernels/matrix/conv_direct.h"

#include <algorithm>
#include <type_traits>

#include "runtime/kernels/matrix/tile.h"

namespace et::ET_KERNELS {
namespace {

/// Elements of one dimension: element j has weight index weight_first + j * weight_step, and output i finds it at input
/// index i * step + offset_first + j * offset_step.
struct Axis {
  int64_t elements = 1, weight_first = 0, weight_step = 1;
  int64_t step = 1, offset_first = 0, offset_step = 1;
  int64_t in_size = 1, outputs = 1;
  int64_t min_offset() const { return offset_first + std::min<int64_t>(0, (elements - 1) * offset_step); }
  int64_t span() const { return (elements - 1) * (offset_step < 0 ? -offset_step : offset_step); }
};

/// How one dimension of a block lies in the slab: `runs` runs of `length` entries; entry e of run r holds the input at
/// first + r * run_step + e * entry_step. Element j of output i is at offset(j) + i * output_step.
struct Layout {
  bool each_element = false;
  int64_t runs = 1, length = 1, first = 0, run_step = 0, entry_step = 1, output_step = 1, base = 0;
  int64_t total() const { return runs * length; }
  int64_t offset(const Axis& axis, int64_t element) const {
    if (each_element) return element * length;
    const int64_t distance = axis.offset_first + element * axis.offset_step - base;
    return output_step == 1 ? distance % axis.step * length + distance / axis.step : distance;
  }
};
/// Outputs [from, from + count). `phases`: the entries of each phase of the step lie together (so that neighbouring
/// outputs are neighbours); otherwise in the order of the input.
Layout lay_out(const Axis& axis, int64_t from, int64_t count, bool phases) {
  Layout l;
  l.base = axis.min_offset();
  const int64_t first = from * axis.step + l.base;
  const int64_t range = (count - 1) * axis.step + axis.span() + 1;
  const int64_t phase_length = (range + axis.step - 1) / axis.step;
  const int64_t shared = phases ? axis.step * phase_length : range;
  if (axis.elements * count <= shared) {
    l.each_element = true;
    l.runs = axis.elements, l.length = count;
    l.first = from * axis.step + axis.offset_first, l.run_step = axis.offset_step, l.entry_step = axis.step;
  } else if (phases) {
    l.runs = axis.step, l.length = phase_length, l.first = first, l.run_step = 1, l.entry_step = axis.step;
  } else {
    l.length = range, l.first = first, l.output_step = axis.step;
  }
  return l;
}

template <class I>
struct Source {
  const I* in;
  int64_t channel, depth, height, width;  // strides
};

/// Entries whose input index lies in [0, size): [*from, *to).
void clip(const Layout& l, int64_t run, int64_t size, int64_t* from, int64_t* to) {
  const int64_t first = l.first + run * l.run_step;
  *from = first >= 0 ? 0 : (-first + l.entry_step - 1) / l.entry_step;
  *to = first >= size ? 0 : (size - first + l.entry_step - 1) / l.entry_step;
  *to = std::min(*to, l.length);
  *from = std::min(*from, *to);
}

template <class T, class I>
void copy_run(const I* in, int64_t step, int64_t count, T* out) {
  if (step == 1) {
    for (int64_t e = 0; e < count; ++e) out[e] = static_cast<T>(in[e]);
  } else {
    for (int64_t e = 0; e < count; ++e) out[e] = static_cast<T>(in[e * step]);
  }
}

struct Block {
  int64_t z, y, rows, x, cols;
};

template <class I>
struct ConvParams {
  Axis axis[3];
  int64_t groups, in_channels, out_channels;  // channels of one group
  int64_t batch;
  const I* in;
  int64_t in_stride[5];
  const I* weight;
  int64_t weight_group, weight_out, weight_in, weight_kernel[3];
  I* out;
  int64_t out_stride[5];
};

/// Memory of one task; the layouts are above.
template <class T>
struct Workspace {
  T* weights;
  T* slab;
  T* sums;
  int32_t* offsets;
};

struct Plan {
  int64_t channels;                      // input channels at a time
  int64_t rows, cols;                    // of a block of outputs
  int64_t weights, slab, sums, offsets;  // elements of a task's workspace
};

constexpr int64_t kSlabElements = 1 << 18;
constexpr int64_t kSumElements = 1 << 17;
constexpr int64_t kDepth = 768;  // channels times elements at a time

template <class T, class I>
class DirectConvolution {
 public:
  static constexpr int64_t kRows = TileSize<T>::kRows;
  static constexpr int64_t kCols = TileSize<T>::kCols;
  static constexpr bool kConverts = !std::is_same_v<T, I> && !(std::is_integral_v<I> && sizeof(I) == sizeof(T));

  explicit DirectConvolution(const ConvParams<I>& params)
      : params_(params), kernel_size_(params.axis[0].elements * params.axis[1].elements * params.axis[2].elements) {}

  /// False: too large for 32-bit offsets.
  bool plan(Plan* out) const {
    const Axis &ay = params_.axis[1], &ax = params_.axis[2];
    Plan p;
    p.channels = params_.in_channels;
    // Sums of converted dtypes cannot wait in the output, so all channels are added at once.
    if (!kConverts && kernel_size_ > 0) {
      const int64_t max_channels = std::max<int64_t>(kDepth / kernel_size_, 1);
      const int64_t parts = (p.channels + max_channels - 1) / max_channels;
      if (parts > 0) p.channels = (p.channels + parts - 1) / parts;
    }
    p.cols = std::min<int64_t>(ax.outputs, 1024);
    if (kConverts) p.cols = std::min(p.cols, std::max<int64_t>(kSumElements / params_.out_channels, kCols));
    const auto size = [&](int64_t rows) {
      return p.channels * params_.axis[0].elements * lay_out(ay, 0, rows, false).total() *
             lay_out(ax, 0, p.cols, true).total();
    };
    p.rows = 1;
    while (p.rows < ay.outputs && size(p.rows + 1) <= kSlabElements &&
           (!kConverts || (p.rows + 1) * p.cols * params_.out_channels <= kSumElements)) {
      ++p.rows;
    }
    p.slab = size(p.rows) + kCols;
    p.offsets = p.channels * kernel_size_;
    p.weights = (params_.out_channels + kRows - 1) / kRows * kRows * p.offsets;
    p.sums = kConverts ? params_.out_channels * p.rows * p.cols : 0;
    *out = p;
    // A dense slab of a huge dilation or padding is laid out by elements instead, so this bound is generous.
    return p.slab < INT32_MAX && p.offsets < INT32_MAX && p.weights < (int64_t{1} << 40);
  }

  /// All positions of one group and batch item that lie in rows [first, last) of z * height, for one part of the
  /// channels.
  void run(const Plan& p, Workspace<T> workspace, int64_t unit_from, int64_t unit_to, int64_t channel,
           const T* bias) const {
    const int64_t blocks = (params_.axis[1].outputs + p.rows - 1) / p.rows * params_.axis[0].outputs;
    int64_t packed_group = -1;
    for (int64_t unit = unit_from; unit < unit_to; ++unit) {
      const int64_t group = unit / (params_.batch * blocks);
      const int64_t item = unit / blocks % params_.batch;
      const int64_t part = unit % blocks;
      const int64_t in_row = (params_.axis[1].outputs + p.rows - 1) / p.rows;
      const int64_t channels = std::min(p.channels, params_.in_channels - channel);
      if (group != packed_group) {
        pack_weights(group, channel, channels, workspace.weights);
        packed_group = group;
      }
      Block b;
      b.z = part / in_row;
      b.y = part % in_row * p.rows;
      b.rows = std::min(p.rows, params_.axis[1].outputs - b.y);
      for (b.x = 0; b.x < params_.axis[2].outputs; b.x += p.cols) {
        b.cols = std::min(p.cols, params_.axis[2].outputs - b.x);
        run_block(workspace, b, group, item, channel, channels, bias);
      }
    }
  }
  int64_t units(const Plan& p) const {
    return params_.groups * params_.batch * params_.axis[0].outputs * ((params_.axis[1].outputs + p.rows - 1) / p.rows);
  }

 private:
  void pack_weights(int64_t group, int64_t channel, int64_t channels, T* out) const {
    const Axis* a = params_.axis;
    for (int64_t o0 = 0; o0 < params_.out_channels; o0 += kRows) {
      const int64_t rows = std::min(kRows, params_.out_channels - o0);
      const I* base = params_.weight + group * params_.weight_group + o0 * params_.weight_out;
      for (int64_t c = 0; c < channels; ++c) {
        const I* from = base + (channel + c) * params_.weight_in;
        for (int64_t z = 0; z < a[0].elements; ++z) {
          for (int64_t y = 0; y < a[1].elements; ++y) {
            for (int64_t x = 0; x < a[2].elements; ++x, out += kRows) {
              const I* w = from + (a[0].weight_first + z * a[0].weight_step) * params_.weight_kernel[0] +
                           (a[1].weight_first + y * a[1].weight_step) * params_.weight_kernel[1] +
                           (a[2].weight_first + x * a[2].weight_step) * params_.weight_kernel[2];
              for (int64_t r = 0; r < rows; ++r) out[r] = static_cast<T>(w[r * params_.weight_out]);
            }
          }
        }
      }
    }
  }

  /// The slab is [channel][z element][row][column].
  void fill_slab(const Block& b, const Layout& ly, const Layout& lx, const I* in, int64_t channels, T* slab) const {
    const Axis& az = params_.axis[0];
    const int64_t plane = ly.total() * lx.total(), channel_size = az.elements * plane;
    // Channels side by side in memory: the innermost loop goes over them.
    const bool channels_inside = params_.in_stride[1] == 1 && params_.in_stride[4] != 1 && channels > 1;
    for (int64_t c0 = 0; c0 < channels; c0 += channels_inside ? channels : 1) {
      const int64_t count = channels_inside ? channels : 1;
      for (int64_t tz = 0; tz < az.elements; ++tz) {
        const int64_t z = b.z * az.step + az.offset_first + tz * az.offset_step;
        T* to_plane = slab + c0 * channel_size + tz * plane;
        for (int64_t ry = 0; ry < ly.runs; ++ry) {
          int64_t y_from = 0, y_to = 0;
          clip(ly, ry, params_.axis[1].in_size, &y_from, &y_to);
          if (z < 0 || z >= az.in_size) y_to = y_from;
          for (int64_t ey = 0; ey < ly.length; ++ey) {
            T* row = to_plane + (ry * ly.length + ey) * lx.total();
            if (ey < y_from || ey >= y_to) {
              for (int64_t c = 0; c < count; ++c)
                std::fill(row + c * channel_size, row + c * channel_size + lx.total(), T(0));
              continue;
            }
            const int64_t y = ly.first + ry * ly.run_step + ey * ly.entry_step;
            const I* line = in + c0 * params_.in_stride[1] + z * params_.in_stride[2] + y * params_.in_stride[3];
            for (int64_t rx = 0; rx < lx.runs; ++rx) {
              fill_run(lx, rx, line, count, channel_size, row + rx * lx.length);
            }
          }
        }
      }
    }
  }

  void fill_run(const Layout& lx, int64_t run, const I* line, int64_t channels, int64_t channel_size, T* to) const {
    int64_t from = 0, end = 0;
    clip(lx, run, params_.axis[2].in_size, &from, &end);
    const int64_t width = params_.in_stride[4];
    const I* first = line + (lx.first + run * lx.run_step + from * lx.entry_step) * width;
    const int64_t step = lx.entry_step * width;
    for (int64_t c = 0; c < channels; ++c) {
      T* out = to + c * channel_size;
      for (int64_t e = 0; e < from; ++e) out[e] = T(0);
      for (int64_t e = end; e < lx.length; ++e) out[e] = T(0);
    }
    if (channels == 1) {
      copy_run(first, step, end - from, to + from);
      return;
    }
    constexpr int64_t kSquare = 16;
    for (int64_t c0 = 0; c0 < channels; c0 += kSquare) {
      const int64_t c1 = std::min(channels, c0 + kSquare);
      for (int64_t e = from; e < end; ++e) {
        const I* p = first + (e - from) * step;
        for (int64_t c = c0; c < c1; ++c) to[c * channel_size + e] = static_cast<T>(p[c]);
      }
    }
  }

  void run_block(const Workspace<T>& workspace, const Block& b, int64_t group, int64_t item, int64_t channel,
                 int64_t channels, const T* bias) const {
    const Layout ly = lay_out(params_.axis[1], b.y, b.rows, false);
    const Layout lx = lay_out(params_.axis[2], b.x, b.cols, true);
    const int64_t line = lx.total(), plane = ly.total() * line;
    const I* in =
        params_.in + item * params_.in_stride[0] + (group * params_.in_channels + channel) * params_.in_stride[1];
    fill_slab(b, ly, lx, in, channels, workspace.slab);
    int32_t* offset = workspace.offsets;
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t z = 0; z < params_.axis[0].elements; ++z) {
        for (int64_t y = 0; y < params_.axis[1].elements; ++y) {
          for (int64_t x = 0; x < params_.axis[2].elements; ++x) {
            *offset++ = static_cast<int32_t>((c * params_.axis[0].elements + z) * plane +
                                             ly.offset(params_.axis[1], y) * line + lx.offset(params_.axis[2], x));
          }
        }
      }
    }
    const int64_t depth = channels * kernel_size_;
    I* out = params_.out + item * params_.out_stride[0] + group * params_.out_channels * params_.out_stride[1] +
             b.z * params_.out_stride[2] + b.y * params_.out_stride[3] + b.x * params_.out_stride[4];
    TileStore<T> store{nullptr, b.rows * b.cols, 1, nullptr, 0, 0, T(1), T(1)};
    if constexpr (!kConverts) {
      store.out_row = params_.out_stride[1];
      store.out_col = params_.out_stride[4];
    }
    const T* group_bias = bias == nullptr ? nullptr : bias + group * params_.out_channels;
    for (int64_t y = 0; y < b.rows; ++y) {
      for (int64_t x = 0; x < b.cols; x += kCols) {
        const int cols = static_cast<int>(std::min(kCols, b.cols - x));
        const OffsetRows<T> rows{workspace.slab + y * ly.output_step * line + x, workspace.offsets};
        T* to = kConverts ? workspace.sums + y * b.cols + x
                          : reinterpret_cast<T*>(out + y * params_.out_stride[3] + x * params_.out_stride[4]);
        for (int64_t o = 0; o < params_.out_channels; o += kRows) {
          store.out = to + o * store.out_row;
          if (channel != 0) {
            store.c = store.out, store.c_row = store.out_row, store.c_col = store.out_col;
          } else if (group_bias != nullptr) {
            store.c = group_bias + o, store.c_row = 1, store.c_col = 0;
          }
          const int height = static_cast<int>(std::min(kRows, params_.out_channels - o));
          const T* w = workspace.weights + o * depth;
          if (cols <= VectorOf<T>::kLanes)
            run_tile_rows<T, true, 1>(height, depth, w, 0, rows, cols, store);
          else
            run_tile_rows<T, true, TileSize<T>::kVectors>(height, depth, w, 0, rows, cols, store);
        }
      }
    }
    if constexpr (kConverts) {
      for (int64_t o = 0; o < params_.out_channels; ++o) {
        for (int64_t y = 0; y < b.rows; ++y) {
          const T* from = workspace.sums + (o * b.rows + y) * b.cols;
          I* to = out + o * params_.out_stride[1] + y * params_.out_stride[3];
          for (int64_t x = 0; x < b.cols; ++x) to[x * params_.out_stride[4]] = static_cast<I>(from[x]);
        }
      }
    }
  }

  ConvParams<I> params_;
  int64_t kernel_size_;
};

int64_t gcd(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

Axis plain_axis(const ConvShape& s, int d) {
  Axis a;
  a.elements = s.kernel[d];
  a.step = s.stride[d];
  a.offset_first = -s.padding[d];
  a.offset_step = s.dilation[d];
  a.in_size = s.in_size[d];
  a.outputs = s.out_size[d];
  return a;
}

/// Outputs phase, phase + stride, ... of a transposed convolution: those elements k that reach them have
/// k * dilation = phase + padding (mod stride).
Axis phase_axis(const ConvShape& s, int d, int64_t phase) {
  Axis a;
  a.in_size = s.in_size[d];
  a.outputs = s.out_size[d] <= phase ? 0 : (s.out_size[d] - phase - 1) / s.stride[d] + 1;
  const int64_t common = gcd(s.stride[d], s.dilation[d]), period = s.stride[d] / common;
  const int64_t target = phase + s.padding[d];
  int64_t k = 0;
  while (k < period && k < s.kernel[d] && (target - k * s.dilation[d]) % s.stride[d] != 0) ++k;
  if (k >= period || k >= s.kernel[d]) {
    a.elements = 0;
    return a;
  }
  a.elements = (s.kernel[d] - 1 - k) / period + 1;
  a.weight_first = k;
  a.weight_step = period;
  a.offset_first = (target - k * s.dilation[d]) / s.stride[d];
  a.offset_step = -(s.dilation[d] / common);
  return a;
}

template <class T, class I>
bool run_typed(KernelRuntimeContext& context, const ConvShape& s, const ConvData& data, const T* bias,
               const char* name) {
  ConvParams<I> params;
  params.groups = s.groups;
  params.in_channels = s.in_channels / s.groups;
  params.out_channels = s.out_channels / s.groups;
  params.batch = s.batch;
  params.in = static_cast<const I*>(data.in);
  params.weight = static_cast<const I*>(data.weight);
  const int64_t* w = data.weight_stride;
  params.weight_out = s.transposed ? w[1] : w[0];
  params.weight_in = s.transposed ? w[0] : w[1];
  params.weight_group = w[0] * (s.transposed ? params.in_channels : params.out_channels);
  for (int d = 0; d < 3; ++d) params.weight_kernel[d] = w[2 + d];
  for (int d = 0; d < 5; ++d) params.in_stride[d] = data.in_stride[d];
  params.out_stride[0] = data.out_stride[0];
  params.out_stride[1] = data.out_stride[1];
  const int64_t phases[3] = {s.transposed ? std::min(s.stride[0], s.out_size[0]) : 1,
                             s.transposed ? std::min(s.stride[1], s.out_size[1]) : 1,
                             s.transposed ? std::min(s.stride[2], s.out_size[2]) : 1};
  // The phases take their memory from one piece, made for the largest of them.
  const auto set_phase = [&](int64_t index) {
    const int64_t p[3] = {index / (phases[1] * phases[2]), index / phases[2] % phases[1], index % phases[2]};
    params.out = static_cast<I*>(data.out);
    for (int d = 0; d < 3; ++d) {
      params.axis[d] = s.transposed ? phase_axis(s, d, p[d]) : plain_axis(s, d);
      params.out += p[d] * data.out_stride[2 + d];
      params.out_stride[2 + d] = data.out_stride[2 + d] * (s.transposed ? s.stride[d] : 1);
    }
  };
  const int64_t count = phases[0] * phases[1] * phases[2];
  const int64_t threads = parallel_threads();
  Plan max{};
  for (int64_t i = 0; i < count; ++i) {
    set_phase(i);
    Plan p;
    ET_KERNEL_CHECK_MSG(context, (DirectConvolution<T, I>(params).plan(&p)), InvalidArgument, false,
                        "%s: dilation, stride or size are too large", name);
    max.weights = std::max(max.weights, p.weights);
    max.slab = std::max(max.slab, p.slab);
    max.sums = std::max(max.sums, p.sums);
    max.offsets = std::max(max.offsets, p.offsets);
  }
  const int64_t share = (max.weights + max.slab + max.sums + 63) / 64 * 64;
  const size_t bytes =
      static_cast<size_t>(threads * share) * sizeof(T) + static_cast<size_t>(threads * max.offsets) * sizeof(int32_t);
  Result<void*> memory = context.allocate_temp(bytes, 64);
  ET_KERNEL_CHECK_MSG(context, memory.ok(), MemoryAllocationFailed, false, "%s: no temporary memory", name);
  T* base = static_cast<T*>(memory.get());
  auto* offsets = reinterpret_cast<int32_t*>(base + threads * share);
  for (int64_t i = 0; i < count; ++i) {
    set_phase(i);
    const DirectConvolution<T, I> convolution(params);
    Plan p;
    convolution.plan(&p);
    const int64_t units = convolution.units(p);
    const double work = static_cast<double>(units) * static_cast<double>(p.rows * p.cols) *
                        static_cast<double>(params.out_channels) * static_cast<double>(p.offsets);
    const int64_t tasks = work < 1e6 ? 1 : std::min(units, threads);
    int64_t channel = 0;
    do {
      parallel_for(0, tasks, 1, [&](int64_t first, int64_t last) {
        for (int64_t t = first; t < last; ++t) {
          T* workspace = base + t * share;
          convolution.run(
              p, {workspace, workspace + max.weights, workspace + max.weights + max.slab, offsets + t * max.offsets},
              units * t / tasks, units * (t + 1) / tasks, channel, bias);
        }
      });
      channel += p.channels;
    } while (channel < params.in_channels);
  }
  return true;
}

/// The type that values of I are computed in.
template <class I>
using conv_sum_t = std::conditional_t<
    std::is_same_v<I, Half> || std::is_same_v<I, BFloat16>, float,
    std::conditional_t<std::is_floating_point_v<I>, I, std::conditional_t<(sizeof(I) > 4), uint64_t, uint32_t>>>;

}  // namespace

bool is_small(const ConvShape& s) {
  return static_cast<double>(s.batch) * static_cast<double>(s.positions()) * static_cast<double>(s.out_channels) *
             static_cast<double>(s.in_channels / s.groups) * static_cast<double>(s.kernel_size()) <
         1 << 17;
}

bool run_convolution(KernelRuntimeContext& context, const ConvShape& s, const ConvData& data, const char* name) {
  if (s.batch == 0 || s.out_channels == 0 || s.positions() == 0) return true;
  bool ok = false;
  const auto run = [&]<class T, class I>() {
    T* bias = nullptr;
    if (data.bias != nullptr) {
      ET_KERNEL_CHECK_MSG(context, can_cast(data.bias_dtype, data.dtype), InvalidArgument, , "%s: bias is %s, input %s",
                          name, scalar_type_name(data.bias_dtype), scalar_type_name(data.dtype));
      Result<void*> workspace = context.allocate_temp(static_cast<size_t>(s.out_channels) * sizeof(T), 64);
      ET_KERNEL_CHECK_MSG(context, workspace.ok(), MemoryAllocationFailed, , "%s: no temporary memory", name);
      bias = static_cast<T*>(workspace.get());
      const bool taken = dispatch<kRealHB>(data.bias_dtype, [&]<class B>() {
        using Stored = std::conditional_t<std::is_same_v<B, bool>, uint8_t, B>;  // any byte may stand for a bool
        const auto* from = static_cast<const Stored*>(data.bias);
        for (int64_t o = 0; o < s.out_channels; ++o) {
          if constexpr (std::is_same_v<B, Half> || std::is_same_v<B, BFloat16>) {
            bias[o] = static_cast<T>(static_cast<float>(from[o * data.bias_stride]));
          } else {
            bias[o] = static_cast<T>(from[o * data.bias_stride]);
          }
        }
      });
      ET_KERNEL_CHECK_MSG(context, taken, InvalidArgument, , "%s: bias is %s", name, scalar_type_name(data.bias_dtype));
    }
    ok = run_typed<T, I>(context, s, data, bias, name);
  };
  if (data.dtype == ScalarType::Float && is_small(s)) {
    run.template operator()<double, float>();
    return ok;
  }
  const bool known =
      dispatch<kInts | kFloatsH>(data.dtype, [&]<class I>() { run.template operator()<conv_sum_t<I>, I>(); });
  ET_KERNEL_CHECK_MSG(context, known, InvalidArgument, false, "%s: %s is not supported", name,
                      scalar_type_name(data.dtype));
  return ok;
}

}  // namespace et::ET_KERNELS
