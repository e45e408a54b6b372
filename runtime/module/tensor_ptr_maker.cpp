#include "runtime/module/tensor_ptr_maker.h"

#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "runtime/platform/log.h"

namespace et {
namespace {

using kernels::dispatch;
constexpr kernels::DtypeSet kFillable = kernels::kRealHB | kernels::kUnsigned;

template <class T>
constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <class T>
T narrowed(double v) {
  if constexpr (kIsHalf<T>) {
    return T(static_cast<float>(v));
  } else {
    return static_cast<T>(v);
  }
}

template <class T>
bool fits(int64_t v) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return std::in_range<T>(v);
  return true;
}

// As torch's full: a fraction is not an integer, and out-of-range values are refused instead of wrapped.
template <class T>
bool read_fill(const Scalar& s, T* out) {
  if (s.isIntegral()) {
    const auto v = s.to<int64_t>();
    if constexpr (std::is_same_v<T, bool>) {
      *out = v != 0;
    } else if constexpr (std::is_integral_v<T>) {
      *out = static_cast<T>(v);
    } else {
      *out = narrowed<T>(static_cast<double>(v));
    }
    return fits<T>(v);
  }
  if (s.isBoolean()) {
    if constexpr (std::is_same_v<T, bool>) *out = s.to<bool>();
    return std::is_same_v<T, bool>;
  }
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    const auto v = s.to<double>();
    *out = narrowed<T>(v);
    return !std::isfinite(v) || std::isfinite(static_cast<double>(*out));
  }
}

std::mt19937_64& generator() {
  thread_local std::mt19937_64 engine{std::random_device{}()};
  return engine;
}

template <class D>
TensorPtr random(std::vector<SizesType> sizes, std::vector<StridesType> strides, ScalarType type,
                 TensorShapeDynamism dynamism, D distribution) {
  TensorPtr tensor = empty_strided(std::move(sizes), std::move(strides), type, dynamism);
  const bool done = dispatch<kFillable>(type, [&]<class T>() {
    for (ssize_t i = 0; i < tensor->numel(); ++i) {
      const auto v = distribution(generator());
      if constexpr (kIsHalf<T>) {
        tensor->mutable_data_ptr<T>()[i] = T(static_cast<float>(v));
      } else if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) {
        tensor->mutable_data_ptr<T>()[i] = static_cast<T>(static_cast<int64_t>(v));  // −1.5 has no unsigned value
      } else {
        tensor->mutable_data_ptr<T>()[i] = static_cast<T>(v);
      }
    }
  });
  ET_CHECK_MSG(done, "random values of %s are not supported", scalar_type_name(type));
  return tensor;
}

}  // namespace

TensorPtr empty_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides, ScalarType type,
                        TensorShapeDynamism dynamism) {
  std::vector<uint8_t> data(tensor_ptr_internal::checked_bytes(sizes, type));
  return make_tensor_ptr(std::move(sizes), std::move(data), {}, std::move(strides), type, dynamism);
}

TensorPtr full_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides, Scalar fill_value,
                       ScalarType type, TensorShapeDynamism dynamism) {
  TensorPtr tensor = empty_strided(std::move(sizes), std::move(strides), type, dynamism);
  const bool done = dispatch<kFillable>(type, [&]<class T>() {
    T value{};
    ET_CHECK_MSG(read_fill(fill_value, &value), "full: the value cannot be converted to %s", scalar_type_name(type));
    std::fill_n(tensor->mutable_data_ptr<T>(), tensor->numel(), value);
  });
  ET_CHECK_MSG(done, "full: tensors of %s are not supported", scalar_type_name(type));
  return tensor;
}

TensorPtr rand_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides, ScalarType type,
                       TensorShapeDynamism dynamism) {
  // Half a step of the 16-bit types below 1, so that nothing is rounded up to it.
  float end = 1.0f;
  if (type == ScalarType::Half) end -= 0x1p-12f;
  if (type == ScalarType::BFloat16) end -= 0x1p-9f;
  return random(std::move(sizes), std::move(strides), type, dynamism, [end](auto& engine) {
    // 24 bits: every value is exact in float, so that the largest one stays below 1.
    return static_cast<float>(engine() >> 40) * 0x1p-24f * end;
  });
}

TensorPtr randn_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides, ScalarType type,
                        TensorShapeDynamism dynamism) {
  return random(std::move(sizes), std::move(strides), type, dynamism, std::normal_distribution<float>(0.0f, 1.0f));
}

TensorPtr randint_strided(int64_t low, int64_t high, std::vector<SizesType> sizes, std::vector<StridesType> strides,
                          ScalarType type, TensorShapeDynamism dynamism) {
  ET_CHECK_MSG(low < high, "randint: empty range [%lld, %lld)", static_cast<long long>(low),
               static_cast<long long>(high));
  return random(std::move(sizes), std::move(strides), type, dynamism,
                std::uniform_int_distribution<int64_t>(low, high - 1));
}

}  // namespace et
