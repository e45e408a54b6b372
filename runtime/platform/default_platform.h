// The platform that a build comes with: posix.cpp or minimal.cpp, chosen by CMake.
#pragma once

#include "runtime/platform/platform.h"

namespace et {

Platform default_platform();

/// `ticks` does nothing but read the processor's counter (rdtsc, cntvct_el0).
bool is_processor_counter(Timestamp (*ticks)());

}  // namespace et
