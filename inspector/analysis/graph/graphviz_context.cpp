#include "inspector/analysis/graph/graphviz_context.h"

#ifdef ET_GRAPHVIZ_PLUGINS

#include <graphviz/gvcext.h>
#include <graphviz/gvplugin.h>

extern "C" {
extern gvplugin_library_t gvplugin_core_LTX_library;
extern gvplugin_library_t gvplugin_dot_layout_LTX_library;
}

#endif

namespace et::inspector {

GVC_t* graphviz_context() {
#ifdef ET_GRAPHVIZ_PLUGINS
  static const lt_symlist_t kPlugins[] = {{"gvplugin_core_LTX_library", &gvplugin_core_LTX_library},
                                          {"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
                                          {nullptr, nullptr}};
  constexpr int kNoOthers = 0;
  return gvContextPlugins(kPlugins, kNoOthers);
#else
  return gvContext();
#endif
}

}  // namespace et::inspector
