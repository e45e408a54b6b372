#include "etrecord/inline_delegates.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace et::etrecord {
namespace {

// Calls inside of what was lowered are nodes of it: the maps speak of one level.
constexpr int kMaxDepth = 1;

size_t index(int32_t i) { return static_cast<size_t>(i); }

using Names = std::unordered_map<std::string, std::string>;

void rename(std::string* name, const Names& names) {
  if (const auto it = names.find(*name); it != names.end()) *name = it->second;
}

void rename(Argument* a, const Names& names) {
  switch (a->kind) {
    case ArgumentKind::Tensor:
    case ArgumentKind::Tensors:
    case ArgumentKind::OptionalTensors:
      for (std::string& s : a->strings) rename(&s, names);
      break;
    case ArgumentKind::CustomObj:
      if (!a->strings.empty()) rename(&a->strings[0], names);
      break;
    default:
      for (SymValue& s : a->syms) rename(&s.name, names);
  }
}

/// The values of a graph by their role in the signature; all of them where there is no signature.
std::vector<std::string> user_inputs(const Program& p) {
  std::vector<std::string> out;
  for (const InputSpec& s : p.signature.inputs) {
    if (s.kind == InputKind::UserInput) out.push_back(s.value);
  }
  return p.signature.inputs.empty() ? p.graphs[0].inputs : out;
}

std::vector<std::string> user_outputs(const Program& p) {
  std::vector<std::string> out;
  for (const OutputSpec& s : p.signature.outputs) {
    if (s.kind == OutputKind::UserOutput) out.push_back(s.value);
  }
  return p.signature.outputs.empty() ? p.graphs[0].outputs : out;
}

class Inliner {
 public:
  Inliner(const std::vector<Program>& programs, const Program& program) : programs_(programs), from_(program) {}

  std::unique_ptr<Program> run() {
    const bool any = std::any_of(from_.nodes.begin(), from_.nodes.end(),
                                 [this](const Node& n) { return lowered(from_, n, 0) != nullptr; });
    if (!any || from_.graphs.empty()) return nullptr;
    copy_frame();
    Scope scope{from_, 0, -1, 0, {}, {}};
    for (size_t g = 0; g < from_.graphs.size(); ++g) {
      out_->graphs.push_back(from_.graphs[g]);
      out_->graphs.back().nodes.clear();
      scope.graphs.push_back(static_cast<int32_t>(g));
      taken_.emplace_back();
      reserve(from_, static_cast<int32_t>(g), 0, &taken_.back());
    }
    scope.names.resize(from_.graphs.size());
    for (const InputSpec& s : from_.signature.inputs) {
      if (!s.target.empty()) name_of_target_.emplace(s.target, s.value);
    }
    emit(scope);
    for (size_t g = 0; g < from_.graphs.size(); ++g) rename_outputs(&out_->graphs[g], scope.names[g]);
    for (OutputSpec& s : out_->signature.outputs) rename(&s.value, scope.names[0]);
    return std::move(out_);
  }

 private:
  /// One program that is being copied: where its graphs and delegates go, and how its values are called there.
  struct Scope {
    const Program& program;
    int depth;
    int32_t call;  // index into the copy's delegates of the call it stands for, -1 for the outermost
    int32_t first_delegate;
    std::vector<int32_t> graphs;
    std::vector<Names> names;
  };

  void copy_frame() {
    out_ = std::make_unique<Program>();
    out_->kind = from_.kind;
    out_->member = from_.member;
    out_->graph_name = from_.graph_name;
    out_->method = from_.method;
    out_->dialect = from_.dialect;
    out_->delegates = from_.delegates;
    out_->signature = from_.signature;
    out_->range_constraints = from_.range_constraints;
    out_->verifiers = from_.verifiers;
    out_->opset_version = from_.opset_version;
    out_->schema_major = from_.schema_major;
    out_->schema_minor = from_.schema_minor;
    out_->forms = from_.forms;
    out_->unknown = from_.unknown;
  }

  /// The program that a call stands for; null for other nodes and for calls that must stay.
  const Program* lowered(const Program& p, const Node& n, int depth) const {
    if (n.delegate < 0 || index(n.delegate) >= p.delegates.size() || depth >= kMaxDepth) return nullptr;
    const int32_t i = p.delegates[index(n.delegate)].program;
    if (i < 0 || index(i) >= programs_.size() || programs_[index(i)].graphs.empty()) return nullptr;
    const Program& inner = programs_[index(i)];
    return user_inputs(inner).size() + 1 == n.inputs.size() ? &inner : nullptr;
  }

  // Names that stay in a graph when its calls are gone.
  void reserve(const Program& p, int32_t graph, int depth, std::set<std::string>* names) const {
    const Graph& g = p.graphs[index(graph)];
    names->insert(g.inputs.begin(), g.inputs.end());
    for (const int32_t i : g.nodes) {
      const Node& n = p.nodes[index(i)];
      if (lowered(p, n, depth) != nullptr) continue;
      names->insert(n.name);
      names->insert(n.outputs.begin(), n.outputs.end());
    }
  }

  std::string fresh(const std::string& name, int32_t graph) {
    std::set<std::string>& taken = taken_[index(graph)];
    std::string out = name;
    size_t& number = numbers_[{graph, name}];  // where the last search ended
    while (!taken.insert(out).second) out = name + "_" + std::to_string(++number);
    return out;
  }

  void emit(Scope& scope) {
    const Program& p = scope.program;
    std::vector<int32_t> moved(p.nodes.size(), -1);
    for (size_t i = 0; i < p.nodes.size(); ++i) {
      const Node& n = p.nodes[i];
      if (const Program* inner = lowered(p, n, scope.depth)) {
        emit_call(scope, n, *inner);
      } else {
        moved[i] = static_cast<int32_t>(out_->nodes.size());
        emit_node(scope, n);
      }
    }
    for (size_t g = 1; g < p.graphs.size(); ++g) {
      Graph& graph = out_->graphs[index(scope.graphs[g])];
      const int32_t parent = p.graphs[g].parent_node, above = p.graphs[g].parent_graph;
      graph.parent_node = parent < 0 || index(parent) >= moved.size() ? -1 : moved[index(parent)];
      graph.parent_graph = above < 0 || index(above) >= scope.graphs.size() ? -1 : scope.graphs[index(above)];
    }
  }

  void emit_node(Scope& scope, const Node& n) {
    Node copy = n;
    const Names& names = scope.names[index(n.graph)];
    for (Argument& a : copy.inputs) {
      rename(&a, names);
      if (a.graph >= 0) a.graph = scope.graphs[index(a.graph)];
    }
    for (std::string& s : copy.outputs) rename(&s, names);
    for (Argument& a : copy.raw_outputs) rename(&a, names);
    rename(&copy.name, names);
    for (int32_t& g : copy.subgraphs) g = scope.graphs[index(g)];
    copy.graph = scope.graphs[index(n.graph)];
    if (copy.delegate >= 0) copy.delegate += scope.first_delegate;
    copy.lowered_in = scope.call;
    out_->graphs[index(copy.graph)].nodes.push_back(static_cast<int32_t>(out_->nodes.size()));
    out_->nodes.push_back(std::move(copy));
  }

  void emit_call(Scope& outer, const Node& call, const Program& inner) {
    Scope scope{
        inner, outer.depth + 1, outer.first_delegate + call.delegate, static_cast<int32_t>(out_->delegates.size()), {},
        {}};
    out_->delegates.insert(out_->delegates.end(), inner.delegates.begin(), inner.delegates.end());
    out_->range_constraints.insert(inner.range_constraints.begin(), inner.range_constraints.end());
    scope.names.resize(inner.graphs.size());
    const int32_t target = outer.graphs[index(call.graph)];
    scope.graphs.push_back(target);
    for (size_t g = 1; g < inner.graphs.size(); ++g) {
      scope.graphs.push_back(static_cast<int32_t>(out_->graphs.size()));
      out_->graphs.push_back(inner.graphs[g]);
      out_->graphs.back().nodes.clear();
      taken_.emplace_back();
      reserve(inner, static_cast<int32_t>(g), scope.depth, &taken_.back());
    }
    name_inputs(outer, call, scope);
    name_values(scope);
    emit(scope);
    for (size_t g = 1; g < inner.graphs.size(); ++g) {
      rename_outputs(&out_->graphs[index(scope.graphs[g])], scope.names[g]);
    }
    const std::vector<std::string> results = user_outputs(inner);
    Names& names = outer.names[index(call.graph)];
    for (size_t i = 0; i < call.outputs.size() && i < results.size(); ++i) {
      std::string result = results[i];
      rename(&result, scope.names[0]);
      if (!result.empty()) names[call.outputs[i]] = result;
    }
  }

  // The arguments of the call are called as outside; what the delegate owned becomes an input of the top graph.
  void name_inputs(const Scope& outer, const Node& call, Scope& scope) {
    const Program& inner = scope.program;
    const int32_t target = scope.graphs[0];
    const std::vector<std::string> users = user_inputs(inner);
    Names& names = scope.names[0];
    for (size_t i = 0; i < users.size(); ++i) {
      Argument given = call.inputs[i + 1];
      rename(&given, outer.names[index(call.graph)]);
      const std::vector<std::string> values = given.tensor_names();
      if (!users[i].empty() && values.size() == 1) names[users[i]] = values[0];
    }
    for (const InputSpec& spec : inner.signature.inputs) {
      if (spec.kind == InputKind::UserInput || spec.value.empty()) continue;
      const auto known = name_of_target_.find(spec.target);
      if (target == 0 && !spec.target.empty() && known != name_of_target_.end()) {
        names[spec.value] = known->second;
        continue;
      }
      InputSpec own = spec;
      own.value = fresh(spec.value, target);
      own.delegate = scope.call;
      names[spec.value] = own.value;
      copy_facts(inner.graphs[0], spec.value, own.value, target);
      if (target != 0) continue;
      name_of_target_.emplace(spec.target, own.value);
      Argument a;
      a.kind = ArgumentKind::Tensor;
      a.strings = {own.value};
      out_->graphs[0].inputs.push_back(own.value);
      out_->graphs[0].raw_inputs.push_back(std::move(a));
      out_->signature.inputs.push_back(std::move(own));
    }
  }

  // What is computed inside keeps its name where that is free.
  void name_values(Scope& scope) {
    const Program& inner = scope.program;
    const Graph& graph = inner.graphs[0];
    Names& names = scope.names[0];
    for (const int32_t i : graph.nodes) {
      const Node& n = inner.nodes[index(i)];
      if (lowered(inner, n, scope.depth) != nullptr) continue;
      std::vector<std::string> own = n.outputs;
      own.push_back(n.name);
      for (const std::string& name : own) {
        if (name.empty() || names.contains(name)) continue;
        const std::string called = fresh(name, scope.graphs[0]);
        names.emplace(name, called);
        copy_facts(graph, name, called, scope.graphs[0]);
      }
    }
  }

  void copy_facts(const Graph& from, const std::string& name, const std::string& called, int32_t graph) {
    Graph& to = out_->graphs[index(graph)];
    const auto copy = [&](const auto& source, auto* map) {
      if (const auto it = source.find(name); it != source.end()) map->insert_or_assign(called, it->second);
    };
    copy(from.tensors, &to.tensors);
    copy(from.sym_ints, &to.sym_ints);
    copy(from.sym_bools, &to.sym_bools);
    copy(from.custom_objs, &to.custom_objs);
  }

  static void rename_outputs(Graph* graph, const Names& names) {
    for (std::string& s : graph->outputs) rename(&s, names);
    for (Argument& a : graph->raw_outputs) rename(&a, names);
  }

  const std::vector<Program>& programs_;
  const Program& from_;
  std::unique_ptr<Program> out_;
  std::vector<std::set<std::string>> taken_;  // by graph of the copy
  std::map<std::pair<int32_t, std::string>, size_t> numbers_;
  std::map<std::string, std::string> name_of_target_;
};

}  // namespace

std::unique_ptr<Program> inline_delegates(const std::vector<Program>& programs, const Program& program) {
  return Inliner(programs, program).run();
}

}  // namespace et::etrecord
