// Tensors that own what they describe, and calls of registered kernels by name.
#pragma once

#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include "runtime/core/kernel_registry.h"
#include "runtime/core/memory_allocator.h"
#include "runtime/core/tensor.h"
#include "runtime/kernels/common/dtype.h"

namespace et::kernel_test {

/// ComplexHalf is in no table of C++ types.
template <class T>
struct DefaultDtype : kernels::DtypeOf<T> {};
template <>
struct DefaultDtype<kernels::ComplexHalf> {
  static constexpr ScalarType value = ScalarType::ComplexHalf;
};

template <class T>
struct Held {
  Held(std::vector<int32_t> shape, std::vector<T> values, ScalarType dtype = DefaultDtype<T>::value)
      : sizes(std::move(shape)), data(std::move(values)) {
    strides.resize(sizes.size());
    dim_order.resize(sizes.size());
    std::iota(dim_order.begin(), dim_order.end(), uint8_t{0});
    dim_order_to_strides(sizes, dim_order, strides.data());
    size_t count = 1;
    for (const int32_t s : sizes) count *= static_cast<size_t>(s);
    data.resize(count);
    impl = TensorImpl(dtype, sizes.size(), sizes.data(), data.data(), dim_order.data(), strides.data());
    value = EValue(Tensor(&impl));
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  std::vector<int32_t> sizes, strides;
  std::vector<uint8_t> dim_order;
  std::vector<T> data;
  TensorImpl impl{ScalarType::Float, 0, nullptr};
  EValue value;
};

inline Error run(const char* name, std::initializer_list<EValue*> args) {
  const auto kernel = get_kernel(name);
  if (!kernel.ok()) return kernel.error();
  PlatformMemoryAllocator temp;
  KernelRuntimeContext context(nullptr, &temp);
  std::vector<EValue*> stack(args);
  stack.push_back(stack.back());
  (*kernel)->function(context, Span<EValue*>(stack.data(), stack.size()));
  return context.failure_state();
}

}  // namespace et::kernel_test
