#include "inspector/analysis/gap/node_feeds.h"

#include <algorithm>
#include <iterator>

#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/graph/graph_model.h"
#include "inspector/match/operator_name.h"

namespace et::inspector {
namespace {

/// Inputs whose content is in no file: what the user gives, and buffers that the program writes.
std::set<std::string> free_inputs(const Store& store, int64_t trace_id, const std::string& method) {
  Statement s = store.query(
      "SELECT name FROM graph_values i WHERE trace_id = ?1 AND graph = 'edge' AND subgraph = '' AND role = 'input' AND "
      "(?2 = '' OR coalesce(method, '') = ?2) AND (kind IS NULL OR kind IN ('user_input', 'unknown') OR EXISTS (SELECT "
      "1 FROM graph_values o WHERE o.trace_id = ?1 AND o.graph = 'edge' AND o.role = 'output' AND o.method IS i.method "
      "AND o.kind LIKE '%mutation' AND o.target = i.target))");
  s.bind_all(trace_id, method);
  std::set<std::string> out;
  while (s.step()) out.insert(s.str(0));
  return out;
}

/// Takes no element of its argument, only shape and dtype.
bool takes_no_elements(const std::string& op) {
  const std::string_view base = operator_base(op);
  return base.ends_with("_like") || base.starts_with("sym_") || base.starts_with("new_");
}

/// Makes other numbers of what it takes, of each element one.
bool converts(const std::string& op) {
  const std::string_view base = operator_base(op);
  return base == "_to_copy" || base == "to" || base == "_to_dim_order_copy" || base.starts_with("quantize_") ||
         base.starts_with("dequantize_");
}

bool only_hands_on(const std::string& op) { return only_moves_data(op) && !converts(op); }
bool only_hands_on_or_converts(const std::string& op) { return only_moves_data(op) || converts(op); }

}  // namespace

NodeFeeds::NodeFeeds(const Store& store, int64_t trace_id, const std::string& method) {
  read_nodes(store, trace_id, method);
  Statement edges = store.query(
      "SELECT DISTINCT c.name, p.name FROM edges e JOIN nodes p ON p.node_id = e.producer_node_id JOIN nodes c ON "
      "c.node_id = e.consumer_node_id WHERE e.trace_id = ?1 AND p.graph = 'edge' AND c.graph = 'edge' AND (?2 = '' OR "
      "coalesce(c.method, '') = ?2)");
  edges.bind_all(trace_id, method);
  while (edges.step()) {
    const auto taker = feeds_.find(edges.str(0));
    if (taker != feeds_.end() && !takes_no_elements(taker->second.op)) taker->second.producers.push_back(edges.str(1));
  }
}

void NodeFeeds::read_nodes(const Store& store, int64_t trace_id, const std::string& method) {
  free_ = free_inputs(store, trace_id, method);
  Statement nodes = store.query(
      "SELECT name, coalesce(op, ''), coalesce(arguments, ''), subgraph FROM nodes WHERE trace_id = ?1 AND graph = "
      "'edge' AND (?2 = '' OR coalesce(method, '') = ?2)");
  nodes.bind_all(trace_id, method);
  while (nodes.step()) {
    Feed& feed = feeds_[nodes.str(0)];
    feed.op = nodes.str(1);
    if (!nodes.str(3).empty() || takes_no_elements(feed.op)) continue;  // bodies have operands of their own
    for (const GraphArgument& argument : split_arguments(nodes.str(2))) {
      for (const std::string_view word : identifiers(argument.text)) {
        if (free_.contains(std::string(word))) feed.inputs.emplace(word);
      }
    }
  }
}

const NodeFeeds::Feed& NodeFeeds::feed(const std::string& node) const {
  static const Feed none;
  const auto at = feeds_.find(node);
  return at == feeds_.end() ? none : at->second;
}

void NodeFeeds::add_right(const std::string& node) {
  std::vector<std::string> open = {node};
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    if (!right_.insert(name).second) continue;
    const Feed& at = feed(name);
    same_inputs_.insert(at.inputs.begin(), at.inputs.end());
    open.insert(open.end(), at.producers.begin(), at.producers.end());
  }
}

bool NodeFeeds::knows_inputs_of(const std::string& node) const {
  std::set<std::string> seen = {node};
  std::vector<std::string> open = {node};
  while (!open.empty()) {
    const Feed& at = feed(open.back());
    open.pop_back();
    if (!std::all_of(at.inputs.begin(), at.inputs.end(), [&](const std::string& i) { return is_same(i); }))
      return false;
    for (const std::string& producer : at.producers) {
      if (!recorded_.contains(producer) && seen.insert(producer).second) open.push_back(producer);
    }
  }
  return true;
}

std::vector<std::string> NodeFeeds::unproven_inputs() const {
  std::vector<std::string> out;
  std::copy_if(free_.begin(), free_.end(), std::back_inserter(out), [&](const std::string& i) { return !is_same(i); });
  return out;
}

std::string NodeFeeds::handed_on(const std::string& node) const { return only_input_of(node, only_hands_on); }
std::string NodeFeeds::made_from(const std::string& node) const {
  return only_input_of(node, only_hands_on_or_converts);
}

std::string NodeFeeds::only_input_of(const std::string& node, bool (*passes)(const std::string& op)) const {
  const Feed* at = &feed(node);
  for (size_t steps = 0; steps <= feeds_.size(); ++steps) {
    if (!passes(at->op) || at->inputs.size() + at->producers.size() != 1) return "";
    if (!at->inputs.empty()) return *at->inputs.begin();
    at = &feed(at->producers.front());
  }
  return "";
}

}  // namespace et::inspector
