// Pooling of NHWC images: maximum, average over the valid elements, average over the whole plane, maximum with its
// place.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/backends/xnnpack/compute/matrix_loops.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"
#include "runtime/backends/xnnpack/graph/layout.h"
#include "runtime/backends/xnnpack/graph/operator_factories.h"
#include "runtime/platform/parallel.h"

namespace et::xnn {
namespace {

constexpr uint32_t kKeepDims = 0x40;
constexpr uint32_t kMaxPoolStep = 1u << 20;
constexpr uint32_t kMaxPoolKernel = 1u << 16;

/// One spatial direction.
struct Axis {
  int64_t before = 0, behind = 0, kernel = 1, stride = 1, dilation = 1;
  int64_t in = 0, out = 0;

  /// Positions [first, last) of the kernel that lie inside the image for output `o`.
  void inside(int64_t o, int64_t* first, int64_t* last) const {
    const int64_t from = o * stride - before;
    *first = from >= 0 ? 0 : (-from + dilation - 1) / dilation;
    *last = from >= in ? 0 : std::min(kernel, (in - from + dilation - 1) / dilation);
    *last = std::max(*last, *first);
  }
  int64_t place(int64_t o, int64_t k) const { return o * stride - before + k * dilation; }
  /// Outputs [first, last) whose whole kernel lies inside.
  void whole(int64_t* first, int64_t* last) const {
    *first = std::min(out, (before + stride - 1) / stride);
    const int64_t slack = in - 1 - (kernel - 1) * dilation + before;
    *last = slack < 0 ? *first : std::clamp(slack / stride + 1, *first, out);
  }
};

Error read_axes(NodeReader& reader, bool strides, Axis* h, Axis* w) {
  struct Field {
    const char* name;
    uint32_t min, max;
    int64_t* to;
  };
  const Field always[] = {
      {"padding_top", 0, kMaxPoolStep, &h->before},      {"padding_bottom", 0, kMaxPoolStep, &h->behind},
      {"padding_left", 0, kMaxPoolStep, &w->before},     {"padding_right", 0, kMaxPoolStep, &w->behind},
      {"pooling_height", 1, kMaxPoolKernel, &h->kernel}, {"pooling_width", 1, kMaxPoolKernel, &w->kernel},
  };
  for (const Field& f : always) ET_CHECK_OK_OR_RETURN_ERROR(reader.size(f.name, f.min, f.max, f.to));
  h->stride = h->kernel;
  w->stride = w->kernel;
  if (!strides) return Error::Ok;
  const Field more[] = {
      {"stride_height", 1, kMaxPoolStep, &h->stride},
      {"stride_width", 1, kMaxPoolStep, &w->stride},
      {"dilation_height", 0, kMaxPoolStep, &h->dilation},
      {"dilation_width", 0, kMaxPoolStep, &w->dilation},
  };
  for (const Field& f : more) ET_CHECK_OK_OR_RETURN_ERROR(reader.size(f.name, f.min, f.max, f.to));
  // Averages have no dilation and store 0 or 1.
  h->dilation = std::max<int64_t>(h->dilation, 1);
  w->dilation = std::max<int64_t>(w->dilation, 1);
  return Error::Ok;
}

class Pooling : public Operator {
 public:
  Axis h, w;

  Error reshape(Graph& g) override {
    const Shape& in = g.in(*this).shape;
    ET_XNN_CHECK(in.rank == 4, *this, InvalidArgument, "the input has shape [%s], four dimensions are needed",
                 in.text().c_str());
    h.in = in.dims[1];
    w.in = in.dims[2];
    h.out = conv_out_size(h.in, h.before + h.behind, h.kernel, h.dilation, h.stride);
    w.out = conv_out_size(w.in, w.before + w.behind, w.kernel, w.dilation, w.stride);
    ET_XNN_CHECK(h.in > 0 && w.in > 0 && h.out > 0 && w.out > 0, *this, InvalidArgument,
                 "an input of [%s] is smaller than a window of %lldx%lld", in.text().c_str(),
                 static_cast<long long>(h.kernel), static_cast<long long>(w.kernel));
    for (const uint32_t o : outputs) g.values[o].shape = {4, {in.dims[0], h.out, w.out, in.dims[3]}};
    return Error::Ok;
  }

 protected:
  static constexpr int64_t kLines = -1;

  /// pixel(image, oy, ox, index of the output pixel) for all output pixels.
  template <class F>
  void each_pixel(int64_t batch, int64_t channels, const F& pixel) const {
    const int64_t work = std::max<int64_t>(1, h.kernel * w.kernel * channels);
    parallel_for(0, batch * h.out, std::max<int64_t>(1, (1 << 15) / (work * w.out)), [&](int64_t from, int64_t to) {
      for (int64_t row = from; row < to; ++row) {
        for (int64_t x = 0; x < w.out; ++x) pixel(row / h.out, row % h.out, x, row * w.out + x);
      }
    });
  }
  /// element(channels of an input pixel, position in the window) for the part of an output pixel's window inside the
  /// image.
  template <class V, class F>
  void each_element(const V* images, int64_t channels, int64_t b, int64_t oy, int64_t ox, const F& element) const {
    int64_t y0, y1, x0, x1;
    h.inside(oy, &y0, &y1);
    w.inside(ox, &x0, &x1);
    for (int64_t ky = y0; ky < y1; ++ky) {
      for (int64_t kx = x0; kx < x1; ++kx) {
        element(images + ((b * h.in + h.place(oy, ky)) * w.in + w.place(ox, kx)) * channels, ky * w.kernel + kx);
      }
    }
  }
  /// pool(PoolWindow, elements) for each window at once, or first for its lines, side by side for all columns, then for
  /// what came out along the line: what reads fewer values. `elements` is the number of input pixels of the result's
  /// window, kLines for its lines.
  template <class V, class F>
  void each_line(const V* in, V* out, const Shape& shape, const F& pool) const {
    const int64_t channels = shape.dims[3], line = w.in * channels;
    const int64_t tall = std::min(h.kernel, h.in), wide = std::min(w.kernel, w.in);
    // Of few channels a window leaves most of a vector idle; whole lines do not.
    constexpr int64_t kLanes = 16;
    const auto vectors = [](int64_t values) { return (values + kLanes - 1) / kLanes; };
    const int64_t windows = wide * w.out * vectors(channels);
    const bool at_once = tall * windows <= (tall + 1) * vectors(line) + windows;
    const int64_t work = std::max<int64_t>(1, h.kernel * line + w.kernel * w.out * channels);
    parallel_for(0, shape.dims[0] * h.out, std::max<int64_t>(1, (1 << 15) / work), [&](int64_t from, int64_t to) {
      auto** pixels = thread_workspace<const V*>(WorkspaceSlot::Pointers, at_once ? tall * wide : std::max(tall, wide));
      V* joined = at_once ? nullptr : thread_workspace<V>(WorkspaceSlot::Rows, line);
      for (int64_t row = from; row < to; ++row) {
        const V* image = in + row / h.out * h.in * line;
        int64_t y0, y1;
        h.inside(row % h.out, &y0, &y1);
        const auto line_of = [&](int64_t ky) { return image + h.place(row % h.out, ky) * line; };
        V* const to_line = out + row * w.out * channels;
        if (at_once) {
          along_line(
              channels, y1 - y0, [&](int64_t i) { return line_of(y0 + i); }, pixels, to_line, y1 - y0, pool);
          continue;
        }
        const V* values = y1 > y0 ? line_of(y0) : nullptr;
        if (y1 - y0 != 1) {
          for (int64_t ky = y0; ky < y1; ++ky) pixels[ky - y0] = line_of(ky);
          pool(PoolWindow<V>{y1 - y0, pixels, line, joined}, kLines);
          values = joined;
        }
        along_line(
            channels, 1, [&](int64_t) { return values; }, pixels, to_line, y1 - y0, pool);
      }
    });
  }

 private:
  /// pool(PoolWindow, elements) for all windows of an output line that read `lines` lines of input, line_of(i) each.
  /// Windows that lie inside go together.
  template <class V, class Lines, class F>
  void along_line(int64_t channels, int64_t lines, const Lines& line_of, const V** pixels, V* out, int64_t height,
                  const F& pool) const {
    int64_t first = 0, last = 0;
    w.whole(&first, &last);
    for (int64_t ox = 0; ox < w.out;) {
      int64_t x0, x1, count = 0;
      w.inside(ox, &x0, &x1);
      for (int64_t i = 0; i < lines; ++i) {
        const V* const line = line_of(i);
        for (int64_t kx = x0; kx < x1; ++kx) pixels[count++] = line + w.place(ox, kx) * channels;
      }
      PoolWindow<V> window{count, pixels, channels, out + ox * channels};
      const int64_t together = ox == first && last > first ? last - first : 1;
      if (w.stride == 1) {
        window.channels = together * channels;  // side by side: as if they were one
      } else {
        window.repeat = together;
        window.step = w.stride * channels;
      }
      pool(window, height * (x1 - x0));
      ox += together;
    }
  }
};

// --- maximum

class MaxPooling final : public Pooling {
 public:
  bool can_clamp() const override { return true; }
  /// Padding counts as the smallest value.
  bool fold(const Graph& g, const Operator& front) override {
    const ConstantPad* pad = as_constant_pad(front);
    if (pad == nullptr || !pad->pads_image_only()) return false;
    const Value& v = g.values[front.outputs[0]];
    const bool smallest = v.storage == Storage::F32
                              ? pad->fill == -INFINITY
                              : quantize(pad->fill, v.scale, v.zero_point, v.storage) == quantized_min(v.storage);
    if (!smallest) return false;
    folded_h_ = own_h_ = h;
    folded_w_ = own_w_ = w;
    folded_h_.before += pad->before[1];
    folded_h_.behind += pad->behind[1];
    folded_w_.before += pad->before[2];
    folded_w_.behind += pad->behind[2];
    return true;
  }
  void use_folded(bool folded) override {
    h = folded ? folded_h_ : own_h_;
    w = folded ? folded_w_ : own_w_;
  }
  void run(Graph& g, uint8_t*) override {
    const Value& in = g.in(*this);
    const Value& out = g.out(*this);
    const MatrixLoops& loops = matrix_loops();
    if (in.storage == Storage::F32) {
      run_as<float>(in, out, clamp.min, clamp.max, loops.max_pool_f32);
    } else {
      int32_t low = 0, high = 0;
      quantized_bounds(out, clamp, &low, &high);
      if (in.storage == Storage::S8) {
        run_as<int8_t>(in, out, static_cast<int8_t>(low), static_cast<int8_t>(high), loops.max_pool_s8);
      } else {
        run_as<uint8_t>(in, out, static_cast<uint8_t>(low), static_cast<uint8_t>(high), loops.max_pool_u8);
      }
    }
  }

 private:
  template <class V, class Loop>
  void run_as(const Value& in, const Value& out, V low, V high, const Loop& loop) const {
    each_line(in.as<V>(), out.as<V>(), in.shape,
              [&](const PoolWindow<V>& window, int64_t) { loop(window, low, high); });
  }

  Axis own_h_, own_w_, folded_h_, folded_w_;  // with a padding in front
};

// --- average

class AveragePooling final : public Pooling {
 public:
  bool can_clamp() const override { return true; }
  void run(Graph& g, uint8_t*) override {
    const Value& in = g.in(*this);
    const Value& out = g.out(*this);
    const auto mean = matrix_loops().mean_pool_f32;
    each_line(in.as<float>(), out.as<float>(), in.shape, [&](const PoolWindow<float>& window, int64_t elements) {
      if (elements == kLines) return mean(window, 1.0f, Clamp());
      mean(window, 1.0f / static_cast<float>(std::max<int64_t>(1, elements)), clamp);
    });
  }
};

/// Over the two dimensions in front of the last.
class GlobalAveragePooling final : public Operator {
 public:
  bool keep = false;

  bool can_clamp() const override { return true; }
  Error reshape(Graph& g) override {
    const Shape& in = g.in(*this).shape;
    ET_XNN_CHECK(in.rank >= 3, *this, InvalidArgument, "the input has shape [%s], three dimensions or more are needed",
                 in.text().c_str());
    Shape out = in;
    if (keep) {
      out.dims[in.rank - 3] = out.dims[in.rank - 2] = 1;
    } else {
      out.rank -= 2;
      out.dims[out.rank - 1] = in.dims[in.rank - 1];
    }
    ET_XNN_CHECK(in.dims[in.rank - 3] > 0 && in.dims[in.rank - 2] > 0, *this, InvalidArgument,
                 "an average over nothing: [%s]", in.text().c_str());
    g.values[outputs[0]].shape = out;
    pixels_ = in.dims[in.rank - 3] * in.dims[in.rank - 2];
    parts_ = pixels_ * in.last() < 2 * kPartValues || pixels_ < kFewestPixels * kParts ? 1 : kParts;
    scratch = static_cast<size_t>(in.numel(0, in.rank - 3) * parts_ * in.last()) * sizeof(int64_t);
    return Error::Ok;
  }
  void run(Graph& g, uint8_t* scratch_memory) override {
    const Value& in = g.in(*this);
    const Value& out = g.out(*this);
    const int64_t channels = in.shape.last(), batch = in.shape.numel(0, in.shape.rank - 3);
    const int64_t grain = std::max<int64_t>(1, kPartValues / std::max<int64_t>(1, pixels_ / parts_ * channels));
    parallel_for(0, batch * parts_, grain, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        const int64_t first = pixels_ * (i % parts_) / parts_, end = pixels_ * (i % parts_ + 1) / parts_;
        const int64_t at = (i / parts_ * pixels_ + first) * channels;
        auto* const sums = reinterpret_cast<int64_t*>(scratch_memory) + i * channels;
        if (in.storage == Storage::F32) {
          auto* const floats = reinterpret_cast<float*>(scratch_memory) + i * channels;
          matrix_loops().sum_rows_f32(end - first, channels, in.as<float>() + at, floats);
        } else if (in.storage == Storage::S8) {
          add_up(in.as<int8_t>() + at, end - first, channels, sums);
        } else {
          add_up(in.as<uint8_t>() + at, end - first, channels, sums);
        }
      }
    });
    for (int64_t b = 0; b < batch; ++b) {
      auto* const sums = reinterpret_cast<int64_t*>(scratch_memory) + b * parts_ * channels;
      if (in.storage == Storage::F32) {
        const auto* const floats = reinterpret_cast<const float*>(scratch_memory) + b * parts_ * channels;
        average(floats, channels, out.as<float>() + b * channels);
      } else if (in.storage == Storage::S8) {
        average(in, out, sums, channels, out.as<int8_t>() + b * channels);
      } else {
        average(in, out, sums, channels, out.as<uint8_t>() + b * channels);
      }
    }
  }

 private:
  // An image in parts, however many threads there are, so that the sums do not depend on these: each thread reads the
  // part that it has written.
  static constexpr int64_t kParts = 8, kPartValues = 8192, kFewestPixels = 4;
  int64_t pixels_ = 0, parts_ = 1;

  template <class V>
  static void add_up(const V* from, int64_t pixels, int64_t channels, int64_t* sums) {
    // Pixels of few channels are added as if several were one.
    const int64_t together = channels <= kSums / 2 && pixels >= kSums ? kSums / channels : 1;
    if (together > 1) {
      const int64_t wide = together * channels;
      int64_t parts[kSums];
      add_up_wide(from, pixels / together, wide, parts);
      add_up_wide(from + pixels / together * wide, pixels % together, channels, sums);
      for (int64_t t = 0; t < together; ++t) {
        for (int64_t c = 0; c < channels; ++c) sums[c] += parts[t * channels + c];
      }
      return;
    }
    add_up_wide(from, pixels, channels, sums);
  }
  static constexpr int64_t kSums = 64;  // that stay in registers or the first cache
  template <class V>
  static void add_up_wide(const V* from, int64_t pixels, int64_t channels, int64_t* sums) {
    std::fill_n(sums, channels, int64_t{0});
    constexpr int64_t kPart = 128;  // pixels whose sums fit into 16 bits
    for (int64_t c0 = 0; c0 < channels; c0 += kSums) {
      const int64_t width = std::min(kSums, channels - c0);
      for (int64_t p0 = 0; p0 < pixels; p0 += kPart) {
        int16_t part[kSums] = {};
        const int64_t end = std::min(pixels, p0 + kPart);
        for (int64_t p = p0; p < end; ++p) {
          const V* pixel = from + p * channels + c0;
          if (width == kSums) {
            for (int64_t c = 0; c < kSums; ++c) part[c] = static_cast<int16_t>(part[c] + pixel[c]);
          } else {
            for (int64_t c = 0; c < width; ++c) part[c] = static_cast<int16_t>(part[c] + pixel[c]);
          }
        }
        for (int64_t c = 0; c < width; ++c) sums[c0 + c] += part[c];
      }
    }
  }
  /// Of sums of the parts, which are pixels of one window: of a small image with many channels that is work, too.
  void average(const float* sums, int64_t channels, float* to) const {
    const float* parts[kParts];
    for (int64_t i = 0; i < parts_; ++i) parts[i] = sums + i * channels;
    matrix_loops().mean_pool_f32({parts_, parts, channels, to}, 1.0f / static_cast<float>(pixels_), clamp);
  }
  template <class V>
  void average(const Value& in, const Value& out, int64_t* sums, int64_t channels, V* to) const {
    for (int64_t i = 1; i < parts_; ++i) {
      for (int64_t c = 0; c < channels; ++c) sums[c] += sums[i * channels + c];
    }
    int32_t low = 0, high = 0;
    quantized_bounds(out, clamp, &low, &high);
    for (int64_t c = 0; c < channels; ++c) {
      const auto sum = static_cast<float>(sums[c] - pixels_ * in.zero_point);
      const float mean = sum * in.scale / static_cast<float>(pixels_);
      to[c] = static_cast<V>(std::clamp(quantize(mean, out.scale, out.zero_point, out.storage), low, high));
    }
  }
};

// --- maximum and where it is

/// The index is the position in the window, row by row. Windows do not overlap.
class ArgMaxPooling final : public Pooling {
 public:
  Error reshape(Graph& g) override {
    // Windows need not divide the image: the rest belongs to no window.
    return Pooling::reshape(g);
  }
  void run(Graph& g, uint8_t*) override {
    const Value& in = g.in(*this);
    const Value& out = g.out(*this);
    const Value& places = g.values[outputs[1]];
    const int64_t channels = in.shape.dims[3];
    each_pixel(in.shape.dims[0], channels, [&](int64_t b, int64_t oy, int64_t ox, int64_t index) {
      float* to = out.as<float>() + index * channels;
      int32_t* where = places.as<int32_t>() + index * channels;
      std::fill_n(to, channels, -INFINITY);
      std::fill_n(where, channels, 0);
      each_element(in.as<float>(), channels, b, oy, ox, [&](const float* from, int64_t at) {
        for (int64_t c = 0; c < channels; ++c) {
          if (from[c] > to[c]) {
            to[c] = from[c];
            where[c] = static_cast<int32_t>(at);
          }
        }
      });
    });
  }
};

template <class Op>
Error make_pooling(NodeReader& reader, Storages types, const char* name, bool same_scale,
                   std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<Op>();
  ET_CHECK_OK_OR_RETURN_ERROR(reader.operands(*op, 1, types, types));
  ET_CHECK_OK_OR_RETURN_ERROR(read_axes(reader, true, &op->h, &op->w));
  const Value& in = reader.graph().in(*op);
  const Value& to = reader.graph().values[op->outputs[0]];
  if (in.storage != to.storage ||
      (same_scale && in.quantized() && (in.scale != to.scale || in.zero_point != to.zero_point))) {
    return reader.fail(Error::NotSupported, "expected input and output of one type and quantisation, got %s and %s",
                       format::xnn_datatype_name(in.datatype), format::xnn_datatype_name(to.datatype));
  }
  op->clamp = reader.clamp();
  op->kind = std::string(name) + " (NHWC, " + type_name(in);
  *out = std::move(op);
  return Error::Ok;
}

}  // namespace

Error make_max_pooling(NodeReader& reader, std::unique_ptr<Operator>* out) {
  return make_pooling<MaxPooling>(reader, kFloat | kInt8, "Max Pooling", true, out);
}

Error make_average_pooling(NodeReader& reader, std::unique_ptr<Operator>* out) {
  return make_pooling<AveragePooling>(reader, kFloat, "Average Pooling", false, out);
}

Error make_global_average_pooling(NodeReader& reader, std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<GlobalAveragePooling>();
  ET_CHECK_OK_OR_RETURN_ERROR(reader.operands(*op, 1, kFloat | kInt8, kFloat | kInt8));
  const Value& in = reader.graph().in(*op);
  const Value& to = reader.graph().values[op->outputs[0]];
  if (in.storage != to.storage) {
    return reader.fail(Error::NotSupported, "from %s to %s", format::xnn_datatype_name(in.datatype),
                       format::xnn_datatype_name(to.datatype));
  }
  op->keep = (reader.flags() & kKeepDims) != 0;
  op->clamp = reader.clamp();
  op->kind = std::string("Mean (ND, ") + type_name(in);
  *out = std::move(op);
  return Error::Ok;
}

Error make_argmax_pooling(NodeReader& reader, std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<ArgMaxPooling>();
  ET_CHECK_OK_OR_RETURN_ERROR(reader.operands(*op, 1, kFloat, kFloat));
  uint32_t places = 0;
  ET_CHECK_OK_OR_RETURN_ERROR(
      reader.output(reader.node().outputs()[1], one_of(Storage::S32), "output of indices", &places));
  op->outputs.push_back(places);
  ET_CHECK_OK_OR_RETURN_ERROR(read_axes(reader, false, &op->h, &op->w));
  op->kind = std::string("ArgMax Pooling (NHWC, ") + type_name(reader.graph().in(*op));
  *out = std::move(op);
  return Error::Ok;
}

}  // namespace et::xnn
