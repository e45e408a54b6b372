// Collects the runtime's error messages, so that a result can carry its reason; other levels go where they went.
#pragma once

#include <string>

namespace et {

/// From now on error messages are kept instead of printed.
void capture_errors();
/// The messages since the last call, joined by "; ", the innermost first.
std::string take_errors();

}  // namespace et
