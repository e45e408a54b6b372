// Whether what is open can be opened again by its name.
#pragma once

#include "gui/core/open_request.h"

namespace et::gui {

/// False when a file came through a pipe: its name leads to nothing, or to something else, later.
bool is_lasting(const OpenRequest& request);

}  // namespace et::gui
