// The platform that a build comes with: posix.cpp or minimal.cpp, chosen by CMake.
#pragma once

#include "runtime/platform/platform.h"

namespace et {

Platform default_platform();

}  // namespace et
