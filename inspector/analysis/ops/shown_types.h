// The operator types that a row shows: of a kernel those of the nodes that its time is charged to, of a delegate's
// event all that it stands for. Nodes that are only possible (several share a debug handle) are not among them.
#pragma once

#include <string>
#include <vector>

#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

struct ShownTypes {
  std::vector<std::string> types;  ///< each once, that of the main node first; empty without links
  bool inferred = false;           ///< no sure link: the type of the node that is charged
};
ShownTypes shown_types(const OpTable& table, const OpEntry& op);

/// "aten.linear + gelu" of a fused op; of more than three "aten.linear + mul + 4 more". Not named are what computes
/// nothing of its own in it: views, copies, quantisation, a batch norm that is folded into the weights. With " ?" when
/// inferred, "" without links.
std::string fused_title(const ShownTypes& shown);

}  // namespace et::inspector
