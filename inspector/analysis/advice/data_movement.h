// What copies and changes of layout are spared by, wherever they run.
#pragma once

#include <string>

namespace et::inspector {

/// Of an operator that only moves data, "aten.cat", or its title.
std::string what_spares_copies(const std::string& op);

}  // namespace et::inspector
