// What is allowed: tolerances of elements, limits on whole outputs, time and memory. They come from the command line, a
// policy file, files beside the bundle, or the dtype, in this order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "bundled_program/compare.h"

namespace et::bundled {

/// Of one output. What is not set is not asked for.
struct OutputLimit {
  Tolerance tolerance;
  std::string from;        // where the tolerance stands: "policy.toml: method.forward.output.0", "dtype"
  double max_outside = 0;  // share of the elements that may break the tolerance, 0 to 1
  std::optional<double> max_abs_error;
  std::optional<double> min_snr_db;
  std::optional<double> min_cosine;
};

/// The limits of output `i`, whose expected values have the dtype.
using OutputLimits = std::function<OutputLimit(uint32_t i, ScalarType dtype)>;

/// Of one method.
struct MethodLimits {
  std::optional<double> max_slowdown;  // share: 0.05 is 5 %
  std::optional<double> timeout_s;     // wall seconds for one case
  std::optional<uint64_t> max_memory;  // bytes
};

}  // namespace et::bundled
