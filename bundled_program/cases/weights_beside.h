// External weights of a program: which files it takes when the user names none.
#pragma once

#include <string>
#include <vector>

#include "runtime/executor/program.h"

namespace et::bundled {

/// Whether a method has tensors whose data are in no program file.
bool has_external_tensors(const Program& program);

/// The tensor files (.ptd) in the folder of the program `path`, in order of their names; none when the program cannot
/// need any: no method has external tensors or delegates.
std::vector<std::string> weights_beside(const std::string& path, const Program& program);

}  // namespace et::bundled
