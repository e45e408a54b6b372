// What the linker needs to know of a method, computed once.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "inspector/ingest/linker.h"

namespace et::inspector {

struct Linker::MethodIndex {
  std::string method;
  const MethodGraph* graph = nullptr;  // null: the record has no graph of this method
  const RecordImport* record = nullptr;

  // Handle → instructions outside of delegates that carry it, in order; with the kernel each calls where it is known.
  std::map<int64_t, std::vector<int64_t>> instructions_of_handle;
  std::map<int64_t, std::string> kernel_of_instruction;  // base names
  std::set<int64_t> mapped_handles;                      // in any entry of the record's map

  const std::vector<int32_t>& nodes(int64_t handle) const { return graph->walk->nodes_of_handle(handle); }
};

/// Adds a link unless the op has a better one to that node.
inline void add_link(Op& op, int32_t node, Via via, double confidence) {
  const auto it = std::find_if(op.links.begin(), op.links.end(), [&](const Link& l) { return l.node == node; });
  if (it == op.links.end()) {
    op.links.push_back({node, via, confidence, 0});
  } else if (it->confidence < confidence) {
    it->via = via;
    it->confidence = confidence;
  }
}

inline void note_handle(Op& op, int64_t handle) {
  op.has_handles = true;
  if (std::find(op.handles.begin(), op.handles.end(), handle) == op.handles.end()) op.handles.push_back(handle);
}

}  // namespace et::inspector
