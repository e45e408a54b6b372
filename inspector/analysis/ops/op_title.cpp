#include "inspector/analysis/ops/op_title.h"

#include <algorithm>
#include <vector>

#include "base/json_list_reader.h"
#include "inspector/analysis/ops/called_kernel.h"
#include "inspector/analysis/ops/shown_types.h"
#include "inspector/match/operator_name.h"

namespace et::inspector {
namespace {

/// Without a graph operator that speaks for it.
std::string event_title(std::string_view kind, std::string_view name, std::string_view backend) {
  if (kind == "delegate_call" && (!backend.empty() || name == "DELEGATE_CALL")) return backend_title(backend) + " call";
  const std::string_view kernel = kernel_name(name);
  return std::string(kernel.empty() ? name : kernel);
}

}  // namespace

std::string backend_title(std::string_view backend) {
  return backend.empty() ? "unnamed backend" : std::string(backend);
}

std::string operator_title(std::string_view op) {
  constexpr std::string_view kSaysNothing = ".default";
  if (op.size() > kSaysNothing.size() && op.ends_with(kSaysNothing)) op.remove_suffix(kSaysNothing.size());
  return std::string(op);
}

std::string op_title(const OpTable& table, const OpEntry& op) {
  // What the backend does besides the model's operators keeps its name, though it may be charged to a node.
  if (op.kind != "delegate_call" && (!op.op_types.empty() || !op.role)) {
    const ShownTypes shown = shown_types(table, op);
    // Of several that are only possible none is the op's name.
    const bool charged = shown.types.size() == 1 || (table.main_node(op) != nullptr && table.main_node(op)->weight > 0);
    if (charged && !shown.types.empty()) return operator_title(shown.types.front());
  }
  if (op.called) return operator_title(op.called.text());
  return event_title(op.kind.str(), op.name.str(), op.backend.text());
}

std::string_view type_of_event(std::string_view name) {
  return name.substr(0, std::min({name.find(" ("), name.find(" #"), name.find(" node "), name.find(" op ")}));
}

std::string type_title(const OpTable& table, const OpEntry& op) {
  return std::string(type_of_event(op_title(table, op)));
}

std::string row_title(const OpTable& table, const OpEntry& op) {
  if (op.encloses) return op_title(table, op);  // what is inside has rows of its own
  const ShownTypes shown = shown_types(table, op);
  return !shown.inferred && shown.types.size() > 1 ? fused_title(shown) : op_title(table, op);
}

std::string own_time_title(const OpTable& table, const OpEntry& op) {
  if (!op.encloses) return row_title(table, op);
  if (op.kind == "framework") return op.name == "Method::execute" ? "framework" : "framework (" + op.name + ")";
  if (const OpEntry& kernel = called_kernel(table, op); &kernel != &op) return "calling " + op_title(table, kernel);
  return "(unattributed) in " + op_title(table, op);
}

std::string stored_op_title(const Store& store, int64_t op_id) {
  Statement st =
      store.query("SELECT kind, name, coalesce(backend, ''), op_types, role IS NULL FROM ops WHERE op_id = ?1");
  st.bind_all(op_id);
  if (!st.step()) return "";
  const std::string kind = st.str(0);
  const std::vector<std::string> types = json_strings(st.text(3));
  if (kind != "delegate_call" && (!types.empty() || st.integer(4) != 0)) {
    if (types.size() == 1) return operator_title(types.front());
    // As OpTable::main_node() chooses.
    Statement main = store.query(
        "SELECT n.op FROM links l JOIN nodes n ON n.node_id = l.node_id WHERE l.op_id = ?1 AND l.weight > 0 ORDER BY "
        "coalesce(n.file, '') = '', l.weight DESC, l.confidence DESC, l.ordinal LIMIT 1");
    main.bind_all(op_id);
    if (main.step()) {
      const std::string type = main.str(0);
      const bool known = types.empty() || std::find(types.begin(), types.end(), type) != types.end();
      return operator_title(known ? type : types.front());
    }
  }
  if (kind == "operator_call" && types.empty()) {
    Statement called = store.query(
        "SELECT i.operator FROM ops o JOIN blocks b ON b.block_id = o.block_id JOIN instructions i ON i.trace_id = "
        "o.trace_id AND i.method = b.method AND i.instruction_id = o.instruction_id WHERE o.op_id = ?1 AND i.operator "
        "IS NOT NULL AND NOT EXISTS(SELECT 1 FROM ops inner_op WHERE inner_op.parent_op_id = o.op_id)");
    called.bind_all(op_id);
    if (called.step()) return operator_title(called.text(0));
  }
  return event_title(kind, st.str(1), st.str(2));
}

}  // namespace et::inspector
