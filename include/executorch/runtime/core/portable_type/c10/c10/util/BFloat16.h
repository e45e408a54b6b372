// BFloat16 under the name of c10.
#pragma once

#include "executorch/runtime/core/portable_type/bfloat16.h"
