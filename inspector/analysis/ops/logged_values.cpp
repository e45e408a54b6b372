#include "inspector/analysis/ops/logged_values.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/json_list_reader.h"
#include "inspector/match/operator_name.h"

namespace et::inspector {
namespace {

struct Node {
  int64_t id = 0;
  std::string name;
  std::string op;  // "addmm.default"
  std::string dtype;
  std::string file;
  int64_t line = 0;
  std::string code;
  int64_t ordinal = 0;
  std::string module;
};

/// A result of a node: of one with several results each has a name of its own.
struct Result {
  const Node* node;
  int64_t output;
  std::string dtype;
  std::string shape;
};

/// The operator's name alone: of "aten.addmm.default", "addmm.out" and "aten::addmm.out".
std::string_view base_of(std::string_view op) {
  if (const size_t at = op.rfind("::"); at != std::string_view::npos) op.remove_prefix(at + 2);
  const size_t overload = op.rfind('.');
  if (overload == std::string_view::npos) return op;
  op = op.substr(0, overload);
  const size_t space = op.rfind('.');
  return space == std::string_view::npos ? op : op.substr(space + 1);
}

/// The edge graph's nodes that the op is linked with, in the graph's order.
class Graph {
 public:
  Graph(const Store& store, int64_t trace_id) : store_(store) {
    Statement nodes = store.query(
        "SELECT node_id, name, coalesce(op, ''), coalesce(dtype, ''), coalesce(file, ''), coalesce(line, 0), "
        "coalesce(code, ''), ordinal, coalesce(shape, ''), coalesce(module_path, '') FROM nodes WHERE trace_id = ? AND "
        "graph = 'edge'");
    nodes.bind_all(trace_id);
    while (nodes.step()) {
      Node n{nodes.integer(0), nodes.str(1), nodes.str(2),     nodes.str(3), nodes.str(4),
             nodes.integer(5), nodes.str(6), nodes.integer(7), nodes.str(9)};
      const int64_t id = n.id;
      const Node* kept = &(nodes_[id] = std::move(n));
      if (!kept->dtype.empty()) results_[id].push_back({kept, 0, kept->dtype, nodes.str(8)});
    }
    // Nodes with several results: their values, in order.
    Statement values = store.query(
        "SELECT node_id, ordinal, coalesce(dtype, ''), coalesce(shape, '') FROM graph_values WHERE trace_id = ? AND "
        "graph = 'edge' AND role = 'result' ORDER BY node_id, ordinal");
    values.bind_all(trace_id);
    while (values.step()) {
      const auto it = nodes_.find(values.integer(0));
      if (it == nodes_.end()) continue;
      std::vector<Result>& list = results_[it->first];
      if (values.integer(1) == 0) list.clear();
      list.push_back({&it->second, values.integer(1), values.str(2), values.str(3)});
    }
    // What some operator computes by itself; delegate calls are all of their part.
    Statement claims = store.query(
        "SELECT DISTINCT l.node_id FROM links l JOIN ops o ON o.op_id = l.op_id WHERE o.trace_id = ? AND o.kind != "
        "'delegate_call'");
    claims.bind_all(trace_id);
    while (claims.step()) claimed_.insert(claims.integer(0));
    Statement edges = store.query(
        "SELECT producer_node_id, consumer_node_id FROM edges WHERE trace_id = ? AND producer_node_id IS NOT NULL");
    edges.bind_all(trace_id);
    while (edges.step()) consumers_[edges.integer(0)].insert(edges.integer(1));
  }
  bool empty() const { return nodes_.empty(); }

  std::vector<const Node*> linked(int64_t op_id) const {
    Statement links = store_.query("SELECT node_id FROM links WHERE op_id = ?");
    links.bind_all(op_id);
    std::vector<const Node*> out;
    while (links.step()) {
      const auto it = nodes_.find(links.integer(0));
      if (it != nodes_.end()) out.push_back(&it->second);
    }
    std::sort(out.begin(), out.end(), [](const Node* a, const Node* b) { return a->ordinal < b->ordinal; });
    return out;
  }
  /// Nodes that no operator claims and that take the value of `node` alone: fused into what computes it.
  const Node* fused_behind(const Node* node) const {
    const auto it = consumers_.find(node->id);
    if (it == consumers_.end() || it->second.size() != 1 || claimed_.count(*it->second.begin()) != 0) return nullptr;
    const auto next = nodes_.find(*it->second.begin());
    return next == nodes_.end() || next->second.ordinal <= node->ordinal ? nullptr : &next->second;
  }
  const std::vector<Result>& results(const Node* node) const {
    static const std::vector<Result> kNone;
    const auto it = results_.find(node->id);
    return it == results_.end() ? kNone : it->second;
  }
  /// Some node that is not of `part` takes its value, or none at all does: it is an output of the part.
  bool leaves(const Node* node, const std::set<int64_t>& part) const {
    const auto it = consumers_.find(node->id);
    if (it == consumers_.end()) return true;
    return std::any_of(it->second.begin(), it->second.end(), [&](int64_t id) { return part.count(id) == 0; });
  }

 private:
  const Store& store_;
  std::map<int64_t, Node> nodes_;
  std::map<int64_t, std::vector<Result>> results_;
  std::map<int64_t, std::set<int64_t>> consumers_;
  std::set<int64_t> claimed_;
};

/// "[1, s27, 96]" against sizes; symbols fit anything.
bool shape_fits(std::string_view shape, const std::vector<int32_t>& sizes) {
  size_t d = 0;
  while (!shape.empty()) {
    const size_t begin = shape.find_first_not_of("[], ");
    if (begin == std::string_view::npos) break;
    const std::string_view word = shape.substr(begin, shape.find_first_of(",]", begin) - begin);
    shape.remove_prefix(std::min(shape.size(), begin + word.size()));
    int64_t size = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    const bool number = error == std::errc() && end == word.data() + word.size();
    if (d == sizes.size() || (number && size != sizes[d])) return false;
    ++d;
  }
  return d == sizes.size();
}

bool fits(const Result& r, const LoggedValue& v) {
  return (r.dtype.empty() || r.dtype == v.dtype) && shape_fits(r.shape, v.shape);
}

/// As many elements, in whatever layout a delegate keeps them; symbols fit anything.
bool may_be(const Result& r, const LoggedValue& v) {
  // Traces have narrow floats as float32.
  const auto floats = [](const std::string& dtype) { return dtype.find("float") != std::string::npos; };
  if (!r.dtype.empty() && r.dtype != v.dtype && !(floats(r.dtype) && floats(v.dtype))) return false;
  int64_t elements = 1, got = 1;
  for (const int64_t size : v.shape) got *= size;
  std::string_view shape = r.shape;
  while (true) {
    const size_t begin = shape.find_first_not_of("[], ");
    if (begin == std::string_view::npos) break;
    const std::string_view word = shape.substr(begin, shape.find_first_of(",]", begin) - begin);
    shape.remove_prefix(std::min(shape.size(), begin + word.size()));
    int64_t size = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error != std::errc() || end != word.data() + word.size()) return true;
    if (__builtin_mul_overflow(elements, size, &elements)) return false;
  }
  return elements == got;
}

/// What the values of one op can be.
struct OpResults {
  std::vector<Result> likely;  // in the order of the values
  std::vector<Result> all;     // of all nodes of the op, last first
  std::vector<std::string> nodes;
  const Node* chosen = nullptr;  // of `likely`, where that is one node
};

/// Of a kernel the results of the node of that name; of a delegate's part everything that leaves it; of a delegate's
/// operator, which may be several nodes fused, the last that leaves them, before `next` if there is one.
OpResults results_of(const Graph& graph, const LoggedValue& first, const std::set<int64_t>& taken, const Node* next) {
  std::vector<const Node*> nodes = graph.linked(first.op_id);
  if (!first.is_delegate_call && !first.backend.empty() && !nodes.empty()) {
    while (const Node* behind = graph.fused_behind(nodes.back())) nodes.push_back(behind);
  }
  OpResults out;
  std::set<int64_t> part;
  for (const Node* n : nodes) {
    part.insert(n->id);
    out.nodes.push_back(n->name);
  }
  for (auto n = nodes.rbegin(); n != nodes.rend(); ++n) {
    for (const Result& r : graph.results(*n)) out.all.push_back(r);
  }
  if (first.is_delegate_call) {
    for (const Node* n : nodes) {
      if (!graph.leaves(n, part)) continue;
      for (const Result& r : graph.results(n)) out.likely.push_back(r);
    }
    return out;
  }
  // Nodes that share a handle are told apart by order, as their instructions are.
  const Node* chosen = nullptr;
  for (const Node* n : nodes) {
    if (base_of(n->op) != base_of(first.name)) continue;
    if (chosen == nullptr || taken.count(chosen->id) != 0) chosen = n;
  }
  const auto last = [&](auto suits) {
    if (chosen != nullptr) return;
    for (const Node* n : nodes) {
      const bool later = chosen == nullptr || n->ordinal > chosen->ordinal;
      if (later && !graph.results(n).empty() && suits(n)) chosen = n;
    }
  };
  if (next != nullptr) {
    last([&](const Node* n) { return n->ordinal < next->ordinal && fits(graph.results(n).front(), first); });
  }
  last([&](const Node* n) { return graph.leaves(n, part) && fits(graph.results(n).front(), first); });
  last([&](const Node* n) { return graph.leaves(n, part) && may_be(graph.results(n).front(), first); });
  last([&](const Node* n) { return may_be(graph.results(n).front(), first); });
  if (chosen != nullptr) out.likely = graph.results(chosen);
  out.chosen = chosen;
  return out;
}

/// Operators of one delegate call that are linked with the same nodes (a sigmoid and a product that were one silu) each
/// compute one of them: as many from the last on, in their order.
void give_shared_nodes(const Graph& graph, const std::vector<LoggedValue>& values,
                       std::map<int64_t, OpResults>* of_op) {
  std::map<std::vector<int64_t>, std::vector<size_t>> alike;  // the first value of each op
  std::set<int64_t> seen;
  for (size_t i = 0; i < values.size(); ++i) {
    const LoggedValue& v = values[i];
    if (v.is_delegate_call || !seen.insert(v.op_id).second) continue;
    std::vector<int64_t> ids;
    for (const Node* n : graph.linked(v.op_id)) ids.push_back(n->id);
    alike[ids].push_back(i);
  }
  for (const auto& [ids, ops] : alike) {
    const LoggedValue& first = values[ops.front()];
    // A kernel that is linked with them, too, has one of them by its name.
    const bool of_one_call = std::all_of(ops.begin(), ops.end(), [&](size_t i) {
      return !values[i].backend.empty() && values[i].chain == first.chain && values[i].instruction == first.instruction;
    });
    if (ids.size() < 2 || ops.size() < 2 || !of_one_call) continue;
    const Node* next = nullptr;
    for (auto i = ops.rbegin(); i != ops.rend(); ++i) {
      OpResults results = results_of(graph, values[*i], {}, next);
      if (results.chosen != nullptr) next = results.chosen;
      of_op->emplace(values[*i].op_id, std::move(results));
    }
  }
}

void give_node(const Result& r, LoggedValue* v) {
  v->node = r.node->name;
  v->node_output = r.output;
  v->file = r.node->file;
  v->line = r.node->line;
  v->code = r.node->code;
  v->module = r.node->module;
}

/// The values of the call that begins at `begin`.
size_t end_of_call(const std::vector<LoggedValue>& values, size_t begin) {
  size_t end = begin;
  while (end < values.size() && values[end].op_id == values[begin].op_id) ++end;
  return end;
}

void give_nodes(const Graph& graph, std::vector<LoggedValue>* values) {
  std::map<int64_t, OpResults> of_op;  // loops come back to the same op
  give_shared_nodes(graph, *values, &of_op);
  std::set<int64_t> taken;
  for (size_t begin = 0; begin < values->size();) {
    const size_t end = end_of_call(*values, begin);
    const auto [known, is_new] = of_op.try_emplace((*values)[begin].op_id);
    if (is_new) known->second = results_of(graph, (*values)[begin], taken, nullptr);
    const OpResults& results = known->second;
    for (const Result& r : results.likely) taken.insert(r.node->id);
    std::set<size_t> used;
    for (size_t i = begin; i < end; ++i) {
      LoggedValue& v = (*values)[i];
      v.nodes = results.nodes;
      // A delegate may give its outputs in another order than the graph has them: by what fits, each once.
      const auto next = [&](auto suits) {
        size_t at = 0;
        while (at < results.likely.size() && (used.count(at) != 0 || !suits(results.likely[at], v))) ++at;
        return at;
      };
      size_t at = next(fits);
      if (at == results.likely.size()) at = next(may_be);
      if (at < results.likely.size()) {
        used.insert(at);
        give_node(results.likely[at], &v);
      }
      // What quantisation adds is in no module; what it quantises is.
      for (const Result& r : results.all) {
        if (!v.is_delegate_call && v.module.empty()) v.module = r.node->module;
      }
      for (const std::vector<Result>* list : {&results.likely, &results.all}) {
        for (const Result& r : *list) {
          const bool known_already = (r.node->name == v.node && r.output == v.node_output) ||
                                     std::any_of(v.others.begin(), v.others.end(), [&](const NodeResult& o) {
                                       return o.node == r.node->name && o.output == r.output;
                                     });
          if (!known_already && may_be(r, v)) v.others.push_back({r.node->name, r.output});
        }
      }
    }
    begin = end;
  }
}

/// Delegate calls log all their arguments: what goes in is no result of theirs. Results stand last.
void drop_arguments(std::vector<LoggedValue>* values) {
  size_t kept = 0;
  for (size_t begin = 0; begin < values->size();) {
    const size_t end = end_of_call(*values, begin);
    const auto count = static_cast<int64_t>(end - begin);
    const int64_t results = (*values)[begin].is_delegate_call ? (*values)[begin].results.value_or(count) : count;
    if (results > 0 && results < count) begin += static_cast<size_t>(count - results);
    for (; begin < end; ++begin, ++kept) {
      if (kept != begin) (*values)[kept] = std::move((*values)[begin]);
    }
  }
  values->resize(kept);
}

/// dtype, shape and data from three columns, the first of which is `at`.
void read_tensor(const Statement& s, int at, LoggedValue* v) {
  v->dtype = s.str(at);
  for (const int64_t size : json_ints(s.text(at + 1))) v->shape.push_back(static_cast<int32_t>(size));
  const auto data = s.blob(at + 2);
  v->data.assign(reinterpret_cast<const char*>(data.data()), data.size());
}

}  // namespace

std::string type_text(const LoggedValue& v) {
  std::string out = v.dtype + "[";
  for (size_t d = 0; d < v.shape.size(); ++d) out += (d == 0 ? "" : ", ") + std::to_string(v.shape[d]);
  return out + "]";
}

std::optional<int64_t> find_execution(const Store& store, int64_t trace_id, std::optional<int64_t> bundled_case) {
  Statement s = store.query(
      "SELECT e.run_id FROM executions e JOIN blocks b ON b.block_id = e.block_id WHERE e.trace_id = ?1 AND b.kind = "
      "'execute' ORDER BY coalesce(b.bundled_input_index = ?2, 0), e.start_ns, e.run_id");
  s.bind(1, trace_id);
  s.bind(2, bundled_case);
  std::optional<int64_t> last;
  while (s.step()) last = s.integer(0);
  return last;
}

Status load_logged_values(const Store& store, int64_t trace_id, int64_t run_id, std::vector<LoggedValue>* out,
                          ValueData data) {
  Statement s;
  Status status = store.prepare(
      "SELECT v.op_id, o.name, coalesce(o.backend, ''), coalesce(o.chain_index, -1), coalesce(o.instruction_id, -1), "
      "v.ordinal, v.item, coalesce(v.dtype, ''), coalesce(v.shape, '[]'), CASE WHEN ?3 THEN v.data END, o.kind = "
      "'delegate_call', o.outputs, "
      "v.value_id "
      "FROM debug_values v JOIN ops o ON o.op_id = v.op_id WHERE v.trace_id = ?1 AND v.run_id = ?2 AND v.is_output = 0 "
      "AND v.data IS NOT NULL AND v.kind "
      "IN ('tensor', 'tensor_list') ORDER BY v.value_id",
      &s);
  if (!status.ok()) return status;
  s.bind_all(trace_id, run_id, data == ValueData::Now);
  while (s.step()) {
    LoggedValue v;
    v.value_id = s.integer(12);
    v.op_id = s.integer(0);
    v.name = kernel_name(s.str(1));
    v.backend = s.str(2);
    v.chain = s.integer(3);
    v.instruction = s.integer(4);
    v.ordinal = s.integer(5);
    v.item = s.integer(6);
    read_tensor(s, 7, &v);
    v.is_delegate_call = s.integer(10) != 0;
    v.results = s.maybe_integer(11);
    out->push_back(std::move(v));
  }
  drop_arguments(out);
  const Graph graph(store, trace_id);
  if (!graph.empty()) give_nodes(graph, out);
  return {};
}

Status load_logged_outputs(const Store& store, int64_t trace_id, int64_t run_id, std::vector<LoggedValue>* out) {
  Statement s;
  Status status = store.prepare(
      "SELECT coalesce(dtype, ''), coalesce(shape, '[]'), data FROM debug_values WHERE trace_id = ?1 AND run_id = ?2 "
      "AND is_output = 1 ORDER BY value_id",
      &s);
  if (!status.ok()) return status;
  s.bind_all(trace_id, run_id);
  while (s.step()) {
    LoggedValue v;
    read_tensor(s, 0, &v);
    out->push_back(std::move(v));
  }
  return {};
}

}  // namespace et::inspector
