// StaticResizeBilinear2D of NHWC images.
#include <algorithm>
#include <cmath>
#include <vector>

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

  static float mix(const float* tl, const float* tr, const float* bl, const float* br, int64_t c, float x, float y) {
    const float top = tl[c] + (tr[c] - tl[c]) * x;
    const float bottom = bl[c] + (br[c] - bl[c]) * x;
    return top + (bottom - top) * y;
  }
  /// int8: 11 bits of each part, one rounding at the end.
  template <class V>
  static V mix(const V* tl, const V* tr, const V* bl, const V* br, int64_t c, float x, float y) {
    const auto ax = static_cast<int32_t>(std::lrintf(x * 2048.0f));
    const auto ay = static_cast<int32_t>(std::lrintf(y * 2048.0f));
    const int32_t top = tl[c] * 2048 + (tr[c] - tl[c]) * ax;
    const int32_t bottom = bl[c] * 2048 + (br[c] - bl[c]) * ax;
    return static_cast<V>((top * 2048 + (bottom - top) * ay + (1 << 21)) >> 22);
  }

  template <class V>
  void run_as(const Value& in, const Value& out) const {
    const int64_t h = in.shape.dims[1], w = in.shape.dims[2], channels = in.shape.dims[3];
    const int64_t work = std::max<int64_t>(1, width * channels);
    parallel_for(0, in.shape.dims[0] * height, std::max<int64_t>(1, (1 << 14) / work), [&](int64_t from, int64_t to) {
      for (int64_t row = from; row < to; ++row) {
        const Source& y = rows_[static_cast<size_t>(row % height)];
        const V* image = in.as<V>() + row / height * h * w * channels;
        V* pixels = out.as<V>() + row * width * channels;
        for (int64_t ox = 0; ox < width; ++ox) {
          const Source& x = columns_[static_cast<size_t>(ox)];
          const V* tl = image + (y.low * w + x.low) * channels;
          const V* tr = image + (y.low * w + x.high) * channels;
          const V* bl = image + (y.high * w + x.low) * channels;
          const V* br = image + (y.high * w + x.high) * channels;
          for (int64_t c = 0; c < channels; ++c) pixels[ox * channels + c] = mix(tl, tr, bl, br, c, x.part, y.part);
        }
      }
    });
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
