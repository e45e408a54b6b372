// Calls a registered kernel with C++ arguments, for the tests of upstream: what its generated Functions.h does.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "executorch/runtime/core/evalue.h"
#include "executorch/runtime/kernel/kernel_runtime_context.h"
#include "executorch/runtime/kernel/operator_registry.h"

namespace et_upstream {

using ::et::ArrayRef;
using ::et::EValue;
using ::et::Tensor;

class KernelCall {
 public:
  void add(const Tensor& v) { values_.emplace_back(v); }
  void add(const ::et::Scalar& v) { values_.emplace_back(v); }
  void add(bool v) { values_.emplace_back(v); }
  void add(int64_t v) { values_.emplace_back(v); }
  void add(double v) { values_.emplace_back(v); }
  void add(::et::ScalarType v) { values_.emplace_back(static_cast<int64_t>(v)); }
  void add(::et::MemoryFormat v) { values_.emplace_back(static_cast<int64_t>(v)); }
  void add(::et::Layout v) { values_.emplace_back(static_cast<int64_t>(v)); }
  void add(const ::et::Device&) { values_.emplace_back(); }
  void add(::et::string_view v) { values_.emplace_back(&texts_.emplace_back(v)); }
  void add(const ArrayRef<double>& v) { values_.emplace_back(&doubles_.emplace_back(v)); }
  void add(const ArrayRef<bool>& v) { values_.emplace_back(&bools_.emplace_back(v)); }
  template <size_t N>
  void add(const std::array<bool, N>& v) {
    add(ArrayRef<bool>(v.data(), N));
  }
  void add(const ArrayRef<int64_t>& v) { add_list(v, &ints_, &int_room_); }
  void add(const ArrayRef<Tensor>& v) { add_list(v, &tensors_, &tensor_room_); }
  void add(const ArrayRef<std::optional<Tensor>>& v) { add_list(v, &optionals_, &optional_room_); }
  template <class T>
  void add(const std::optional<T>& v) {
    if (v.has_value()) {
      add(*v);
    } else {
      values_.emplace_back();
    }
  }

  /// The result follows the arguments, as in a program.
  void run(::et::KernelRuntimeContext& context, const char* name) {
    const auto function = ::executorch::runtime::get_op_function_from_registry(name);
    if (!function.ok()) {
      context.fail(function.error());
      return;
    }
    std::vector<EValue*> pointers;
    for (EValue& v : values_) pointers.push_back(&v);
    pointers.push_back(pointers.back());
    // Methods always have temporary memory here; a context that a test makes without any gets some.
    if (context.allocate_temp(1).error() != ::et::Error::NotFound) {
      (*function)(context, {pointers.data(), pointers.size()});
      return;
    }
    ::et::PlatformMemoryAllocator temp;
    ::et::KernelRuntimeContext with_memory(context.internal_event_tracer(), &temp);
    (*function)(with_memory, {pointers.data(), pointers.size()});
    if (with_memory.failure_state() != ::et::Error::Ok) context.fail(with_memory.failure_state());
  }

 private:
  template <class T>
  static EValue value(const T& v) {
    return EValue(v);
  }
  static EValue value(const std::optional<Tensor>& v) { return v.has_value() ? EValue(*v) : EValue(); }
  template <class T>
  void add_list(const ArrayRef<T>& list, std::deque<::et::BoxedEvalueList<T>>* boxes,
                std::deque<std::vector<T>>* room) {
    auto& items = items_.emplace_back();
    auto& pointers = pointers_.emplace_back();
    for (const T& v : list) items.push_back(value(v));
    for (EValue& v : items) pointers.push_back(&v);
    room->emplace_back(list.size());
    values_.emplace_back(&boxes->emplace_back(pointers.data(), room->back().data(), list.size()));
  }

  std::deque<EValue> values_;
  std::deque<std::deque<EValue>> items_;
  std::deque<std::vector<EValue*>> pointers_;
  std::deque<ArrayRef<char>> texts_;
  std::deque<ArrayRef<double>> doubles_;
  std::deque<ArrayRef<bool>> bools_;
  std::deque<::et::BoxedEvalueList<int64_t>> ints_;
  std::deque<::et::BoxedEvalueList<Tensor>> tensors_;
  std::deque<::et::BoxedEvalueList<std::optional<Tensor>>> optionals_;
  std::deque<std::vector<int64_t>> int_room_;
  std::deque<std::vector<Tensor>> tensor_room_;
  std::deque<std::vector<std::optional<Tensor>>> optional_room_;
};

}  // namespace et_upstream
