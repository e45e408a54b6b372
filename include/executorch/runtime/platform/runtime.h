// The start of the runtime.
#pragma once

#include "executorch/runtime/platform/platform.h"

namespace executorch::runtime {

/// Prepares the platform; harmless when repeated.
void runtime_init();

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::runtime_init;
}
