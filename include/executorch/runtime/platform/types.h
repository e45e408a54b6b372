// Types of the platform layer.
#pragma once

#include <cstdint>

extern "C" {
typedef uint64_t et_timestamp_t;
}
