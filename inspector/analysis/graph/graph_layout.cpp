#include "inspector/analysis/graph/graph_layout.h"

#include <algorithm>
#include <string>

#include "inspector/analysis/graph/graphviz_context.h"

namespace et::inspector {

std::mutex& graphviz_mutex() {
  static std::mutex mutex;
  return mutex;
}

GraphLayout layout_graph(const LayoutInput& input) {
  // dot's time grows much faster than the graph: 0.7 s for 226 boxes in 23 clusters with 321 edges, where the layers
  // take 0.02 s. Nobody waits longer than that.
  constexpr size_t kMostBoxes = 300, kMostEdges = 450;
  GraphLayout out;
  if (input.boxes.size() <= kMostBoxes && input.edges.size() <= kMostEdges && layout_with_graphviz(input, &out).ok()) {
    return out;
  }
  return layout_in_layers(input);
}

namespace {

constexpr double kPointsPerInch = 72;

// Graphviz's functions take char* for texts that they only read.
char* text(const char* s) { return const_cast<char*>(s); }

struct Session {
  GVC_t* context = nullptr;
  Agraph_t* graph = nullptr;
  bool laid_out = false;
  ~Session() {
    if (laid_out) gvFreeLayout(context, graph);
    if (graph != nullptr) agclose(graph);
    if (context != nullptr) gvFreeContext(context);
  }
};

void set(void* object, const char* name, const std::string& value) {
  agsafeset(object, text(name), text(value.c_str()), text(""));
}

// A label of that size: an HTML table, since the font that Graphviz would measure with is not the one that draws.
void set_label(Agraph_t* cluster, const LayoutCluster& c) {
  const std::string html = "<TABLE BORDER=\"0\" FIXEDSIZE=\"TRUE\" WIDTH=\"" +
                           std::to_string(static_cast<int>(std::clamp(c.label_width, 1.0F, 2000.0F))) + "\" HEIGHT=\"" +
                           std::to_string(static_cast<int>(std::clamp(c.label_height, 1.0F, 200.0F))) +
                           "\"><TR><TD></TD></TR></TABLE>";
  char* const stored = agstrdup_html(agroot(cluster), text(html.c_str()));
  agsafeset(cluster, text("label"), stored, text(""));
}

}  // namespace

Status layout_with_graphviz(const LayoutInput& input, GraphLayout* out) {
  const std::lock_guard lock(graphviz_mutex());
  Session s;
  agseterr(AGMAX);  // it would print to stderr on its own
  s.context = graphviz_context();
  Agdesc_t directed = {};  // Agdirected is data of the library, which may not be loaded yet
  directed.directed = directed.maingraph = 1;
  s.graph = agopen(text("g"), directed, nullptr);
  if (s.context == nullptr || s.graph == nullptr) return {Error::InvalidExternalData, "Graphviz does not start"};
  agattr(s.graph, AGRAPH, text("nodesep"), text("0.3"));
  const std::string row_gap = std::to_string(static_cast<double>(input.row_gap) / kPointsPerInch);
  agattr(s.graph, AGRAPH, text("ranksep"), text(row_gap.c_str()));
  agattr(s.graph, AGRAPH, text("nslimit"), text("4"));
  agattr(s.graph, AGRAPH, text("label"), text(""));
  agattr(s.graph, AGRAPH, text("labeljust"), text("l"));
  agattr(s.graph, AGRAPH, text("margin"), text("10"));
  agattr(s.graph, AGNODE, text("shape"), text("box"));
  agattr(s.graph, AGNODE, text("fixedsize"), text("true"));
  agattr(s.graph, AGNODE, text("label"), text(""));
  agattr(s.graph, AGEDGE, text("arrowhead"), text("none"));

  std::vector<Agraph_t*> clusters;
  for (size_t i = 0; i < input.clusters.size(); ++i) {
    const LayoutCluster& c = input.clusters[i];
    Agraph_t* const around = c.parent < 0 ? s.graph : clusters[static_cast<size_t>(c.parent)];
    Agraph_t* const made = agsubg(around, text(("cluster_" + std::to_string(i)).c_str()), 1);
    set_label(made, c);
    clusters.push_back(made);
  }
  std::vector<Agnode_t*> nodes;
  for (size_t i = 0; i < input.boxes.size(); ++i) {
    const LayoutBox& box = input.boxes[i];
    Agraph_t* const in = box.cluster < 0 ? s.graph : clusters[static_cast<size_t>(box.cluster)];
    Agnode_t* const node = agnode(in, text(std::to_string(i).c_str()), 1);
    set(node, "width", std::to_string(static_cast<double>(box.width) / kPointsPerInch));
    set(node, "height", std::to_string(static_cast<double>(box.height) / kPointsPerInch));
    nodes.push_back(node);
  }
  std::vector<Agedge_t*> edges;
  for (size_t i = 0; i < input.edges.size(); ++i) {
    const LayoutEdge& e = input.edges[i];
    edges.push_back(agedge(s.graph, nodes[static_cast<size_t>(e.from)], nodes[static_cast<size_t>(e.to)],
                           text(std::to_string(i).c_str()), 1));
  }
  if (gvLayout(s.context, s.graph, "dot") != 0) {
    return {Error::InvalidExternalData,
            "Graphviz cannot lay out the graph: is its dot layout plugin there (package libgvc6)?"};
  }
  s.laid_out = true;

  const auto left = GD_bb(s.graph).LL.x, top = GD_bb(s.graph).UR.y;
  const auto point = [&](const pointf& p) {
    return LayoutPoint{static_cast<float>(p.x - left), static_cast<float>(top - p.y)};
  };
  GraphLayout result;
  result.graphviz = true;
  result.width = static_cast<float>(GD_bb(s.graph).UR.x - left);
  result.height = static_cast<float>(top - GD_bb(s.graph).LL.y);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const LayoutPoint at = point(ND_coord(nodes[i]));
    const float w = input.boxes[i].width / 2, h = input.boxes[i].height / 2;
    result.boxes.push_back({{at.x - w, at.y - h}, {at.x + w, at.y + h}});
  }
  for (Agraph_t* cluster : clusters) {
    const LayoutPoint a = point(GD_bb(cluster).LL), b = point(GD_bb(cluster).UR);
    result.clusters.push_back({{a.x, b.y}, {b.x, a.y}});
  }
  for (Agedge_t* edge : edges) {
    std::vector<LayoutPoint>& points = result.edges.emplace_back();
    const splines* const spline = edge == nullptr ? nullptr : ED_spl(edge);
    if (spline == nullptr || spline->size < 1) continue;
    const bezier& b = spline->list[0];
    for (int i = 0; i < static_cast<int>(b.size); ++i) points.push_back(point(b.list[i]));
  }
  *out = std::move(result);
  return {};
}

}  // namespace et::inspector
