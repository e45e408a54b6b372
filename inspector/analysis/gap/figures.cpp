#include "inspector/analysis/gap/figures.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "runtime/core/half.h"

namespace et::inspector {
namespace {

constexpr size_t kBlock = 512;  // elements that are read at a time: 32 KiB as doubles of both sides
constexpr size_t kLanes = 4;    // sums that run side by side, so that they become vectors

template <class T>
void read_as_doubles(const uint8_t* from, size_t n, double* to) {
  for (size_t i = 0; i < n; ++i) {
    T v;
    std::memcpy(&v, from + i * sizeof(T), sizeof(T));
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
      to[i] = static_cast<double>(static_cast<float>(v));
    } else {
      to[i] = static_cast<double>(v);
    }
  }
}

using BlockReader = void (*)(const uint8_t*, size_t, double*);

BlockReader block_reader(ScalarType type) {
  switch (type) {
    case ScalarType::Byte:
    case ScalarType::Bool:
      return read_as_doubles<uint8_t>;
    case ScalarType::Char:
      return read_as_doubles<int8_t>;
    case ScalarType::Short:
      return read_as_doubles<int16_t>;
    case ScalarType::UInt16:
      return read_as_doubles<uint16_t>;
    case ScalarType::Int:
      return read_as_doubles<int32_t>;
    case ScalarType::UInt32:
      return read_as_doubles<uint32_t>;
    case ScalarType::Long:
      return read_as_doubles<int64_t>;
    case ScalarType::UInt64:
      return read_as_doubles<uint64_t>;
    case ScalarType::Half:
      return read_as_doubles<Half>;
    case ScalarType::BFloat16:
      return read_as_doubles<BFloat16>;
    case ScalarType::Float:
      return read_as_doubles<float>;
    case ScalarType::Double:
      return read_as_doubles<double>;
    default:
      return nullptr;
  }
}

/// Powers of ten from the least decade on, and for each binary exponent the decade that its smallest number is in.
struct Decades {
  std::array<double, GapFigures::kDecades> bounds{};  // upper
  std::array<uint8_t, 2048> of_exponent{};

  Decades() {
    for (size_t i = 0; i + 1 < bounds.size(); ++i) bounds[i] = std::pow(10.0, GapFigures::kLeastDecade + int(i));
    bounds.back() = std::numeric_limits<double>::quiet_NaN();  // nothing is beyond the last
    for (size_t e = 0; e < of_exponent.size(); ++e) {
      const double least = std::bit_cast<double>(static_cast<uint64_t>(e) << 52);
      uint8_t d = 0;
      while (d + size_t{1} < bounds.size() && least >= bounds[d]) ++d;
      of_exponent[e] = d;
    }
  }
  size_t of(double error) const {
    const size_t d = of_exponent[std::bit_cast<uint64_t>(error) >> 52 & 2047];
    return d + (error >= bounds[d] ? 1 : 0);  // between two powers of two there may be one of ten
  }
};

const Decades& decades() {
  static const Decades all;
  return all;
}

struct Lanes {
  double noise[kLanes] = {}, signal[kLanes] = {}, got_signal[kLanes] = {}, product[kLanes] = {}, sum_abs[kLanes] = {};
  double max_abs[kLanes] = {}, largest[kLanes] = {};

  void add(const Lanes& other) {
    for (size_t l = 0; l < kLanes; ++l) {
      noise[l] += other.noise[l];
      signal[l] += other.signal[l];
      got_signal[l] += other.got_signal[l];
      product[l] += other.product[l];
      sum_abs[l] += other.sum_abs[l];
      max_abs[l] = std::max(max_abs[l], other.max_abs[l]);
      largest[l] = std::max(largest[l], other.largest[l]);
    }
  }
};

/// Adds whole lanes of finite numbers. The sums are local: those of the caller might be the numbers themselves.
void add_lanes(const double* a, const double* b, size_t n, Lanes* sums) {
  Lanes s;
  for (size_t i = 0; i < n; i += kLanes) {
    for (size_t l = 0; l < kLanes; ++l) {
      const double got = a[i + l], want = b[i + l];
      const double off = std::abs(got - want), size = std::abs(want);
      s.noise[l] += off * off;
      s.signal[l] += want * want;
      s.got_signal[l] += got * got;
      s.product[l] += got * want;
      s.sum_abs[l] += off;
      s.max_abs[l] = off > s.max_abs[l] ? off : s.max_abs[l];
      s.largest[l] = size > s.largest[l] ? size : s.largest[l];
    }
  }
  *sums = s;
}

class Gauge {
 public:
  explicit Gauge(GapFigures* out) : out_(*out) {}

  /// Finite numbers alone.
  void add(const double* a, const double* b, size_t n) {
    Lanes s;
    const size_t whole = n / kLanes * kLanes;
    add_lanes(a, b, whole, &s);
    double rest_a[kLanes] = {}, rest_b[kLanes] = {};
    if (whole < n) {
      std::copy(a + whole, a + n, rest_a);
      std::copy(b + whole, b + n, rest_b);
      Lanes rest;
      add_lanes(rest_a, rest_b, kLanes, &rest);
      s.add(rest);
    }
    double max_abs = 0;
    for (size_t l = 0; l < kLanes; ++l) {
      out_.noise += s.noise[l];
      out_.signal += s.signal[l];
      out_.got_signal += s.got_signal[l];
      out_.product += s.product[l];
      out_.sum_abs += s.sum_abs[l];
      max_abs = std::max(max_abs, s.max_abs[l]);
      out_.largest = std::max(out_.largest, s.largest[l]);
    }
    out_.finite += n;
    if (max_abs > out_.max_abs) {
      out_.max_abs = max_abs;
      size_t at = 0;
      while (at + 1 < n && std::abs(a[at] - b[at]) != max_abs) ++at;
      note_worst(at, a[at], b[at]);
    }
    if (max_abs > 0) {
      count_errors(a, b, n);
    } else {
      out_.equal += n;
    }
    place_ += static_cast<int64_t>(n);
  }

  void add_any(const double* a, const double* b, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      if (std::isfinite(a[i]) && std::isfinite(b[i])) {
        add(a + i, b + i, 1);
        continue;
      }
      add_no_number(a[i], b[i]);
      ++place_;
    }
  }

 private:
  void note_worst(size_t at, double got, double want) {
    if (out_.nan_mismatch + out_.inf_mismatch > 0) return;
    out_.worst = place_ + static_cast<int64_t>(at);
    out_.got = got;
    out_.want = want;
  }
  void add_no_number(double got, double want) {
    const bool nan = std::isnan(got) || std::isnan(want);
    const bool same = nan ? std::isnan(got) && std::isnan(want) : got == want;
    out_.nan_got += std::isnan(got);
    out_.nan_want += std::isnan(want);
    out_.inf_got += std::isinf(got);
    out_.inf_want += std::isinf(want);
    out_.equal += same;
    if (same) return;
    note_worst(0, got, want);
    (nan ? out_.nan_mismatch : out_.inf_mismatch) += 1;
  }
  void count_errors(const double* a, const double* b, size_t n) {
    const Decades& by = decades();
    // Neighbours often fall into one decade: counts in turn do not wait for each other.
    std::array<std::array<uint32_t, GapFigures::kDecades>, 4> counts{};
    uint64_t equal = 0;
    for (size_t i = 0; i < n; ++i) {
      const double off = std::abs(a[i] - b[i]);
      equal += off == 0 ? 1 : 0;
      ++counts[i % counts.size()][by.of(off)];
    }
    for (const auto& part : counts) {
      for (size_t d = 0; d < part.size(); ++d) out_.decades[d] += part[d];
    }
    out_.decades[0] -= equal;  // 0 is below the first
    out_.equal += equal;
  }

  GapFigures& out_;
  int64_t place_ = 0;
};

/// An exponent of ones is no finite number's; integer lanes become vectors.
bool all_finite(const double* v, size_t n) {
  constexpr uint64_t kExponent = uint64_t{0x7FF} << 52;
  uint64_t broken = 0;
  for (size_t i = 0; i < n; ++i) broken |= (std::bit_cast<uint64_t>(v[i]) & kExponent) == kExponent ? 1 : 0;
  return broken == 0;
}

/// Beyond 2^53 two integers may be one double: their difference is taken first.
template <class T>
void measure_wide(std::span<const uint8_t> got, std::span<const uint8_t> want, Gauge* gauge) {
  for (size_t at = 0; at < got.size(); at += sizeof(T)) {
    T a, b;
    std::memcpy(&a, got.data() + at, sizeof(T));
    std::memcpy(&b, want.data() + at, sizeof(T));
    const double apart = a >= b ? static_cast<double>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b))
                                : -static_cast<double>(static_cast<uint64_t>(b) - static_cast<uint64_t>(a));
    const auto wanted = static_cast<double>(b);
    double number = wanted + apart;
    if (apart != 0 && number == wanted) number = std::nextafter(wanted, apart > 0 ? HUGE_VAL : -HUGE_VAL);
    gauge->add(&number, &wanted, 1);
  }
}

bool needs_wide(ScalarType type, std::span<const uint8_t> data) {
  if (type != ScalarType::Long && type != ScalarType::UInt64) return false;
  constexpr auto kMost = uint64_t{1} << 53;
  for (size_t at = 0; at < data.size(); at += 8) {
    uint64_t v = 0;
    std::memcpy(&v, data.data() + at, sizeof(v));
    if (type == ScalarType::Long && v >> 63 != 0) v = -v;
    if (v > kMost) return true;
  }
  return false;
}

}  // namespace

bool read_numbers(ScalarType type, std::span<const uint8_t> bytes, std::vector<double>* out) {
  const BlockReader read = block_reader(type);
  if (read == nullptr) return false;
  out->resize(bytes.size() / element_size(type));
  read(bytes.data(), out->size(), out->data());
  return true;
}

double GapFigures::mse() const { return noise / static_cast<double>(finite); }
double GapFigures::mean_abs() const { return sum_abs / static_cast<double>(finite); }

double GapFigures::snr_db() const {
  if (signal == 0) return std::numeric_limits<double>::quiet_NaN();
  return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
}

double GapFigures::cosine() const {
  if (signal == 0 || got_signal == 0) return std::numeric_limits<double>::quiet_NaN();
  if (noise == 0) return 1;
  return std::clamp(product / std::sqrt(signal) / std::sqrt(got_signal), -1.0, 1.0);
}

double GapFigures::relative() const {
  if (nan_mismatch + inf_mismatch > 0) return std::numeric_limits<double>::infinity();
  return max_abs == 0 ? 0 : max_abs / largest;
}

double GapFigures::least_of_decade(size_t i) const {
  return i == 0 ? 0 : std::pow(10.0, kLeastDecade + static_cast<int>(i) - 1);
}

bool measure_gap(ScalarType got_type, std::span<const uint8_t> got, ScalarType want_type, std::span<const uint8_t> want,
                 GapFigures* out) {
  *out = {};
  const BlockReader read_got = block_reader(got_type), read_want = block_reader(want_type);
  if (read_got == nullptr || read_want == nullptr) return false;
  const size_t got_width = element_size(got_type), want_width = element_size(want_type);
  out->elements = got.size() / got_width;
  Gauge gauge(out);
  if (got_type == want_type && (needs_wide(got_type, got) || needs_wide(want_type, want))) {
    if (got_type == ScalarType::Long) {
      measure_wide<int64_t>(got, want, &gauge);
    } else {
      measure_wide<uint64_t>(got, want, &gauge);
    }
    return true;
  }
  double a[kBlock], b[kBlock];
  for (size_t at = 0; at < out->elements; at += kBlock) {
    const size_t n = std::min(kBlock, static_cast<size_t>(out->elements) - at);
    read_got(got.data() + at * got_width, n, a);
    read_want(want.data() + at * want_width, n, b);
    if (all_finite(a, n) && all_finite(b, n)) {
      gauge.add(a, b, n);
    } else {
      gauge.add_any(a, b, n);
    }
  }
  return true;
}

}  // namespace et::inspector
