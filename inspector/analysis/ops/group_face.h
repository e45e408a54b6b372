// What people see of a set of ops: its most expensive op, which stands for the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

struct GroupFace {
  std::string title;   ///< "aten.linear.default", "aten.linear.default +2" with others, "… ×18" of equal ones
  std::string method;  ///< "" when it is not known
  std::string place;   ///< "model.py:12"; "" for what belongs to no line
  std::string module;  ///< path, "" for none
  const OpEntry* op = nullptr;  ///< of the table; null without ops
};

/// `ops`: indices.
GroupFace group_face(const OpTable& table, const std::vector<uint32_t>& ops);

}  // namespace et::inspector
