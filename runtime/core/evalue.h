// EValue: one entry of a method's value table, or one argument of an operator: a tagged union of the types that
// programs know. It owns nothing: strings, lists and tensors point into the program, into method memory or to what the
// application keeps. Its parts have the names that code written for ExecuTorch uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "runtime/core/device.h"
#include "runtime/core/scalar.h"
#include "runtime/core/span.h"
#include "runtime/core/tag.h"
#include "runtime/core/tensor.h"

namespace et {

class EValue;

namespace evalue_internal {
[[noreturn]] void bad_list(const char* cause);
}

/// A list whose items are other values of the table: reading it reads them again, because the program may have computed
/// an item since. `unwrapped` has space for `size` items; a null item is None (optional lists only).
template <class T>
struct BoxedEvalueList {
  EValue* const* items = nullptr;
  T* unwrapped = nullptr;
  size_t size = 0;

  BoxedEvalueList() = default;
  /// A null pointer with a count, or a negative count, ends the process with a message.
  template <class N>
  BoxedEvalueList(EValue* const* wrapped, T* room, N count)
      : items(wrapped), unwrapped(room), size(static_cast<size_t>(count)) {
    if (static_cast<int64_t>(count) < 0) evalue_internal::bad_list("size cannot be negative");
    if (wrapped == nullptr && count != 0) evalue_internal::bad_list("wrapped_vals cannot be null");
    if (room == nullptr && count != 0) evalue_internal::bad_list("unwrapped_vals cannot be null");
  }
  /// Items of another type read as T{}.
  ArrayRef<T> get() const;
  /// InvalidType: an item of another type; InvalidState: a null item where None is no value.
  Result<ArrayRef<T>> tryGet() const;
};
template <class T>
using BoxedList = BoxedEvalueList<T>;

namespace evalue_internal {

/// A smart pointer to what an EValue can hold.
template <class P, class = void>
inline constexpr bool kPointsToValue = false;
template <class P>
inline constexpr bool
    kPointsToValue<P, std::void_t<decltype(*std::declval<const P&>()), decltype(std::declval<const P&>() == nullptr)>> =
        !std::is_pointer_v<P> && std::is_convertible_v<decltype(*std::declval<const P&>()), EValue>;

template <class T>
struct Optional {
  static constexpr bool kIs = false;
};
template <class T>
struct Optional<optional<T>> {
  static constexpr bool kIs = true;
  using Item = T;
};
template <class T>
inline constexpr bool kNever = false;

}  // namespace evalue_internal

class EValue {
 public:
  EValue() : tag(Tag::None) {}
  EValue(int64_t v) : tag(Tag::Int) { payload.copyable_union.as_int = v; }  // NOLINT: conversions are the point
  EValue(int32_t v) : EValue(int64_t{v}) {}                                 // NOLINT
  template <class B, std::enable_if_t<std::is_same_v<B, bool>, int> = 0>    // no pointer is a bool
  EValue(B v) : tag(Tag::Bool) {                                            // NOLINT
    payload.copyable_union.as_bool = v;
  }
  EValue(double v) : tag(Tag::Double) { payload.copyable_union.as_double = v; }  // NOLINT
  EValue(Tensor v) : tag(Tag::Tensor) { payload.as_tensor = v; }                 // NOLINT
  /// What it points to must outlive the value. Null gives None.
  template <class P, std::enable_if_t<evalue_internal::kPointsToValue<P>, int> = 0>
  EValue(const P& p) : EValue() {  // NOLINT
    if (p != nullptr) *this = EValue(*p);
  }
  EValue(Scalar s);  // NOLINT
  /// What these point to must outlive the value. Null ends the process.
  EValue(const ArrayRef<char>* v) : tag(Tag::String) {
    payload.copyable_union.as_string_ptr = given(tag, v);
  }  // NOLINT
  EValue(const ArrayRef<double>* v) : tag(Tag::ListDouble) {
    payload.copyable_union.as_double_list_ptr = given(tag, v);
  }  // NOLINT
  EValue(const ArrayRef<bool>* v) : tag(Tag::ListBool) {
    payload.copyable_union.as_bool_list_ptr = given(tag, v);
  }                                                                // NOLINT
  EValue(const BoxedEvalueList<int64_t>* v) : tag(Tag::ListInt) {  // NOLINT
    payload.copyable_union.as_int_list_ptr = given(tag, v);
  }
  EValue(const BoxedEvalueList<Tensor>* v) : tag(Tag::ListTensor) {  // NOLINT
    payload.copyable_union.as_tensor_list_ptr = given(tag, v);
  }
  EValue(const BoxedEvalueList<optional<Tensor>>* v) : tag(Tag::ListOptionalTensor) {  // NOLINT
    payload.copyable_union.as_list_optional_tensor_ptr = given(tag, v);
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
  // process with a message. The forms with `try` return InvalidType then, and InvalidState for a list that is null.
  int64_t toInt() const { return expect(Tag::Int), payload.copyable_union.as_int; }
  bool toBool() const { return expect(Tag::Bool), payload.copyable_union.as_bool; }
  double toDouble() const { return expect(Tag::Double), payload.copyable_union.as_double; }
  const Tensor& toTensor() const& { return expect(Tag::Tensor), payload.as_tensor; }
  Tensor& toTensor() & { return expect(Tag::Tensor), payload.as_tensor; }
  Tensor toTensor() && {
    const Tensor t = static_cast<const EValue*>(this)->toTensor();
    *this = EValue();
    return t;
  }
  string_view toString() const {
    const ArrayRef<char>& s = listed(Tag::String, payload.copyable_union.as_string_ptr);
    return string_view(s.data(), s.size());
  }
  Scalar toScalar() const;
  ArrayRef<int64_t> toIntList() const { return listed(Tag::ListInt, payload.copyable_union.as_int_list_ptr).get(); }
  ArrayRef<double> toDoubleList() const { return listed(Tag::ListDouble, payload.copyable_union.as_double_list_ptr); }
  ArrayRef<bool> toBoolList() const { return listed(Tag::ListBool, payload.copyable_union.as_bool_list_ptr); }
  ArrayRef<Tensor> toTensorList() const {
    return listed(Tag::ListTensor, payload.copyable_union.as_tensor_list_ptr).get();
  }
  ArrayRef<optional<Tensor>> toListOptionalTensor() const {
    return listed(Tag::ListOptionalTensor, payload.copyable_union.as_list_optional_tensor_ptr).get();
  }
  ScalarType toScalarType() const { return static_cast<ScalarType>(toInt()); }
  MemoryFormat toMemoryFormat() const { return static_cast<MemoryFormat>(toInt()); }
  Layout toLayout() const { return static_cast<Layout>(toInt()); }
  Device toDevice() const { return Device(static_cast<DeviceType>(toInt()), -1); }

  Result<int64_t> tryToInt() const { return tried<int64_t>(isInt()); }
  Result<bool> tryToBool() const { return tried<bool>(isBool()); }
  Result<double> tryToDouble() const { return tried<double>(isDouble()); }
  Result<Tensor> tryToTensor() const { return tried<Tensor>(isTensor()); }
  Result<Scalar> tryToScalar() const { return tried<Scalar>(isScalar()); }
  Result<ScalarType> tryToScalarType() const { return tried<ScalarType>(isInt()); }
  Result<MemoryFormat> tryToMemoryFormat() const { return tried<MemoryFormat>(isInt()); }
  Result<Layout> tryToLayout() const { return tried<Layout>(isInt()); }
  Result<Device> tryToDevice() const { return tried<Device>(isInt()); }
  Result<string_view> tryToString() const {
    return tried<string_view>(isString(), payload.copyable_union.as_string_ptr);
  }
  Result<ArrayRef<double>> tryToDoubleList() const {
    return tried<ArrayRef<double>>(isDoubleList(), payload.copyable_union.as_double_list_ptr);
  }
  Result<ArrayRef<bool>> tryToBoolList() const {
    return tried<ArrayRef<bool>>(isBoolList(), payload.copyable_union.as_bool_list_ptr);
  }
  Result<ArrayRef<int64_t>> tryToIntList() const {
    return tried_list<int64_t>(isIntList(), payload.copyable_union.as_int_list_ptr);
  }
  Result<ArrayRef<Tensor>> tryToTensorList() const {
    return tried_list<Tensor>(isTensorList(), payload.copyable_union.as_tensor_list_ptr);
  }
  Result<ArrayRef<optional<Tensor>>> tryToListOptionalTensor() const {
    return tried_list<optional<Tensor>>(isListOptionalTensor(), payload.copyable_union.as_list_optional_tensor_ptr);
  }

  /// The same by type; an optional of it is empty for None. A tensor is given by reference where the value lives on.
  template <class T>
  std::conditional_t<std::is_same_v<T, Tensor>, const Tensor&, T> to() const&;
  template <class T>
  std::conditional_t<std::is_same_v<T, Tensor>, Tensor&, T> to() & {
    if constexpr (std::is_same_v<T, Tensor>) {
      return toTensor();
    } else {
      return static_cast<const EValue&>(*this).to<T>();
    }
  }
  template <class T>
  T to() && {
    if constexpr (std::is_same_v<T, Tensor>) {
      return std::move(*this).toTensor();
    } else {
      return static_cast<const EValue&>(*this).to<T>();
    }
  }
  template <class T>
  Result<T> tryTo() const;
  template <class T>
  optional<T> toOptional() const {
    if (isNone()) return nullopt;
    return optional<T>(to<T>());
  }
  template <class T>
  Result<optional<T>> tryToOptional() const {
    if (isNone()) return optional<T>();
    Result<T> item = tryTo<T>();
    if (!item.ok()) return item.error();
    return optional<T>(*item);
  }

  union Payload {
    union TriviallyCopyablePayload {
      int64_t as_int = 0;
      bool as_bool;
      double as_double;
      const ArrayRef<char>* as_string_ptr;
      const ArrayRef<double>* as_double_list_ptr;
      const ArrayRef<bool>* as_bool_list_ptr;
      const BoxedEvalueList<int64_t>* as_int_list_ptr;
      const BoxedEvalueList<Tensor>* as_tensor_list_ptr;
      const BoxedEvalueList<optional<Tensor>>* as_list_optional_tensor_ptr;
    } copyable_union;
    Tensor as_tensor;
    Payload() : copyable_union() {}
  } payload;
  Tag tag;

 private:
  void expect(Tag wanted) const {
    if (tag != wanted) [[unlikely]]
      wrong_tag(wanted);
  }
  [[noreturn]] void wrong_tag(Tag wanted) const;
  [[noreturn]] static void null_list(Tag tag, bool read);
  template <class L>
  static const L* given(Tag tag, const L* list) {
    if (list == nullptr) [[unlikely]]
      null_list(tag, false);
    return list;
  }
  template <class L>
  const L& listed(Tag wanted, const L* list) const {
    expect(wanted);
    if (list == nullptr) [[unlikely]]
      null_list(wanted, true);
    return *list;
  }
  template <class T>
  Result<T> tried(bool right) const {
    if (!right) return Error::InvalidType;
    return T(to<T>());
  }
  template <class T, class L>
  Result<T> tried(bool right, const L* list) const {
    if (!right) return Error::InvalidType;
    if (list == nullptr) return Error::InvalidState;
    return T(to<T>());
  }
  template <class T, class L>
  Result<ArrayRef<T>> tried_list(bool right, const L* list) const {
    if (!right) return Error::InvalidType;
    if (list == nullptr) return Error::InvalidState;
    return list->tryGet();
  }
};

template <class T>
std::conditional_t<std::is_same_v<T, Tensor>, const Tensor&, T> EValue::to() const& {
  if constexpr (evalue_internal::Optional<T>::kIs) {
    return toOptional<typename evalue_internal::Optional<T>::Item>();
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return toInt();
  } else if constexpr (std::is_same_v<T, bool>) {
    return toBool();
  } else if constexpr (std::is_same_v<T, double>) {
    return toDouble();
  } else if constexpr (std::is_same_v<T, Tensor>) {
    return toTensor();
  } else if constexpr (std::is_same_v<T, Scalar>) {
    return toScalar();
  } else if constexpr (std::is_same_v<T, string_view>) {
    return toString();
  } else if constexpr (std::is_same_v<T, ScalarType>) {
    return toScalarType();
  } else if constexpr (std::is_same_v<T, MemoryFormat>) {
    return toMemoryFormat();
  } else if constexpr (std::is_same_v<T, Layout>) {
    return toLayout();
  } else if constexpr (std::is_same_v<T, Device>) {
    return toDevice();
  } else if constexpr (std::is_same_v<T, ArrayRef<int64_t>>) {
    return toIntList();
  } else if constexpr (std::is_same_v<T, ArrayRef<double>>) {
    return toDoubleList();
  } else if constexpr (std::is_same_v<T, ArrayRef<bool>>) {
    return toBoolList();
  } else if constexpr (std::is_same_v<T, ArrayRef<Tensor>>) {
    return toTensorList();
  } else if constexpr (std::is_same_v<T, ArrayRef<optional<Tensor>>>) {
    return toListOptionalTensor();
  } else {
    static_assert(evalue_internal::kNever<T>, "an EValue holds no such type");
  }
}

template <class T>
Result<T> EValue::tryTo() const {
  if constexpr (evalue_internal::Optional<T>::kIs) {
    return tryToOptional<typename evalue_internal::Optional<T>::Item>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return tryToBool();
  } else if constexpr (std::is_same_v<T, double>) {
    return tryToDouble();
  } else if constexpr (std::is_same_v<T, Tensor>) {
    return tryToTensor();
  } else if constexpr (std::is_same_v<T, Scalar>) {
    return tryToScalar();
  } else if constexpr (std::is_same_v<T, string_view>) {
    return tryToString();
  } else if constexpr (std::is_same_v<T, ArrayRef<int64_t>>) {
    return tryToIntList();
  } else if constexpr (std::is_same_v<T, ArrayRef<double>>) {
    return tryToDoubleList();
  } else if constexpr (std::is_same_v<T, ArrayRef<bool>>) {
    return tryToBoolList();
  } else if constexpr (std::is_same_v<T, ArrayRef<Tensor>>) {
    return tryToTensorList();
  } else if constexpr (std::is_same_v<T, ArrayRef<optional<Tensor>>>) {
    return tryToListOptionalTensor();
  } else {
    return tried<T>(isInt());
  }
}

template <class T>
ArrayRef<T> BoxedEvalueList<T>::get() const {
  for (size_t i = 0; i < size; ++i) {
    const EValue* item = items[i];
    if constexpr (std::is_same_v<T, int64_t>) {
      unwrapped[i] = item != nullptr && item->isInt() ? item->payload.copyable_union.as_int : 0;
    } else {
      unwrapped[i] = item != nullptr && item->isTensor() ? T(item->payload.as_tensor) : T();
    }
  }
  return {unwrapped, size};
}

template <class T>
Result<ArrayRef<T>> BoxedEvalueList<T>::tryGet() const {
  for (size_t i = 0; i < size; ++i) {
    const EValue* item = items[i];
    if constexpr (evalue_internal::Optional<T>::kIs) {
      if (item != nullptr && !item->isNone() && !item->isTensor()) return Error::InvalidType;
    } else {
      if (item == nullptr) return Error::InvalidState;
      if (std::is_same_v<T, int64_t> ? !item->isInt() : !item->isTensor()) return Error::InvalidType;
    }
  }
  return get();
}

}  // namespace et
