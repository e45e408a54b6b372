#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inspector/analysis/ops/module_tree.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/tree_builder.h"

namespace et::inspector {
namespace {

std::string runner_of(const OpPart& part) {
  switch (part.part) {
    case Part::Delegate:
      return backend_title(part.backend.str());
    case Part::Kernel:
      return "kernels";
    case Part::Control:
      return "control flow";
    case Part::Framework:
      break;
  }
  return "framework";
}

std::string type_of(const OpTable& table, const OpEntry& op) {
  return op.encloses ? own_time_title(table, op) : type_title(table, op);
}

}  // namespace

CostTree type_tree(const OpTable& table) {
  TreeBuilder b(table);
  const std::vector<OpPart> parts = parts_of(table);
  struct Charged {
    size_t op;
    int32_t method;
  };
  std::map<std::pair<int32_t, std::string>, std::vector<Charged>> runners;
  std::vector<std::pair<int32_t, std::string>> order;  // as they first ran
  for (const OpBlock& block : table.blocks) {
    if (!b.counted(block)) continue;
    const int32_t method = b.method_node(block);
    for (size_t i = block.first_op; i < block.first_op + block.ops; ++i) {
      if (!b.counted(table.ops[i])) continue;
      auto [at, made] = runners.try_emplace({method, runner_of(parts[i])});
      if (made) order.push_back(at->first);
      at->second.push_back({i, method});
    }
  }
  for (const auto& key : order) {
    const int32_t runner = b.child(key.first, CostKind::Group, key.second);
    std::map<std::string, int> alike;
    for (const Charged& c : runners[key]) ++alike[type_of(table, table.ops[c.op])];
    for (const Charged& c : runners[key]) {
      const OpEntry& op = table.ops[c.op];
      const std::string type = type_of(table, op);
      const CostKind kind = op.encloses ? CostKind::Unattributed : CostKind::Call;
      int32_t at = runner;
      if (alike[type] > 1) at = b.child(runner, CostKind::Group, type);
      at = b.add(at, kind, b.keep(alike[type] > 1 ? op_title(table, op) : type));
      CostNode& n = b.node(at);
      n.type = b.keep(op.kind.str());
      n.op = static_cast<int32_t>(c.op);
      if (const OpNode* main = table.main_node(op); main != nullptr && main->node->has_module)
        n.path = b.keep(main->node->module_path);
      b.charge(at, c.op, op.cost);
    }
  }
  return b.finish();
}

}  // namespace et::inspector
