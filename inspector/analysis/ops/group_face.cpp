#include "inspector/analysis/ops/group_face.h"

#include <set>
#include <string>

#include "inspector/analysis/diff/node_match.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::inspector {
namespace {

/// A chain of kernels and the fused op that replaces it are one group: what else is fused into an op is no other name.
std::string face_title(const OpTable& table, const OpEntry& op) {
  return op.encloses ? own_time_title(table, op) : op_title(table, op);
}

}  // namespace

GroupFace group_face(const OpTable& table, const std::vector<uint32_t>& ops) {
  GroupFace out;
  const OpEntry* best = nullptr;
  std::set<std::string> titles;
  size_t alike = 0;
  for (const uint32_t i : ops) {
    const OpEntry& op = table.ops[i];
    if (op.is_wrapper() && ops.size() > 1) continue;  // its kernel speaks for it
    ++alike;
    titles.insert(face_title(table, op));
    if (best == nullptr || op.cost > best->cost) best = &op;
  }
  if (best == nullptr) return out;
  out.op = best;
  out.title = face_title(table, *best);
  titles.erase(out.title);
  if (titles.size() == 1) out.title += " + " + *titles.begin();
  if (titles.size() > 1) out.title += " + " + std::to_string(titles.size()) + " more";
  if (alike > 1 && titles.empty() && (best->nodes == 0 || (best->encloses && best->kind == "delegate_call")))
    out.title += " ×" + std::to_string(alike);
  out.method = table.block_of(*best).method.value_or("");
  // What calls of delegates take beyond their events belongs to no line.
  const bool overhead = best->encloses && best->kind == "delegate_call";
  if (const OpNode* const node = table.main_node(*best); node != nullptr && !overhead) {
    out.place = short_place(*node->node);
    out.module = node->node->has_module ? node->node->module_path : "";
  }
  return out;
}

}  // namespace et::inspector
