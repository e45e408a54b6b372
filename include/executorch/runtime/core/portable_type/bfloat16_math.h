// Mathematics of BFloat16 is that of float.
#pragma once

#include <cmath>

#include "executorch/runtime/core/portable_type/bfloat16.h"
