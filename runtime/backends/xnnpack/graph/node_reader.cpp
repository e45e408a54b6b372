#include "runtime/backends/xnnpack/graph/node_reader.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "runtime/backends/xnnpack/compute/elementwise.h"
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

/// Rounds to bfloat16 as writers of block scales did before they stored bfloat16: by truncation of a scaled value.
uint16_t block_scale_bits(float scale) {
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(scale * 1.00389105f) >> 16);
}

bool sound_scale(float s) { return s > 0 && s <= 3.4e38f; }

}  // namespace

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
  if (v == nullptr) return fail(Error::InvalidProgram, "%s: no value %u", what, static_cast<unsigned>(id));
  if (is_constant(id) && !v->is_constant()) {
    const Error error = load(*v, payload_.value_by_id(id), what);
    if (error != Error::Ok) return error;
  }
  if (!v->defined) {
    return fail(Error::InvalidProgram, "%s: value %u is read before it is written", what, static_cast<unsigned>(id));
  }
  if ((storages & one_of(v->storage)) == 0) {
    return fail(Error::NotSupported, "%s (value %u): expected %s, got %s", what, static_cast<unsigned>(id),
                names_of(storages).c_str(), format::xnn_datatype_name(v->datatype));
  }
  return Error::Ok;
}

Error NodeReader::output(uint32_t id, Storages storages, const char* what, uint32_t* value) {
  Value* v = find(id, value);
  if (v == nullptr) return fail(Error::InvalidProgram, "%s: no value %u", what, static_cast<unsigned>(id));
  if (v->input || is_constant(id)) {
    return fail(Error::InvalidProgram, "%s: value %u is %s", what, static_cast<unsigned>(id),
                v->input ? "an input of the delegate" : "a constant");
  }
  if (v->defined) {
    return fail(Error::InvalidProgram, "%s: value %u is written twice", what, static_cast<unsigned>(id));
  }
  if ((storages & one_of(v->storage)) == 0) {
    return fail(Error::NotSupported, "%s (value %u): expected %s, got %s", what, static_cast<unsigned>(id),
                names_of(storages).c_str(), format::xnn_datatype_name(v->datatype));
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
    return fail(Error::NotSupported, "%s (value %u): a constant of type %s [%s] cannot be an operand", what,
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
    convert_to_f32(n, bytes.data(), value.float_type(), reinterpret_cast<float*>(copy.data()));
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
  if (v == nullptr) return fail(Error::InvalidProgram, "%s: no value %u", what, static_cast<unsigned>(id));
  if (!is_constant(id)) {
    return fail(Error::NotSupported, "%s (value %u): expected a constant", what, static_cast<unsigned>(id));
  }
  out->datatype = v->datatype;
  out->shape = v->declared;
  out->zero_point = v->zero_point;
  uint64_t size = 0;
  if (!stored_bytes(v->datatype, v->declared, &size)) {
    return fail(Error::InvalidProgram, "%s (value %u): shape [%s] is out of range", what, static_cast<unsigned>(id),
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

Error NodeReader::stored_scales(const format::XnnValue& stored, const char* what, uint64_t size,
                                std::span<const uint8_t>* out, std::shared_ptr<void>* keeps) {
  const format::XnnConstant constant = stored.scale_constant();
  if (constant.place == format::XnnConstant::Place::None) return Error::Ok;
  std::string error;
  if (const Error e = constants_.find(constant, size, out, keeps, &error); e != Error::Ok) {
    return fail(e, "scales of %s (value %u): %s", what, static_cast<unsigned>(stored.id()), error.c_str());
  }
  return Error::Ok;
}

Error NodeReader::channel_scales(const format::XnnValue& stored, const char* what, Weights* out) {
  const auto id = static_cast<unsigned>(stored.id());
  out->channel_dim = stored.channel_dim();
  if (out->channel_dim < 0 || out->channel_dim >= out->shape.rank) {
    return fail(Error::InvalidProgram, "%s (value %u): channel dimension %d of [%s]", what, id, out->channel_dim,
                out->shape.text().c_str());
  }
  const auto channels = static_cast<size_t>(out->shape.dims[out->channel_dim]);
  std::span<const uint8_t> bytes;
  std::shared_ptr<void> keeps;
  ET_CHECK_OK_OR_RETURN_ERROR(stored_scales(stored, what, uint64_t{channels} * sizeof(float), &bytes, &keeps));
  if (bytes.data() != nullptr) {
    out->scales.resize(channels);
    std::memcpy(out->scales.data(), bytes.data(), bytes.size());
    return Error::Ok;
  }
  if (stored.scales().size() != channels) {
    return fail(Error::InvalidProgram, "%s (value %u): expected %zu scales, one per channel, got %zu", what, id,
                channels, stored.scales().size());
  }
  out->scales.assign(stored.scales().begin(), stored.scales().end());
  return Error::Ok;
}

Error NodeReader::block_scales(const format::XnnValue& stored, const char* what, Weights* out) {
  const auto id = static_cast<unsigned>(stored.id());
  const int64_t inner = out->shape.last();
  out->block = stored.group_size();
  if (out->shape.rank != 2 || out->block <= 0 || inner % out->block != 0 || out->block % 32 != 0) {
    return fail(Error::InvalidProgram,
                "%s (value %u): expected a group size that divides [%s] and is a multiple of 32, "
                "got %lld",
                what, id, out->shape.text().c_str(), static_cast<long long>(out->block));
  }
  const auto count = static_cast<size_t>(out->shape.dims[0] * (inner / out->block));
  std::span<const uint8_t> bytes;
  std::shared_ptr<void> keeps;
  ET_CHECK_OK_OR_RETURN_ERROR(stored_scales(stored, what, uint64_t{count} * sizeof(uint16_t), &bytes, &keeps));
  if (bytes.data() != nullptr) {
    out->block_scales.resize(count);
    std::memcpy(out->block_scales.data(), bytes.data(), bytes.size());
  } else if (stored.scales_bf16().size() == count && count != 0) {
    out->block_scales.assign(stored.scales_bf16().begin(), stored.scales_bf16().end());
  } else if (stored.scales().size() == count) {
    for (const float s : stored.scales()) out->block_scales.push_back(block_scale_bits(s));
  } else {
    return fail(Error::InvalidProgram, "%s (value %u): expected %zu scales, one per group, got %zu", what, id, count,
                stored.scales().size());
  }
  for (const uint16_t s : out->block_scales) {
    if (!sound_scale(BFloat16::from_bits(s))) {
      return fail(Error::InvalidProgram, "%s (value %u): expected scales above 0", what, id);
    }
  }
  return Error::Ok;
}

Error NodeReader::scales_of(const format::XnnValue& stored, const char* what, Weights* out) {
  switch (stored.quant_kind()) {
    case XnnQuantKind::None:
    case XnnQuantKind::PerTokenDynamic:
      return Error::Ok;
    case XnnQuantKind::PerTensor:
      out->scales.assign(1, stored.scale());
      break;
    case XnnQuantKind::PerChannel:
      ET_CHECK_OK_OR_RETURN_ERROR(channel_scales(stored, what, out));
      break;
    case XnnQuantKind::PerChannelGroup:
      return block_scales(stored, what, out);
  }
  for (const float s : out->scales) {
    if (!sound_scale(s)) {
      return fail(Error::InvalidProgram, "%s (value %u): scale %g", what, static_cast<unsigned>(stored.id()),
                  static_cast<double>(s));
    }
  }
  return Error::Ok;
}

Error NodeReader::size(const char* field, uint32_t min, uint32_t max, int64_t* out) const {
  const uint32_t n = node_.uint_parameter(field);
  if (n < min || n > max) {
    return fail(Error::InvalidProgram, "%s: expected %u to %u, got %u", field, static_cast<unsigned>(min),
                static_cast<unsigned>(max), static_cast<unsigned>(n));
  }
  *out = n;
  return Error::Ok;
}

Error NodeReader::list(const char* field, std::span<const uint32_t>* out) const {
  format::XnnParameter p;
  if (!node_.find_parameter(field, &p) || p.kind != format::XnnParameter::Kind::UintList ||
      p.list.size() > static_cast<size_t>(kMaxDims)) {
    return fail(Error::InvalidProgram, "%s: expected at most %d numbers, got %zu", field, kMaxDims, p.list.size());
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
