// Graphviz with the layout and the output that we use: from the plugins that the system has, or from those that are
// linked (ET_GRAPHVIZ_PLUGINS), where nobody installed Graphviz.
#pragma once

#include <graphviz/gvc.h>

namespace et::inspector {

GVC_t* graphviz_context();

}  // namespace et::inspector
