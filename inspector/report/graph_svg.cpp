// DOT to SVG through Graphviz's C library.
#include "inspector/analysis/graph/graph_layout.h"
#include "inspector/report/graph_format.h"
// clang-format off
#include "inspector/analysis/graph/graphviz_context.h"  // last: Graphviz declares names such as `path` for everybody
// clang-format on

namespace et::inspector {

Status render_svg(const std::string& dot, std::string* out) {
  struct Guard {
    GVC_t* context = nullptr;
    Agraph_t* graph = nullptr;
    char* data = nullptr;
    bool laid_out = false;
    ~Guard() {
      if (data != nullptr) gvFreeRenderData(data);
      if (laid_out) gvFreeLayout(context, graph);
      if (graph != nullptr) agclose(graph);
      if (context != nullptr) gvFreeContext(context);
    }
  };
  const std::lock_guard lock(graphviz_mutex());
  Guard g;
  agseterr(AGMAX);  // it would print to stderr on its own
  g.context = graphviz_context();
  g.graph = g.context == nullptr ? nullptr : agmemread(dot.c_str());
  if (g.graph == nullptr) return {Error::InvalidExternalData, "Graphviz cannot read the graph"};
  if (gvLayout(g.context, g.graph, "dot") != 0) {
    return {Error::InvalidExternalData,
            "Graphviz cannot lay out the graph: is its dot layout plugin there (package libgvc6)?"};
  }
  g.laid_out = true;
  unsigned int length = 0;
  if (gvRenderData(g.context, g.graph, "svg", &g.data, &length) != 0 || g.data == nullptr) {
    return {Error::InvalidExternalData, "Graphviz cannot draw the graph as SVG"};
  }
  out->append(g.data, length);
  return {};
}

}  // namespace et::inspector
