// Finds, for graph nodes that a lowering folded into others, the nearest node that still has its own operator.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "inspector/ingest/record_import.h"

namespace et::inspector {

/// `inside`: nodes of the delegate. `host_of_node`: those of them that something stands for, an op or a payload node.
class DataflowSearch {
 public:
  static constexpr int kMaxHops = 6;

  DataflowSearch(const MethodGraph& graph, const std::set<int32_t>& inside,
                 const std::map<int32_t, int32_t>& host_of_node)
      : graph_(graph), inside_(inside), host_of_node_(host_of_node) {}

  /// Nearest node that has a host, going to producers or to consumers inside the delegate. -1 when there is none.
  int32_t nearest(int32_t from, bool up, int* hops) const {
    std::vector<int32_t> frontier{from};
    std::set<int32_t> seen{from};
    for (*hops = 1; *hops <= kMaxHops && !frontier.empty(); ++*hops) {
      std::vector<int32_t> next;
      for (const int32_t at : frontier) {
        const std::vector<int32_t> around = up ? graph_.walk->producers_of(at) : graph_.walk->consumers_of(at);
        for (const int32_t n : around) {
          if (!inside_.contains(n) || !seen.insert(n).second) continue;
          if (host_of_node_.contains(n)) return n;
          next.push_back(n);
        }
      }
      frontier = std::move(next);
    }
    return -1;
  }

 private:
  const MethodGraph& graph_;
  const std::set<int32_t>& inside_;
  const std::map<int32_t, int32_t>& host_of_node_;
};

}  // namespace et::inspector
