// Values of an ETDump: scalars into the record, tensors into the data sink, in types that upstream's Inspector can
// read.
#include <bit>
#include <cstring>
#include <new>

#include "etdump/debug_buffer.h"
#include "etdump/etdump_gen.h"
#include "runtime/core/half.h"
#include "runtime/platform/log.h"

namespace et::etdump {
namespace {

constexpr uint64_t kInt = 1, kBool = 2, kDouble = 4, kTensor = 5, kTensorList = 6;  // ValueType of the schema

// Elements [first, first + count) of `from`, in the new type, to `to`.
using Convert = void (*)(ScalarType type, const uint8_t* from, size_t first, size_t count, uint8_t* to);

template <class From, class To, class F>
void convert_with(const uint8_t* from, size_t first, size_t count, uint8_t* to, F&& f) {
  for (size_t i = 0; i < count; ++i) {
    From x;
    std::memcpy(&x, from + (first + i) * sizeof(From), sizeof(From));
    const To y = f(x);
    std::memcpy(to + i * sizeof(To), &y, sizeof(To));
  }
}

void bfloat16_to_float(ScalarType, const uint8_t* from, size_t first, size_t count, uint8_t* to) {
  convert_with<uint16_t, uint32_t>(from, first, count, to, [](uint16_t x) { return static_cast<uint32_t>(x) << 16; });
}
// All four float8 kinds lie within binary16, subnormals included.
void float8_to_half(ScalarType type, const uint8_t* from, size_t first, size_t count, uint8_t* to) {
  convert_with<uint8_t, uint16_t>(from, first, count, to, [type](uint8_t x) {
    return float_to_half_bits(static_cast<float>(element_as_double(type, &x)));
  });
}
void uint32_to_long(ScalarType, const uint8_t* from, size_t first, size_t count, uint8_t* to) {
  convert_with<uint32_t, int64_t>(from, first, count, to, [](uint32_t x) { return static_cast<int64_t>(x); });
}
void uint64_to_double(ScalarType, const uint8_t* from, size_t first, size_t count, uint8_t* to) {
  convert_with<uint64_t, double>(from, first, count, to, [](uint64_t x) { return static_cast<double>(x); });
}

struct Stored {
  ScalarType type;
  Convert convert = nullptr;  // null: the bytes stay
  bool pairs = false;         // a last dimension of 2 is added
};

bool any_above_int64(const Tensor& t) {
  const uint8_t* data = static_cast<const uint8_t*>(t.const_data_ptr());
  for (size_t i = 0; data != nullptr && i < t.nbytes(); i += 8) {
    if (data[i + 7] >= 0x80) return true;
  }
  return false;
}

// The nearest type that the Inspector of ExecuTorch 1.5 reads: uint8, int8…int64, uint16, float16…float64, bool,
// bits16.
Stored stored_as(const Tensor& t) {
  switch (t.scalar_type()) {
    case ScalarType::BFloat16:
      return {ScalarType::Float, &bfloat16_to_float};
    case ScalarType::Float8_e5m2:
    case ScalarType::Float8_e4m3fn:
    case ScalarType::Float8_e5m2fnuz:
    case ScalarType::Float8_e4m3fnuz:
      return {ScalarType::Half, &float8_to_half};
    case ScalarType::UInt32:
      return {ScalarType::Long, &uint32_to_long};
    case ScalarType::UInt64:
      return any_above_int64(t) ? Stored{ScalarType::Double, &uint64_to_double} : Stored{ScalarType::Long};
    case ScalarType::ComplexHalf:
      return {ScalarType::Half, nullptr, true};
    case ScalarType::ComplexFloat:
      return {ScalarType::Float, nullptr, true};
    case ScalarType::ComplexDouble:
      return {ScalarType::Double, nullptr, true};
    case ScalarType::QInt8:
      return {ScalarType::Char};
    case ScalarType::QInt32:
      return {ScalarType::Int};
    case ScalarType::QUInt8:
    case ScalarType::QUInt4x2:
    case ScalarType::QUInt2x4:
    case ScalarType::Bits1x8:
    case ScalarType::Bits2x4:
    case ScalarType::Bits4x2:
    case ScalarType::Bits8:
      return {ScalarType::Byte};
    default:
      return {t.scalar_type()};
  }
}

struct Conversion {
  Convert convert;
  ScalarType type;
  const uint8_t* from;
  size_t element;  // bytes, of the new type
};

void fill(void* context, size_t at, uint8_t* out, size_t count) {
  const Conversion& c = *static_cast<const Conversion*>(context);
  c.convert(c.type, c.from, at / c.element, count / c.element, out);
}

Result<size_t> store(DataSinkBase* sink, const Tensor& t, const Stored& as) {
  if (as.convert == nullptr) return sink->write(t.const_data_ptr(), t.nbytes());
  const size_t element = element_size(as.type);
  Conversion c{as.convert, t.scalar_type(), static_cast<const uint8_t*>(t.const_data_ptr()), element};
  return sink->write_made(static_cast<size_t>(t.numel()) * element, &fill, &c);
}

void describe(TensorRecord* to, const Tensor& t, const Stored& as, int64_t offset) {
  const size_t dim = static_cast<size_t>(t.dim());
  to->offset = offset;
  to->dtype = static_cast<int16_t>(as.type);
  to->rank = static_cast<uint16_t>(dim + (as.pairs ? 1 : 0));
  to->place = 0;
  const int32_t factor = as.pairs ? 2 : 1;
  int32_t dense = factor;
  for (size_t i = dim; i > 0; --i) {
    to->sizes()[i - 1] = t.sizes()[i - 1];
    to->strides()[i - 1] = t.strides().data() != nullptr ? t.strides()[i - 1] * factor : dense;
    dense *= t.sizes()[i - 1] > 0 ? t.sizes()[i - 1] : 1;
  }
  if (as.pairs) {
    to->sizes()[dim] = 2;
    to->strides()[dim] = 1;
  }
}

}  // namespace

DebugRecord* ETDumpGen::debug_record(uint8_t flags, uint32_t id, uint64_t kind, size_t bytes) {
  block_has_events_ = true;
  void* at = append(bytes);
  if (at == nullptr) {
    lose_event();
    return nullptr;
  }
  DebugRecord* r = new (at) DebugRecord;
  r->kind = RecordKind::Debug;
  r->flags = flags;
  r->count = 0;
  r->words = static_cast<uint32_t>(bytes / 8);
  r->place = 0;
  r->name = id;
  r->chain = current_chain_id();
  r->handle = current_debug_handle();
  r->value_kind = kind;
  r->integer = 0;
  return r;
}

Result<bool> ETDumpGen::log_tensors(uint8_t flags, uint32_t id, uint64_t kind, ArrayRef<Tensor> tensors) {
  size_t bytes = sizeof(DebugRecord);
  bool needs_sink = false;
  for (const Tensor& t : tensors) {
    if (t.unsafeGetTensorImpl() == nullptr || static_cast<size_t>(t.dim()) > kTensorDimensionLimit ||
        element_size(t.scalar_type()) == 0 || tensors.size() > UINT16_MAX) {
      ++lost_.skipped_values;
      return false;
    }
    if (t.nbytes() != 0 && t.const_data_ptr() == nullptr) {
      ++lost_.values;
      return Error::InvalidState;
    }
    needs_sink = needs_sink || t.nbytes() != 0;
    bytes += TensorRecord::bytes(static_cast<size_t>(t.dim()) + 1);
  }
  if (needs_sink && sink_ == nullptr) {
    ++lost_.values;
    ignore("log_evalue", "a tensor needs a debug buffer or a data sink");
    return Error::InvalidState;
  }
  DebugRecord* record = debug_record(flags, id, kind, bytes);
  if (record == nullptr) return Error::OutOfResources;
  record->count = static_cast<uint16_t>(tensors.size());
  TensorRecord* to = reinterpret_cast<TensorRecord*>(record + 1);
  for (const Tensor& t : tensors) {
    const Stored as = exact_dtypes_ ? Stored{t.scalar_type()} : stored_as(t);
    int64_t offset = -1;
    if (t.nbytes() != 0) {
      Result<size_t> at = store(sink_, t, as);
      if (!at.ok()) {
        log_.retract(bytes);
        ++lost_.values;
        return at.error();
      }
      offset = static_cast<int64_t>(*at);
    }
    describe(new (to) TensorRecord, t, as, offset);
    to = to->next();
  }
  return true;
}

Result<bool> ETDumpGen::log_value(uint8_t flags, uint32_t id, const EValue& value) {
  switch (value.tag) {
    case Tag::Tensor: {
      const Tensor t = value.payload.as_tensor;
      return log_tensors(flags, id, kTensor, {&t, 1});
    }
    case Tag::ListTensor:
      if (value.payload.copyable_union.as_tensor_list_ptr == nullptr) break;
      return log_tensors(flags, id, kTensorList, value.toTensorList());
    case Tag::Int:
    case Tag::Bool:
    case Tag::Double: {
      DebugRecord* r = debug_record(flags, id,
                                    value.tag == Tag::Int    ? kInt
                                    : value.tag == Tag::Bool ? kBool
                                                             : kDouble,
                                    sizeof(DebugRecord));
      if (r == nullptr) return Error::OutOfResources;
      if (value.tag == Tag::Double) {
        r->number = value.payload.copyable_union.as_double;
      } else {
        r->integer = value.tag == Tag::Int                  ? value.payload.copyable_union.as_int
                     : value.payload.copyable_union.as_bool ? 1
                                                            : 0;
      }
      return true;
    }
    default:
      break;
  }
  ++lost_.skipped_values;
  return false;
}

Result<bool> ETDumpGen::log_evalue(const EValue& evalue, LoggedEValueType evalue_type) {
  if (!ready("log_evalue")) return Error::InvalidState;
  return log_value(evalue_type == LoggedEValueType::kProgramOutput ? kOutput : uint8_t{0}, NameTable::kNone, evalue);
}

Result<bool> ETDumpGen::log_intermediate_output_delegate(const char* name, DelegateDebugIntId delegate_debug_index,
                                                         const EValue& value) {
  if (!one_id(name, delegate_debug_index, "log_intermediate_output_delegate")) return Error::InvalidArgument;
  if (!ready("log_intermediate_output_delegate")) return Error::InvalidState;
  if (filter_ != nullptr) {
    const Result<bool> dropped = filter_->filter(name, delegate_debug_index);
    if (!dropped.ok()) return dropped.error();
    if (*dropped) return false;
  }
  if (name != nullptr) return log_value(kDelegateStr, name_id(name), value);
  return log_value(kDelegateInt, static_cast<uint32_t>(delegate_debug_index), value);
}

}  // namespace et::etdump
