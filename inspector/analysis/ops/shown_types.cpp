#include "inspector/analysis/ops/shown_types.h"

#include <algorithm>

namespace et::inspector {
namespace {

void add_once(std::vector<std::string>* types, const std::string& type) {
  if (!type.empty() && std::find(types->begin(), types->end(), type) == types->end()) types->push_back(type);
}

}  // namespace

ShownTypes shown_types(const OpTable& table, const OpEntry& op) {
  ShownTypes out;
  const OpNode* main = table.main_node(op);
  const bool charged = main != nullptr && main->weight > 0;
  if (op.op_types.empty()) {
    if (charged) add_once(&out.types, main->node->op);
    out.inferred = !out.types.empty();
    return out;
  }
  const auto known = [&](const std::string& type) {
    return std::find(op.op_types.begin(), op.op_types.end(), type) != op.op_types.end();
  };
  if (charged && known(main->node->op)) add_once(&out.types, main->node->op);
  if ((op.kind == "kernel" || op.kind == "operator_call") && !out.types.empty()) {
    for (size_t i = op.first_node; i < op.first_node + op.nodes; ++i) {
      if (table.nodes[i].weight > 0) add_once(&out.types, table.nodes[i].node->op);
    }
    return out;
  }
  for (const std::string& type : op.op_types) add_once(&out.types, type);
  return out;
}

}  // namespace et::inspector
