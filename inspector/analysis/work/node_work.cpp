#include "inspector/analysis/work/node_work.h"

#include <algorithm>
#include <map>

#include "inspector/analysis/work/operator_work.h"

namespace et::inspector {
namespace {

struct DtypeBits {
  std::string_view name;
  int bits;
};
constexpr DtypeBits kBits[] = {{"float32", 32}, {"float16", 16}, {"bfloat16", 16}, {"float64", 64},  {"int8", 8},
                               {"uint8", 8},    {"bool", 8},     {"int16", 16},    {"uint16", 16},   {"int32", 32},
                               {"uint32", 32},  {"int64", 64},   {"uint64", 64},   {"complex64", 64}};

bool is_dequantize(const GraphNode& n) { return n.op.find("dequantize_") != std::string::npos; }
bool is_quantize(const GraphNode& n) { return !is_dequantize(n) && n.op.find("quantize_") != std::string::npos; }

std::string_view argument_of(const GraphNode& n, std::string_view name) {
  for (const GraphArgument& a : n.arguments) {
    if (a.name == name) return a.text;
  }
  return {};
}

// Bits of what a quantised tensor holds: 4-bit weights lie two in a byte.
int quantised_bits(const GraphNode& n, int bits) {
  return bits == 8 && argument_of(n, "quant_min") == "-8" && argument_of(n, "quant_max") == "7" ? 4 : bits;
}

/// A value as it lies in memory, seen from inside of a delegate: there no dequantised copy exists.
struct Stored {
  const GraphValue* value = nullptr;
  int bits = 0;
  bool quantised = false;
};

class SetWork {
 public:
  using Readers = std::vector<std::vector<int32_t>>;  // of nodes, by index: nodes that read them
  SetWork(const GraphModel& model, const Readers& readers, const std::set<const GraphNode*>& nodes)
      : model_(model), readers_(readers), nodes_(nodes) {}

  NodeWork run() {
    out_.flops = 0;
    out_.bytes = 0;
    for (const GraphNode* const n : nodes_) {
      add_flops(*n);
      add_reads(*n);
    }
    add_writes();
    if (out_.integer) out_.spared_flops = 0;
    return out_;
  }

 private:
  const GraphValue* value(const GraphNode& n, std::string_view name) const {
    return model_.value(n.scope, std::string(name));
  }
  const GraphNode* producer(const GraphValue& v) const {
    return v.producer < 0 ? nullptr : &model_.nodes[static_cast<size_t>(v.producer)];
  }
  void unknown(std::string what) {
    if (out_.unknown.empty()) out_.unknown = std::move(what);
  }

  void add_flops(const GraphNode& n) {
    if (!out_.flops) return;
    OperatorCall call;
    call.op = n.op;
    call.arguments = n.arguments;
    std::vector<Shape> outputs;
    for (const std::string& name : n.results) {
      const GraphValue* const v = value(n, name);
      const std::optional<Shape> shape = v == nullptr ? std::nullopt : parse_shape(v->shape);
      if (!shape) break;  // what lies behind counts for no formula
      outputs.push_back(*shape);
    }
    bool complete = !outputs.empty();
    for (const GraphArgument& a : n.arguments) {
      for (const std::string_view id : identifiers(a.text)) {
        const GraphValue* const v = value(n, id);
        if (v == nullptr || v->dtype.empty()) continue;
        const std::optional<Shape> shape = parse_shape(v->shape);
        complete = complete && shape.has_value();
        if (shape) call.inputs.push_back({a.name, *shape});
      }
    }
    call.outputs = outputs;
    const bool known = has_work_formula(n.op);
    const std::optional<double> flops = known && complete ? flops_of(call) : std::nullopt;
    if (!flops) {
      unknown(known ? "shape of " + n.name : "operator " + n.op);
      out_.flops.reset();
    } else {
      *out_.flops += *flops;
      out_.spared_flops += spared_flops_of(call);
    }
    for (const GraphArgument& a : n.arguments)
      out_.integer = out_.integer || (flops.value_or(0) > 0 && reads_integers(n, a));
  }

  // The operator's first operands come from integers that its delegate has as such.
  bool reads_integers(const GraphNode& n, const GraphArgument& a) const {
    if (n.part < 0 || (a.name != "input" && a.name != "self")) return false;
    const GraphValue* const v = value(n, a.text);
    return v != nullptr && stored(n, *v).quantised;
  }

  Stored stored(const GraphNode& reader, const GraphValue& v) const {
    Stored s = {&v, bits_of_dtype(v.dtype), false};
    for (int steps = 0; steps < 4; ++steps) {
      const GraphNode* const made = producer(*s.value);
      // Outside of delegates dequantised values are written and read.
      if (made == nullptr || !is_dequantize(*made) || reader.part < 0) break;
      const GraphValue* const from = value(*made, argument_of(*made, "input"));
      if (from == nullptr || bits_of_dtype(from->dtype) == 0) break;
      s = {from, quantised_bits(*made, bits_of_dtype(from->dtype)), true};
    }
    return s;
  }

  void add_bytes(const GraphValue& v, int bits, double least, bool weight) {
    if (!out_.bytes) return;
    const std::optional<Shape> shape = parse_shape(v.shape);
    if (!shape || bits == 0) {
      unknown(shape ? "dtype " + v.dtype : "shape " + v.shape);
      out_.bytes.reset();
      return;
    }
    const double bytes = std::min(elements_of(*shape) * bits / 8, least);
    *out_.bytes += bytes;
    if (weight) out_.weight_bytes += bytes;
  }

  double written_bytes(const GraphNode& n) const {
    double sum = 0;
    for (const std::string& name : n.results) {
      const GraphValue* const v = value(n, name);
      const std::optional<Shape> shape = v == nullptr ? std::nullopt : parse_shape(v->shape);
      if (shape) sum += elements_of(*shape) * bits_of_dtype(v->dtype) / 8;
    }
    return sum;
  }

  /// A step of a quantised operator, not a pass over memory of its own: who else reads it reads the integers.
  bool is_step(const GraphNode& n) const { return n.part >= 0 && is_dequantize(n) && nodes_.size() > 1; }

  void add_reads(const GraphNode& n) {
    if (is_step(n) || reads_no_input(n.op)) return;
    bool first = true;
    for (const GraphArgument& a : n.arguments) {
      for (const std::string_view id : identifiers(a.text)) {
        const GraphValue* const v = value(n, id);
        if (v == nullptr || v->dtype.empty()) continue;
        const bool picks = first && reads_what_it_writes(n.op);
        first = false;
        const Stored s = stored(n, *v);
        const GraphNode* const made = producer(*s.value);
        if ((made != nullptr && nodes_.contains(made)) || !seen_.insert(s.value).second) continue;
        add_bytes(*s.value, s.bits, picks ? written_bytes(n) : 1e300, s.value->is_constant());
      }
    }
  }

  void add_writes() {
    std::map<const GraphValue*, bool> made;  // is it read outside?
    const GraphNode* const any = *nodes_.begin();
    const GraphScope& scope = model_.scopes[static_cast<size_t>(any->scope)];
    for (const GraphNode* const n : nodes_) {
      if (is_step(*n)) continue;
      for (const std::string& name : n->results) {
        if (const GraphValue* const v = value(*n, name); v != nullptr && !v->dtype.empty())
          made[v] = std::find(scope.outputs.begin(), scope.outputs.end(), name) != scope.outputs.end();
      }
    }
    std::map<const GraphValue*, const GraphNode*> only_quantised;
    for (const GraphNode* const n : nodes_) {
      for (const int32_t at : readers_[static_cast<size_t>(n - model_.nodes.data())]) {
        const GraphNode& reader = model_.nodes[static_cast<size_t>(at)];
        if (nodes_.contains(&reader)) continue;
        for (const GraphArgument& a : reader.arguments) {
          for (const std::string_view id : identifiers(a.text)) {
            const auto v = made.find(value(reader, id));
            if (v == made.end()) continue;
            v->second = true;
            // Quantised as it is written.
            const bool quantises = reader.part >= 0 && is_quantize(reader);
            const auto [first, fresh] = only_quantised.try_emplace(v->first, quantises ? &reader : nullptr);
            if (!fresh && !quantises) first->second = nullptr;
          }
        }
      }
    }
    for (const auto& [v, outside] : made) {
      if (!outside) continue;
      const auto as = only_quantised.find(v);
      const GraphValue* to = v;
      if (as != only_quantised.end() && as->second != nullptr) {
        if (const GraphValue* const q = value(*as->second, as->second->name); q != nullptr) to = q;
      }
      add_bytes(*to, bits_of_dtype(to->dtype), 1e300, false);
    }
  }

  const GraphModel& model_;
  const Readers& readers_;
  const std::set<const GraphNode*>& nodes_;
  std::set<const GraphValue*> seen_;
  NodeWork out_;
};

}  // namespace

int bits_of_dtype(std::string_view dtype) {
  for (const DtypeBits& b : kBits) {
    if (b.name == dtype) return b.bits;
  }
  return 0;
}

std::set<std::string> WorkOfNodes::symbols() const {
  std::set<std::string> out;
  for (const GraphModel& model : models_) {
    for (const GraphScope& scope : model.scopes) {
      for (const auto& [name, v] : scope.values) {
        for (const std::string_view id : identifiers(v.shape)) out.insert(std::string(id));
      }
    }
  }
  return out;
}

void WorkOfNodes::add_symbol_places(const GraphModel& model) {
  if (model.scopes.empty()) return;
  for (const std::string& name : model.scopes.front().inputs) {
    const GraphValue* const v = model.value(0, name);
    if (v == nullptr || v->kind != "user_input" || v->shape.size() < 2) continue;
    int dimension = 0;
    for (const GraphArgument& size : split_arguments(v->shape.substr(1, v->shape.size() - 2))) {
      const std::vector<std::string_view> ids = identifiers(size.text);
      if (ids.size() == 1 && ids.front() == size.text)
        symbol_places_.try_emplace(size.text,
                                   "dimension " + std::to_string(dimension) + " of " + name + " in " + model.method);
      ++dimension;
    }
  }
}

Status WorkOfNodes::load(const Store& store, const OpTable& table, const DimValues& dims) {
  std::set<int64_t> wanted;
  std::set<std::string> methods;
  for (const OpNode& n : table.nodes) wanted.insert(n.node->id);
  for (const OpBlock& b : table.blocks) {
    if (b.kind == "execute" && b.method) methods.insert(*b.method);
  }
  methods.insert("");
  for (const std::string& graph : graph_names(store, table.trace_id)) {
    for (const std::string& method : graph_methods(store, table.trace_id, graph)) {
      if (!methods.contains(method)) continue;
      GraphModel model;
      const Status status = load_graph(store, table, method, graph, &model);
      if (status.code() == Error::NotFound) continue;
      if (!status.ok()) return status;
      const auto number = static_cast<uint32_t>(models_.size());
      bool used = false;
      for (size_t i = 0; i < model.nodes.size(); ++i) {
        if (!wanted.contains(model.nodes[i].id)) continue;
        at_.try_emplace(model.nodes[i].id, number, static_cast<uint32_t>(i));
        used = true;
      }
      if (!used) continue;
      add_symbol_places(model);
      for (GraphScope& scope : model.scopes) {
        for (auto& [name, v] : scope.values) v.shape = with_dims(v.shape, dims);
      }
      std::vector<std::vector<int32_t>>& readers = readers_.emplace_back(model.nodes.size());
      for (size_t i = 0; i < model.nodes.size(); ++i) {
        for (const int32_t p : model.nodes[i].producers)
          readers[static_cast<size_t>(p)].push_back(static_cast<int32_t>(i));
      }
      models_.push_back(std::move(model));
    }
  }
  return {};
}

std::pair<const GraphModel*, const GraphNode*> WorkOfNodes::node(int64_t id) const {
  const auto at = at_.find(id);
  if (at == at_.end()) return {nullptr, nullptr};
  const GraphModel& model = models_[at->second.first];
  return {&model, &model.nodes[at->second.second]};
}

NodeWork WorkOfNodes::of(const std::set<int64_t>& nodes) const {
  // By graph and scope: names are of a scope.
  std::map<std::pair<const GraphModel*, int32_t>, std::set<const GraphNode*>> sets;
  for (const int64_t id : nodes) {
    if (const auto [model, n] = node(id); n != nullptr) sets[{model, n->scope}].insert(n);
  }
  NodeWork sum;
  if (sets.empty()) {
    sum.unknown = "no graph node";
    return sum;
  }
  sum.flops = 0;
  sum.bytes = 0;
  for (const auto& [where, set] : sets) {
    const auto number = static_cast<size_t>(where.first - models_.data());
    const NodeWork w = SetWork(*where.first, readers_[number], set).run();
    if (sum.flops) sum.flops = w.flops ? std::optional(*sum.flops + *w.flops) : std::nullopt;
    if (sum.bytes) sum.bytes = w.bytes ? std::optional(*sum.bytes + *w.bytes) : std::nullopt;
    sum.weight_bytes += w.weight_bytes;
    sum.spared_flops += w.spared_flops;
    sum.integer = sum.integer || w.integer;
    if (sum.unknown.empty()) sum.unknown = w.unknown;
  }
  return sum;
}

}  // namespace et::inspector
