// FunctionRef: a reference to something that is called, which must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace executorch::runtime {

template <class F>
class FunctionRef;
template <class R, class... A>
class FunctionRef<R(A...)> {
 public:
  FunctionRef() = default;
  FunctionRef(std::nullptr_t) {}  // NOLINT: conversions are the point
  template <class F, std::enable_if_t<!std::is_same_v<std::remove_cv_t<std::remove_reference_t<F>>, FunctionRef> &&
                                          std::is_invocable_r_v<R, F, A...>,
                                      int> = 0>
  FunctionRef(F&& callable)  // NOLINT
      : call_([](intptr_t c, A... arguments) -> R {
          return (*reinterpret_cast<std::remove_reference_t<F>*>(c))(std::forward<A>(arguments)...);
        }),
        callable_(reinterpret_cast<intptr_t>(&callable)) {}
  R operator()(A... arguments) const { return call_(callable_, std::forward<A>(arguments)...); }
  explicit operator bool() const { return call_ != nullptr; }
  bool operator==(const FunctionRef& other) const { return callable_ == other.callable_; }

 private:
  R (*call_)(intptr_t, A...) = nullptr;
  intptr_t callable_ = 0;
};

}  // namespace executorch::runtime
