// TensorFactory<dtype>: tensors for tests, which live as long as their factory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/core/exec_aten/util/dim_order_util.h"
#include "executorch/runtime/core/exec_aten/util/scalar_type_util.h"
#include "executorch/runtime/core/exec_aten/util/tensor_util.h"
#include "executorch/runtime/platform/assert.h"

namespace executorch::runtime::testing {
namespace internal {

/// What the values of a tensor are given as: for bool and types without arithmetic, integers of their size.
template <class T, class = void>
struct FactoryValue {
  using type = T;
};
template <>
struct FactoryValue<bool> {
  using type = uint8_t;
};
template <class T>
struct FactoryValue<T, std::void_t<typename T::underlying>> {
  using type = typename T::underlying;
};

template <ScalarType kType>
struct ScalarTypeToCppTypeWrapper {
  using ctype = typename FactoryValue<typename ScalarTypeToCppType<kType>::type>::type;
};

inline size_t sizes_to_numel(const std::vector<int32_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), size_t{1},
                         [](size_t n, int32_t size) { return n * static_cast<size_t>(size); });
}

/// Dimensions from the outermost: by stride, of equal strides the larger first.
inline std::vector<uint8_t> order_of_strides(const std::vector<int32_t>& strides) {
  std::vector<uint8_t> order(strides.size());
  std::iota(order.begin(), order.end(), uint8_t{0});
  std::stable_sort(order.begin(), order.end(), [&](uint8_t a, uint8_t b) { return strides[a] > strides[b]; });
  return order;
}

/// Dense: each stride is what the dimensions inside of it fill.
inline bool check_strides(const std::vector<int32_t>& sizes, const std::vector<int32_t>& strides) {
  if (sizes.size() != strides.size()) return false;
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto length = [&](size_t d) { return sizes[d] == 0 ? 1 : sizes[d]; };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return strides[a] != strides[b] ? strides[a] > strides[b] : length(a) > length(b);
  });
  int32_t expected = 1;
  for (size_t i = order.size(); i-- > 0;) {
    if (strides[order[i]] != expected) return false;
    expected *= length(order[i]);
  }
  return true;
}

inline bool check_dim_order(const std::vector<int32_t>& sizes, const std::vector<uint8_t>& dim_order) {
  return sizes.size() == dim_order.size() && validate_dim_order(dim_order.data(), dim_order.size());
}
inline std::vector<int32_t> strides_from_dim_order(const std::vector<int32_t>& sizes,
                                                   const std::vector<uint8_t>& dim_order) {
  ET_CHECK_MSG(check_dim_order(sizes, dim_order), "the dim order does not fit the sizes");
  std::vector<int32_t> strides(sizes.size());
  dim_order_to_stride_nocheck(sizes.data(), dim_order.data(), sizes.size(), strides.data());
  return strides;
}
inline std::vector<uint8_t> channels_last_dim_order(size_t dims) {
  ET_CHECK_MSG(dims == 4 || dims == 5, "channels last: expected rank 4 or 5, got %zu", dims);
  std::vector<uint8_t> order{0};
  for (size_t d = 2; d < dims; ++d) order.push_back(static_cast<uint8_t>(d));
  order.push_back(1);
  return order;
}

}  // namespace internal

/// A mistake in the arguments ends the process.
template <ScalarType kType>
class TensorFactory {
 public:
  using ctype = typename internal::ScalarTypeToCppTypeWrapper<kType>::ctype;
  using true_ctype = typename ScalarTypeToCppType<kType>::type;

  TensorFactory() = default;

  Tensor make(const std::vector<int32_t>& sizes, const std::vector<ctype>& data, std::vector<int32_t> strides = {},
              TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    if (strides.empty()) {
      strides.resize(sizes.size());
      int32_t stride = 1;
      for (size_t d = sizes.size(); d-- > 0;) {
        strides[d] = stride;
        stride *= sizes[d] == 0 ? 1 : sizes[d];
      }
    }
    ET_CHECK_MSG(internal::check_strides(sizes, strides), "the strides do not fit the sizes");
    return add(sizes, data, internal::order_of_strides(strides), strides, dynamism);
  }
  Tensor make_with_dimorder(const std::vector<int32_t>& sizes, const std::vector<ctype>& data,
                            std::vector<uint8_t> dim_order = {},
                            TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    if (dim_order.empty()) {
      dim_order.resize(sizes.size());
      std::iota(dim_order.begin(), dim_order.end(), uint8_t{0});
    }
    return add(sizes, data, dim_order, internal::strides_from_dim_order(sizes, dim_order), dynamism);
  }
  Tensor make_channels_last(const std::vector<int32_t>& sizes, const std::vector<ctype>& data,
                            const std::vector<uint8_t>& = {},
                            TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return make_with_dimorder(sizes, data, internal::channels_last_dim_order(sizes.size()), dynamism);
  }
  /// A row-major tensor of rank 4, its values moved.
  Tensor channels_last_like(const Tensor& t, TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    ET_CHECK_MSG(t.dim() == 4, "channels last: expected rank 4, got %zd", t.dim());
    ET_CHECK_MSG(is_contiguous_dim_order(t.dim_order().data(), t.dim_order().size()), "expected a row-major tensor");
    const std::vector<int32_t> sizes(t.sizes().begin(), t.sizes().end());
    const auto* from = static_cast<const ctype*>(t.const_data_ptr());
    std::vector<ctype> to(static_cast<size_t>(t.numel()));
    const size_t channels = static_cast<size_t>(sizes[1]);
    const size_t pixels = static_cast<size_t>(sizes[2]) * static_cast<size_t>(sizes[3]);
    for (size_t i = 0; i < to.size(); ++i) {
      const size_t n = i / (channels * pixels);
      const size_t c = i / pixels % channels;
      to[(n * pixels + i % pixels) * channels + c] = from[i];
    }
    return make_with_dimorder(sizes, to, internal::channels_last_dim_order(4), dynamism);
  }

  Tensor full(const std::vector<int32_t>& sizes, ctype value,
              TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return make(sizes, std::vector<ctype>(internal::sizes_to_numel(sizes), value), {}, dynamism);
  }
  Tensor full_channels_last(const std::vector<int32_t>& sizes, ctype value,
                            TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return make_channels_last(sizes, std::vector<ctype>(internal::sizes_to_numel(sizes), value), {}, dynamism);
  }
  Tensor zeros(const std::vector<int32_t>& sizes, TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return full(sizes, ctype(0), dynamism);
  }
  Tensor zeros_channels_last(const std::vector<int32_t>& sizes,
                             TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return full_channels_last(sizes, ctype(0), dynamism);
  }
  Tensor ones(const std::vector<int32_t>& sizes, TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return full(sizes, ctype(1), dynamism);
  }
  Tensor zeros_like(const Tensor& t, TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return zeros({t.sizes().begin(), t.sizes().end()}, dynamism);
  }
  Tensor ones_like(const Tensor& t, TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC) {
    return ones({t.sizes().begin(), t.sizes().end()}, dynamism);
  }

 private:
  struct Memory {
    Memory(const std::vector<int32_t>& s, const std::vector<ctype>& d, const std::vector<uint8_t>& o,
           const std::vector<int32_t>& t, TensorShapeDynamism dynamism)
        : sizes(s),
          data(d),
          dim_order(o),
          strides(t),
          impl(kType, sizes.size(), sizes.data(), data.data(), dim_order.data(), strides.data(), dynamism) {
      if constexpr (std::is_same_v<true_ctype, bool>) {
        for (ctype& value : data) value = value != 0;
      }
    }
    std::vector<int32_t> sizes;
    std::vector<ctype> data;
    std::vector<uint8_t> dim_order;
    std::vector<int32_t> strides;
    TensorImpl impl;
  };

  Tensor add(const std::vector<int32_t>& sizes, const std::vector<ctype>& data, const std::vector<uint8_t>& dim_order,
             const std::vector<int32_t>& strides, TensorShapeDynamism dynamism) {
    ET_CHECK_MSG(internal::sizes_to_numel(sizes) == data.size(), "expected %zu values, got %zu",
                 internal::sizes_to_numel(sizes), data.size());
    memory_.push_back(std::make_unique<Memory>(sizes, data, dim_order, strides, dynamism));
    return Tensor(&memory_.back()->impl);
  }

  std::vector<std::unique_ptr<Memory>> memory_;
};

template <ScalarType kType>
class TensorListFactory {
 public:
  ::executorch::aten::TensorList zeros_like(const std::vector<Tensor>& like) {
    lists_.push_back(std::make_unique<std::vector<Tensor>>());
    for (const Tensor& t : like) lists_.back()->push_back(tensors_.zeros_like(t));
    return ::executorch::aten::TensorList(lists_.back()->data(), lists_.back()->size());
  }

 private:
  TensorFactory<kType> tensors_;
  std::vector<std::unique_ptr<std::vector<Tensor>>> lists_;
};

}  // namespace executorch::runtime::testing

namespace torch::executor::testing {
using ::executorch::runtime::testing::TensorFactory;
using ::executorch::runtime::testing::TensorListFactory;
}  // namespace torch::executor::testing
