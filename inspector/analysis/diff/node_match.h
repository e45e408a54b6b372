// Which graph node of one trace is which of another: of builds, devices, delegates or quantisations of one model. Names
// of nodes and numbers of lines change from export to export, so what a node is decides: operator, module, line, place
// among those that are alike, in stages from the surest to the loosest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspector/analysis/diff/unknown_method.h"
#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

enum class NodeMatchVia : uint8_t {
  Same,       ///< name, operator, module and line
  Renamed,    ///< operator, module and line
  Moved,      ///< operator and module; the line is another one
  OtherPath,  ///< operator and line; the module has another path
  Order,      ///< operator and place between nodes that were matched
  Place,      ///< module and line alone: decomposed or lowered in another way
};
/// "the same", "renamed", "moved" …
const char* node_match_name(NodeMatchVia via);

/// "model.py:12", without folders: builds are made in many places. "" without a file.
std::string short_place(const NodeFacts& node);

struct NodeMatch {
  int64_t a = 0, b = 0;  ///< NodeFacts::id
  NodeMatchVia via = NodeMatchVia::Same;
};

/// Pairs of nodes. Each node is in one pair at most, but for those by place: several of one side may do what others of
/// the other side do. Files are compared by their names without folders: builds are made in many places.
std::vector<NodeMatch> match_nodes(const OpTable& a, const OpTable& b, const UnknownMethods& unknown = {});

}  // namespace et::inspector
