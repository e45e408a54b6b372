// EValue: one entry of a method's value table, or one argument of an operator: a tagged union of the types that
// programs know. It owns nothing; strings, lists and tensors point into the program or into method memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/core/scalar.h"
#include "runtime/core/span.h"
#include "runtime/core/tag.h"
#include "runtime/core/tensor.h"

namespace et {

class EValue;

/// A list whose items are other values of the table: reading it reads them again, because the program may have computed
/// an item since. `unwrapped` has space for `size` items; a null item is None (optional lists only).
template <class T>
struct BoxedList {
  EValue* const* items = nullptr;
  T* unwrapped = nullptr;
  size_t size = 0;
  /// Items of another type read as T{}.
  ArrayRef<T> get() const;
};

/// A smart pointer to a tensor.
template <class P>
concept TensorPointer = !std::is_pointer_v<P> && requires(const P& p) {
  { *p } -> std::convertible_to<Tensor>;
  { p == nullptr } -> std::convertible_to<bool>;
};

class EValue {
 public:
  EValue() : tag(Tag::None) { payload.as_int = 0; }
  EValue(int64_t v) : tag(Tag::Int) { payload.as_int = v; }       // NOLINT: conversions are the point
  EValue(int32_t v) : EValue(int64_t{v}) {}                       // NOLINT
  EValue(bool v) : tag(Tag::Bool) { payload.as_bool = v; }        // NOLINT
  EValue(double v) : tag(Tag::Double) { payload.as_double = v; }  // NOLINT
  EValue(Tensor v) : tag(Tag::Tensor) { payload.as_tensor = v.unsafeGetTensorImpl(); }  // NOLINT
  /// What it points to must outlive the value. Null gives None.
  template <TensorPointer P>
  EValue(const P& p) : EValue() {  // NOLINT
    if (p != nullptr) *this = EValue(Tensor(*p));
  }
  EValue(Scalar s);                                                                                 // NOLINT
  EValue(string_view s) : tag(Tag::String) { payload.as_chars = {s.data(), s.size()}; }             // NOLINT
  EValue(ArrayRef<double> v) : tag(Tag::ListDouble) { payload.as_doubles = {v.data(), v.size()}; }  // NOLINT
  EValue(ArrayRef<bool> v) : tag(Tag::ListBool) { payload.as_bools = {v.data(), v.size()}; }        // NOLINT
  /// The list must outlive the value.
  EValue(const BoxedList<int64_t>* v) : tag(Tag::ListInt) { payload.as_ints = v; }       // NOLINT
  EValue(const BoxedList<Tensor>* v) : tag(Tag::ListTensor) { payload.as_tensors = v; }  // NOLINT
  EValue(const BoxedList<optional<Tensor>>* v) : tag(Tag::ListOptionalTensor) {          // NOLINT
    payload.as_optional_tensors = v;
  }

  bool isNone() const { return tag == Tag::None; }
  bool isInt() const { return tag == Tag::Int; }
  bool isBool() const { return tag == Tag::Bool; }
  bool isDouble() const { return tag == Tag::Double; }
  bool isTensor() const { return tag == Tag::Tensor; }
  bool isString() const { return tag == Tag::String; }
  bool isScalar() const { return isInt() || isDouble() || isBool(); }
  bool isIntList() const { return tag == Tag::ListInt; }
  bool isDoubleList() const { return tag == Tag::ListDouble; }
  bool isBoolList() const { return tag == Tag::ListBool; }
  bool isTensorList() const { return tag == Tag::ListTensor; }
  bool isListOptionalTensor() const { return tag == Tag::ListOptionalTensor; }

  // The value as the type that the tag says. Ask first: reading another type is a mistake of the caller and ends the
  // process with a message.
  int64_t toInt() const { return expect(Tag::Int), payload.as_int; }
  bool toBool() const { return expect(Tag::Bool), payload.as_bool; }
  double toDouble() const { return expect(Tag::Double), payload.as_double; }
  Tensor toTensor() const { return expect(Tag::Tensor), Tensor(payload.as_tensor); }
  string_view toString() const {
    return expect(Tag::String), string_view(payload.as_chars.data, payload.as_chars.size);
  }
  Scalar toScalar() const;
  ArrayRef<int64_t> toIntList() const { return expect(Tag::ListInt), payload.as_ints->get(); }
  ArrayRef<double> toDoubleList() const {
    return expect(Tag::ListDouble), ArrayRef<double>(payload.as_doubles.data, payload.as_doubles.size);
  }
  ArrayRef<bool> toBoolList() const {
    return expect(Tag::ListBool), ArrayRef<bool>(payload.as_bools.data, payload.as_bools.size);
  }
  ArrayRef<Tensor> toTensorList() const { return expect(Tag::ListTensor), payload.as_tensors->get(); }
  ArrayRef<optional<Tensor>> toListOptionalTensor() const {
    return expect(Tag::ListOptionalTensor), payload.as_optional_tensors->get();
  }

  template <class T>
  struct Slice {
    const T* data;
    size_t size;
  };
  union Payload {
    int64_t as_int;
    bool as_bool;
    double as_double;
    TensorImpl* as_tensor;
    Slice<char> as_chars;
    Slice<double> as_doubles;
    Slice<bool> as_bools;
    const BoxedList<int64_t>* as_ints;
    const BoxedList<Tensor>* as_tensors;
    const BoxedList<optional<Tensor>>* as_optional_tensors;
  } payload;
  Tag tag;

 private:
  void expect(Tag wanted) const {
    if (tag != wanted) [[unlikely]]
      wrong_tag(wanted);
  }
  [[noreturn]] void wrong_tag(Tag wanted) const;
};

template <class T>
ArrayRef<T> BoxedList<T>::get() const {
  for (size_t i = 0; i < size; ++i) {
    const EValue* item = items[i];
    if constexpr (std::is_same_v<T, int64_t>) {
      unwrapped[i] = item != nullptr && item->isInt() ? item->payload.as_int : 0;
    } else {
      unwrapped[i] = item != nullptr && item->isTensor() ? T(Tensor(item->payload.as_tensor)) : T();
    }
  }
  return {unwrapped, size};
}

}  // namespace et
