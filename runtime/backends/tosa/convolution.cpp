// CONV2D, CONV3D, DEPTHWISE_CONV2D, TRANSPOSE_CONV2D and MATMUL. Operands are brought into one form first: 16-bit
// integers without their zero points (8-bit ones then cost one instruction less than they would as bytes), or floats;
// weights that are constant once, at load.
#include <algorithm>
#include <memory>

#include "runtime/backends/tosa/gemm.h"
#include "runtime/backends/tosa/operators.h"
#include "runtime/platform/parallel.h"

namespace et::tosa {
namespace {

/// Types of the arithmetic for elements of T that give Out: operands as X, sums as Acc.
template <class T, class Out>
struct Arithmetic {
  using X = int16_t;
  using Acc = Out;
};
template <class T, class Out>
requires kIsFloat<T>
struct Arithmetic<T, Out> {
  using X = float;
  using Acc = float;
};

template <class X, class T>
void convert(const T* from, int64_t n, int64_t zero_point, X* to) {
  if constexpr (kIsFloat<T>) {
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<X>(from[i] - static_cast<X>(zero_point));
  }
}

/// An operand in the form of the arithmetic: converted by each run into memory of its own, or once if it is constant.
template <class X, class T>
class Prepared {
 public:
  Prepared() = default;
  Prepared(const Value& value, uint32_t id, int64_t zero_point)
      : id_(id), count_(value.count), zero_point_(zero_point), memory_(std::make_shared<std::vector<X>>()) {}
  const X* get(Frame& f) const {
    const T* from = f.at<T>(id_);
    if constexpr (std::is_same_v<X, T>) {
      if (zero_point_ == 0) return from;
    }
    memory_->resize(static_cast<size_t>(count_));
    parallel_for(0, count_, 32768, [&](int64_t begin, int64_t end) {
      convert(from + begin, end - begin, zero_point_, memory_->data() + begin);
    });
    return memory_->data();
  }

 private:
  uint32_t id_ = 0;
  int64_t count_ = 0;
  int64_t zero_point_ = 0;
  std::shared_ptr<std::vector<X>> memory_;
};

/// Weights [channels, k] as `gemm` wants them.
template <class X, class W>
class PackedWeights {
 public:
  PackedWeights(const Value& value, uint32_t id, int64_t zero_point, int64_t channels)
      : id_(id),
        k_(value.count / channels),
        channels_(channels),
        zero_point_(zero_point),
        constant_(value.constant != nullptr),
        memory_(std::make_shared<std::vector<X>>()) {
    if (constant_) pack(reinterpret_cast<const W*>(value.constant));
  }
  const X* get(Frame& f) const {
    if (!constant_) pack(f.at<W>(id_));
    return memory_->data();
  }
  int64_t k() const { return k_; }

 private:
  void pack(const W* from) const {
    memory_->resize(static_cast<size_t>(k_ * channels_));
    X* to = memory_->data();
    if constexpr (!kIsFloat<W>) {
      convert(from, k_ * channels_, zero_point_, to);
    } else {
      for (int64_t c = 0; c < channels_; ++c) {
        for (int64_t i = 0; i < k_; ++i) to[i * channels_ + c] = static_cast<X>(from[c * k_ + i]);
      }
    }
  }

  uint32_t id_;
  int64_t k_, channels_, zero_point_;
  bool constant_;
  std::shared_ptr<std::vector<X>> memory_;
};

// --- Geometry -----------------------------------------------------------------------------------------------------

/// One spatial dimension.
struct Axis {
  int64_t in = 1, out = 1, kernel = 1, before = 0, stride = 1, dilation = 1;
};

struct Convolution {
  int64_t images = 1, in_channels = 1, out_channels = 1;
  Axis d, y, x;
  bool transposed = false;  // `before` is then what the output is padded by
};

bool check_axis(OpBuilder& builder, const Axis& a, int64_t after) {
  const int64_t last_start = a.in - 1 + a.before + after - (a.kernel - 1) * a.dilation;
  return (last_start >= 0 && last_start % a.stride == 0 && a.out == last_start / a.stride + 1) ||
         builder.fail(
             "kernel size %lld, stride %lld, dilation %lld, padding %lld, %lld: input size %lld does not give output "
             "size %lld",
             static_cast<long long>(a.kernel), static_cast<long long>(a.stride), static_cast<long long>(a.dilation),
             static_cast<long long>(a.before), static_cast<long long>(after), static_cast<long long>(a.in),
             static_cast<long long>(a.out));
}

bool check_transposed(OpBuilder& builder, const Axis& a, int64_t after) {
  return (a.before > -a.kernel && after > -a.kernel && a.out == (a.in - 1) * a.stride + a.before + after + a.kernel) ||
         builder.fail(
             "kernel size %lld, stride %lld, padding %lld, %lld: input size %lld does not give output size %lld",
             static_cast<long long>(a.kernel), static_cast<long long>(a.stride), static_cast<long long>(a.before),
             static_cast<long long>(after), static_cast<long long>(a.in), static_cast<long long>(a.out));
}

/// The input position that kernel element `k` of output `o` reads, or −1.
int64_t source(const Axis& a, bool transposed, int64_t o, int64_t k) {
  if (!transposed) {
    const int64_t i = o * a.stride - a.before + k * a.dilation;
    return i >= 0 && i < a.in ? i : -1;
  }
  const int64_t i = o - a.before - k;
  return i >= 0 && i % a.stride == 0 && i / a.stride < a.in ? i / a.stride : -1;
}

/// Segments of output row (image, od, oy). Kernel elements that are neighbours in input and kernel become one segment.
void plan_row(const Convolution& c, int64_t row, RowPlan* plan) {
  const int64_t oy = row % c.y.out, od = row / c.y.out % c.d.out, n = row / (c.y.out * c.d.out);
  plan->clear();
  for (int64_t ox = 0; ox < c.x.out; ++ox) {
    for (int64_t kd = 0; kd < c.d.kernel; ++kd) {
      const int64_t id = source(c.d, c.transposed, od, kd);
      if (id < 0) continue;
      for (int64_t ky = 0; ky < c.y.kernel; ++ky) {
        const int64_t iy = source(c.y, c.transposed, oy, ky);
        if (iy < 0) continue;
        for (int64_t kx = 0; kx < c.x.kernel; ++kx) {
          const int64_t ix = source(c.x, c.transposed, ox, kx);
          if (ix < 0) continue;
          const Segment s{(((n * c.d.in + id) * c.y.in + iy) * c.x.in + ix) * c.in_channels,
                          ((kd * c.y.kernel + ky) * c.x.kernel + kx) * c.in_channels, c.in_channels};
          const bool first = plan->segments.size() == plan->first.back();
          Segment* last = first ? nullptr : &plan->segments.back();
          if (last != nullptr && last->x + last->length == s.x && last->w + last->length == s.w) {
            last->length += s.length;
          } else {
            plan->segments.push_back(s);
          }
        }
      }
    }
    plan->end_pixel();
  }
}

// --- Kernels ------------------------------------------------------------------------------------------------------

struct ZeroPoints {
  int64_t in = 0, weight = 0;
};

/// Sums are written to the output itself where it has their type.
template <class Out, class Acc, class Compute>
void with_sums(Out* out, int64_t n, const Compute& compute) {
  if constexpr (std::is_same_v<Out, Acc>) {
    compute(out);
  } else {
    std::vector<Acc> sums(static_cast<size_t>(n));
    compute(sums.data());
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Out>(sums[static_cast<size_t>(i)]);
  }
}

template <class T, class W, class Out>
Kernel convolution_kernel(OpBuilder& builder, const Convolution& c, ZeroPoints zp) {
  using X = typename Arithmetic<T, Out>::X;
  using Acc = typename Arithmetic<T, Out>::Acc;
  const Value& bias = builder.in(2);
  return [c, x = Prepared<X, T>(builder.in(0), builder.in_id(0), zp.in),
          w = PackedWeights<X, W>(builder.in(1), builder.in_id(1), zp.weight, c.out_channels),
          b = Prepared<Acc, Out>(bias, builder.in_id(2), 0), bias_step = int64_t{bias.count == 1 ? 0 : 1},
          out = builder.out_id()](Frame& f) {
    const X* input = x.get(f);
    const X* weights = w.get(f);
    const Bias<Acc> start{b.get(f), bias_step};
    const int64_t row_size = c.x.out * c.out_channels;
    parallel_for(0, c.images * c.d.out * c.y.out, 1, [&](int64_t begin, int64_t end) {
      RowPlan plan;
      for (int64_t row = begin; row < end; ++row) {
        plan_row(c, row, &plan);
        with_sums<Out, Acc>(f.at<Out>(out) + row * row_size, row_size,
                            [&](Acc* sums) { gemm(input, weights, w.k(), c.out_channels, plan, start, sums); });
      }
    });
    return true;
  };
}

template <class T, class W, class Out>
Kernel depthwise_kernel(OpBuilder& builder, const Convolution& c, ZeroPoints zp) {
  using X = typename Arithmetic<T, Out>::X;
  using Acc = typename Arithmetic<T, Out>::Acc;
  const Value& bias = builder.in(2);
  const int64_t multiplier = c.out_channels / c.in_channels;
  return [c, multiplier, x = Prepared<X, T>(builder.in(0), builder.in_id(0), zp.in),
          w = Prepared<X, W>(builder.in(1), builder.in_id(1), zp.weight),
          b = Prepared<Acc, Out>(bias, builder.in_id(2), 0), bias_step = int64_t{bias.count == 1 ? 0 : 1},
          out = builder.out_id()](Frame& f) {
    const X* input = x.get(f);
    const X* weights = w.get(f);
    const Acc* start = b.get(f);
    parallel_for(0, c.images * c.y.out, 1, [&](int64_t begin, int64_t end) {
      RowPlan plan;
      std::vector<Acc> sums(static_cast<size_t>(c.out_channels));
      std::vector<X> repeated(multiplier == 1 ? 0 : sums.size());
      for (int64_t row = begin; row < end; ++row) {
        plan_row(c, row, &plan);
        Out* to = f.at<Out>(out) + row * c.x.out * c.out_channels;
        for (size_t p = 0; p < plan.pixels(); ++p, to += c.out_channels) {
          std::fill(sums.begin(), sums.end(), Acc{0});
          for (size_t s = plan.first[p]; s < plan.first[p + 1]; ++s) {
            const Segment& segment = plan.segments[s];
            for (int64_t i = 0; i < segment.length; i += c.in_channels) {
              const X* pixel = input + segment.x + i;
              if (multiplier != 1) {
                for (int64_t k = 0; k < c.out_channels; ++k) repeated[static_cast<size_t>(k)] = pixel[k / multiplier];
                pixel = repeated.data();
              }
              multiply_add(pixel, weights + (segment.w + i) * multiplier, c.out_channels, sums.data());
            }
          }
          for (int64_t k = 0; k < c.out_channels; ++k) {
            to[k] = static_cast<Out>(wrap_add(sums[static_cast<size_t>(k)], start[k * bias_step]));
          }
        }
      }
    });
    return true;
  };
}

/// make.operator()<T, W, Out>() for the types of input, weights and output that belong together.
template <class Make>
Kernel by_types(OpBuilder& builder, const Make& make) {
  const Type in = builder.in(0).type, weight = builder.in(1).type;
  const bool integer_weights = weight == Type::Int8 || weight == Type::Int4;
  const Type out = in == Type::Int8 ? Type::Int32 : in == Type::Int16 ? Type::Int48 : in;
  if (!is_float(in) && !integer_weights) {
    builder.is_type(builder.in(1), Type::Int8);
    return {};
  }
  if ((is_float(in) && !builder.same_type(builder.in(0), builder.in(1))) || !builder.is_type(builder.out(), out) ||
      !builder.same_type(builder.out(), builder.in(2))) {
    return {};
  }
  const auto acc = static_cast<Type>(builder.number("acc_type"));
  if (is_float(in) ? acc != Type::Fp32 && !(acc == Type::Fp16 && in == Type::Fp16) : acc != out) {
    builder.fail("accumulator type %s is not supported", format::tosa_dtype_name(static_cast<uint32_t>(acc)));
    return {};
  }
  return dispatch<int8_t, int16_t, float, Half, BFloat16>(builder, builder.in(0), [&](auto t) {
    using T = typename decltype(t)::type;
    if constexpr (std::is_same_v<T, int8_t>) return make.template operator()<T, int8_t, int32_t>();
    if constexpr (std::is_same_v<T, int16_t>) return make.template operator()<T, int8_t, int64_t>();
    if constexpr (kIsFloat<T>) return make.template operator()<T, T, T>();
  });
}

/// `inner`: input channels that an output channel reads.
bool read_operands(OpBuilder& builder, const Convolution& c, int64_t inner, ZeroPoints* zp) {
  const Value &in = builder.in(0), &weight = builder.in(1), &bias = builder.in(2);
  if (!builder.zero_point(3, in.type, in.type == Type::Int8, &zp->in) ||
      !builder.zero_point(4, weight.type, weight.type == Type::Int8, &zp->weight)) {
    return false;
  }
  if (bias.shape.size() != 1 || (bias.count != 1 && bias.count != c.out_channels)) {
    return builder.fail("bias: expected 1 or %lld values, got shape %s", static_cast<long long>(c.out_channels),
                        shape_text(bias.shape).c_str());
  }
  const int64_t planes = c.d.kernel * c.y.kernel;  // weights are a tensor: this stays below 2^31
  return builder.work(builder.out().count, planes * c.x.kernel, inner) &&
         builder.memory((static_cast<uint64_t>(in.count) + static_cast<uint64_t>(weight.count)) * 4);
}

/// `spatial` dimensions; the kernel of the first stands at `kernel_at` of the weights' shape.
bool read_window(OpBuilder& builder, size_t spatial, size_t kernel_at, Convolution* c) {
  const Value &in = builder.in(0), &weight = builder.in(1), &out = builder.out();
  std::vector<int64_t> pad, stride, dilation(spatial, 1);
  const char* pad_name = c->transposed ? "out_pad" : "pad";
  if (!builder.has_rank(in, spatial + 2) || !builder.has_rank(weight, spatial + 2) ||
      !builder.has_rank(out, spatial + 2) ||
      !builder.numbers(pad_name, 2 * spatial, c->transposed ? INT32_MIN : 0, &pad) ||
      !builder.numbers("stride", spatial, 1, &stride) ||
      (!c->transposed && !builder.numbers("dilation", spatial, 1, &dilation))) {
    return false;
  }
  c->images = in.shape[0];
  c->in_channels = in.shape.back();
  c->out_channels = out.shape.back();
  Axis* axes[3] = {&c->d, &c->y, &c->x};
  std::vector<int64_t> expected = {in.shape[0]};
  for (size_t i = 0; i < spatial; ++i) {
    Axis& a = *axes[3 - spatial + i];
    a = {in.shape[1 + i], out.shape[1 + i], weight.shape[kernel_at + i], pad[2 * i], stride[i], dilation[i]};
    if (!(c->transposed ? check_transposed(builder, a, pad[2 * i + 1]) : check_axis(builder, a, pad[2 * i + 1])))
      return false;
    expected.push_back(a.out);
  }
  expected.push_back(c->out_channels);
  return builder.has_shape(out, expected);
}

Kernel dense(OpBuilder& builder, size_t spatial, bool transposed) {
  Convolution c;
  ZeroPoints zp;
  c.transposed = transposed;
  if (!read_window(builder, spatial, 1, &c)) return {};
  const std::vector<int64_t>& weight = builder.in(1).shape;
  if (weight[0] != c.out_channels || weight.back() != c.in_channels) {
    builder.fail("weights of shape %s do not match %lld input and %lld output channels", shape_text(weight).c_str(),
                 static_cast<long long>(c.in_channels), static_cast<long long>(c.out_channels));
    return {};
  }
  if (!read_operands(builder, c, c.in_channels, &zp)) return {};
  return by_types(builder,
                  [&]<class T, class W, class Out>() { return convolution_kernel<T, W, Out>(builder, c, zp); });
}

}  // namespace

Kernel prepare_conv2d(OpBuilder& builder) { return dense(builder, 2, false); }
Kernel prepare_conv3d(OpBuilder& builder) { return dense(builder, 3, false); }
Kernel prepare_transpose_conv2d(OpBuilder& builder) { return dense(builder, 2, true); }

Kernel prepare_depthwise(OpBuilder& builder) {
  Convolution c;
  ZeroPoints zp;
  if (!read_window(builder, 2, 0, &c)) return {};
  const std::vector<int64_t>& weight = builder.in(1).shape;
  if (weight[2] != c.in_channels || weight[2] * weight[3] != c.out_channels) {
    builder.fail("weights of shape %s do not match %lld input and %lld output channels", shape_text(weight).c_str(),
                 static_cast<long long>(c.in_channels), static_cast<long long>(c.out_channels));
    return {};
  }
  if (!read_operands(builder, c, 1, &zp)) return {};
  return by_types(builder, [&]<class T, class W, class Out>() { return depthwise_kernel<T, W, Out>(builder, c, zp); });
}

// [N, H, C] × [N, C, W]: for each image the rows of A are pixels, and B is the weights of W channels.
Kernel prepare_matmul(OpBuilder& builder) {
  const Value &a = builder.in(0), &b = builder.in(1), &out = builder.out();
  int64_t a_zp = 0, b_zp = 0;
  const bool zp = a.type == Type::Int8;
  if (!builder.same_type(a, b) || !builder.has_rank(a, 3) || !builder.has_rank(b, 3) ||
      !builder.has_shape(b, {a.shape[0], a.shape[2], b.shape[2]}) ||
      !builder.has_shape(out, {a.shape[0], a.shape[1], b.shape[2]}) || !builder.zero_point(2, a.type, zp, &a_zp) ||
      !builder.zero_point(3, a.type, zp, &b_zp) || !builder.work(out.count, a.shape[2]) ||
      !builder.memory((static_cast<uint64_t>(a.count) + static_cast<uint64_t>(b.count)) * 4)) {
    return {};
  }
  const int64_t n = a.shape[0], h = a.shape[1], k = a.shape[2], w = b.shape[2];
  const auto make = [&](auto in_type, auto out_type) -> Kernel {
    using T = typename decltype(in_type)::type;
    using Out = typename decltype(out_type)::type;
    using X = typename Arithmetic<T, Out>::X;
    using Acc = typename Arithmetic<T, Out>::Acc;
    auto packed = std::make_shared<std::vector<X>>();  // of one image
    return [n, h, k, w, b_zp, packed, x = Prepared<X, T>(a, builder.in_id(0), a_zp), weights = builder.in_id(1),
            result = builder.out_id()](Frame& f) {
      const X* input = x.get(f);
      packed->resize(static_cast<size_t>(k * w));
      for (int64_t image = 0; image < n; ++image) {
        const T* from = f.at<T>(weights) + image * k * w;
        for (int64_t i = 0; i < k; ++i) {
          if constexpr (kIsFloat<T>) {
            convert(from + i * w, w, b_zp, packed->data() + i * w);
          } else {
            for (int64_t c = 0; c < w; ++c) convert(from + i * w + c, 1, b_zp, packed->data() + c * k + i);
          }
        }
        parallel_for(0, (h + 7) / 8, 1, [&](int64_t begin, int64_t end) {
          RowPlan plan;
          for (int64_t block = begin; block < end; ++block) {
            const int64_t first = block * 8, rows = std::min<int64_t>(8, h - first);
            plan.clear();
            for (int64_t r = 0; r < rows; ++r) {
              plan.segments.push_back({(image * h + first + r) * k, 0, k});
              plan.end_pixel();
            }
            with_sums<Out, Acc>(f.at<Out>(result) + (image * h + first) * w, rows * w,
                                [&](Acc* sums) { gemm(input, packed->data(), k, w, plan, Bias<Acc>{}, sums); });
          }
        });
      }
      return true;
    };
  };
  return dispatch<int8_t, int16_t, float, Half, BFloat16>(builder, a, [&](auto t) {
    using T = typename decltype(t)::type;
    if constexpr (std::is_same_v<T, int8_t>) return dispatch<int32_t>(builder, out, [&](auto o) { return make(t, o); });
    if constexpr (std::is_same_v<T, int16_t>)
      return dispatch<int64_t>(builder, out, [&](auto o) { return make(t, o); });
    if constexpr (std::is_same_v<T, Half>)
      return dispatch<Half, float>(builder, out, [&](auto o) { return make(t, o); });
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, BFloat16>) {
      return dispatch<float>(builder, out, [&](auto o) { return make(t, o); });
    }
  });
}

}  // namespace et::tosa
