// complex under the name of c10.
#pragma once

#include "executorch/runtime/core/portable_type/complex.h"

namespace c10 {
using ::executorch::runtime::etensor::complex;
}  // namespace c10
