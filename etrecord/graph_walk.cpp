#include "etrecord/graph_walk.h"

#include <algorithm>
#include <set>

namespace et::etrecord {
namespace {

const std::vector<int32_t> kNoNodes;

size_t at(int32_t i) { return static_cast<size_t>(i); }

void add_once(std::vector<int32_t>* list, int32_t node) {
  if (list->empty() || list->back() != node) list->push_back(node);
}

}  // namespace

GraphWalk::GraphWalk(const Program& program)
    : program_(&program), values_(program.graphs.size()), by_name_(program.graphs.size()) {
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const Node& n = program.nodes[i];
    const auto node = static_cast<int32_t>(i);
    auto& values = values_[at(n.graph)];
    by_name_[at(n.graph)].try_emplace(n.name, node);
    for (const Argument& a : n.inputs) {
      // Names in the ETRecord outlive the walk; those that tensor_names() copies would not.
      const auto use = [&](const std::string& name) {
        if (!name.empty()) add_once(&values[name].consumers, node);
      };
      switch (a.kind) {
        case ArgumentKind::Tensor:
        case ArgumentKind::Tensors:
        case ArgumentKind::OptionalTensors:
          for (const std::string& s : a.strings) use(s);
          break;
        case ArgumentKind::CustomObj:
          use(a.strings[0]);
          break;
        default:
          for (const SymValue& s : a.syms) use(s.name);
      }
    }
    for (const std::string& out : n.outputs) values[out].producer = node;
    if (n.debug_handle) by_handle_[*n.debug_handle].push_back(node);
  }
  for (size_t g = 0; g < program.graphs.size(); ++g) {
    for (const std::string& out : program.graphs[g].outputs) {
      if (!out.empty()) values_[g][out].output = true;
    }
  }
}

const GraphWalk::Uses* GraphWalk::uses(int32_t graph, std::string_view value) const {
  if (graph < 0 || at(graph) >= values_.size()) return nullptr;
  const auto it = values_[at(graph)].find(value);
  return it == values_[at(graph)].end() ? nullptr : &it->second;
}

int32_t GraphWalk::producer(int32_t graph, std::string_view value) const {
  const Uses* u = uses(graph, value);
  return u == nullptr ? -1 : u->producer;
}

const std::vector<int32_t>& GraphWalk::consumers(int32_t graph, std::string_view value) const {
  const Uses* u = uses(graph, value);
  return u == nullptr ? kNoNodes : u->consumers;
}

std::vector<int32_t> GraphWalk::producers_of(int32_t node) const {
  std::vector<int32_t> out;
  if (node < 0 || at(node) >= program_->nodes.size()) return out;
  const Node& n = program_->nodes[at(node)];
  std::set<int32_t> seen;
  for (const Argument& a : n.inputs) {
    for (const std::string& name : a.tensor_names()) {
      const int32_t p = producer(n.graph, name);
      if (p >= 0 && seen.insert(p).second) out.push_back(p);
    }
  }
  return out;
}

std::vector<int32_t> GraphWalk::consumers_of(int32_t node) const {
  std::vector<int32_t> out;
  if (node < 0 || at(node) >= program_->nodes.size()) return out;
  const Node& n = program_->nodes[at(node)];
  for (const std::string& name : n.outputs) {
    const auto& c = consumers(n.graph, name);
    out.insert(out.end(), c.begin(), c.end());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool GraphWalk::is_graph_output(int32_t graph, std::string_view value) const {
  const Uses* u = uses(graph, value);
  return u != nullptr && u->output;
}

int32_t GraphWalk::node(int32_t graph, std::string_view name) const {
  if (graph < 0 || at(graph) >= by_name_.size()) return -1;
  const auto it = by_name_[at(graph)].find(name);
  return it == by_name_[at(graph)].end() ? -1 : it->second;
}

const std::vector<int32_t>& GraphWalk::nodes_of_handle(int64_t handle) const {
  const auto it = by_handle_.find(handle);
  return it == by_handle_.end() ? kNoNodes : it->second;
}

std::vector<int64_t> GraphWalk::handles() const {
  std::vector<int64_t> out;
  for (const auto& [handle, nodes] : by_handle_) out.push_back(handle);
  return out;
}

bool is_unused_output(const Node& node, std::string_view output) {
  constexpr std::string_view kMark = "_unused_";
  if (output.substr(0, node.name.size()) != node.name) return false;
  output.remove_prefix(node.name.size());
  if (output.substr(0, kMark.size()) != kMark) return false;
  output.remove_prefix(kMark.size());
  return !output.empty() && output.find_first_not_of("0123456789") == std::string_view::npos;
}

size_t getitem_users(const Node& node) {
  const bool list = std::any_of(node.raw_outputs.begin(), node.raw_outputs.end(), [](const Argument& a) {
    return a.kind == ArgumentKind::Tensors || a.kind == ArgumentKind::OptionalTensors;
  });
  if (!list && node.raw_outputs.size() < 2) return 0;
  return static_cast<size_t>(std::count_if(node.outputs.begin(), node.outputs.end(),
                                           [&node](const std::string& out) { return !is_unused_output(node, out); }));
}

namespace {

using Id = std::pair<std::string_view, int64_t>;

class Propagation {
 public:
  Propagation(const Program& edge, const Program& exported, int64_t graph_id, BackPropagation* result)
      : edge_(edge), exported_(exported), graph_id_(graph_id), result_(*result) {}

  void run() {
    result_.handle.resize(exported_.nodes.size());
    result_.exported_of_edge.resize(edge_.nodes.size());
    for (size_t i = 0; i < edge_.nodes.size(); ++i) {
      for (const FromNode& f : edge_.nodes[i].from) {
        add_once(&descendants_[{f.name, f.graph_id}], static_cast<int32_t>(i));
      }
    }
    counterpart_.resize(exported_.graphs.size(), -1);
    // Nodes stand after the node whose body holds them, so a body's counterpart is known before its nodes are met.
    for (size_t i = 0; i < exported_.nodes.size(); ++i) visit(static_cast<int32_t>(i));
    for (auto& list : result_.exported_of_edge) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    std::set<int64_t> unmatched;
    for (const Node& n : edge_.nodes) {
      if (n.debug_handle && reached_.count(*n.debug_handle) == 0) unmatched.insert(*n.debug_handle);
    }
    result_.unmatched.assign(unmatched.begin(), unmatched.end());
  }

 private:
  void visit(int32_t i) {
    const Node& n = exported_.nodes[at(i)];
    std::vector<Id> ids;
    // export_graph_id is that of the top graph.
    if (n.graph == 0) ids.emplace_back(n.name, graph_id_);
    for (const FromNode& f : n.from) ids.emplace_back(f.name, f.graph_id);
    for (const Id& id : ids) {
      const auto it = descendants_.find(id);
      if (it != descendants_.end() && take(i, it->second)) return;  // the node itself before its ancestors
    }
    const int32_t body = n.graph == 0 ? -1 : counterpart_[at(n.graph)];
    if (body < 0) return;
    std::vector<int32_t> same;
    for (const int32_t e : edge_.graphs[at(body)].nodes) {
      const Node& candidate = edge_.nodes[at(e)];
      if (candidate.from.empty() ? candidate.name == n.name : candidate.from.back().name == n.name) same.push_back(e);
    }
    if (!same.empty() && take(i, same)) result_.matched_in_bodies.push_back(i);
  }

  // False if none of the nodes has a handle.
  bool take(int32_t i, const std::vector<int32_t>& edge_nodes) {
    const Node& n = exported_.nodes[at(i)];
    std::vector<int64_t> handles;
    for (const int32_t e : edge_nodes) {
      const Node& from = edge_.nodes[at(e)];
      result_.exported_of_edge[at(e)].push_back(i);
      const size_t bodies = std::min(n.subgraphs.size(), from.subgraphs.size());
      for (size_t b = 0; b < bodies; ++b) counterpart_[at(n.subgraphs[b])] = from.subgraphs[b];
      if (!from.debug_handle || std::find(handles.begin(), handles.end(), *from.debug_handle) != handles.end())
        continue;
      handles.push_back(*from.debug_handle);
    }
    if (handles.empty()) return false;
    if (handles.size() > 1) result_.conflicts.emplace_back(i, handles);
    result_.handle[at(i)] = handles.front();
    reached_.insert(handles.begin(), handles.end());
    return true;
  }

  const Program& edge_;
  const Program& exported_;
  int64_t graph_id_;
  BackPropagation& result_;
  std::map<Id, std::vector<int32_t>> descendants_;  // ancestor of an edge node → that node
  std::vector<int32_t> counterpart_;                // exported body → edge body
  std::set<int64_t> reached_;
};

}  // namespace

BackPropagation propagate_handles(const Program& edge, const Program& exported, int64_t export_graph_id) {
  BackPropagation result;
  Propagation(edge, exported, export_graph_id, &result).run();
  return result;
}

}  // namespace et::etrecord
