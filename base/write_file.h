// A whole file written at once.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "base/status.h"

namespace et {

/// Replaces the file by the parts, one behind the other. Errors: AccessFailed with path and cause; the file may be
/// there in part then.
Status write_file(const std::string& path, std::initializer_list<std::span<const uint8_t>> parts);

}  // namespace et
