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
      // Names in the record outlive the walk; those that tensor_names() copies would not.
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

BackPropagation propagate_handles(const Program& edge, const Program& exported, int64_t export_graph_id) {
  using Key = std::pair<std::string_view, int64_t>;
  BackPropagation result;
  result.handle.resize(exported.nodes.size());
  result.exported_of_edge.resize(edge.nodes.size());

  // Every ancestor of an edge node → that node.
  std::map<Key, std::vector<int32_t>> descendants;
  for (size_t i = 0; i < edge.nodes.size(); ++i) {
    for (const FromNode& f : edge.nodes[i].from) {
      add_once(&descendants[{f.name, f.graph_id}], static_cast<int32_t>(i));
    }
  }

  std::set<int64_t> reached;
  for (size_t i = 0; i < exported.nodes.size(); ++i) {
    const Node& n = exported.nodes[i];
    std::vector<Key> ids;
    // export_graph_id is that of the top graph; nodes of bodies are known by their own history only.
    if (n.graph == 0) ids.emplace_back(n.name, export_graph_id);
    for (const FromNode& f : n.from) ids.emplace_back(f.name, f.graph_id);
    for (const Key& id : ids) {
      const auto it = descendants.find(id);
      if (it == descendants.end()) continue;
      std::vector<int64_t> handles;
      for (const int32_t e : it->second) {
        add_once(&result.exported_of_edge[at(e)], static_cast<int32_t>(i));
        const auto& handle = edge.nodes[at(e)].debug_handle;
        if (!handle || std::find(handles.begin(), handles.end(), *handle) != handles.end()) continue;
        handles.push_back(*handle);
      }
      if (handles.empty()) continue;
      if (handles.size() > 1) result.conflicts.emplace_back(static_cast<int32_t>(i), handles);
      result.handle[i] = handles.front();
      reached.insert(handles.begin(), handles.end());
      break;  // the node itself before its ancestors
    }
  }

  std::set<int64_t> unmatched;
  for (const Node& n : edge.nodes) {
    if (n.debug_handle && reached.count(*n.debug_handle) == 0) unmatched.insert(*n.debug_handle);
  }
  result.unmatched.assign(unmatched.begin(), unmatched.end());
  return result;
}

}  // namespace et::etrecord
