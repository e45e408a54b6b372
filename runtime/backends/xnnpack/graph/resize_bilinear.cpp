// StaticResizeBilinear2D of NHWC images.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/backends/xnnpack/compute/thread_workspace.h"
#include "runtime/backends/xnnpack/graph/operator_factories.h"
#include "runtime/platform/parallel.h"

namespace et::xnn {
namespace {

constexpr uint32_t kTensorflowLegacy = 4, kAlignCorners = 8;
constexpr uint32_t kMaxSize = (1u << 24) - 1;  // positions are computed in float32

/// Two neighbours of the input for one position of the output, and the part of the second.
struct Source {
  int64_t low, high;
  float part;
};

class ResizeBilinear final : public Operator {
 public:
  int64_t height = 1, width = 1;
  bool align_corners = false, legacy = false;

  Error reshape(Graph& g) override {
    const Shape& in = g.in(*this).shape;
    ET_XNN_CHECK(in.rank == 4 && in.dims[1] > 0 && in.dims[2] > 0, *this, InvalidArgument,
                 "the input has shape [%s], images are needed", in.text().c_str());
    const Shape out{4, {in.dims[0], height, width, in.dims[3]}};
    ET_XNN_CHECK(out.fits(), *this, InvalidArgument, "a result of [%s]", out.text().c_str());
    g.values[outputs[0]].shape = out;
    rows_ = sources(in.dims[1], height);
    columns_ = sources(in.dims[2], width);
    return Error::Ok;
  }
  void run(Graph& g, uint8_t*) override {
    const Value& in = g.in(*this);
    switch (in.storage) {
      case Storage::S8:
        return run_as<int8_t>(in, g.out(*this));
      case Storage::U8:
        return run_as<uint8_t>(in, g.out(*this));
      default:
        return run_as<float>(in, g.out(*this));
    }
  }

 private:
  std::vector<Source> sources(int64_t in, int64_t out) const {
    const int64_t less = align_corners && out != 1 ? 1 : 0;
    const float step = static_cast<float>(in - less) / static_cast<float>(out - less);
    const float shift = align_corners || legacy ? 0.0f : 0.5f * step - 0.5f;
    std::vector<Source> all;
    all.reserve(static_cast<size_t>(out));
    for (int64_t o = 0; o < out; ++o) {
      float at = static_cast<float>(o) * step + shift;
      at = std::min(std::max(at, 0.0f), static_cast<float>(in - 1));
      const auto low = static_cast<int64_t>(at);
      all.push_back({low, std::min(low + 1, in - 1), at - static_cast<float>(low)});
    }
    return all;
  }

  /// Between neighbours in a line: floats, or int8 with 11 bits of the part.
  static void along_x(const float* left, const float* right, float part, int64_t n, float* out) {
    for (int64_t c = 0; c < n; ++c) out[c] = left[c] + (right[c] - left[c]) * part;
  }
  template <class V>
  static void along_x(const V* left, const V* right, float part, int64_t n, int32_t* out) {
    const auto a = static_cast<int32_t>(std::lrintf(part * 2048.0f));
    for (int64_t c = 0; c < n; ++c) out[c] = left[c] * 2048 + (right[c] - left[c]) * a;
  }
  /// Between lines, rounded once.
  static void along_y(const float* __restrict top, const float* __restrict bottom, float part, int64_t n,
                      float* __restrict out) {
    for (int64_t i = 0; i < n; ++i) out[i] = top[i] + (bottom[i] - top[i]) * part;
  }
  template <class V>
  static void along_y(const int32_t* __restrict top, const int32_t* __restrict bottom, float part, int64_t n,
                      V* __restrict out) {
    const auto a = static_cast<int32_t>(std::lrintf(part * 2048.0f));
    for (int64_t i = 0; i < n; ++i) {
      out[i] = static_cast<V>((top[i] * 2048 + (bottom[i] - top[i]) * a + (1 << 21)) >> 22);
    }
  }

  /// Lines of the input, stretched along x, are kept for the next line of the output, which mostly reads the same.
  template <class V>
  void run_as(const Value& in, const Value& out) const {
    constexpr int64_t kTogether = 8192;  // values of a line that stay in the first cache with another line's
    const int64_t channels = in.shape.dims[3], work = std::max<int64_t>(1, width * channels);
    const int64_t columns = std::max<int64_t>(1, kTogether / std::max<int64_t>(1, channels));
    parallel_for(0, in.shape.dims[0] * height, std::max<int64_t>(1, (1 << 14) / work), [&](int64_t from, int64_t to) {
      for (int64_t x0 = 0; x0 < width; x0 += columns) {
        run_columns<V>(in, out.as<V>(), from, to, x0, std::min(width, x0 + columns));
      }
    });
  }
  /// Lines [from, to) of all images, columns [x0, x1).
  template <class V>
  void run_columns(const Value& in, V* out, int64_t from, int64_t to, int64_t x0, int64_t x1) const {
    using Between = std::conditional_t<std::is_same_v<V, float>, float, int32_t>;
    const int64_t h = in.shape.dims[1], w = in.shape.dims[2], channels = in.shape.dims[3], n = (x1 - x0) * channels;
    if (n == 0) return;
    auto* top = thread_workspace<Between>(WorkspaceSlot::Rows, 2 * n);
    auto* bottom = top + n;
    int64_t top_line = -1, bottom_line = -1;
    const auto stretch = [&](int64_t line, Between* to_line) {
      const V* const row = in.as<V>() + line * w * channels;
      for (int64_t x = x0; x < x1; ++x, to_line += channels) {
        const Source& s = columns_[static_cast<size_t>(x)];
        along_x(row + s.low * channels, row + s.high * channels, s.part, channels, to_line);
      }
    };
    for (int64_t row = from; row < to; ++row) {
      const Source& y = rows_[static_cast<size_t>(row % height)];
      const int64_t low = row / height * h + y.low, high = row / height * h + y.high;
      if (low == bottom_line) {
        std::swap(top, bottom);
        std::swap(top_line, bottom_line);
      }
      if (low != top_line) stretch(low, top);
      top_line = low;
      if (high != bottom_line && high != low) stretch(high, bottom);
      if (high != low) bottom_line = high;
      along_y(top, high == low ? top : bottom, y.part, n, out + (row * width + x0) * channels);
    }
  }

  std::vector<Source> rows_, columns_;
};

}  // namespace

Error make_resize_bilinear(NodeReader& reader, std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<ResizeBilinear>();
  ET_CHECK_OK_OR_RETURN_ERROR(reader.operands(*op, 1, kFloat | kInt8, kFloat | kInt8));
  const Value& in = reader.graph().in(*op);
  const Value& to = reader.graph().values[op->outputs[0]];
  if (in.storage != to.storage || (in.quantized() && (in.scale != to.scale || in.zero_point != to.zero_point))) {
    return reader.fail(Error::NotSupported, "expected input and output of one type and quantisation, got %s and %s",
                       format::xnn_datatype_name(in.datatype), format::xnn_datatype_name(to.datatype));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(reader.size("new_height", 1, kMaxSize, &op->height));
  ET_CHECK_OK_OR_RETURN_ERROR(reader.size("new_width", 1, kMaxSize, &op->width));
  op->align_corners = (reader.flags() & kAlignCorners) != 0;
  op->legacy = (reader.flags() & kTensorflowLegacy) != 0;
  op->kind = std::string("Resize Bilinear (NHWC, ") + type_name(in);
  *out = std::move(op);
  return Error::Ok;
}

}  // namespace et::xnn
