// Conv2d, DepthwiseConv2d and ConvTranspose2d: NHWC images, filter [out channels, kh, kw, in channels of a group], of a
// depthwise node [1, kh, kw, out channels].
#include "runtime/backends/xnnpack/graph/layout.h"
#include "runtime/backends/xnnpack/graph/operator_factories.h"
#include "runtime/backends/xnnpack/graph/pack.h"

namespace et::xnn {
namespace {

constexpr uint32_t kMaxStep = 1u << 20;  // strides, dilations, paddings
constexpr uint32_t kMaxKernel = 1u << 12;
constexpr uint32_t kMaxChannels = 1u << 24;

/// A column of pixels as a row of them, which lies in memory alike: loops run along rows. Convolutions over time come
/// as either.
ConvShape as_row(const ConvShape& column) {
  ConvShape s = column;
  if (s.in_w != 1 || s.out_w != 1 || s.kernel_w != 1 || s.pad_left != 0) return s;
  std::swap(s.in_h, s.in_w);
  std::swap(s.out_h, s.out_w);
  std::swap(s.kernel_h, s.kernel_w);
  std::swap(s.stride_h, s.stride_w);
  std::swap(s.dilation_h, s.dilation_w);
  std::swap(s.pad_top, s.pad_left);
  return s;
}

void describe_depthwise(const ConvShape& s, PackParams* params) {
  params->n = s.out_channels;
  params->k = s.kernel_size();
  params->row_taps = s.kernel_w;
  params->multiplier = s.out_channels / s.groups;
}

/// One channel that feeds a few outputs: of a GEMM's columns most would be idle.
bool suits_depthwise(const ConvShape& s) {
  constexpr int64_t kChannels = 8, kKernel = 32;
  return s.in_channels == 1 && s.out_channels < kChannels && s.kernel_size() <= kKernel && s.stride_h * s.stride_w == 1;
}

class Convolution final : public Operator {
 public:
  PackParams params;
  ConvShape conv;
  int64_t pad_bottom = 0, pad_right = 0, adjustment_h = 0, adjustment_w = 0;

  bool can_clamp() const override { return true; }
  /// Zeros around the image are padding, quantised ones too.
  bool fold(const Graph&, const Operator& front) override {
    const ConstantPad* pad = as_constant_pad(front);
    if (pad == nullptr || conv.transposed || params.gemm == GemmType::Qd8 || !pad->pads_image_only() ||
        pad->fill != 0) {
      return false;
    }
    for (size_t i = 0; i < 2; ++i) {
      front_[i] = pad->before[1 + i];
      front_[2 + i] = pad->behind[1 + i];
    }
    return true;
  }
  void use_folded(bool folded) override {
    if (folded == folded_) return;
    folded_ = folded;
    int64_t* const pads[] = {&conv.pad_top, &conv.pad_left, &pad_bottom, &pad_right};
    for (size_t i = 0; i < 4; ++i) *pads[i] += folded ? front_[i] : -front_[i];
  }
  Error prepare(Graph&, WeightCache& cache) override {
    gemm_ = params.gemm;
    depthwise_ = params.depthwise;
    const Error error = pack(params, *this, cache, &packed_);
    packed_bytes = static_cast<size_t>(packed_.bytes);
    return error;
  }
  Error reshape(Graph& g) override {
    const Value& in = g.values[inputs[0]];
    ET_XNN_CHECK(in.shape.rank == 4 && in.shape.dims[3] == conv.in_channels, *this, InvalidArgument,
                 "expected an input of shape [batch, height, width, %lld], got [%s]",
                 static_cast<long long>(conv.in_channels), in.shape.text().c_str());
    conv.batch = in.shape.dims[0];
    conv.in_h = in.shape.dims[1];
    conv.in_w = in.shape.dims[2];
    const int64_t pad_h = conv.pad_top + pad_bottom, pad_w = conv.pad_left + pad_right;
    if (conv.transposed) {
      conv.out_h = deconv_out_size(conv.in_h, pad_h, conv.kernel_h, conv.dilation_h, conv.stride_h, adjustment_h);
      conv.out_w = deconv_out_size(conv.in_w, pad_w, conv.kernel_w, conv.dilation_w, conv.stride_w, adjustment_w);
    } else {
      conv.out_h = conv_out_size(conv.in_h, pad_h, conv.kernel_h, conv.dilation_h, conv.stride_h);
      conv.out_w = conv_out_size(conv.in_w, pad_w, conv.kernel_w, conv.dilation_w, conv.stride_w);
    }
    ET_XNN_CHECK(conv.in_h > 0 && conv.in_w > 0 && conv.out_h > 0 && conv.out_w > 0, *this, InvalidArgument,
                 "an input of [%s] is smaller than the kernel of %lldx%lld", in.shape.text().c_str(),
                 static_cast<long long>(conv.kernel_h), static_cast<long long>(conv.kernel_w));
    g.values[outputs[0]].shape = {4, {conv.batch, conv.out_h, conv.out_w, conv.out_channels}};
    shape_ = as_row(conv);
    return Error::Ok;
  }
  void run(Graph& g, uint8_t*) override {
    const Value& in = g.in(*this);
    const Value& out = g.out(*this);
    const int64_t pixels = shape_.out_pixels();
    switch (gemm_) {
      case GemmType::F32:
        if (depthwise_) return depthwise_f32(*packed_.depthwise_f32, shape_, in.as<float>(), out.as<float>(), clamp);
        if (is_gemm()) {
          return linear_f32(*packed_.f32, pixels, in.as<float>(), shape_.in_channels, out.as<float>(),
                            shape_.out_channels, clamp);
        }
        if (packed_.winograd != nullptr)
          return winograd_f32(*packed_.winograd, shape_, in.as<float>(), out.as<float>(), clamp);
        return conv_f32(*packed_.f32, shape_, in.as<float>(), out.as<float>(), clamp);
      case GemmType::Qs8: {
        const OutputQs8 to = output_qs8(out.quant(), clamp);
        if (depthwise_) return depthwise_qs8(*packed_.depthwise_qs8, shape_, in.as<int8_t>(), out.as<int8_t>(), &to);
        if (is_gemm()) {
          return linear_qs8(*packed_.qs8, pixels, in.as<int8_t>(), shape_.in_channels, out.as<int8_t>(),
                            shape_.out_channels, &to);
        }
        return conv_qs8(*packed_.qs8, shape_, in.as<int8_t>(), out.as<int8_t>(), &to);
      }
      case GemmType::Qd8:
        return conv_qd8(*packed_.qd8, shape_, in.as<int8_t>(), in.row_quant(), out.as<float>(), clamp);
    }
  }

 private:
  bool is_gemm() const { return shape_.groups == 1 && !shape_.transposed && shape_.is_pointwise(); }

  PackedWeights packed_;
  ConvShape shape_;  // as it is computed
  GemmType gemm_ = GemmType::F32;
  bool depthwise_ = false, folded_ = false;
  int64_t front_[4] = {};  // padding of the operator that is folded: top, left, bottom, right
};

Error read_geometry(NodeReader& reader, Convolution& op) {
  struct Field {
    const char* name;
    uint32_t min, max;
    int64_t* to;
  };
  ConvShape& c = op.conv;
  const Field fields[] = {
      {"padding_top", 0, kMaxStep, &c.pad_top},
      {"padding_left", 0, kMaxStep, &c.pad_left},
      {"padding_bottom", 0, kMaxStep, &op.pad_bottom},
      {"padding_right", 0, kMaxStep, &op.pad_right},
      {"kernel_height", 1, kMaxKernel, &c.kernel_h},
      {"kernel_width", 1, kMaxKernel, &c.kernel_w},
      {"subsampling_height", 1, kMaxStep, &c.stride_h},
      {"subsampling_width", 1, kMaxStep, &c.stride_w},
      {"dilation_height", 1, kMaxStep, &c.dilation_h},
      {"dilation_width", 1, kMaxStep, &c.dilation_w},
      {"groups", 1, kMaxChannels, &c.groups},
      {"adjustment_height", 0, kMaxStep, &op.adjustment_h},
      {"adjustment_width", 0, kMaxStep, &op.adjustment_w},
  };
  for (const Field& f : fields) ET_CHECK_OK_OR_RETURN_ERROR(reader.size(f.name, f.min, f.max, f.to));
  return Error::Ok;
}

/// With the sizes that the program states: upper bounds where they are dynamic.
ConvShape declared_shape(const ConvShape& conv, const Shape& in, const Shape& out) {
  ConvShape s = conv;
  if (in.rank != 4 || out.rank != 4) return s;
  s.batch = in.dims[0];
  s.in_h = in.dims[1];
  s.in_w = in.dims[2];
  s.out_h = out.dims[1];
  s.out_w = out.dims[2];
  return s;
}

std::string sizes_of(const ConvShape& conv, const Shape& in, const Shape& out, bool depthwise) {
  return in.text() + ", " + (depthwise ? "depthwise " : "") + std::to_string(conv.kernel_h) + "x" +
         std::to_string(conv.kernel_w) + "->" + out.text();
}

}  // namespace

Error make_convolution(NodeReader& reader, std::unique_ptr<Operator>* out) {
  const bool depthwise = reader.node().type() == format::XnnNodeType::DepthwiseConv2d;
  auto op = std::make_unique<Convolution>();
  ConvShape& conv = op->conv;
  conv.transposed = reader.node().type() == format::XnnNodeType::ConvTranspose2d;
  ET_CHECK_OK_OR_RETURN_ERROR(read_geometry(reader, *op));
  int64_t group_in = 0, group_out = 0;
  ET_CHECK_OK_OR_RETURN_ERROR(reader.size("group_input_channels", 1, kMaxChannels, &group_in));
  ET_CHECK_OK_OR_RETURN_ERROR(reader.size("group_output_channels", 1, kMaxChannels, &group_out));
  if (depthwise && group_in != 1) {
    return reader.fail(Error::NotSupported, "expected 1 input channel per group of a depthwise convolution, got %lld",
                       static_cast<long long>(group_in));
  }
  if (group_in * conv.groups > kMaxChannels || group_out * conv.groups > kMaxChannels) {
    return reader.fail(Error::InvalidProgram, "%lld groups of %lld to %lld channels",
                       static_cast<long long>(conv.groups), static_cast<long long>(group_in),
                       static_cast<long long>(group_out));
  }
  conv.in_channels = group_in * conv.groups;
  conv.out_channels = group_out * conv.groups;

  const format::XnnIds ids = reader.node().inputs();
  uint32_t in = 0, to = 0;
  ET_CHECK_OK_OR_RETURN_ERROR(reader.input(ids[0], kFloat | kDynamic | one_of(Storage::S8), "input", &in));
  ET_CHECK_OK_OR_RETURN_ERROR(reader.output(reader.node().outputs()[0], kFloat | one_of(Storage::S8), "output", &to));
  PackParams& params = op->params;
  ET_CHECK_OK_OR_RETURN_ERROR(reader.weights(ids[1], "filter", &params.filter));
  ET_CHECK_OK_OR_RETURN_ERROR(reader.weights(ids[2], "bias", &params.bias));
  if (!params.filter.present) return reader.fail(Error::InvalidProgram, "missing filter");
  const Shape& f = params.filter.shape;
  const Shape needed = depthwise ? Shape{4, {1, conv.kernel_h, conv.kernel_w, conv.out_channels}}
                                 : Shape{4, {conv.out_channels, conv.kernel_h, conv.kernel_w, group_in}};
  if (!(f == needed)) {
    return reader.fail(Error::InvalidProgram, "filter: expected shape [%s], got [%s]", needed.text().c_str(),
                       f.text().c_str());
  }
  params.groups = conv.groups;
  params.n = group_out;
  params.k = conv.kernel_size() * group_in;
  const Value& input = reader.graph().values[in];
  ET_CHECK_OK_OR_RETURN_ERROR(choose_gemm(reader, input, reader.graph().values[to], &params));
  if (params.gemm == GemmType::Qd8) {
    const bool int8 =
        params.filter.datatype == format::XnnDatatype::QCInt8 || params.filter.datatype == format::XnnDatatype::QInt8;
    if (depthwise || !int8)
      return reader.fail(Error::NotSupported,
                         "expected an int8 filter without depthwise for a dynamically quantised input");
    if (input.nonbatch_dims != 3) {
      return reader.fail(Error::NotSupported, "expected an input whose last 3 dimensions share a scale, got %d",
                         input.nonbatch_dims);
    }
  } else if (group_in == 1 && !conv.transposed && (conv.groups > 1 || suits_depthwise(conv))) {
    params.depthwise = true;
    params.kernel_last = !depthwise;
    describe_depthwise(conv, &params);
  } else if (params.gemm == GemmType::F32 && suits_groups(conv)) {
    params.depthwise = params.kernel_last = params.grouped = true;
    params.n = conv.out_channels;
  } else {
    // One channel that feeds all outputs is a GEMM: a depthwise filter is its weights turned.
    params.transposed = depthwise;
  }
  if (!params.depthwise && !params.transposed) params.depth = group_in;
  params.winograd = reader.graph().winograd && params.gemm == GemmType::F32 && !params.depthwise &&
                    suits_winograd(declared_shape(conv, input.declared, reader.graph().values[to].declared));
  // A column of pixels becomes a row, whose kernel is one run as it is.
  const bool column = conv.kernel_w == 1 && input.declared.rank == 4 && input.declared.dims[2] == 1;
  if (params.gemm == GemmType::Qs8 && !params.depthwise && !conv.transposed && !column) {
    params.taps = conv.kernel_size();
    params.row_taps = conv.dilation_w == 1 ? conv.kernel_w : 1;
  }
  op->inputs = {in};
  op->outputs = {to};
  op->clamp = reader.clamp();
  op->kind = std::string(conv.transposed ? "Deconvolution" : "Convolution") + " (NHWC, " + gemm_types(params, input);
  const bool by_channel = depthwise || (params.depthwise && group_in == 1 && conv.groups > 1);
  op->sizes = sizes_of(conv, input.declared, reader.graph().values[to].declared, by_channel);
  *out = std::move(op);
  return Error::Ok;
}

}  // namespace et::xnn
