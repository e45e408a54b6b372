// Compares an output with what was expected: dtype, shape and dim order must agree; elements within a tolerance,
// |got − want| ≤ atol + rtol · |want|. NaN equals NaN, infinities must agree in sign, integers and bool are exact
// unless a tolerance is given. Both sides are read by their strides.
#pragma once

#include <cstdint>

#include "bundled_program/bundle.h"
#include "runtime/core/tensor.h"

namespace et::bundled {

struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

/// What torch.testing.assert_close takes for the dtype; exact for integers and bool.
Tolerance default_tolerance(ScalarType type);

enum class Mismatch : uint8_t { None, Dtype, Shape, DimOrder, NoData, Values, Unsupported };
const char* mismatch_name(Mismatch mismatch);

struct Comparison {
  Mismatch mismatch = Mismatch::None;
  // Errors are those of pairs of finite numbers: |got − want|, relative ones divided by |want| where that is not 0.
  double max_abs_error = 0;
  double max_rel_error = 0;
  double mean_abs_error = 0;
  double signal = 0;             // Σ want²
  double noise = 0;              // Σ (got − want)²
  double got_signal = 0;         // Σ got²
  double product = 0;            // Σ got · want
  int64_t worst_index = -1;      // logical position (row-major) of the largest error, or of a NaN on one side
  int64_t worst_rel_index = -1;  // of the largest relative error
  double got = 0;                // at worst_index
  double want = 0;
  uint64_t outside = 0;  // elements that break the tolerance
  uint64_t elements = 0;
  uint64_t nan_mismatch = 0;  // NaN on one side only
  uint64_t inf_mismatch = 0;  // an infinity on one side only, or with another sign

  /// Signal to noise ratio in dB, 10 · log10(Σ want² / Σ (got − want)²): infinite without an error, NaN when it says
  /// nothing (no elements, or all expected values 0).
  double snr_db() const;
  /// Σ got · want / √(Σ got² · Σ want²): NaN when one side is all 0.
  double cosine_similarity() const;

  bool passed() const { return mismatch == Mismatch::None; }
};

Comparison compare(const Tensor& got, const TensorValue& want, Tolerance tolerance);
/// The same of two numbers; `equal` says whether they are when the double cannot tell (64-bit integers).
Comparison compare_numbers(double got, double want, bool equal, Tolerance tolerance);

}  // namespace et::bundled
