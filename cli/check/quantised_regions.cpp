#include "cli/check/quantised_regions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace et::cli {
namespace {

using etrecord::Node;

/// "quantize_per_tensor" of "quantized_decomposed.quantize_per_tensor.default".
std::string_view base_name(const Node& node) {
  const std::string_view op = node.qualified_op;
  const size_t first = op.find('.');
  if (first == std::string_view::npos) return op;
  return op.substr(first + 1, op.find('.', first + 1) - first - 1);
}

bool quantises(const Node& node) { return base_name(node).starts_with("quantize_"); }
bool dequantises(const Node& node) { return base_name(node).starts_with("dequantize_"); }

std::string first_input(const Node& node) {
  if (node.inputs.empty() || node.inputs[0].strings.empty()) return {};
  return node.inputs[0].strings[0];
}

/// Names of the program's inputs that are constants.
std::set<std::string> constants_of(const etrecord::Program& program) {
  std::set<std::string> out;
  for (const etrecord::InputSpec& spec : program.signature.inputs) {
    if (spec.kind != etrecord::InputKind::UserInput) out.insert(spec.value);
  }
  return out;
}

void add_regions(const etrecord::Record& record, const etrecord::Program& program, std::set<int32_t>* seen,
                 std::vector<QuantisedRegion>* out) {
  const std::set<std::string> constants = constants_of(program);
  std::map<std::pair<int32_t, std::string>, const Node*> makers;
  std::map<const Node*, size_t> places;
  for (const Node& node : program.nodes) {
    for (const std::string& name : node.outputs) makers[{node.graph, name}] = &node;
  }
  for (const Node& node : program.nodes) {
    if (node.delegate >= 0 && static_cast<size_t>(node.delegate) < program.delegates.size()) {
      const int32_t inner = program.delegates[static_cast<size_t>(node.delegate)].program;
      if (inner >= 0 && seen->insert(inner).second)
        add_regions(record, record.programs()[static_cast<size_t>(inner)], seen, out);
      continue;
    }
    if (!dequantises(node)) continue;
    const std::string input = first_input(node);
    const auto maker = makers.find({node.graph, input});
    if (maker == makers.end()) {
      if (constants.contains(input)) out->push_back({true, nullptr, {&node}});
      continue;
    }
    if (!quantises(*maker->second)) continue;
    const auto [place, fresh] = places.try_emplace(maker->second, out->size());
    if (fresh) out->push_back({false, maker->second, {}});
    (*out)[place->second].dequantising.push_back(&node);
  }
}

}  // namespace

std::vector<QuantisedRegion> quantised_regions(const etrecord::Record& record, const etrecord::Program& program) {
  std::vector<QuantisedRegion> out;
  std::set<int32_t> seen;
  add_regions(record, program, &seen, &out);
  return out;
}

}  // namespace et::cli
