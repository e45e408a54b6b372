// Values of a method: numbers, lists, and tensors with their memory.
#include <cstring>

#include "runtime/executor/method_loader.h"

namespace et {
namespace {

bool is_complex_type(ScalarType t) {
  return t == ScalarType::ComplexHalf || t == ScalarType::ComplexFloat || t == ScalarType::ComplexDouble;
}
const char* name(const format::TensorView& t) { return t.fully_qualified_name().data(); }
int name_size(const format::TensorView& t) { return static_cast<int>(t.fully_qualified_name().size()); }

}  // namespace

Error MethodLoader::values() {
  m_.value_count_ = view_.value_count();
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(m_.value_count_, &m_.values_));
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(m_.inputs_size(), &m_.input_set_));
  for (uint32_t i = 0; i < m_.value_count_; ++i) ET_CHECK_OK_OR_RETURN_ERROR(value(i));
  return Error::Ok;
}

Error MethodLoader::value(uint32_t i) {
  const format::Value v = view_.value(i);
  EValue& out = m_.values_[i];
  switch (v.kind()) {
    case format::ValueKind::Null:
      return Error::Ok;
    case format::ValueKind::Int:
      out = EValue(v.as_int());
      return Error::Ok;
    case format::ValueKind::Bool:
      out = EValue(v.as_bool());
      return Error::Ok;
    case format::ValueKind::Double:
      out = EValue(v.as_double());
      return Error::Ok;
    case format::ValueKind::String:
      return place(ArrayRef<char>(v.as_string()), &out);
    case format::ValueKind::Tensor:
      return tensor(v.as_tensor(), i, &out);
    case format::ValueKind::DoubleList:
      return place(ArrayRef<double>(v.doubles()), &out);
    case format::ValueKind::BoolList: {
      bool* items = nullptr;
      ET_CHECK_OK_OR_RETURN_ERROR(allocate(v.bools().size(), &items));
      for (size_t k = 0; k < v.bools().size(); ++k) items[k] = v.bools()[k] != 0;
      return place(ArrayRef<bool>(items, v.bools().size()), &out);
    }
    case format::ValueKind::IntList:
      return list<int64_t>(v.indices(), &out);
    case format::ValueKind::TensorList:
      return list<Tensor>(v.indices(), &out);
    case format::ValueKind::OptionalTensorList:
      return list<optional<Tensor>>(v.indices(), &out);
  }
  return Error::InvalidProgram;
}

// A view of the program's bytes, in method memory.
template <class T>
Error MethodLoader::place(ArrayRef<T> items, EValue* out) {
  ArrayRef<T>* view = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(1, &view));
  *view = items;
  *out = EValue(static_cast<const ArrayRef<T>*>(view));
  return Error::Ok;
}

template <class T>
Error MethodLoader::list(const format::IndexList& indices, EValue* out) {
  BoxedList<T>* box = nullptr;
  EValue** items = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(1, &box));
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(indices.size(), &items));
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(indices.size(), &box->unwrapped));
  for (uint32_t k = 0; k < indices.size(); ++k) items[k] = indices[k] < 0 ? nullptr : &m_.values_[indices[k]];
  box->items = items;
  box->size = indices.size();
  *out = EValue(static_cast<const BoxedList<T>*>(box));
  return Error::Ok;
}

Error MethodLoader::tensor(const format::TensorView& t, uint32_t index, EValue* out) {
  const size_t rank = t.sizes().size();
  const bool fixed = t.shape_dynamism() == format::ShapeDynamism::Static;
  int32_t* sizes = const_cast<int32_t*>(t.sizes().data());  // never written while the shape is static
  int32_t* strides = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(rank, &strides));
  const bool strided = dim_order_to_strides({sizes, rank}, t.dim_order(), strides);
  const bool endless = t.nbytes() > PTRDIFF_MAX || !strided;
  const bool open = t.shape_dynamism() == format::ShapeDynamism::DynamicUnbound || endless;
  ET_CHECK_OR_RETURN_ERROR(!open || (!fixed && t.data() == format::TensorData::None), NotSupported,
                           "method %s: value %u: tensor has no upper bound or exceeds the address space",
                           m_.meta_.name(), static_cast<unsigned>(index));
  if (!fixed) {
    ET_CHECK_OK_OR_RETURN_ERROR(allocate(rank, &sizes));
    for (size_t d = 0; d < rank; ++d) sizes[d] = endless ? 0 : t.sizes()[d];
    dim_order_to_strides({sizes, rank}, t.dim_order(), strides);
  }
  auto* place = memory_->allocate_instance<TensorImpl>();
  ET_CHECK_OR_RETURN_ERROR(place != nullptr, MemoryAllocationFailed,
                           "method %s: method allocator: cannot allocate a tensor", m_.meta_.name());
  auto* impl = new (place) TensorImpl(t.scalar_type(), rank, sizes, nullptr, const_cast<uint8_t*>(t.dim_order().data()),
                                      strides, static_cast<TensorShapeDynamism>(t.shape_dynamism()));
  if (open) impl->set_numel_bound(PTRDIFF_MAX / impl->element_size());
  *out = EValue(Tensor(impl));
  return tensor_data(t, index, impl);
}

Error MethodLoader::tensor_data(const format::TensorView& t, uint32_t index, TensorImpl* impl) {
  switch (t.data()) {
    case format::TensorData::None:
      return Error::Ok;
    case format::TensorData::ConstantSegment:
    case format::TensorData::ConstantInline:
      impl->set_data(const_cast<uint8_t*>(t.constant_data().data()));
      impl->set_read_only(true);
      return aligned(t, index, impl);
    case format::TensorData::External: {
      ET_CHECK_OK_OR_RETURN_ERROR(check_external(t));
      Result<FreeableBuffer> data = named_data_->get_data(t.fully_qualified_name());
      if (!data.ok()) return data.error();
      ET_CHECK_OR_RETURN_ERROR(data->size() >= impl->nbytes(), InvalidExternalData,
                               "external tensor %.*s has %zu bytes, needs %zu", name_size(t), name(t), data->size(),
                               impl->nbytes());
      impl->set_data(const_cast<void*>(data->data()));
      impl->set_read_only(true);
      return aligned(t, index, impl);
    }
    default:
      return planned(t, impl);
  }
}

// Kernels read elements in place, and a file may put them anywhere.
Error MethodLoader::aligned(const format::TensorView& t, uint32_t index, const TensorImpl* impl) {
  size_t need = impl->element_size();
  if (is_complex_type(t.scalar_type())) need /= 2;
  ET_CHECK_OR_RETURN_ERROR(impl->nbytes() == 0 || reinterpret_cast<uintptr_t>(impl->mutable_data()) % need == 0,
                           InvalidProgram, "value %u: expected data aligned to %zu bytes", static_cast<unsigned>(index),
                           need);
  return Error::Ok;
}

Error MethodLoader::planned(const format::TensorView& t, TensorImpl* impl) {
  const format::Allocation a = t.allocation();
  HierarchicalAllocator* arenas = m_.memory_->planned_memory();
  ET_CHECK_OR_RETURN_ERROR(arenas != nullptr, InvalidState, "method %s: needs planned memory, but none was given",
                           m_.meta_.name());
  ET_CHECK_OR_RETURN_ERROR(a.memory_id > 0, InvalidProgram, "planned tensor: memory id 0 is reserved");
  Result<void*> place = arenas->get_offset_address(a.memory_id - 1, a.offset, impl->nbytes());
  if (!place.ok()) return place.error();
  impl->set_data(*place);
  ET_CHECK_OK_OR_RETURN_ERROR(aligned(t, 0, impl));
  if (t.data() == format::TensorData::PlannedInitialised && impl->nbytes() > 0) {
    std::memcpy(*place, t.constant_data().data(), t.constant_data().size());
  } else if (t.data() == format::TensorData::PlannedExternal) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_external(t));
    return named_data_->load_data_into(t.fully_qualified_name(), *place, impl->nbytes());
  }
  return Error::Ok;
}

Error MethodLoader::check_external(const format::TensorView& t) {
  ET_CHECK_OR_RETURN_ERROR(named_data_ != nullptr, InvalidExternalData,
                           "tensor %.*s is external, but no data file (.ptd) was given", name_size(t), name(t));
  Result<const TensorLayout> layout = named_data_->get_tensor_layout(t.fully_qualified_name());
  ET_CHECK_OR_RETURN_ERROR(layout.ok(), InvalidExternalData, "the data file has no tensor %.*s", name_size(t), name(t));
  bool equal = layout->scalar_type() == t.scalar_type() && layout->sizes().size() == t.sizes().size() &&
               layout->dim_order().size() == t.dim_order().size();
  for (size_t d = 0; equal && d < t.sizes().size(); ++d) {
    equal = layout->sizes()[d] == t.sizes()[d] && layout->dim_order()[d] == t.dim_order()[d];
  }
  ET_CHECK_OR_RETURN_ERROR(equal, InvalidExternalData,
                           "external tensor %.*s: dtype, shape or dim order differ from the program's", name_size(t),
                           name(t));
  return Error::Ok;
}
}  // namespace et
