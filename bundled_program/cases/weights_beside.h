// The tensor files (.ptd) that stand beside a program which keeps weights outside of itself.
#pragma once

#include <string>
#include <vector>

#include "runtime/executor/program.h"

namespace et::bundled {

/// Whether a method has tensors whose data are in no program file.
bool has_external_tensors(const Program& program);

/// By name; recognised by what is in them. None when the program asks for no weights. A delegate may ask for some
/// without saying so in the program.
std::vector<std::string> weights_beside(const std::string& program_path, const Program& program);

}  // namespace et::bundled
