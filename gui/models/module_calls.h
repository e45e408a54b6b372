// Which call of a module a node belongs to, when the model calls the same module several times.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "inspector/analysis/graph/graph_model.h"

namespace et::gui {

/// Within one call nothing leaves a module and comes back: data that did comes into the next call. Parts that are too
/// unlike to be calls of one thing are left together.
class ModuleCalls {
 public:
  /// `module`: path of the module that each node is drawn in.
  ModuleCalls(const inspector::GraphModel& graph, const std::vector<const std::string*>& module);
  /// From 1; always 1 for a module that is called once.
  int32_t call_of(size_t node, const std::string& path) const;
  int32_t count(const std::string& path) const;

 private:
  struct Calls {
    int32_t count = 1;
    std::unordered_map<size_t, int32_t> of;
  };
  static Calls find(const inspector::GraphModel& graph, const std::vector<size_t>& nodes);

  std::unordered_map<std::string, Calls> calls_;  ///< only of modules that are called several times
};

}  // namespace et::gui
