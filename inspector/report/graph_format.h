// Inside of the graph report: the writers of the formats, and how arguments are spelt.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "inspector/analysis/graph/graph_model.h"
#include "inspector/report/graph_report.h"

namespace et::inspector {

void write_graph_text(const GraphModel& model, const GraphOptions& options, std::string* out);
/// `models` become one digraph. `errors`: what makes it no answer, on top.
void write_graph_dot(const std::vector<GraphModel>& models, const GraphOptions& options,
                     const std::vector<std::string>& errors, std::string* out);
/// One object: "errors", and "methods", each with its nodes in the order of execution and its delegates.
void write_graph_json(const std::vector<GraphModel>& models, const std::vector<std::string>& errors, std::string* out);
/// Errors: InvalidExternalData when Graphviz refuses the graph.
Status render_svg(const std::string& dot, std::string* out);

/// Names of values that are printed under another one.
using GraphRenames = std::map<std::string, std::string>;

/// "args = (%x, [1, 2]), kwargs = {dtype: torch.float32}", spelt as torch.fx spells them.
std::string call_arguments(const GraphModel& model, const GraphNode& node, const GraphRenames& renames);
/// The target as torch.fx prints it: "executorch.exir.dialects.edge._ops.aten.add.Tensor".
std::string call_target(const GraphNode& node);

}  // namespace et::inspector
