#include "inspector/ingest/method_graph.h"

#include <set>
#include <string>

namespace et::inspector {
namespace {

/// Nodes stand in execution order, so what makes a value is known before what reads it.
std::vector<bool> find_constants(const etrecord::Program& program, const etrecord::GraphWalk& walk) {
  std::vector<bool> constant(program.nodes.size(), false);
  std::set<std::string> written;  // state is no constant
  for (const etrecord::OutputSpec& o : program.signature.outputs) {
    if (o.kind == etrecord::OutputKind::BufferMutation || o.kind == etrecord::OutputKind::ParameterMutation)
      written.insert(o.target);
  }
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const etrecord::Node& n = program.nodes[i];
    bool reads = false, all = true;
    for (const etrecord::Argument& a : n.inputs) {
      for (const std::string& value : a.tensor_names()) {
        if (value.empty()) continue;
        reads = true;
        const int32_t producer = walk.producer(n.graph, value);
        const std::string* const name = n.graph == 0 ? program.fqn(value) : nullptr;
        const bool parameter = name != nullptr && !written.contains(*name);
        all &= parameter || (producer >= 0 && constant[static_cast<size_t>(producer)]);
      }
    }
    constant[i] = reads && all;
  }
  return constant;
}

}  // namespace

void MethodGraph::use(const etrecord::Program& to_link) {
  program = &to_link;
  walk = std::make_unique<etrecord::GraphWalk>(to_link);
  constant_ = find_constants(to_link, *walk);
}

}  // namespace et::inspector
