#include "runtime/backends/xnnpack/graph/node_reader.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "runtime/core/half.h"
#include "runtime/platform/log.h"

namespace et::xnn {

using format::XnnDatatype;
using format::XnnQuantKind;

namespace {

const char* storage_name(Storage s) {
  constexpr const char* kNames[] = {"weights", "float", "int32", "int8", "uint8", "dynamic int8"};
  return kNames[static_cast<size_t>(s)];
}

std::string names_of(Storages storages) {
  std::string s;
  for (int i = 0; i <= static_cast<int>(Storage::D8); ++i) {
    if ((storages >> i & 1u) != 0) s += (s.empty() ? "" : " or ") + std::string(storage_name(static_cast<Storage>(i)));
  }
  return s;
}

/// Bytes of a stored tensor; false: more than can be.
bool stored_bytes(XnnDatatype type, const Shape& shape, uint64_t* out) {
  if (!shape.fits()) return false;
  const auto n = static_cast<uint64_t>(shape.numel());
  switch (type) {
    case XnnDatatype::Fp32:
    case XnnDatatype::PFp32:
    case XnnDatatype::Int32:
    case XnnDatatype::QInt32:
    case XnnDatatype::QCInt32:
      *out = n * 4;
      return true;
    case XnnDatatype::Fp16:
    case XnnDatatype::Bf16:
      *out = n * 2;
      return true;
    case XnnDatatype::QCInt4:
    case XnnDatatype::QBInt4:
      // Rows of an odd length are padded to whole bytes.
      *out = static_cast<uint64_t>(shape.rows()) * static_cast<uint64_t>((shape.last() + 1) / 2);
      return true;
    default:
      *out = n;
      return true;
  }
}

void widen(XnnDatatype type, const uint8_t* bytes, int64_t n, float* out) {
  for (int64_t i = 0; i < n; ++i) {
    uint16_t bits;
    std::memcpy(&bits, bytes + 2 * i, 2);
    out[i] = type == XnnDatatype::Fp16 ? half_bits_to_float(bits) : static_cast<float>(BFloat16::from_bits(bits));
  }
}

/// Rounds to bfloat16 as writers of block scales did before they stored bfloat16: by truncation of a scaled value.
uint16_t block_scale_bits(float scale) {
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(scale * 1.00389105f) >> 16);
}

/// Four chains side by side: the processor multiplies faster than one chain can use.
uint64_t hash(std::span<const uint8_t> bytes, uint64_t start) {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15u;
  constexpr size_t kLanes = 4, kStep = 8 * kLanes;
  uint64_t h[kLanes] = {start, start ^ 0x6A09E667F3BCC909u, start ^ 0xBB67AE8584CAA73Bu, start ^ 0x3C6EF372FE94F82Bu};
  const auto mix = [](uint64_t& lane, uint64_t x) {
    lane = (lane ^ x) * kFactor;
    lane ^= lane >> 32;
  };
  const uint8_t* const data = bytes.data();
  size_t i = 0;
  for (; i + kStep <= bytes.size(); i += kStep) {
    uint64_t x[kLanes];
    std::memcpy(x, data + i, kStep);
    for (size_t l = 0; l < kLanes; ++l) mix(h[l], x[l]);
  }
  for (; i < bytes.size(); ++i) mix(h[0], data[i]);
  for (size_t l = 1; l < kLanes; ++l) mix(h[0], h[l]);
  mix(h[0], bytes.size());
  return h[0];
}

template <class T>
std::span<const uint8_t> bytes_of(const std::vector<T>& v) {
  return {reinterpret_cast<const uint8_t*>(v.data()), v.size() * sizeof(T)};
}

/// Names of constants are those of one program only: what is shared between programs must be the same, too.
uint64_t content_hash(const Weights& w) {
  uint64_t h = hash(w.bytes, static_cast<uint64_t>(w.datatype));
  h = hash(bytes_of(w.scales), h);
  return hash(bytes_of(w.block_scales), h + static_cast<uint64_t>(w.zero_point));
}

bool sound_scale(float s) { return s > 0 && s <= 3.4e38f; }

}  // namespace

bool Weights::is_float() const {
  return datatype == XnnDatatype::Fp32 || datatype == XnnDatatype::PFp32 || datatype == XnnDatatype::Fp16 ||
         datatype == XnnDatatype::Bf16;
}

FloatType Weights::float_type() const {
  return datatype == XnnDatatype::Fp16   ? FloatType::F16
         : datatype == XnnDatatype::Bf16 ? FloatType::BF16
                                         : FloatType::F32;
}

std::vector<float> Weights::dequantized() const {
  const int64_t n = shape.numel();
  std::vector<float> out(static_cast<size_t>(n));
  if (is_float()) {
    if (datatype == XnnDatatype::Fp16 || datatype == XnnDatatype::Bf16) {
      widen(datatype, bytes.data(), n, out.data());
    } else {
      std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
    }
    return out;
  }
  const int64_t inner = shape.last();
  // Elements until the channel changes.
  const int64_t step = scales.size() > 1 ? shape.numel(channel_dim + 1, shape.rank) : n;
  const bool nibbles = datatype == XnnDatatype::QCInt4 || datatype == XnnDatatype::QBInt4;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t row = i / inner, at = i % inner;
    const auto u = static_cast<size_t>(i);
    if (!block_scales.empty()) {
      const auto s = static_cast<size_t>(row * (inner / block) + at / block);
      out[u] = BFloat16::from_bits(block_scales[s]);
    } else {
      out[u] = scales[static_cast<size_t>(i / step) % scales.size()];
    }
    int32_t q = 0;
    if (nibbles) {
      const uint8_t pair = bytes[static_cast<size_t>(row * ((inner + 1) / 2) + at / 2)];
      q = (at % 2 == 0 ? pair & 15 : pair >> 4) - 8;
    } else {
      q = as_int8()[i] - zero_point;
    }
    out[u] *= static_cast<float>(q);
  }
  return out;
}

std::string Weights::key() const { return name + ':' + std::to_string(content_hash(*this)); }

Error ConstantSource::find(const format::XnnConstant& constant, uint64_t size, std::span<const uint8_t>* out,
                           std::shared_ptr<void>* keeps, std::string* error) const {
  std::span<const uint8_t> bytes = constant.bytes;
  if (constant.place == format::XnnConstant::Place::Named) {
    const std::string key(constant.key);
    if (named_data_ == nullptr) {
      *error = "no named data is there for key " + key;
      return Error::NotFound;
    }
    Result<FreeableBuffer> found = named_data_->get_data(constant.key);
    if (!found.ok()) {
      *error = "the program and its tensor files have no data of key " + key;
      return found.error();
    }
    bytes = {static_cast<const uint8_t*>(found->data()), found->size()};
    *keeps = std::make_shared<FreeableBuffer>(std::move(*found));
  }
  if (bytes.size() < size || (size != 0 && bytes.data() == nullptr)) {
    *error = "has " + std::to_string(bytes.size()) + " bytes of data, " + std::to_string(size) + " are needed";
    return Error::InvalidProgram;
  }
  bytes = bytes.first(static_cast<size_t>(size));
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 4 != 0) {
    const auto aligned = std::make_shared<std::vector<uint32_t>>(bytes.size() / 4 + 1);
    std::memcpy(aligned->data(), bytes.data(), bytes.size());
    bytes = {reinterpret_cast<const uint8_t*>(aligned->data()), bytes.size()};
    *keeps = aligned;
  }
  *out = bytes;
  return Error::Ok;
}

Error NodeReader::fail(Error error, const char* format, ...) const {
  char text[200];
  va_list args;
  va_start(args, format);
  std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return node_error(node_.index(), node_.type(), error, "%s", text);
}

Value* NodeReader::find(uint32_t id, uint32_t* index) const {
  const auto it = graph_.index_of.find(id);
  if (it == graph_.index_of.end()) return nullptr;
  *index = it->second;
  return &graph_.values[it->second];
}

bool NodeReader::is_constant(uint32_t id) const {
  const format::XnnValue stored = payload_.value_by_id(id);
  return stored.valid() && stored.constant_buffer_idx() != 0;
}

Error NodeReader::input(uint32_t id, Storages storages, const char* what, uint32_t* value) {
  Value* v = find(id, value);
  if (v == nullptr) return fail(Error::InvalidProgram, "%s: there is no value %u", what, static_cast<unsigned>(id));
  if (is_constant(id) && !v->is_constant()) {
    const Error error = load(*v, payload_.value_by_id(id), what);
    if (error != Error::Ok) return error;
  }
  if (!v->defined) {
    return fail(Error::InvalidProgram, "%s: nothing has written value %u by then", what, static_cast<unsigned>(id));
  }
  if ((storages & one_of(v->storage)) == 0) {
    return fail(Error::NotSupported, "%s (value %u) is %s, %s is needed", what, static_cast<unsigned>(id),
                format::xnn_datatype_name(v->datatype), names_of(storages).c_str());
  }
  return Error::Ok;
}

Error NodeReader::output(uint32_t id, Storages storages, const char* what, uint32_t* value) {
  Value* v = find(id, value);
  if (v == nullptr) return fail(Error::InvalidProgram, "%s: there is no value %u", what, static_cast<unsigned>(id));
  if (v->input || is_constant(id)) {
    return fail(Error::InvalidProgram, "%s: value %u is %s", what, static_cast<unsigned>(id),
                v->input ? "an input of the delegate" : "a constant");
  }
  if (v->defined) {
    return fail(Error::InvalidProgram, "%s: value %u was written before", what, static_cast<unsigned>(id));
  }
  if ((storages & one_of(v->storage)) == 0) {
    return fail(Error::NotSupported, "%s (value %u) is %s, %s is needed", what, static_cast<unsigned>(id),
                format::xnn_datatype_name(v->datatype), names_of(storages).c_str());
  }
  v->defined = true;
  return Error::Ok;
}

Error NodeReader::operands(Operator& op, size_t inputs, Storages in, Storages out) {
  const format::XnnIds from = node_.inputs();
  const format::XnnIds to = node_.outputs();
  op.inputs.resize(inputs);
  for (size_t i = 0; i < inputs; ++i) {
    const std::string what = inputs == 1 ? "input" : "input " + std::to_string(i + 1);
    ET_CHECK_OK_OR_RETURN_ERROR(input(from[static_cast<uint32_t>(i)], in, what.c_str(), &op.inputs[i]));
  }
  op.outputs.resize(1);
  return output(to[0], out, "output", &op.outputs[0]);
}

Error NodeReader::load(Value& value, const format::XnnValue& stored, const char* what) {
  uint64_t size = 0;
  if (!stored_bytes(value.datatype, value.declared, &size) || value.storage == Storage::None ||
      value.storage == Storage::D8) {
    return fail(Error::NotSupported, "%s (value %u): a constant of %s [%s] cannot be read as an operand", what,
                static_cast<unsigned>(value.id), format::xnn_datatype_name(value.datatype),
                value.declared.text().c_str());
  }
  std::span<const uint8_t> bytes;
  std::shared_ptr<void> keeps;
  std::string error;
  if (const Error e = constants_.find(stored.constant(), size, &bytes, &keeps, &error); e != Error::Ok) {
    return fail(e, "%s (value %u): %s", what, static_cast<unsigned>(value.id), error.c_str());
  }
  const int64_t n = value.declared.numel();
  const size_t kept = static_cast<size_t>(n) * element_size(value.storage);
  std::vector<uint64_t> copy(kept / 8 + 1);
  if (value.is_half()) {
    widen(value.datatype, bytes.data(), n, reinterpret_cast<float*>(copy.data()));
  } else if (kept != 0) {
    std::memcpy(copy.data(), bytes.data(), kept);
  }
  graph_.constants.push_back(std::move(copy));
  value.constant = reinterpret_cast<const uint8_t*>(graph_.constants.back().data());
  value.data = const_cast<uint8_t*>(value.constant);
  value.shape = value.declared;
  value.defined = true;
  return Error::Ok;
}

Error NodeReader::weights(uint32_t id, const char* what, Weights* out) {
  *out = {};
  if (id == format::kXnnNoValue) return Error::Ok;
  uint32_t index = 0;
  const Value* v = find(id, &index);
  if (v == nullptr) return fail(Error::InvalidProgram, "%s: there is no value %u", what, static_cast<unsigned>(id));
  if (!is_constant(id)) {
    return fail(Error::NotSupported, "%s (value %u) is no constant", what, static_cast<unsigned>(id));
  }
  out->datatype = v->datatype;
  out->shape = v->declared;
  out->zero_point = v->zero_point;
  uint64_t size = 0;
  if (!stored_bytes(v->datatype, v->declared, &size)) {
    return fail(Error::InvalidProgram, "%s (value %u): a shape of [%s]", what, static_cast<unsigned>(id),
                v->declared.text().c_str());
  }
  const format::XnnValue stored = payload_.value_by_id(id);
  std::string error;
  if (const Error e = constants_.find(stored.constant(), size, &out->bytes, &out->keeps, &error); e != Error::Ok) {
    return fail(e, "%s (value %u): %s", what, static_cast<unsigned>(id), error.c_str());
  }
  ET_CHECK_OK_OR_RETURN_ERROR(scales_of(stored, what, out));
  out->name = std::string(stored.constant().key) + ':' + out->shape.text();
  out->present = true;
  return Error::Ok;
}

Error NodeReader::scales_of(const format::XnnValue& stored, const char* what, Weights* out) {
  const auto id = static_cast<unsigned>(stored.id());
  switch (stored.quant_kind()) {
    case XnnQuantKind::None:
    case XnnQuantKind::PerTokenDynamic:
      return Error::Ok;
    case XnnQuantKind::PerTensor:
      out->scales.assign(1, stored.scale());
      break;
    case XnnQuantKind::PerChannel: {
      out->channel_dim = stored.channel_dim();
      if (out->channel_dim < 0 || out->channel_dim >= out->shape.rank) {
        return fail(Error::InvalidProgram, "%s (value %u): channel dimension %d of [%s]", what, id, out->channel_dim,
                    out->shape.text().c_str());
      }
      const auto channels = static_cast<size_t>(out->shape.dims[out->channel_dim]);
      if (const format::XnnConstant c = stored.scale_constant(); c.place != format::XnnConstant::Place::None) {
        std::span<const uint8_t> bytes;
        std::shared_ptr<void> keeps;
        std::string error;
        if (const Error e = constants_.find(c, uint64_t{channels} * 4, &bytes, &keeps, &error); e != Error::Ok) {
          return fail(e, "scales of %s (value %u): %s", what, id, error.c_str());
        }
        out->scales.resize(channels);
        std::memcpy(out->scales.data(), bytes.data(), bytes.size());
      } else {
        if (stored.scales().size() != channels) {
          return fail(Error::InvalidProgram, "%s (value %u): %zu scales for %zu channels", what, id,
                      stored.scales().size(), channels);
        }
        out->scales.assign(stored.scales().begin(), stored.scales().end());
      }
      break;
    }
    case XnnQuantKind::PerChannelGroup: {
      const int64_t inner = out->shape.last();
      out->block = stored.group_size();
      if (out->shape.rank != 2 || out->block <= 0 || inner % out->block != 0 || out->block % 32 != 0) {
        return fail(Error::InvalidProgram,
                    "%s (value %u): groups of %lld in [%s], multiples of 32 that divide it are needed", what, id,
                    static_cast<long long>(out->block), out->shape.text().c_str());
      }
      const auto count = static_cast<size_t>(out->shape.dims[0] * (inner / out->block));
      if (const format::XnnConstant c = stored.scale_constant(); c.place != format::XnnConstant::Place::None) {
        std::span<const uint8_t> bytes;
        std::shared_ptr<void> keeps;
        std::string error;
        if (const Error e = constants_.find(c, uint64_t{count} * 2, &bytes, &keeps, &error); e != Error::Ok) {
          return fail(e, "scales of %s (value %u): %s", what, id, error.c_str());
        }
        out->block_scales.resize(count);
        std::memcpy(out->block_scales.data(), bytes.data(), bytes.size());
      } else if (stored.scales_bf16().size() == count && count != 0) {
        out->block_scales.assign(stored.scales_bf16().begin(), stored.scales_bf16().end());
      } else {
        if (stored.scales().size() != count) {
          return fail(Error::InvalidProgram, "%s (value %u): %zu scales for %zu groups", what, id,
                      stored.scales().size(), count);
        }
        for (const float s : stored.scales()) out->block_scales.push_back(block_scale_bits(s));
      }
      for (const uint16_t s : out->block_scales) {
        if (!sound_scale(BFloat16::from_bits(s))) {
          return fail(Error::InvalidProgram, "%s (value %u): a scale is not positive", what, id);
        }
      }
      return Error::Ok;
    }
  }
  for (const float s : out->scales) {
    if (!sound_scale(s))
      return fail(Error::InvalidProgram, "%s (value %u): scale %g", what, id, static_cast<double>(s));
  }
  return Error::Ok;
}

Error NodeReader::size(const char* field, uint32_t least, uint32_t most, int64_t* out) const {
  const uint32_t n = node_.uint_parameter(field);
  if (n < least || n > most) {
    return fail(Error::InvalidProgram, "%s is %u, %u to %u is allowed", field, static_cast<unsigned>(n),
                static_cast<unsigned>(least), static_cast<unsigned>(most));
  }
  *out = n;
  return Error::Ok;
}

Error NodeReader::list(const char* field, std::span<const uint32_t>* out) const {
  format::XnnParameter p;
  if (!node_.find_parameter(field, &p) || p.kind != format::XnnParameter::Kind::UintList ||
      p.list.size() > static_cast<size_t>(kMaxDims)) {
    return fail(Error::InvalidProgram, "%s has %zu numbers, at most %d are allowed", field, p.list.size(), kMaxDims);
  }
  *out = p.list;
  return Error::Ok;
}

Error NodeReader::number(const char* field, float* out) const {
  format::XnnParameter p;
  if (!node_.find_parameter(field, &p) || p.kind != format::XnnParameter::Kind::Float) {
    return fail(Error::InvalidProgram, "%s is missing", field);
  }
  *out = p.float_value;
  return Error::Ok;
}

}  // namespace et::xnn
