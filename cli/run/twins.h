// --tosa: the graphs that stand in for Ethos-U payloads.
#pragma once

#include <string>

#include "base/status.h"

namespace et::cli {

/// Tells the backend, before a program is loaded. `path`: a .tosa file or a folder of them; "" does nothing.
/// Errors: with the file and the cause, InvalidExternalData and AccessFailed.
Status use_twins(const std::string& path);

}  // namespace et::cli
