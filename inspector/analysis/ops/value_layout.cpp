#include "inspector/analysis/ops/value_layout.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

#include "base/scalar_type.h"
#include "runtime/core/half.h"

namespace et::inspector {
namespace {

bool is_float(ScalarType t) {
  return t == ScalarType::Half || t == ScalarType::BFloat16 || t == ScalarType::Float || t == ScalarType::Double;
}

/// Calls f<T>() for the element types that are numbers.
template <class F>
bool of_type(ScalarType type, const F& f) {
  switch (type) {
    case ScalarType::Byte:
    case ScalarType::Bool:
      return f.template operator()<uint8_t>(), true;
    case ScalarType::Char:
      return f.template operator()<int8_t>(), true;
    case ScalarType::Short:
      return f.template operator()<int16_t>(), true;
    case ScalarType::UInt16:
      return f.template operator()<uint16_t>(), true;
    case ScalarType::Int:
      return f.template operator()<int32_t>(), true;
    case ScalarType::UInt32:
      return f.template operator()<uint32_t>(), true;
    case ScalarType::Long:
      return f.template operator()<int64_t>(), true;
    case ScalarType::UInt64:
      return f.template operator()<uint64_t>(), true;
    case ScalarType::Half:
      return f.template operator()<Half>(), true;
    case ScalarType::BFloat16:
      return f.template operator()<BFloat16>(), true;
    case ScalarType::Float:
      return f.template operator()<float>(), true;
    case ScalarType::Double:
      return f.template operator()<double>(), true;
    default:
      return false;
  }
}

template <class T>
double number_at(const char* data, size_t i) {
  T v;
  std::memcpy(&v, data + i * sizeof(T), sizeof(T));
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<double>(static_cast<float>(v));
  } else {
    return static_cast<double>(v);
  }
}

template <class T>
T nearest(double number) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return T(static_cast<float>(number));
  } else if constexpr (std::is_integral_v<T>) {
    // The greatest int64 is no double; its conversion to one is just beyond.
    constexpr auto kLeast = static_cast<double>(std::numeric_limits<T>::min());
    constexpr auto kMost = static_cast<double>(std::numeric_limits<T>::max());
    if (std::isnan(number)) return 0;
    return number <= kLeast  ? std::numeric_limits<T>::min()
           : number >= kMost ? std::numeric_limits<T>::max()
                             : static_cast<T>(number);
  } else {
    return static_cast<T>(number);
  }
}

std::string converted(const std::vector<double>& numbers, ScalarType to) {
  std::string out;
  of_type(to, [&]<class T>() {
    out.resize(numbers.size() * sizeof(T));
    for (size_t i = 0; i < numbers.size(); ++i) {
      const T element = nearest<T>(numbers[i]);
      std::memcpy(out.data() + i * sizeof(T), &element, sizeof(T));
    }
  });
  return out;
}

/// Rows of `from` with its dimensions in another order.
std::string permuted(const std::string& from, const std::vector<int32_t>& shape, const std::vector<size_t>& order,
                     size_t width) {
  const size_t rank = shape.size();
  std::vector<size_t> strides(rank), sizes(rank), steps(rank);
  size_t step = width;
  for (size_t d = rank; d-- > 0;) {
    strides[d] = step;
    step *= static_cast<size_t>(shape[d]);
  }
  for (size_t d = 0; d < rank; ++d) {
    sizes[d] = static_cast<size_t>(shape[order[d]]);
    steps[d] = strides[order[d]];
  }
  std::string out(from.size(), '\0');
  std::vector<size_t> index(rank, 0);
  size_t at = 0;
  for (size_t to = 0; to < out.size(); to += width) {
    std::memcpy(out.data() + to, from.data() + at, width);
    for (size_t d = rank; d-- > 0;) {
      at += steps[d];
      if (++index[d] < sizes[d]) break;
      at -= steps[d] * sizes[d];
      index[d] = 0;
    }
  }
  return out;
}

/// Orders of dimensions between which delegates and graphs change: channels last and back, transposed matrices.
std::vector<std::vector<size_t>> orders(size_t rank) {
  std::vector<std::vector<size_t>> out;
  if (rank < 2) return out;
  std::vector<size_t> same(rank);
  std::iota(same.begin(), same.end(), size_t{0});
  if (rank >= 3) {
    std::vector<size_t> last = same, first = same;
    last.erase(last.begin() + 1);
    last.push_back(1);
    first.pop_back();
    first.insert(first.begin() + 1, rank - 1);
    out.push_back(std::move(last));
    if (rank > 3) out.push_back(std::move(first));
  }
  if (rank != 3) {  // of three dimensions that is channels last
    std::swap(same[rank - 1], same[rank - 2]);
    out.push_back(std::move(same));
  }
  return out;
}

int64_t numel(const std::vector<int32_t>& shape) {
  int64_t n = 1;
  for (const int32_t size : shape) n *= size;
  return n;
}

}  // namespace

bool is_floating_name(const std::string& dtype) {
  ScalarType type{};
  return scalar_type_of(dtype, &type) && is_float(type);
}

std::vector<double> numbers_of(const LoggedValue& v) {
  std::vector<double> out;
  ScalarType type{};
  if (!scalar_type_of(v.dtype, &type)) return out;
  of_type(type, [&]<class T>() {
    const size_t n = v.data.size() / sizeof(T);
    out.reserve(n);
    for (size_t i = 0; i < n; ++i) out.push_back(number_at<T>(v.data.data(), i));
  });
  return out;
}

std::vector<std::string> arrangements(const LoggedValue& v, const std::string& dtype,
                                      const std::vector<int32_t>& shape) {
  std::vector<std::string> out;
  ScalarType from{}, to{};
  if (!scalar_type_of(v.dtype, &from) || !scalar_type_of(dtype, &to) || numel(v.shape) != numel(shape)) return out;
  if (from != to && !(is_float(from) && is_float(to))) return out;
  if (v.data.size() != static_cast<size_t>(numel(v.shape)) * element_size(from)) return out;
  const std::string rows = from == to ? v.data : converted(numbers_of(v), to);
  if (v.shape == shape) out.push_back(rows);
  for (const std::vector<size_t>& order : orders(v.shape.size())) {
    bool same = v.shape.size() == shape.size();
    for (size_t d = 0; same && d < order.size(); ++d) same = v.shape[order[d]] == shape[d];
    if (same) out.push_back(permuted(rows, v.shape, order, element_size(to)));
  }
  if (out.empty()) out.push_back(rows);  // dimensions merged, or of size 1
  return out;
}

std::string rows_like(const LoggedValue& v, const std::string& dtype, const LoggedValue& like) {
  const std::vector<double> wanted = numbers_of(like);
  std::string best;
  double least = HUGE_VAL;
  LoggedValue candidate;
  candidate.dtype = dtype;
  candidate.shape = like.shape;
  for (std::string& rows : arrangements(v, dtype, like.shape)) {
    candidate.data = std::move(rows);
    const std::vector<double> numbers = numbers_of(candidate);
    double noise = numbers.size() == wanted.size() ? 0 : HUGE_VAL;
    for (size_t i = 0; i < std::min(numbers.size(), wanted.size()); ++i) {
      const double off = numbers[i] - wanted[i];
      if (std::isfinite(off)) noise += off * off;
    }
    if (best.empty() || noise < least) {
      best = std::move(candidate.data);
      least = noise;
    }
  }
  return best;
}

std::string elements_of(const std::vector<double>& numbers, const std::string& dtype) {
  ScalarType type{};
  return scalar_type_of(dtype, &type) ? converted(numbers, type) : std::string();
}

}  // namespace et::inspector
