// Half under the name of c10.
#pragma once

#include "executorch/runtime/core/portable_type/half.h"
