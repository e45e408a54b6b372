// What the side of the graph shows of a node, and the graph as a table.
#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "gui/models/frame_text.h"
#include "gui/models/graph_model.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/csv_text.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::GraphNode;
using inspector::GraphValue;

GraphNodeDetails GraphViewModel::details(int32_t index) const {
  GraphNodeDetails out;
  if (graph_ == nullptr || index < 0 || static_cast<size_t>(index) >= graph_->nodes.size()) return out;
  const GraphNode& n = graph_->nodes[static_cast<size_t>(index)];
  const auto add = [&](const char* label, std::string value) {
    if (!value.empty()) out.facts.emplace_back(label, std::move(value));
  };
  add("operator", n.op);
  add("node", n.name);
  if (n.target != n.op) add("target", n.target);
  add("method", graph_->method);
  add("body", n.subgraph);
  add("dtype", n.dtype);
  add("shape", n.shape);
  if (n.debug_handle) add("debug handle", std::to_string(*n.debug_handle));
  if (n.instruction) add("instruction", std::to_string(*n.instruction));
  if (n.part >= 0) {
    const inspector::GraphPart& part = graph_->parts[static_cast<size_t>(n.part)];
    add("delegate", part.backend);
    add("part", part.name + (part.guessed ? " (inferred: several nodes share its debug handles)" : ""));
  } else {
    add("delegate", "none (non-delegated)");
  }
  add("module", n.module_path.empty() && !n.module_type.empty() ? "the model" : n.module_path);
  add("class", n.module_type);
  if (!n.file.empty()) add("source", n.file + (n.line > 0 ? ":" + std::to_string(n.line) : ""));
  add("function", n.function);
  add("code", n.code);
  if (n.ns != 0) {
    const double share = graph_->total_ns > 0 ? n.ns / graph_->total_ns : 0;
    add("time", (n.is_estimate() ? "≈ " : "") + inspector::format_duration_with_unit(n.ns, graph_->unit) + ", " +
                    inspector::format_share(share));
    if (n.is_estimate()) add("≈", estimate_text(n.shared_by));
  } else {
    add("time", n.ops > 0 ? "0" : "none attributed to it");
  }
  for (const inspector::GraphArgument& a : n.arguments) {
    std::string text = a.text;
    const auto ids = inspector::identifiers(a.text);
    const GraphValue* const v = ids.size() == 1 ? graph_->value(n.scope, std::string(ids.front())) : nullptr;
    if (v != nullptr && v->name == a.text) {
      text += "  " + tensor_text(*v);
      if (v->is_constant()) text += ", " + v->kind + (v->target.empty() ? "" : " " + v->target);
    }
    out.arguments.emplace_back(a.name, std::move(text));
    const bool made = v != nullptr && v->producer >= 0;
    out.argument_nodes.push_back(made ? graph_->nodes[static_cast<size_t>(v->producer)].name : std::string());
  }
  for (const std::string& r : n.results) {
    const GraphValue* const v = graph_->value(n.scope, r);
    out.results.emplace_back(r, v == nullptr ? "" : tensor_text(*v));
  }
  if (data_ != nullptr) add_ops(n, &out);
  return out;
}

/// What ran for the node, and where to look for the time of one that a fused op has.
void GraphViewModel::add_ops(const GraphNode& n, GraphNodeDetails* details) const {
  GraphNodeDetails& out = *details;
  const inspector::OpTable& table = data_->shown;
  for (const int32_t i : data_->ops_of_node(n.name)) {
    const auto shown = table.find_own(data_->table.ops[static_cast<size_t>(i)].id);
    if (!shown) continue;
    const inspector::OpEntry& op = table.ops[*shown];
    const auto& method = table.block_of(op).method;
    if (method && !graph_->method.empty() && *method != graph_->method) continue;
    if (op.is_wrapper()) continue;  // its kernel says it
    for (const inspector::OpNode* const own : table.own_nodes(op)) {
      const inspector::OpNode& link = *own;
      if (link.node->name != n.name) continue;
      const bool loading = table.block_of(op).kind == "load";
      out.ops.push_back({i, row_title(table, op) + (loading ? ", while loading" : ""), link.via, link.confidence,
                         link.weight, op.on_trace_clock() ? link.weight * op.cost : 0, loading});
      // A fused op's time stands at one of its nodes: here is where to look for it.
      const inspector::OpNode* const main = table.main_node(op);
      if (n.ns != 0 || link.weight > 0 || op.encloses || main == nullptr || !(main->weight > 0)) continue;
      for (auto& [label, value] : out.facts) {
        if (label != "time") continue;
        value = "none of its own: runs in " + row_title(table, op) + " (" + main->node->name + "), " +
                inspector::format_duration_with_unit(op.cost, graph_->unit) + " together";
      }
    }
  }
  // What the node costs first; ops that only touch it, and what was prepared for it, after.
  std::stable_sort(out.ops.begin(), out.ops.end(), [](const GraphNodeDetails::Op& a, const GraphNodeDetails::Op& b) {
    return std::tuple(!a.loading, a.weight > 0, a.time) > std::tuple(!b.loading, b.weight > 0, b.time);
  });
}

void GraphViewModel::find_fused() {
  fused_.clear();
  if (graph_ == nullptr) return;
  const inspector::OpTable& table = data_->shown;
  for (const inspector::OpEntry& op : table.ops) {
    if (op.is_wrapper() || op.encloses || table.block_of(op).kind != "execute") continue;
    const auto& method = table.block_of(op).method;
    if (method && !graph_->method.empty() && *method != graph_->method) continue;
    const inspector::OpNode* const main = table.main_node(op);
    if (main == nullptr || !(main->weight > 0) || !(op.cost > 0)) continue;
    for (const inspector::OpNode* const own : table.own_nodes(op)) {
      if (own->weight > 0 || own->node->name == main->node->name) continue;
      fused_.emplace(own->node->name, "in " + inspector::operator_title(main->node->op));
    }
  }
}

std::string GraphViewModel::fused_into(int32_t node) const {
  const GraphNode& n = graph_->nodes[static_cast<size_t>(node)];
  if (n.ns > 0) return {};
  const auto found = fused_.find(n.name);
  return found == fused_.end() ? std::string() : found->second;
}

void GraphViewModel::add_times() {
  times_ = {};
  if (graph_ == nullptr) return;
  for (const GraphNode& n : graph_->nodes) times_.linked += n.ns;
  const inspector::OpTable& table = data_->shown;
  const auto is_here = [&](const inspector::OpBlock& b) {
    return b.kind == "execute" && (!b.method || graph_->method.empty() || *b.method == graph_->method);
  };
  for (const inspector::OpBlock& b : table.blocks) {
    if (is_here(b)) times_.variation += b.variation;
  }
  std::set<size_t> unlinked;
  for (const inspector::UnlinkedRow& row : data_->facts.unlinked) {
    const inspector::OpEntry& op = data_->table.ops[row.op];
    if (table.merged_ids.contains(op.id) || !op.on_trace_clock()) continue;
    const auto shown = table.find_own(op.id);
    if (!shown || !is_here(table.block_of(table.ops[*shown])) || !unlinked.insert(*shown).second) continue;
    times_.not_linked += table.ops[*shown].cost;
  }
  for (size_t i = 0; i < table.ops.size(); ++i) {
    const inspector::OpEntry& op = table.ops[i];
    if (op.kind == "framework" && op.on_trace_clock() && is_here(table.block_of(op)) && !unlinked.contains(i))
      times_.framework += op.cost;
  }
  times_.unattributed = graph_->total_ns - times_.linked - times_.not_linked - times_.framework - times_.variation;
}

std::string GraphViewModel::csv() const {
  if (graph_ == nullptr) return {};
  std::string out = "node,operator,dtype,shape,instruction,delegate,module,source,time_" + graph_->unit + "\n";
  for (const GraphNode& n : graph_->nodes) {
    out += inspector::csv_text(n.name) + "," + inspector::csv_text(n.op) + "," + inspector::csv_text(n.dtype) + "," +
           inspector::csv_text(n.shape) + "," + (n.instruction ? std::to_string(*n.instruction) : "") + "," +
           inspector::csv_text(n.part >= 0 ? graph_->parts[static_cast<size_t>(n.part)].backend : "") + "," +
           inspector::csv_text(n.module_path) + "," +
           inspector::csv_text(n.file.empty() ? "" : n.file + (n.line > 0 ? ":" + std::to_string(n.line) : "")) + "," +
           inspector::format_double(n.ns) + "\n";
  }
  return out;
}

}  // namespace et::gui
