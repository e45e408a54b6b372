// Values of two exports of one model by what both graphs know: module path, operator and order; and quantised values as
// the numbers that they stand for. So int8 is compared with float32.
#pragma once

#include <string>

#include "cli/check/reference_values.h"

namespace et::cli {

/// Names the nodes of the values by the ETRecord's module path, operator and order in it, and makes float32 of 8-bit
/// values whose scale it has. Errors: those of opening the ETRecord; NotFound (no edge program of the method).
Status name_by_module(const std::string& etrecord, const std::string& method, ValueList* values);

}  // namespace et::cli
