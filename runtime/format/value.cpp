// Views of values and tensors, and the decision where a tensor's data is (specification, "where the data is").
#include "runtime/format/value.h"

#include "program_generated.h"
#include "runtime/format/flat.h"
#include "runtime/format/tensor_facts.h"

namespace et::format {

using pte_fb::KernelTypes;

const char* value_kind_name(ValueKind kind) {
  switch (kind) {
    case ValueKind::Null:
      return "Null";
    case ValueKind::Int:
      return "Int";
    case ValueKind::Bool:
      return "Bool";
    case ValueKind::Double:
      return "Double";
    case ValueKind::Tensor:
      return "Tensor";
    case ValueKind::String:
      return "String";
    case ValueKind::IntList:
      return "IntList";
    case ValueKind::DoubleList:
      return "DoubleList";
    case ValueKind::BoolList:
      return "BoolList";
    case ValueKind::TensorList:
      return "TensorList";
    case ValueKind::OptionalTensorList:
      return "OptionalTensorList";
  }
  return "unknown";
}

const char* tensor_data_name(TensorData data) {
  switch (data) {
    case TensorData::None:
      return "none";
    case TensorData::ConstantSegment:
      return "constant";
    case TensorData::ConstantInline:
      return "constant_inline";
    case TensorData::External:
      return "external";
    case TensorData::Planned:
      return "planned";
    case TensorData::PlannedInitialised:
      return "planned_initialised";
    case TensorData::PlannedExternal:
      return "planned_external";
  }
  return "unknown";
}

uint64_t element_count(Span<const int32_t> sizes) {
  for (int32_t s : sizes) {
    if (s == 0) return 0;
  }
  uint64_t n = 1;
  for (int32_t s : sizes) {
    if (s < 0 || !mul(n, static_cast<uint64_t>(s), &n)) return kUnboundedBytes;
  }
  return n;
}

uint64_t byte_count(uint64_t numel, ScalarType type) {
  uint64_t bytes = 0;
  if (numel == kUnboundedBytes || !mul(numel, element_size(type), &bytes)) return kUnboundedBytes;
  return bytes;
}

TensorData tensor_data(const ProgramSource& source, const pte_fb::Tensor& tensor) {
  const bool planned = tensor.allocation_info() != nullptr;
  const auto* extra = tensor.extra_tensor_info();
  if (extra != nullptr && extra->location() == 1) return planned ? TensorData::PlannedExternal : TensorData::External;
  if (tensor.data_buffer_idx() == 0) return planned ? TensorData::Planned : TensorData::None;
  if (planned) return TensorData::PlannedInitialised;
  const auto* segment = source.root->constant_segment();
  return segment != nullptr && count_of(segment->offsets()) > 0 ? TensorData::ConstantSegment
                                                                : TensorData::ConstantInline;
}

bool tensor_region(const ProgramSource& source, const pte_fb::Tensor& tensor, TensorData data,
                   Span<const uint8_t>* out) {
  *out = {};
  const uint32_t index = tensor.data_buffer_idx();
  if (data == TensorData::ConstantInline) {
    const auto* buffer = element(source.root->constant_buffer(), index);
    if (buffer == nullptr) return false;
    *out = span_of(buffer->storage());
    return true;
  }
  const pte_fb::SubsegmentOffsets* part = nullptr;
  if (data == TensorData::ConstantSegment) part = source.root->constant_segment();
  if (data == TensorData::PlannedInitialised) part = element(source.root->mutable_data_segments(), 0);
  if (part == nullptr || index >= count_of(part->offsets())) return false;
  if (part->segment_index() >= source.segment_count()) return false;
  const Span<const uint8_t> segment = source.segment(part->segment_index());
  const uint64_t offset = part->offsets()->Get(index);
  if (offset > segment.size()) return false;
  *out = segment.subspan(static_cast<size_t>(offset));
  return true;
}

ScalarType TensorView::scalar_type() const {
  return valid() ? static_cast<ScalarType>(tensor_->scalar_type()) : ScalarType::Byte;
}
Span<const int32_t> TensorView::sizes() const { return valid() ? span_of(tensor_->sizes()) : Span<const int32_t>(); }
Span<const uint8_t> TensorView::dim_order() const {
  return valid() ? span_of(tensor_->dim_order()) : Span<const uint8_t>();
}
ShapeDynamism TensorView::shape_dynamism() const {
  return valid() ? static_cast<ShapeDynamism>(tensor_->shape_dynamism()) : ShapeDynamism::Static;
}
bool TensorView::requires_grad() const { return valid() && tensor_->requires_grad(); }
uint32_t TensorView::data_buffer_idx() const { return valid() ? tensor_->data_buffer_idx() : 0; }
bool TensorView::has_allocation() const { return valid() && tensor_->allocation_info() != nullptr; }

Allocation TensorView::allocation() const {
  const auto* a = valid() ? tensor_->allocation_info() : nullptr;
  if (a == nullptr) return {};
  return {a->memory_id(), (static_cast<uint64_t>(a->memory_offset_high()) << 32) | a->memory_offset_low()};
}

std::string_view TensorView::fully_qualified_name() const {
  const auto* extra = valid() ? tensor_->extra_tensor_info() : nullptr;
  return extra == nullptr ? std::string_view() : view(extra->fully_qualified_name());
}
bool TensorView::is_external() const {
  const auto* extra = valid() ? tensor_->extra_tensor_info() : nullptr;
  return extra != nullptr && extra->location() == 1;
}
int8_t TensorView::device_type() const {
  const auto* extra = valid() ? tensor_->extra_tensor_info() : nullptr;
  return extra == nullptr ? int8_t{0} : extra->device_type();
}
int8_t TensorView::device_index() const {
  const auto* extra = valid() ? tensor_->extra_tensor_info() : nullptr;
  return extra == nullptr ? int8_t{0} : extra->device_index();
}

uint64_t TensorView::numel() const { return valid() ? element_count(sizes()) : 0; }
uint64_t TensorView::nbytes() const { return byte_count(numel(), scalar_type()); }
TensorData TensorView::data() const { return valid() ? tensor_data(source_, *tensor_) : TensorData::None; }

Span<const uint8_t> TensorView::constant_data() const {
  Span<const uint8_t> region;
  const uint64_t size = nbytes();
  if (!valid() || !tensor_region(source_, *tensor_, data(), &region) || size > region.size()) return {};
  return region.first(static_cast<size_t>(size));
}

ValueKind Value::kind() const { return valid() ? static_cast<ValueKind>(value_->val_type()) : ValueKind::Null; }

int64_t Value::as_int() const {
  const auto* v = valid() ? value_->val_as_Int() : nullptr;
  return v == nullptr ? 0 : v->int_val();
}
bool Value::as_bool() const {
  const auto* v = valid() ? value_->val_as_Bool() : nullptr;
  return v != nullptr && v->bool_val();
}
double Value::as_double() const {
  const auto* v = valid() ? value_->val_as_Double() : nullptr;
  return v == nullptr ? 0 : v->double_val();
}
std::string_view Value::as_string() const {
  const auto* v = valid() ? value_->val_as_String() : nullptr;
  return v == nullptr ? std::string_view() : view(v->string_val());
}
TensorView Value::as_tensor() const {
  const auto* v = valid() ? value_->val_as_Tensor() : nullptr;
  return v == nullptr ? TensorView() : TensorView(source_, v);
}
IndexList Value::indices() const {
  if (!valid()) return {};
  if (const auto* v = value_->val_as_IntList()) return IndexList(span_of(v->items()));
  if (const auto* v = value_->val_as_TensorList()) return IndexList(span_of(v->items()));
  if (const auto* v = value_->val_as_OptionalTensorList()) return IndexList(span_of(v->items()));
  return {};
}
Span<const double> Value::doubles() const {
  const auto* v = valid() ? value_->val_as_DoubleList() : nullptr;
  return v == nullptr ? Span<const double>() : span_of(v->items());
}
Span<const uint8_t> Value::bools() const {
  const auto* v = valid() ? value_->val_as_BoolList() : nullptr;
  return v == nullptr ? Span<const uint8_t>() : span_of(v->items());
}

}  // namespace et::format
