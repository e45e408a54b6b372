#include "inspector/analysis/size/tensor_names.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/graph/graph_model.h"
#include "inspector/match/operator_name.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

/// Delegates store weights with dimensions in another order and with more of size 1.
using Extents = std::vector<int64_t>;

Extents extents_of(const std::string& shape) {
  Extents out;
  for (size_t i = 0; i < shape.size();) {
    if (std::isdigit(static_cast<unsigned char>(shape[i])) == 0) {
      ++i;
      continue;
    }
    size_t used = 0;
    const int64_t extent = std::stoll(shape.substr(i, 18), &used);
    if (extent != 1) out.push_back(extent);
    i += used;
  }
  std::sort(out.begin(), out.end());
  return out;
}

struct NamedConstant {
  std::string name;
  Extents extents;
};

struct NamedGraphNode {
  std::string op;
  std::vector<std::string> takes;  // names of values
};

struct NamedGraph {
  std::map<std::string, NamedConstant> constants;  // by the name of the value
  std::map<std::string, NamedGraphNode> nodes;
  std::map<int64_t, std::vector<std::string>> by_handle;
};

class TensorNamer {
 public:
  TensorNamer(const Store& store, int64_t trace_id) : store_(store), trace_(trace_id) {}

  Status name(ProgramSize* size) {
    Status status = read_graphs();
    if (status.ok()) status = prepare();
    if (!status.ok() || graphs_.empty()) return status;
    for (SizeEntry& e : size->entries) {
      if (!is_made_up_name(e.name) || is_scale(e)) continue;
      std::string name;
      if (status = find_name(e, &name); !status.ok()) return status;
      // What the export made up says less than the module.
      const bool exported = name.starts_with("_") && !e.module.empty();
      if (!name.empty()) give(&e, exported ? e.module + ", " + name : name);
    }
    for (SizeEntry& e : size->entries) {
      if (status = name_others(&e); !status.ok()) return status;
    }
    for (SizeEntry& e : size->entries) {
      if (!is_made_up_name(e.name)) continue;
      const auto weight = weights_.find(place_of(e));
      if (is_scale(e) && weight != weights_.end()) give(&e, weight->second + ", scales");
      if (!is_scale(e) && e.payload_node >= 0) name_folded_bias(&e);
    }
    for (SizeEntry& e : size->entries) {
      const auto now = given_.find({e.same_as, e.bytes});
      if (now != given_.end()) e.same_as = now->second;
    }
    return {};
  }

 private:
  using Place = std::tuple<std::string, int64_t, int64_t, int64_t>;
  static Place place_of(const SizeEntry& e) { return {e.method, e.delegate, e.payload_node, e.argument}; }
  static bool is_scale(const SizeEntry& e) { return e.group.starts_with("scales of "); }

  void give(SizeEntry* e, const std::string& name) {
    given_.emplace(std::pair{e->name, e->bytes}, name);
    if (e->payload_node >= 0 && !is_scale(*e)) weights_.emplace(place_of(*e), name);
    e->stored_as = std::exchange(e->name, name);
  }

  Status read_graphs() {
    Statement values, nodes;
    Status status = store_.prepare(
        "SELECT coalesce(method, ''), name, target, coalesce(shape, '') FROM graph_values WHERE trace_id = ?1 AND "
        "graph = 'edge' AND subgraph = '' AND role = 'input' AND kind IN ('parameter', 'buffer', 'tensor_constant') "
        "AND "
        "target IS NOT NULL",
        &values);
    if (status.ok()) {
      status = store_.prepare(
          "SELECT coalesce(method, ''), name, coalesce(op, ''), coalesce(arguments, ''), debug_handle FROM nodes WHERE "
          "trace_id = ?1 AND graph = 'edge' ORDER BY ordinal",
          &nodes);
    }
    if (!status.ok()) return status;
    values.bind_all(trace_);
    while (values.step()) graphs_[values.str(0)].constants[values.str(1)] = {values.str(2), extents_of(values.str(3))};
    if (status = values.finish("constants"); !status.ok() || graphs_.empty()) return status;
    nodes.bind_all(trace_);
    while (nodes.step()) {
      NamedGraph& graph = graphs_[nodes.str(0)];
      NamedGraphNode& node = graph.nodes[nodes.str(1)];
      node.op = nodes.str(2);
      for (const GraphArgument& argument : split_arguments(nodes.str(3))) {
        for (const std::string_view word : identifiers(argument.text)) node.takes.emplace_back(word);
      }
      if (const auto handle = nodes.maybe_integer(4)) graph.by_handle[*handle].push_back(nodes.str(1));
    }
    return nodes.finish("nodes");
  }

  Status prepare() {
    const Status status = store_.prepare(
        "SELECT h.value FROM instructions i, json_each(i.debug_handles) h WHERE i.trace_id = ?1 AND i.method = ?2 AND "
        "i.instruction_id = ?3",
        &by_instruction_);
    if (!status.ok()) return status;
    return store_.prepare(
        "SELECT p.debug_handle FROM delegates d JOIN payload_nodes p ON p.delegate_id = d.delegate_id WHERE d.trace_id "
        "= ?1 AND d.method = ?2 AND d.ordinal = ?3 AND p.ordinal = ?4 AND p.debug_handle IS NOT NULL",
        &by_payload_);
  }

  /// Equal tensors are stored once: the names that the model has for them at other instructions.
  Status name_others(SizeEntry* e) {
    std::set<std::string> names;
    for (const SizeUse& use : e->others) {
      SizeEntry other;
      other.method = use.method;
      other.instruction = use.instruction;
      other.argument = use.argument;
      other.place = use.place;
      other.used_by = use.used_by;
      other.shape = e->shape;
      std::string name;
      if (const Status s = find_name(other, &name); !s.ok()) return s;
      if (!name.empty() && name != e->name) names.insert(std::move(name));
    }
    if (!names.empty()) e->shared_with = joined(names, ", ");
    return {};
  }

  Status find_name(const SizeEntry& e, std::string* name) {
    const auto at = graphs_.find(e.method);
    if (at == graphs_.end() || (e.payload_node < 0 && e.instruction < 0)) return {};
    const NamedGraph& graph = at->second;
    Statement& handles = e.payload_node >= 0 ? by_payload_ : by_instruction_;
    if (e.payload_node >= 0) {
      handles.bind_all(trace_, e.method, e.delegate, e.payload_node);
    } else {
      handles.bind_all(trace_, e.method, e.instruction);
    }
    std::vector<std::string> nodes;
    while (handles.step()) {
      const auto of_handle = graph.by_handle.find(handles.integer(0));
      if (of_handle != graph.by_handle.end())
        nodes.insert(nodes.end(), of_handle->second.begin(), of_handle->second.end());
    }
    handles.reset();
    if (const Status s = handles.finish("handles"); !s.ok()) return s;
    // One handle may stand for all nodes that an operator was decomposed into.
    const std::string_view base = operator_base(e.used_by);
    const auto is_other = [&](const std::string& node) {
      return !same_operator(operator_base(graph.nodes.at(node).op), base);
    };
    if (!std::all_of(nodes.begin(), nodes.end(), is_other)) std::erase_if(nodes, is_other);
    const Extents extents = extents_of(e.shape);
    std::vector<std::string> found = constants_of(graph, nodes, extents, false);
    // The handle of a fused node may be that of its last operator, behind the one that has the weight.
    if (found.empty() && e.payload_node >= 0 && extents.size() > 1) found = constants_of(graph, nodes, extents, true);
    if (static_cast<size_t>(e.place) < found.size()) *name = found[static_cast<size_t>(e.place)];
    return {};
  }

  /// Names of the constants of these extents that the nodes take, in the order of their arguments: through what only
  /// moves data, or through some nodes of any kind, up to the first that has one.
  static std::vector<std::string> constants_of(const NamedGraph& graph, const std::vector<std::string>& nodes,
                                               const Extents& extents, bool any) {
    constexpr int kFusedSteps = 4;
    std::vector<std::string> out;
    std::set<std::string> seen(nodes.begin(), nodes.end());
    std::deque<std::pair<std::string, int>> open;
    for (const std::string& node : nodes) open.emplace_back(node, 0);
    while (!open.empty() && (!any || out.empty())) {
      const auto [name, steps] = open.front();
      open.pop_front();
      for (const std::string& taken : graph.nodes.at(name).takes) {
        const auto constant = graph.constants.find(taken);
        if (constant != graph.constants.end() && constant->second.extents == extents &&
            std::find(out.begin(), out.end(), constant->second.name) == out.end())
          out.push_back(constant->second.name);
        const auto node = graph.nodes.find(taken);
        if (node == graph.nodes.end() || (any ? steps >= kFusedSteps : !only_moves_data(node->second.op))) continue;
        if (seen.insert(taken).second) open.emplace_back(taken, steps + 1);
      }
    }
    return out;
  }

  /// A normalisation that went into the weights leaves a bias that the model does not have.
  void name_folded_bias(SizeEntry* e) {
    if (extents_of(e->shape).size() > 1) return;
    for (int64_t argument = 0; argument < e->argument; ++argument) {
      const auto weight = weights_.find({e->method, e->delegate, e->payload_node, argument});
      constexpr std::string_view kWeight = ".weight";
      if (weight == weights_.end() || !weight->second.ends_with(kWeight)) continue;
      return give(e, weight->second.substr(0, weight->second.size() - kWeight.size()) + ", folded bias");
    }
  }

  const Store& store_;
  const int64_t trace_;
  std::map<std::string, NamedGraph> graphs_;
  Statement by_instruction_, by_payload_;
  std::map<Place, std::string> weights_;
  std::map<std::pair<std::string, int64_t>, std::string> given_;  // by the name before, and bytes
};

}  // namespace

bool is_made_up_name(const std::string& name) {
  if (name.starts_with("value ")) return true;
  const std::string_view hash = std::string_view(name).substr(name.rfind('_') + 1);  // also of scale_38723a…
  return hash.size() >= 32 &&
         std::all_of(hash.begin(), hash.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

Status name_tensors(const Store& store, int64_t trace_id, ProgramSize* size) {
  return TensorNamer(store, trace_id).name(size);
}

}  // namespace et::inspector
