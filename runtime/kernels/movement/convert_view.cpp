// Copies between dtypes, and numbers as elements.
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "runtime/kernels/common/convert.h"
#include "runtime/kernels/common/dtype.h"
#include "runtime/kernels/movement/view.h"

namespace et::ET_KERNELS {
namespace {

constexpr DtypeSet kNumbers = kRealHB | kUnsigned | kComplex;
template <class T>
inline constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

}  // namespace

bool convert_view(const View& dst, ScalarType dst_type, const View& src, ScalarType src_type) {
  if (dst_type == src_type) {
    copy_view(dst, src);
    return true;
  }
  const Converter converter(src_type, dst_type);
  if (!converter.valid()) return false;
  int64_t rows = 1;
  for (size_t d = 0; d < dst.rank; ++d) rows *= d + 1 < dst.rank ? dst.sizes[d] : 1;
  const int64_t n = dst.rank == 0 ? 1 : dst.sizes[dst.rank - 1];
  if (n == 0) return true;
  const int64_t to_step = dst.rank == 0 ? 0 : dst.steps[dst.rank - 1] / static_cast<int64_t>(dst.item);
  const int64_t from_step = src.rank == 0 ? 0 : src.steps[src.rank - 1] / static_cast<int64_t>(src.item);
  for (int64_t row = 0; row < rows; ++row) {
    uint8_t* to = dst.data;
    const uint8_t* from = src.data;
    int64_t rest = row;
    for (size_t d = dst.rank; d-- > 0;) {
      if (d + 1 == dst.rank) continue;
      to += rest % dst.sizes[d] * dst.steps[d];
      from += rest % dst.sizes[d] * src.steps[d];
      rest /= dst.sizes[d];
    }
    converter.run(to, to_step, from, from_step, n);
  }
  return true;
}

namespace {

struct StoreScalar {
  const Scalar& value;
  void* element;
  bool ok = true;

  template <class T>
  void operator()() {
    T v{};
    if constexpr (std::is_same_v<T, bool>) {
      v = value.isFloatingPoint() ? value.to<double>() != 0 : value.to<int64_t>() != 0;
    } else if constexpr (kIsComplex<T>) {
      v = T(static_cast<typename T::value_type>(value.to<double>()), 0);
    } else if constexpr (std::is_integral_v<T>) {
      using L = std::numeric_limits<T>;
      if (value.isFloatingPoint()) {
        const double d = value.to<double>();
        // max() + 1 is a power of two and exact.
        const double end = 2.0 * static_cast<double>(L::max() / 2 + 1);
        const double lowest = L::is_signed ? static_cast<double>(L::min()) : -end;
        ok = d > lowest - 1 && d < end && !(L::is_signed && d < static_cast<double>(L::min()));
        if (!ok) return;
        v = d < 0 ? static_cast<T>(static_cast<int64_t>(d < -9.2e18 ? -9.2e18 : d))
                  : static_cast<T>(static_cast<uint64_t>(d));
      } else {
        const int64_t i = value.to<int64_t>();
        if constexpr (sizeof(T) < 8) {
          // Negative numbers wrap in unsigned types.
          const int64_t lowest = L::is_signed ? static_cast<int64_t>(L::min()) : -static_cast<int64_t>(L::max());
          ok = i >= lowest && i <= static_cast<int64_t>(L::max());
        }
        v = static_cast<T>(i);
      }
    } else {
      const double d = value.to<double>();
      if constexpr (std::is_same_v<T, double>) {
        v = d;
      } else {
        const double highest = std::is_same_v<T, Half>       ? 65504.0
                               : std::is_same_v<T, BFloat16> ? 3.3895313892515355e38
                                                             : static_cast<double>(std::numeric_limits<float>::max());
        ok = !(std::fabs(d) > highest) || std::isinf(d);
        v = static_cast<T>(static_cast<float>(d));
      }
    }
    std::memcpy(element, &v, sizeof(T));
  }
};

}  // namespace

bool scalar_to_element(const Scalar& value, ScalarType type, void* element) {
  StoreScalar store{value, element};
  return dispatch<kNumbers>(type, store) && store.ok;
}

}  // namespace et::ET_KERNELS
