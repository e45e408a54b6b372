#include "inspector/analysis/ops/shown_types.h"

#include <algorithm>

#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"

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

std::string fused_title(const ShownTypes& shown) {
  constexpr size_t kNamed = 3;
  std::vector<std::string> names;
  for (const std::string& type : shown.types) {
    if (names.empty()) {
      names.push_back(operator_title(type));
    } else if (!only_moves_data(type) && type.find("batch_norm") == std::string::npos) {
      names.emplace_back(operator_base(type));
    }
  }
  const size_t count = names.size();
  const size_t named = count <= kNamed ? count : kNamed - 1;
  std::string out;
  for (size_t i = 0; i < named; ++i) out += (i == 0 ? "" : " + ") + names[i];
  if (named < count) out += " + " + std::to_string(count - named) + " more";
  return out + (shown.inferred ? " ?" : "");
}

}  // namespace et::inspector
