// How far two tensors are apart: all figures of it from one pass over their elements.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/scalar_type.h"

namespace et::inspector {

/// Sums are of pairs of finite numbers. NaN equals NaN, an infinity equals one of the same sign; other pairs with one
/// of them are counted. 64-bit integers are compared as such, their sums are of doubles.
struct GapFigures {
  uint64_t elements = 0;
  uint64_t finite = 0;    ///< pairs of finite numbers: what means are of
  double noise = 0;       ///< Σ (got − want)²
  double signal = 0;      ///< Σ want²
  double got_signal = 0;  ///< Σ got²
  double product = 0;     ///< Σ got · want
  double sum_abs = 0;     ///< Σ |got − want|: what upstream calls L1
  double max_abs = 0;
  double largest = 0;  ///< max |want|
  int64_t worst = -1;  ///< row-major place of the largest error, or of the first pair that is no number on one side
  double got = 0;      ///< there
  double want = 0;
  uint64_t equal = 0;  ///< pairs that are the same
  uint64_t nan_got = 0, nan_want = 0, nan_mismatch = 0;
  uint64_t inf_got = 0, inf_want = 0, inf_mismatch = 0;

  // |got − want| by powers of ten: [0] below 1e-12 but not 0, then a decade each, the last from 1e6 on.
  static constexpr int kLeastDecade = -12, kMostDecade = 6;
  static constexpr size_t kDecades = kMostDecade - kLeastDecade + 2;
  std::array<uint64_t, kDecades> decades{};

  bool exact() const { return equal == elements; }
  double mse() const;       ///< NaN without pairs
  double mean_abs() const;  ///< L1 per element; NaN without pairs
  double snr_db() const;    ///< infinite without an error; NaN when the reference is all 0
  double cosine() const;    ///< NaN when one side is all 0
  /// Largest error as a share of the reference's largest value: infinite where that is 0, or a NaN or an infinity is
  /// on one side only.
  double relative() const;
  double least_of_decade(size_t i) const;  ///< lower bound; 0 for the first
};

/// The elements as doubles. False: a dtype without real numbers.
bool read_numbers(ScalarType type, std::span<const uint8_t> bytes, std::vector<double>* out);

/// Both row-major, little-endian, aligned to anything, with as many elements. False: a dtype without real numbers.
bool measure_gap(ScalarType got_type, std::span<const uint8_t> got, ScalarType want_type, std::span<const uint8_t> want,
                 GapFigures* out);

}  // namespace et::inspector
