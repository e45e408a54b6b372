// Lists of types.
#pragma once

#include <cstddef>
#include <tuple>

namespace executorch::extension::kernel_util_internal {

template <class... T>
struct typelist {
  typelist() = delete;
};
template <class L>
struct size;
template <class... T>
struct size<typelist<T...>> {
  static constexpr size_t value = sizeof...(T);
};
template <size_t kIndex, class L>
struct element;
template <size_t kIndex, class... T>
struct element<kIndex, typelist<T...>> {
  using type = std::tuple_element_t<kIndex, std::tuple<T...>>;
};
template <size_t kIndex, class L>
using element_t = typename element<kIndex, L>::type;
template <class Default, class L>
struct head_with_default {
  using type = Default;
};
template <class Default, class Head, class... Tail>
struct head_with_default<Default, typelist<Head, Tail...>> {
  using type = Head;
};
template <class Default, class L>
using head_with_default_t = typename head_with_default<Default, L>::type;

}  // namespace executorch::extension::kernel_util_internal
