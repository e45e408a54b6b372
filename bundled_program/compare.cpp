#include "bundled_program/compare.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "runtime/core/half.h"

namespace et::bundled {
namespace {

struct Pair {
  double real = 0;
  double imaginary = 0;
};

template <class T>
Pair load(const uint8_t* at) {
  T v;
  __builtin_memcpy(&v, at, sizeof(T));
  return {static_cast<double>(v), 0};
}
template <class T>
Pair load_complex(const uint8_t* at) {
  return {load<T>(at).real, load<T>(at + sizeof(T)).real};
}

using Load = Pair (*)(const uint8_t*);

Load loader_of(ScalarType t) {
  switch (t) {
    case ScalarType::Byte:
    case ScalarType::Bool:
    case ScalarType::Bits8:
    case ScalarType::QUInt8:
      return &load<uint8_t>;
    case ScalarType::Char:
    case ScalarType::QInt8:
      return &load<int8_t>;
    case ScalarType::Short:
      return &load<int16_t>;
    case ScalarType::UInt16:
    case ScalarType::Bits16:
      return &load<uint16_t>;
    case ScalarType::Int:
    case ScalarType::QInt32:
      return &load<int32_t>;
    case ScalarType::UInt32:
      return &load<uint32_t>;
    case ScalarType::Long:
      return &load<int64_t>;
    case ScalarType::UInt64:
      return &load<uint64_t>;
    case ScalarType::Half:
      return &load<Half>;
    case ScalarType::BFloat16:
      return &load<BFloat16>;
    case ScalarType::Float:
      return &load<float>;
    case ScalarType::Double:
      return &load<double>;
    case ScalarType::ComplexHalf:
      return &load_complex<Half>;
    case ScalarType::ComplexFloat:
      return &load_complex<float>;
    case ScalarType::ComplexDouble:
      return &load_complex<double>;
    default:
      return nullptr;
  }
}

bool is_exact(ScalarType t) {
  return t == ScalarType::Byte || t == ScalarType::Char || t == ScalarType::Short || t == ScalarType::Int ||
         t == ScalarType::Long || t == ScalarType::Bool || t == ScalarType::UInt16 || t == ScalarType::UInt32 ||
         t == ScalarType::UInt64;
}

// Distance of two numbers: 0 when both are NaN or the same infinity, NaN when they cannot be compared.
double distance(double got, double want) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) == std::isnan(want) ? 0 : NAN;
  if (got == want) return 0;
  if (std::isinf(got) || std::isinf(want)) return NAN;
  return std::fabs(got - want);
}

bool is_nan(const Pair& p) { return std::isnan(p.real) || std::isnan(p.imaginary); }
bool is_finite(const Pair& p) { return std::isfinite(p.real) && std::isfinite(p.imaginary); }

class Walk {
 public:
  Walk(const Tensor& got, const TensorValue& want) : got_(got), want_(want) {
    dim_order_to_strides(want.sizes, want.dim_order, want_strides_);
  }

  template <class F>
  void run(const F& f) const {
    const size_t rank = want_.sizes.size();
    const size_t width = got_.element_size();
    int32_t index[kTensorDimensionLimit] = {};
    for (int64_t n = 0; n < got_.numel(); ++n) {
      int64_t a = 0;
      int64_t b = 0;
      for (size_t d = 0; d < rank; ++d) {
        a += static_cast<int64_t>(index[d]) * got_.strides()[d];
        b += static_cast<int64_t>(index[d]) * want_strides_[d];
      }
      f(n, got_.const_data_ptr<uint8_t>() + static_cast<size_t>(a) * width,
        want_.data.data() + static_cast<size_t>(b) * width);
      for (size_t d = rank; d-- > 0;) {
        if (++index[d] < want_.sizes[d]) break;
        index[d] = 0;
      }
    }
  }

 private:
  const Tensor& got_;
  const TensorValue& want_;
  int32_t want_strides_[kTensorDimensionLimit] = {};
};

Mismatch compare_outside(const Tensor& got, const TensorValue& want) {
  if (got.scalar_type() != want.scalar_type) return Mismatch::Dtype;
  if (got.sizes().size() != want.sizes.size()) return Mismatch::Shape;
  int32_t strides[kTensorDimensionLimit] = {};
  dim_order_to_strides(want.sizes, want.dim_order, strides);
  bool same_order = true;
  for (size_t d = 0; d < want.sizes.size(); ++d) {
    if (got.sizes()[d] != want.sizes[d]) return Mismatch::Shape;
    same_order = same_order && (want.sizes[d] <= 1 || got.strides()[d] == strides[d]);
  }
  if (got.numel() == 0) return Mismatch::None;
  // The usual writer stores a channels-last tensor row by row: that says nothing about the program.
  bool plain = true;
  for (size_t d = 0; d < want.dim_order.size(); ++d) plain = plain && want.dim_order[d] == d;
  if (!same_order && !plain) return Mismatch::DimOrder;
  return got.const_data_ptr() == nullptr ? Mismatch::NoData : Mismatch::None;
}

// Pairs of numbers, one after the other, into a Comparison.
class Tally {
 public:
  /// `exact`: what differs is outside, however little.
  Tally(Tolerance tolerance, bool exact) : tolerance_(tolerance), exact_(exact) {}

  void add(int64_t n, const Pair& g, const Pair& w, bool differs) {
    const double real = distance(g.real, w.real);
    const double imaginary = distance(g.imaginary, w.imaginary);
    const double error = imaginary == 0 ? real : std::hypot(real, imaginary);
    const double size = w.imaginary == 0 ? std::fabs(w.real) : std::hypot(w.real, w.imaginary);
    ++out_.elements;
    if (differs && (exact_ || !(error == 0 || error <= tolerance_.atol + tolerance_.rtol * size))) ++out_.outside;
    const double rank = std::isnan(error) ? INFINITY : error;
    if (differs && rank > worst_) {
      worst_ = rank;
      out_.worst_index = n;
      out_.got = g.real;
      out_.want = w.real;
    }
    if (std::isnan(error)) {
      ++(is_nan(g) != is_nan(w) ? out_.nan_mismatch : out_.inf_mismatch);
    } else if (is_finite(g) && is_finite(w)) {
      add_finite(n, g, w, error, size);
    }
  }

  Comparison finish() {
    if (finite_ > 0) out_.mean_abs_error = sum_ / static_cast<double>(finite_);
    if (out_.max_abs_error == 0 && out_.outside == 0) out_.worst_index = -1;
    if (out_.outside > 0) out_.mismatch = Mismatch::Values;
    return out_;
  }

 private:
  void add_finite(int64_t n, const Pair& g, const Pair& w, double error, double size) {
    ++finite_;
    sum_ += error;
    out_.signal += size * size;
    out_.noise += error * error;
    out_.got_signal += g.real * g.real + g.imaginary * g.imaginary;
    out_.product += g.real * w.real + g.imaginary * w.imaginary;
    if (error > out_.max_abs_error) out_.max_abs_error = error;
    if (size > 0 && error / size > out_.max_rel_error) {
      out_.max_rel_error = error / size;
      out_.worst_rel_index = n;
    }
  }

  Comparison out_;
  Tolerance tolerance_;
  bool exact_;
  double worst_ = -1;
  double sum_ = 0;
  uint64_t finite_ = 0;
};

}  // namespace

double Comparison::snr_db() const {
  if (!(signal > 0)) return NAN;
  return noise > 0 ? 10 * std::log10(signal / noise) : INFINITY;
}

double Comparison::cosine_similarity() const {
  if (!(signal > 0) || !(got_signal > 0)) return NAN;
  return std::clamp(product / (std::sqrt(got_signal) * std::sqrt(signal)), -1.0, 1.0);
}

Tolerance default_tolerance(ScalarType type) {
  switch (type) {
    case ScalarType::Half:
    case ScalarType::ComplexHalf:
      return {1e-3, 1e-5};
    case ScalarType::BFloat16:
      return {1.6e-2, 1e-5};
    case ScalarType::Float:
    case ScalarType::ComplexFloat:
      return {1.3e-6, 1e-5};
    case ScalarType::Double:
    case ScalarType::ComplexDouble:
      return {1e-7, 1e-7};
    default:
      return {0, 0};
  }
}

const char* mismatch_name(Mismatch mismatch) {
  switch (mismatch) {
    case Mismatch::None:
      return "equal";
    case Mismatch::Dtype:
      return "another dtype";
    case Mismatch::Shape:
      return "another shape";
    case Mismatch::DimOrder:
      return "another dim order";
    case Mismatch::NoData:
      return "the output has no data";
    case Mismatch::Values:
      return "values out of tolerance";
    case Mismatch::Unsupported:
      return "a dtype that cannot be compared";
  }
  return "unknown";
}

Comparison compare(const Tensor& got, const TensorValue& want, Tolerance tolerance) {
  Comparison out;
  out.mismatch = compare_outside(got, want);
  if (!out.passed()) return out;
  const Load load_element = loader_of(got.scalar_type());
  const size_t width = got.element_size();
  const bool exact =
      load_element == nullptr || (is_exact(got.scalar_type()) && tolerance.rtol == 0 && tolerance.atol == 0);
  Tally tally(tolerance, exact);
  Walk(got, want).run([&](int64_t n, const uint8_t* a, const uint8_t* b) {
    const bool differs = !exact || __builtin_memcmp(a, b, width) != 0;
    const Pair g = load_element != nullptr ? load_element(a) : Pair{static_cast<double>(*a), 0};
    const Pair w = load_element != nullptr ? load_element(b) : Pair{static_cast<double>(*b), 0};
    tally.add(n, g, w, differs);
  });
  return tally.finish();
}

Comparison compare_numbers(double got, double want, bool equal, Tolerance tolerance) {
  const bool exact = tolerance.rtol == 0 && tolerance.atol == 0;
  Tally tally(tolerance, exact);
  tally.add(0, {got, 0}, {want, 0}, !equal);
  return tally.finish();
}

}  // namespace et::bundled
