#include "inspector/analysis/size/operator_names.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/xnnpack_kinds.h"

namespace et::inspector {
namespace {

/// Ops that ran, linked to what they are charged to; what a backend prepared is none.
constexpr const char* kOpOfPayload =
    "SELECT o.op_id FROM delegates d JOIN payload_nodes p ON p.delegate_id = d.delegate_id JOIN ops o ON "
    "o.payload_node_id = p.payload_node_id WHERE d.trace_id = ?1 AND d.method = ?2 AND d.ordinal = ?3 AND p.ordinal = "
    "?4 AND o.role IS NULL AND EXISTS (SELECT 1 FROM links l WHERE l.op_id = o.op_id AND l.weight > 0) ORDER BY "
    "o.op_id "
    "LIMIT 1";
constexpr const char* kOpOfInstruction =
    "SELECT o.op_id FROM ops o JOIN blocks b ON b.block_id = o.block_id WHERE o.trace_id = ?1 AND b.method = ?2 AND "
    "o.instruction_id = ?3 AND o.kind = 'kernel' AND EXISTS (SELECT 1 FROM links l WHERE l.op_id = o.op_id AND "
    "l.weight "
    "> 0) ORDER BY o.op_id LIMIT 1";
constexpr const char* kNodesOfPayload =
    "SELECT n.op FROM delegates d JOIN payload_nodes p ON p.delegate_id = d.delegate_id JOIN nodes n ON n.trace_id = "
    "d.trace_id AND n.graph = 'edge' AND n.debug_handle = p.debug_handle AND coalesce(n.method, d.method) = d.method "
    "WHERE d.trace_id = ?1 AND d.method = ?2 AND d.ordinal = ?3 AND p.ordinal = ?4 AND n.op IS NOT NULL";
constexpr const char* kNodesOfInstruction =
    "SELECT n.op FROM instructions i, json_each(i.debug_handles) h JOIN nodes n ON n.trace_id = i.trace_id AND n.graph "
    "= 'edge' AND n.debug_handle = h.value AND coalesce(n.method, i.method) = i.method WHERE i.trace_id = ?1 AND "
    "i.method = ?2 AND i.instruction_id = ?3 AND n.op IS NOT NULL";

class OperatorNamer {
 public:
  OperatorNamer(const Store& store, int64_t trace_id) : store_(store), trace_(trace_id) {}

  Status name(ProgramSize* size) {
    Status status = store_.prepare(kOpOfPayload, &op_of_payload_);
    if (status.ok()) status = store_.prepare(kOpOfInstruction, &op_of_instruction_);
    if (status.ok()) status = store_.prepare(kNodesOfPayload, &nodes_of_payload_);
    if (status.ok()) status = store_.prepare(kNodesOfInstruction, &nodes_of_instruction_);
    for (SizeEntry& e : size->entries) {
      if (!status.ok()) return status;
      // A payload as a whole is used by no operator.
      if (e.used_by.empty() || (e.payload_node < 0 && e.instruction < 0)) continue;
      const auto [at, fresh] = names_.try_emplace({e.method, e.delegate, e.payload_node, e.instruction});
      if (fresh) status = find(e, &at->second);
      e.operator_name = at->second;
    }
    return status;
  }

 private:
  Status find(const SizeEntry& e, std::string* name) {
    const bool inside = e.payload_node >= 0;
    Statement& op = inside ? op_of_payload_ : op_of_instruction_;
    bind(op, e);
    const int64_t id = op.step() ? op.integer(0) : 0;
    op.reset();
    if (id > 0) *name = stored_op_title(store_, id);
    if (id > 0) return {};
    // Not run, or without an ETDump. One handle may stand for all nodes that an operator was decomposed into.
    Statement& nodes = inside ? nodes_of_payload_ : nodes_of_instruction_;
    bind(nodes, e);
    std::set<std::string> fits;
    while (nodes.step()) {
      const std::string node = nodes.str(0);
      const std::string_view base = operator_base(node);
      if (inside ? node_fits_operator(e.used_by, base) : same_operator(base, operator_base(e.used_by)))
        fits.insert(operator_title(node));
    }
    nodes.reset();
    if (fits.size() == 1) *name = *fits.begin();
    return nodes.finish("nodes");
  }

  void bind(Statement& st, const SizeEntry& e) const {
    if (e.payload_node >= 0) {
      st.bind_all(trace_, e.method, e.delegate, e.payload_node);
    } else {
      st.bind_all(trace_, e.method, e.instruction);
    }
  }

  const Store& store_;
  const int64_t trace_;
  Statement op_of_payload_, op_of_instruction_, nodes_of_payload_, nodes_of_instruction_;
  std::map<std::tuple<std::string, int64_t, int64_t, int64_t>, std::string> names_;
};

}  // namespace

Status name_operators(const Store& store, int64_t trace_id, ProgramSize* size) {
  return OperatorNamer(store, trace_id).name(size);
}

}  // namespace et::inspector
