#include "inspector/ingest/payloads/xnnpack/lookup_chains.h"

#include <algorithm>
#include <map>
#include <set>

#include "inspector/match/xnnpack_kinds.h"

namespace et::inspector {
namespace {

constexpr size_t kLongest = 10;  // XNN_MAX_UNARY_FUSION_NODES

bool has(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

class LookupChains {
 public:
  explicit LookupChains(const std::vector<PayloadNode>& nodes) : nodes_(nodes), taken_(nodes.size(), false) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const int64_t v : nodes[i].inputs) {
        std::vector<int32_t>& users = users_[v];
        if (users.empty() || users.back() != static_cast<int32_t>(i)) users.push_back(static_cast<int32_t>(i));
      }
    }
  }

  std::vector<std::vector<int32_t>> run() {
    std::vector<std::vector<int32_t>> chains;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (taken_[i]) continue;
      std::vector<int32_t> chain = from(static_cast<int32_t>(i));
      if (chain.size() < 2) continue;
      for (const int32_t n : chain) taken_[static_cast<size_t>(n)] = true;
      chains.push_back(std::move(chain));
    }
    return chains;
  }

 private:
  const PayloadNode& node(int32_t i) const { return nodes_[static_cast<size_t>(i)]; }

  /// The value that an elementwise node is a function of, -1 for others. `inside`: values of the chain so far.
  int64_t argument(const PayloadNode& n, const std::set<int64_t>& inside) const {
    if (n.outputs.size() != 1 || n.inputs.empty()) return -1;
    if (stem_fits_node(n.type, kUnaryEvent) && n.inputs.size() == 1) return n.inputs[0];
    if (!stem_fits_node(n.type, kBinaryEvent) || n.inputs.size() != 2) return -1;
    const int64_t a = n.inputs[0], b = n.inputs[1];
    if (has(n.scalars, a) && !has(n.scalars, b)) return b;
    if (has(n.scalars, b) && !has(n.scalars, a)) return a;
    return inside.contains(a) && inside.contains(b) ? a : -1;
  }

  std::vector<int32_t> from(int32_t first) const {
    std::vector<int32_t> chain;
    std::set<int64_t> inside;
    const int64_t input = argument(node(first), inside);
    if (input < 0 || !has(node(first).narrow, input)) return chain;
    for (int32_t at = first; at >= 0 && chain.size() < kLongest;) {
      const PayloadNode& n = node(at);
      if (!chain.empty() && (taken_[static_cast<size_t>(at)] || argument(n, inside) < 0)) break;
      chain.push_back(at);
      inside.insert(n.inputs.begin(), n.inputs.end());
      inside.insert(n.outputs.begin(), n.outputs.end());
      const auto users = users_.find(n.outputs[0]);
      at = n.leaves || users == users_.end() || users->second.size() != 1 ? -1 : users->second[0];
    }
    while (!chain.empty() && !has(node(chain.back()).narrow, node(chain.back()).outputs[0])) chain.pop_back();
    return chain;
  }

  const std::vector<PayloadNode>& nodes_;
  std::map<int64_t, std::vector<int32_t>> users_;
  std::vector<bool> taken_;
};

}  // namespace

std::vector<std::vector<int32_t>> find_lookup_chains(const std::vector<PayloadNode>& nodes) {
  return LookupChains(nodes).run();
}

}  // namespace et::inspector
