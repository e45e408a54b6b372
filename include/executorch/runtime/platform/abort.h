// The end of the process.
#pragma once

#include "executorch/runtime/platform/platform.h"

namespace executorch::runtime {

[[noreturn]] inline void runtime_abort() { pal_abort(); }

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::runtime_abort;
}
