#include "runtime/backends/xnnpack/graph/pack.h"

#include <cmath>

#include "runtime/kernels/matrix/provider.h"
#include "runtime/platform/log.h"

namespace et::xnn {

using format::XnnDatatype;

namespace {

bool is_int8(const Weights& w) { return w.datatype == XnnDatatype::QInt8 || w.datatype == XnnDatatype::QCInt8; }
bool is_int32(const Weights& w) { return w.datatype == XnnDatatype::QInt32 || w.datatype == XnnDatatype::QCInt32; }
bool is_low(const Weights& w) {
  return is_int8(w) || w.datatype == XnnDatatype::QCInt4 || w.datatype == XnnDatatype::QBInt4;
}

bool has_own_scales(const Weights& bias) { return is_int32(bias) && !bias.scales.empty(); }

/// The real numbers of a float or int32 bias as float32.
struct FloatBias {
  explicit FloatBias(const Weights& w) {
    if (w.present && !w.is_float()) floats = w.dequantized();
    data = !w.present ? nullptr : w.is_float() ? static_cast<const void*>(w.bytes.data()) : floats.data();
    type = w.is_float() ? w.float_type() : FloatType::F32;
  }
  std::vector<float> floats;
  const void* data = nullptr;
  FloatType type = FloatType::F32;
};

std::string key_of(const char* kind, const PackParams& params) {
  std::string key = kind;
  for (const int64_t x : {params.groups, params.n, params.k, int64_t{params.transposed}, int64_t{params.kernel_last},
                          params.depth, params.taps, params.row_taps, params.multiplier}) {
    key += ' ' + std::to_string(x);
  }
  key += ' ' + std::to_string(static_cast<int>(params.filter.datatype)) + ' ' + params.filter.key();
  if (params.bias.present)
    key += ' ' + std::to_string(static_cast<int>(params.bias.datatype)) + ' ' + params.bias.key();
  return key;
}

/// [rows][columns] → [columns][rows].
template <class T>
std::vector<T> turned(const T* from, int64_t rows, int64_t columns) {
  std::vector<T> to(static_cast<size_t>(rows * columns));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) to[static_cast<size_t>(c * rows + r)] = from[r * columns + c];
  }
  return to;
}

template <class T, class... Args>
std::shared_ptr<const T> make(const Args&... args) {
  auto packed = std::make_shared<const T>(args...);
  return packed->valid() ? packed : nullptr;
}

template <class Packed>
std::shared_ptr<const Packed> pack_f32(const PackParams& params) {
  WeightsF32 w;
  w.transposed = params.transposed;
  w.groups = params.groups;
  w.n = params.n;
  w.k = params.k;
  w.depth = params.depth;
  std::vector<float> floats;
  if (params.filter.is_float()) {
    w.data = params.filter.bytes.data();
    w.type = params.filter.float_type();
  } else {
    floats = params.filter.dequantized();
    w.data = floats.data();
  }
  const FloatBias bias(params.bias);
  w.bias = bias.data;
  w.bias_type = bias.type;
  return make<Packed>(w);
}

std::shared_ptr<const PackedDepthwiseF32> pack_depthwise_f32(const PackParams& params) {
  std::vector<float> floats = params.filter.dequantized();
  if (params.kernel_last) floats = turned(floats.data(), params.n, params.k);
  const FloatBias bias(params.bias);
  return make<PackedDepthwiseF32>(static_cast<const void*>(floats.data()), FloatType::F32, params.k, params.n,
                                  bias.data, bias.type, params.grouped);
}

template <class W>
void fill_qs8(const PackParams& params, W* w) {
  w->bias = params.bias.present ? reinterpret_cast<const int32_t*>(params.bias.bytes.data()) : nullptr;
  w->scales = params.filter.scales.data();
  w->per_channel = params.filter.scales.size() > 1;
  w->input = params.input;
  w->output = output_qs8(params.output->quant(), {});
}

std::shared_ptr<const PackedQs8> pack_qs8(const PackParams& params) {
  WeightsQs8 w;
  w.data = params.filter.as_int8();
  w.transposed = params.transposed;
  w.groups = params.groups;
  w.n = params.n;
  w.k = params.k;
  w.depth = params.depth;
  w.taps = params.taps;
  w.row_taps = params.row_taps;
  fill_qs8(params, &w);
  return make<PackedQs8>(w);
}

std::shared_ptr<const PackedDepthwiseQs8> pack_depthwise_qs8(const PackParams& params) {
  DepthwiseWeightsQs8 w;
  std::vector<int8_t> values;
  w.data = params.filter.as_int8();
  if (params.kernel_last) {
    values = turned(w.data, params.n, params.k);
    w.data = values.data();
  }
  w.kernel_size = params.k;
  w.channels = params.n;
  w.row_taps = params.row_taps;
  w.multiplier = params.multiplier;
  fill_qs8(params, &w);
  return make<PackedDepthwiseQs8>(w);
}

std::shared_ptr<const PackedQd8> pack_qd8(const PackParams& params) {
  WeightsQd8 w;
  w.kind = is_int8(params.filter)                          ? LowWeights::Int8
           : params.filter.datatype == XnnDatatype::QCInt4 ? LowWeights::Int4
                                                           : LowWeights::Block4;
  w.data = params.filter.bytes.data();
  w.transposed = params.transposed;
  w.groups = params.groups;
  w.n = params.n;
  w.k = params.k;
  w.depth = params.depth;
  std::vector<float> scales = params.filter.scales;
  if (scales.size() == 1) scales.resize(static_cast<size_t>(params.groups * params.n), scales[0]);
  w.scales = scales.data();
  w.block_scales = params.filter.block_scales.data();
  w.block = params.filter.block;
  std::vector<float> bias;
  if (params.bias.present) bias = params.bias.dequantized();
  w.bias = params.bias.present ? bias.data() : nullptr;
  return make<PackedQd8>(w);
}

/// The scale of the int32 numbers of a bias as an int8 node takes them, whatever the payload says of them.
float bias_scale(const PackParams& params, size_t channel) {
  const std::vector<float>& filter = params.filter.scales;
  return params.input.scale * filter[filter.size() > 1 ? channel : 0];
}

/// Upstream's exporter stores the bias of a layer that is called twice once, as the first call wants it.
void tell_of_shared_bias(const NodeReader& reader, const PackParams& params, const char* input_type) {
  const std::vector<float>& scales = params.bias.scales;
  if (!params.bias.present || !has_own_scales(params.bias)) return;
  const auto node = static_cast<unsigned>(reader.node().index());
  const char* type = format::xnn_node_type_name(reader.node().type());
  if (params.gemm != GemmType::Qs8) {
    ET_LOG(Info,
           "XNNPACK node %u (%s): a bias in int32 with an input of type %s: it belongs to an int8 node, too. "
           "Upstream's runtime refuses the program",
           node, type, input_type);
    return;
  }
  for (size_t c = 0; c < scales.size(); ++c) {
    const float expected = bias_scale(params, c);
    if (std::abs(scales[c] - expected) <= 0.01f * expected) continue;
    ET_LOG(Info,
           "XNNPACK node %u (%s): the bias was quantised for another node: its scale is %g, of input and filter "
           "%g. The result is wrong, as in upstream's runtime",
           node, type, static_cast<double>(scales[c]), static_cast<double>(expected));
    return;
  }
}

}  // namespace

Error choose_gemm(NodeReader& reader, const Value& input, const Value& output, PackParams* params) {
  const Weights& filter = params->filter;
  const Weights& bias = params->bias;
  const int64_t channels = params->groups * params->n;
  const char* filter_type = format::xnn_datatype_name(filter.datatype);
  const char* input_type = format::xnn_datatype_name(input.datatype);
  const char* output_type = format::xnn_datatype_name(output.datatype);
  if (bias.present && bias.shape.numel() != channels) {
    return reader.fail(Error::InvalidProgram, "bias: expected %lld values, got shape [%s]",
                       static_cast<long long>(channels), bias.shape.text().c_str());
  }
  if (is_low(filter)) {
    if (filter.zero_point != 0) {
      return reader.fail(Error::NotSupported, "filter: expected zero point 0, got %d",
                         static_cast<int>(filter.zero_point));
    }
    if (filter.scales.empty() && filter.block_scales.empty()) {
      return reader.fail(Error::InvalidProgram, "filter: %s without scales", filter_type);
    }
  }
  if (input.storage == Storage::F32 && output.storage == Storage::F32 && (filter.is_float() || is_low(filter))) {
    params->gemm = GemmType::F32;
  } else if (input.storage == Storage::S8 && output.storage == Storage::S8 && is_int8(filter)) {
    params->gemm = GemmType::Qs8;
    params->input = input.quant();
    params->output = &output;
  } else if (input.storage == Storage::D8 && output.storage == Storage::F32 && is_low(filter)) {
    params->gemm = GemmType::Qd8;
  } else {
    return reader.fail(Error::NotSupported, "no GEMM of %s with a filter of %s to %s", input_type, filter_type,
                       output_type);
  }
  // Scales belong to output channels, whose number they were checked against.
  if (filter.scales.size() > 1 && static_cast<int64_t>(filter.scales.size()) != channels) {
    return reader.fail(Error::InvalidProgram, "filter: expected %lld scales, one per output channel, got %zu",
                       static_cast<long long>(channels), filter.scales.size());
  }
  // A bias that an int8 node uses, too, is stored as int32 for all.
  const bool bias_fits = params->gemm == GemmType::Qs8 ? is_int32(bias) : bias.is_float() || has_own_scales(bias);
  if (bias.present && !bias_fits) {
    return reader.fail(Error::NotSupported, "a bias of type %s with an input of type %s",
                       format::xnn_datatype_name(bias.datatype), input_type);
  }
  tell_of_shared_bias(reader, *params, input_type);
  return Error::Ok;
}

std::string gemm_types(const PackParams& params, const Value& input) {
  const auto weights = [&] {
    switch (params.filter.datatype) {
      case XnnDatatype::QCInt8:
        return "QC8W";
      case XnnDatatype::QInt8:
        return "QS8W";
      case XnnDatatype::QCInt4:
        return "QC4W";
      case XnnDatatype::QBInt4:
        return "QB4W";
      default:
        return "";
    }
  };
  switch (params.gemm) {
    case GemmType::Qs8:
      return std::string("QS8, ") + weights();
    case GemmType::Qd8:
      return std::string("QD8, F32, ") + weights();
    case GemmType::F32:
      break;
  }
  const std::string type = input.datatype == XnnDatatype::Fp16   ? "F16"
                           : input.datatype == XnnDatatype::Bf16 ? "BF16"
                                                                 : "F32";
  return *weights() == 0 ? type : type + ", " + weights();
}

Error pack(PackParams& params, const Operator& op, WeightCache& cache, PackedWeights* out) {
  bool there = false;
  const auto keep = [&](auto packed) {
    there = packed != nullptr;
    if (there) out->bytes = packed->bytes();
    return packed;
  };
  if (params.gemm == GemmType::F32 && params.depthwise) {
    out->depthwise_f32 = keep(cache.get<PackedDepthwiseF32>(
        key_of(params.grouped ? "grouped f32" : "depthwise f32", params), [&] { return pack_depthwise_f32(params); }));
  } else if (params.gemm == GemmType::F32 && params.winograd && matrix::selected_provider() == nullptr) {
    out->winograd = keep(cache.get<PackedWinogradF32>(key_of("winograd f32", params),
                                                      [&] { return pack_f32<PackedWinogradF32>(params); }));
  } else if (params.gemm == GemmType::F32) {
    const char* kind = matrix::selected_provider() == nullptr ? "f32" : "f32 dense";
    out->f32 = keep(cache.get<PackedF32>(key_of(kind, params), [&] { return pack_f32<PackedF32>(params); }));
  } else if (params.gemm == GemmType::Qd8) {
    out->qd8 = keep(cache.get<PackedQd8>(key_of("qd8", params), [&] { return pack_qd8(params); }));
  } else {
    // Scales of input and output are packed, too.
    char around[160];
    std::snprintf(around, sizeof around, " %a %d %a %d", static_cast<double>(params.input.scale),
                  static_cast<int>(params.input.zero_point), static_cast<double>(params.output->scale),
                  static_cast<int>(params.output->zero_point));
    if (params.depthwise) {
      out->depthwise_qs8 = keep(cache.get<PackedDepthwiseQs8>(key_of("depthwise qs8", params) + around,
                                                              [&] { return pack_depthwise_qs8(params); }));
    } else {
      out->qs8 = keep(cache.get<PackedQs8>(key_of("qs8", params) + around, [&] { return pack_qs8(params); }));
    }
  }
  params.filter = {};
  params.bias = {};
  ET_XNN_CHECK(there, op, MemoryAllocationFailed, "no memory for packed weights");
  return Error::Ok;
}

}  // namespace et::xnn
