#include "gui/core/trace_data.h"

#include <algorithm>

namespace et::gui {

using inspector::Store;

int32_t TraceData::find_op(int64_t op_id) const {
  const auto found = table.find(op_id);
  return found ? static_cast<int32_t>(*found) : -1;
}

std::vector<int32_t> TraceData::ops_of_node(const std::string& node_name) const {
  const auto found = by_node_.find(node_name);
  return found == by_node_.end() ? std::vector<int32_t>() : found->second;
}

void TraceData::index() {
  for (size_t i = 0; i < table.ops.size(); ++i) {
    const inspector::OpEntry& op = table.ops[i];
    for (size_t n = op.first_node; n < op.first_node + op.nodes; ++n) {
      by_node_[table.nodes[n].node->name].push_back(static_cast<int32_t>(i));
    }
  }
}

namespace {

Status load_graphs(const Store& store, const Cancel& cancel, TraceData* out) {
  const std::vector<std::string> names = inspector::graph_names(store, out->trace_id());
  if (names.empty()) return {};
  // The graph that the runtime's instructions come from; ETRecords made by hand may have others only.
  const bool has_edge = std::find(names.begin(), names.end(), "edge") != names.end();
  const std::string graph = has_edge ? "edge" : names.front();
  for (const std::string& method : inspector::graph_methods(store, out->trace_id(), graph)) {
    if (cancel.cancelled()) return {};
    inspector::GraphModel model;
    Status status = inspector::load_graph(store, out->trace_id(), method, graph, &model);
    if (!status.ok()) return status;
    out->graphs.push_back(std::move(model));
  }
  return {};
}

}  // namespace

Status load_trace_data(const Store& store, int64_t trace_id, const Cancel& cancel, TraceData* out) {
  out->path = store.path();
  // Paths stay as in the ETRecord: they are the keys of source lines. Source maps only say where a file is found.
  Status status = inspector::load_op_table(store, trace_id, {}, &out->table);
  if (!status.ok() || cancel.cancelled()) return status;
  status = inspector::load_summary(store, out->table, &out->facts);
  if (!status.ok() || cancel.cancelled()) return status;
  status = inspector::find_findings(store, trace_id, &out->findings);
  if (!status.ok() || cancel.cancelled()) return status;
  status = inspector::load_shown_ops(store, trace_id, {}, &out->shown);
  if (!status.ok() || cancel.cancelled()) return status;
  out->parts = inspector::cost_parts(out->shown);
  out->op_parts = inspector::parts_of(out->table);
  status = inspector::load_source_cost(store, out->shown, &out->sources);
  if (!status.ok() || cancel.cancelled()) return status;
  status = inspector::load_executions(store, out->table, &out->runs);
  if (!status.ok() || cancel.cancelled()) return status;
  status = load_graphs(store, cancel, out);
  if (!status.ok()) return status;
  out->index();
  return {};
}

}  // namespace et::gui
