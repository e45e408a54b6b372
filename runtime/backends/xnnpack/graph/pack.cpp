#include "runtime/backends/xnnpack/graph/pack.h"

#include <cmath>

#include "runtime/kernels/matrix/provider.h"

namespace et::xnn {

using format::XnnDatatype;

namespace {

bool is_int8(const Weights& w) { return w.datatype == XnnDatatype::QInt8 || w.datatype == XnnDatatype::QCInt8; }
bool is_int32(const Weights& w) { return w.datatype == XnnDatatype::QInt32 || w.datatype == XnnDatatype::QCInt32; }
bool is_low(const Weights& w) {
  return is_int8(w) || w.datatype == XnnDatatype::QCInt4 || w.datatype == XnnDatatype::QBInt4;
}

std::string key_of(const char* kind, const PackJob& job) {
  std::string key = kind;
  for (const int64_t x : {job.groups, job.n, job.k, int64_t{job.transposed}, int64_t{job.taps_last}}) {
    key += ' ' + std::to_string(x);
  }
  key += ' ' + std::to_string(static_cast<int>(job.filter.datatype)) + ' ' + job.filter.key();
  if (job.bias.present) key += ' ' + std::to_string(static_cast<int>(job.bias.datatype)) + ' ' + job.bias.key();
  return key;
}

/// [channels][taps] → [taps][channels].
template <class T>
std::vector<T> taps_first(const T* from, int64_t channels, int64_t taps) {
  std::vector<T> to(static_cast<size_t>(channels * taps));
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t t = 0; t < taps; ++t) to[static_cast<size_t>(t * channels + c)] = from[c * taps + t];
  }
  return to;
}

template <class T, class... Args>
std::shared_ptr<const T> make(const Args&... args) {
  auto packed = std::make_shared<const T>(args...);
  return packed->valid() ? packed : nullptr;
}

std::shared_ptr<const PackedF32> pack_f32(const PackJob& job) {
  WeightsF32 w;
  w.transposed = job.transposed;
  w.groups = job.groups;
  w.n = job.n;
  w.k = job.k;
  std::vector<float> floats;
  if (job.filter.is_float()) {
    w.data = job.filter.bytes.data();
    w.type = job.filter.float_type();
  } else {
    floats = job.filter.dequantized();
    w.data = floats.data();
  }
  if (job.bias.present) {
    w.bias = job.bias.bytes.data();
    w.bias_type = job.bias.float_type();
  }
  return make<PackedF32>(w);
}

std::shared_ptr<const PackedDepthwiseF32> pack_depthwise_f32(const PackJob& job) {
  std::vector<float> floats = job.filter.dequantized();
  if (job.taps_last) floats = taps_first(floats.data(), job.n, job.k);
  const void* bias = job.bias.present ? job.bias.bytes.data() : nullptr;
  return make<PackedDepthwiseF32>(static_cast<const void*>(floats.data()), FloatType::F32, job.k, job.n, bias,
                                  job.bias.float_type());
}

template <class W>
void fill_qs8(const PackJob& job, W* w) {
  w->bias = job.bias.present ? reinterpret_cast<const int32_t*>(job.bias.bytes.data()) : nullptr;
  w->scales = job.filter.scales.data();
  w->per_channel = job.filter.scales.size() > 1;
  w->input = job.input;
  w->output = output_qs8(job.output->quant(), {});
}

std::shared_ptr<const PackedQs8> pack_qs8(const PackJob& job) {
  WeightsQs8 w;
  w.data = job.filter.as_int8();
  w.transposed = job.transposed;
  w.groups = job.groups;
  w.n = job.n;
  w.k = job.k;
  fill_qs8(job, &w);
  return make<PackedQs8>(w);
}

std::shared_ptr<const PackedDepthwiseQs8> pack_depthwise_qs8(const PackJob& job) {
  DepthwiseWeightsQs8 w;
  std::vector<int8_t> turned;
  w.data = job.filter.as_int8();
  if (job.taps_last) {
    turned = taps_first(w.data, job.n, job.k);
    w.data = turned.data();
  }
  w.taps = job.k;
  w.channels = job.n;
  fill_qs8(job, &w);
  return make<PackedDepthwiseQs8>(w);
}

std::shared_ptr<const PackedQd8> pack_qd8(const PackJob& job) {
  WeightsQd8 w;
  w.kind = is_int8(job.filter)                          ? LowWeights::Int8
           : job.filter.datatype == XnnDatatype::QCInt4 ? LowWeights::Int4
                                                        : LowWeights::Block4;
  w.data = job.filter.bytes.data();
  w.transposed = job.transposed;
  w.groups = job.groups;
  w.n = job.n;
  w.k = job.k;
  std::vector<float> scales = job.filter.scales;
  if (scales.size() == 1) scales.resize(static_cast<size_t>(job.groups * job.n), scales[0]);
  w.scales = scales.data();
  w.block_scales = job.filter.block_scales.data();
  w.block = job.filter.block;
  std::vector<float> bias;
  if (job.bias.present) bias = job.bias.dequantized();
  w.bias = job.bias.present ? bias.data() : nullptr;
  return make<PackedQd8>(w);
}

}  // namespace

Error choose_product(NodeReader& reader, const Value& input, const Value& output, PackJob* job) {
  const Weights& filter = job->filter;
  const Weights& bias = job->bias;
  const int64_t channels = job->groups * job->n;
  const char* filter_type = format::xnn_datatype_name(filter.datatype);
  const char* input_type = format::xnn_datatype_name(input.datatype);
  const char* output_type = format::xnn_datatype_name(output.datatype);
  if (bias.present && bias.shape.numel() != channels) {
    return reader.fail(Error::InvalidProgram, "bias: a shape of [%s] for %lld channels", bias.shape.text().c_str(),
                       static_cast<long long>(channels));
  }
  if (is_low(filter)) {
    if (filter.zero_point != 0) {
      return reader.fail(Error::NotSupported, "filter: zero point %d, weights are symmetric",
                         static_cast<int>(filter.zero_point));
    }
    if (filter.scales.empty() && filter.block_scales.empty()) {
      return reader.fail(Error::InvalidProgram, "filter: %s without scales", filter_type);
    }
  }
  if (input.storage == Storage::F32 && output.storage == Storage::F32 && (filter.is_float() || is_low(filter))) {
    job->product = Product::F32;
  } else if (input.storage == Storage::S8 && output.storage == Storage::S8 && is_int8(filter)) {
    job->product = Product::Qs8;
    job->input = input.quant();
    job->output = &output;
  } else if (input.storage == Storage::D8 && output.storage == Storage::F32 && is_low(filter)) {
    job->product = Product::Qd8;
  } else {
    return reader.fail(Error::NotSupported, "no product of %s with a filter of %s to %s", input_type, filter_type,
                       output_type);
  }
  // Scales belong to output channels, whose number they were checked against.
  if (filter.scales.size() > 1 && static_cast<int64_t>(filter.scales.size()) != channels) {
    return reader.fail(Error::InvalidProgram, "filter: %zu scales for %lld output channels", filter.scales.size(),
                       static_cast<long long>(channels));
  }
  const bool bias_fits = job->product == Product::Qs8 ? is_int32(bias) : bias.is_float();
  if (bias.present && !bias_fits) {
    return reader.fail(Error::NotSupported, "a bias of %s with an input of %s",
                       format::xnn_datatype_name(bias.datatype), input_type);
  }
  return Error::Ok;
}

std::string product_types(const PackJob& job, const Value& input) {
  const auto weights = [&] {
    switch (job.filter.datatype) {
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
  switch (job.product) {
    case Product::Qs8:
      return std::string("QS8, ") + weights();
    case Product::Qd8:
      return std::string("QD8, F32, ") + weights();
    case Product::F32:
      break;
  }
  const std::string type = input.datatype == XnnDatatype::Fp16   ? "F16"
                           : input.datatype == XnnDatatype::Bf16 ? "BF16"
                                                                 : "F32";
  return *weights() == 0 ? type : type + ", " + weights();
}

Error pack(PackJob& job, const Operator& op, WeightCache& cache, PackedWeights* out) {
  bool there = false;
  const auto keep = [&](auto packed) {
    there = packed != nullptr;
    if (there) out->bytes = packed->bytes();
    return packed;
  };
  if (job.product == Product::F32 && job.depthwise) {
    out->depthwise_f32 =
        keep(cache.get<PackedDepthwiseF32>(key_of("depthwise f32", job), [&] { return pack_depthwise_f32(job); }));
  } else if (job.product == Product::F32) {
    const char* kind = matrix::selected_provider() == nullptr ? "f32" : "f32 dense";
    out->f32 = keep(cache.get<PackedF32>(key_of(kind, job), [&] { return pack_f32(job); }));
  } else if (job.product == Product::Qd8) {
    out->qd8 = keep(cache.get<PackedQd8>(key_of("qd8", job), [&] { return pack_qd8(job); }));
  } else {
    // Scales of input and output are packed, too.
    char around[160];
    std::snprintf(around, sizeof around, " %a %d %a %d", static_cast<double>(job.input.scale),
                  static_cast<int>(job.input.zero_point), static_cast<double>(job.output->scale),
                  static_cast<int>(job.output->zero_point));
    if (job.depthwise) {
      out->depthwise_qs8 = keep(cache.get<PackedDepthwiseQs8>(key_of("depthwise qs8", job) + around,
                                                              [&] { return pack_depthwise_qs8(job); }));
    } else {
      out->qs8 = keep(cache.get<PackedQs8>(key_of("qs8", job) + around, [&] { return pack_qs8(job); }));
    }
  }
  job.filter = {};
  job.bias = {};
  ET_XNN_CHECK(there, op, MemoryAllocationFailed, "no memory for packed weights");
  return Error::Ok;
}

}  // namespace et::xnn
