// StaticConstantPad: rows that are not padded inside are copied whole, what lies between them is filled.
#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime/backends/xnnpack/compute/parallel_parts.h"
#include "runtime/backends/xnnpack/graph/layout.h"
#include "runtime/backends/xnnpack/graph/operator_factories.h"

namespace et::xnn {

bool ConstantPad::pads_image_only() const {
  return before.size() == 4 && before[0] == 0 && before[3] == 0 && behind[0] == 0 && behind[3] == 0;
}

Error ConstantPad::reshape(Graph& g) {
  const Shape& in = g.in(*this).shape;
  ET_XNN_CHECK(in.rank == static_cast<int>(before.size()), *this, InvalidArgument,
               "padding of %zu dimensions for an input of [%s]", before.size(), in.text().c_str());
  Shape out = in;
  for (int i = 0; i < in.rank; ++i) {
    const auto u = static_cast<size_t>(i);
    out.dims[i] = in.dims[i] + before[u] + behind[u];
  }
  ET_XNN_CHECK(out.fits(), *this, InvalidArgument, "a result of [%s]", out.text().c_str());
  g.values[outputs[0]].shape = out;
  return Error::Ok;
}

namespace {

/// A dimension that is padded, with those behind it that are not: sizes in bytes of the piece that one step is.
struct PadAxis {
  int64_t size, before, behind;
  int64_t in_step = 0, out_step = 0;  // bytes
};

/// Outermost first; the last one's steps are elements.
std::vector<PadAxis> pad_axes(const Shape& in, std::span<const uint32_t> before, std::span<const uint32_t> behind,
                              int64_t element) {
  std::vector<PadAxis> axes;
  bool whole = true;  // nothing is padded behind this dimension yet
  int64_t inner = 1;
  for (int d = in.rank - 1; d >= 0; --d) {
    const auto at = static_cast<size_t>(d);
    const PadAxis axis{in.dims[d], before[at], behind[at]};
    if (whole) {
      if (d < in.rank - 1) axes.pop_back();
      axes.push_back({axis.size * inner, axis.before * inner, axis.behind * inner});
      inner *= axis.size;
      whole = axis.before == 0 && axis.behind == 0;
    } else {
      axes.push_back(axis);
    }
  }
  std::reverse(axes.begin(), axes.end());
  int64_t in_step = element, out_step = element;
  for (size_t i = axes.size(); i-- > 0;) {
    axes[i].in_step = in_step;
    axes[i].out_step = out_step;
    in_step *= axes[i].size;
    out_step *= axes[i].before + axes[i].size + axes[i].behind;
  }
  return axes;
}

class Padding {
 public:
  Padding(const Value& out, float value) {
    bytes_ = element_size(out.storage) == 1;
    if (out.storage == Storage::F32)
      word_ = std::bit_cast<uint32_t>(value);
    else if (out.storage == Storage::S32)
      word_ = static_cast<uint32_t>(static_cast<int32_t>(value));
    else
      word_ = static_cast<uint32_t>(quantize(value, out.scale, out.zero_point, out.storage));
  }
  void fill(uint8_t* to, int64_t bytes) const {
    if (bytes_)
      std::memset(to, static_cast<uint8_t>(word_), static_cast<size_t>(bytes));
    else
      std::fill_n(reinterpret_cast<uint32_t*>(to), bytes / 4, word_);
  }
  /// Steps [first, last) of the first of `axes`, which `in` and `out` stand at the begin of; without its own padding.
  void steps(std::span<const PadAxis> axes, int64_t first, int64_t last, const uint8_t* in, uint8_t* out) const {
    const PadAxis& axis = axes.front();
    in += first * axis.in_step;
    out += (axis.before + first) * axis.out_step;
    if (axes.size() == 1) {
      std::memcpy(out, in, static_cast<size_t>((last - first) * axis.in_step));
      return;
    }
    for (int64_t i = first; i < last; ++i, in += axis.in_step, out += axis.out_step) {
      ends(axes[1], out);
      steps(axes.subspan(1), 0, axes[1].size, in, out);
    }
  }
  void ends(const PadAxis& axis, uint8_t* out) const {
    fill(out, axis.before * axis.out_step);
    fill(out + (axis.before + axis.size) * axis.out_step, axis.behind * axis.out_step);
  }

 private:
  uint32_t word_ = 0;
  bool bytes_ = false;
};

}  // namespace

void ConstantPad::run(Graph& g, uint8_t*) {
  const Value& in = g.in(*this);
  const Value& out = g.out(*this);
  const auto size = static_cast<int64_t>(element_size(in.storage));
  const Padding padding(out, fill);
  if (in.shape.rank == 0) {
    std::memcpy(out.data, in.data, static_cast<size_t>(size));
    return;
  }
  if (in.shape.numel() == 0) return padding.fill(out.data, out.shape.numel() * size);
  const std::vector<PadAxis> axes = pad_axes(in.shape, before, behind, size);
  padding.ends(axes.front(), out.data);
  constexpr int64_t kGrain = 64 << 10;  // bytes that are worth a thread
  parallel_parts(axes.front().size, kGrain / axes.front().out_step + 1,
                 [&](int64_t first, int64_t last) { padding.steps(axes, first, last, in.data, out.data); });
}

Error make_static_constant_pad(NodeReader& reader, std::unique_ptr<Operator>* out) {
  auto op = std::make_unique<ConstantPad>();
  ET_CHECK_OK_OR_RETURN_ERROR(read_moved(reader, *op));
  std::span<const uint32_t> before, behind;
  ET_CHECK_OK_OR_RETURN_ERROR(reader.list("pre_paddings", &before));
  ET_CHECK_OK_OR_RETURN_ERROR(reader.list("post_paddings", &behind));
  ET_CHECK_OK_OR_RETURN_ERROR(reader.number("padding_value", &op->fill));
  if (before.size() != behind.size()) {
    return reader.fail(Error::InvalidProgram, "expected as many pre_paddings as post_paddings, got %zu and %zu",
                       before.size(), behind.size());
  }
  op->before.assign(before.begin(), before.end());
  op->behind.assign(behind.begin(), behind.end());
  op->kind = "Constant Pad (ND, " + moved_width(reader.graph().in(*op));
  op->moves_only = false;  // the padding may have to be rounded
  if (reader.graph().in(*op).storage == Storage::S32 && !(op->fill > -2147483648.0f && op->fill < 2147483648.0f)) {
    return reader.fail(Error::InvalidProgram, "padding_value %g for int32", static_cast<double>(op->fill));
  }
  *out = std::move(op);
  return Error::Ok;
}

}  // namespace et::xnn
