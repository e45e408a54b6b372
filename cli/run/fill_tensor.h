// Generated inputs.
#pragma once

#include <random>

#include "runtime/module/host_tensor.h"

namespace et::cli {

enum class Fill { Ones, Zeros, Random };

/// Random: uniform in [0, 1) for floats; integers are 0 or 1, so that they can be indices. Dtypes without numbers of
/// their own stay zero.
void fill_tensor(HostTensor* t, Fill how, std::mt19937_64* random);

}  // namespace et::cli
