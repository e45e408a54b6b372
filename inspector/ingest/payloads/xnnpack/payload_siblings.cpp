#include "inspector/ingest/payloads/xnnpack/payload_siblings.h"

#include <algorithm>
#include <set>

#include "inspector/match/operator_name.h"
#include "inspector/match/xnnpack_kinds.h"

namespace et::inspector {
namespace {

// Loops that were unrolled share a handle among hundreds of nodes, all alike: their order is all there is.
constexpr size_t kMostCompared = 32;

struct Sibling {
  size_t delegate = 0, node = 0;
};

/// Payload nodes of the whole method that have the same handle and type, in the order in which they run.
std::vector<Sibling> siblings_of(const MethodFacts& method, const PayloadNode& wanted) {
  std::vector<Sibling> out;
  std::set<int32_t> seen;
  for (const InstructionFacts& in : method.instructions) {
    if (in.delegate < 0 || !seen.insert(in.delegate).second) continue;
    const auto d = static_cast<size_t>(in.delegate);
    for (size_t n = 0; n < method.delegates[d].nodes.size(); ++n) {
      const PayloadNode& other = method.delegates[d].nodes[n];
      if (other.debug_handle == wanted.debug_handle && other.type == wanted.type) out.push_back({d, n});
    }
  }
  return out;
}

bool shares_value(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](int64_t v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

/// Whether each payload node beside it could be a graph node beside `graph_node`.
bool has_its_neighbours(const MethodGraph& graph, const DelegateFacts& delegate, size_t node, int32_t graph_node) {
  const auto found = [&](const PayloadNode& neighbour, const std::vector<int32_t>& around) {
    return std::any_of(around.begin(), around.end(), [&](int32_t n) {
      return node_fits_operator(neighbour.type, operator_base(graph.node(n).qualified_op));
    });
  };
  const PayloadNode& own = delegate.nodes[node];
  const std::vector<int32_t> readers = graph.walk->consumers_of(graph_node);
  const std::vector<int32_t> makers = graph.walk->producers_of(graph_node);
  return std::all_of(delegate.nodes.begin(), delegate.nodes.end(), [&](const PayloadNode& other) {
    if (&other == &own || other.inserted || other.debug_handle < 0) return true;
    if (shares_value(own.outputs, other.inputs) && !found(other, readers)) return false;
    return !shares_value(other.outputs, own.inputs) || found(other, makers);
  });
}

/// Pairs all of them so that each has its neighbours; each goes to the node of its own place where that is possible.
class Pairing {
 public:
  Pairing(const MethodGraph& graph, const MethodFacts& method, const std::vector<Sibling>& siblings,
          const std::vector<int32_t>& fits)
      : possible_(siblings.size()), owner_(fits.size(), -1) {
    for (size_t s = 0; s < siblings.size(); ++s) {
      const DelegateFacts& delegate = method.delegates[siblings[s].delegate];
      for (size_t k = 0; k < fits.size(); ++k) {
        const size_t f = (s + k) % fits.size();
        if (has_its_neighbours(graph, delegate, siblings[s].node, fits[f])) possible_[s].push_back(f);
      }
    }
  }

  bool run() {
    for (size_t s = 0; s < possible_.size(); ++s) {
      std::vector<bool> tried(owner_.size(), false);
      if (!place(s, &tried)) return false;
    }
    return true;
  }
  /// Index of the graph node that the sibling went to.
  size_t place_of(size_t sibling) const {
    return static_cast<size_t>(std::find(owner_.begin(), owner_.end(), static_cast<int>(sibling)) - owner_.begin());
  }

 private:
  bool place(size_t s, std::vector<bool>* tried) {
    for (const size_t f : possible_[s]) {
      if ((*tried)[f]) continue;
      (*tried)[f] = true;
      if (owner_[f] >= 0 && !place(static_cast<size_t>(owner_[f]), tried)) continue;
      owner_[f] = static_cast<int>(s);
      return true;
    }
    return false;
  }

  std::vector<std::vector<size_t>> possible_;  // by sibling
  std::vector<int> owner_;                     // by graph node
};

}  // namespace

int32_t node_among_siblings(const MethodGraph& graph, const MethodFacts& method, const std::vector<int32_t>& fits,
                            size_t delegate, size_t node) {
  const std::vector<Sibling> siblings = siblings_of(method, method.delegates[delegate].nodes[node]);
  if (siblings.size() != fits.size()) return -1;
  const auto own = std::find_if(siblings.begin(), siblings.end(),
                                [&](const Sibling& s) { return s.delegate == delegate && s.node == node; });
  if (own == siblings.end()) return -1;
  const auto rank = static_cast<size_t>(own - siblings.begin());
  if (siblings.size() > kMostCompared) return fits[rank];
  Pairing pairing(graph, method, siblings, fits);
  return fits[pairing.run() ? pairing.place_of(rank) : rank];
}

}  // namespace et::inspector
