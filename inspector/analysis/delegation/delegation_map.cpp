#include "inspector/analysis/delegation/delegation_map.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/shown_types.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/type_family.h"
#include "inspector/store/foreign_files.h"

namespace et::inspector {
namespace {

using Kind = MapItem::Kind;

// The program's word for an instruction that calls nothing.
struct ControlName {
  std::string_view kind, label;
};
constexpr std::array<ControlName, 3> kControls = {
    {{"JumpFalseCall", "jump"}, {"MoveCall", "move"}, {"FreeCall", "free"}}};

/// As op_title() calls it, with the whole of the operator's name.
std::string operator_of(const OpTable& table, const OpEntry& op) {
  const ShownTypes shown = shown_types(table, op);
  return shown.types.empty() || shown.inferred ? std::string(kernel_name(op.name)) : shown.types.front();
}

class MapBuilder {
 public:
  MapBuilder(const Store& store, const OpTable& table, DelegationMap* out) : store_(store), table_(table), m_(*out) {}

  /// `instructions`: whether those in the store are of what ran.
  Status run(const GraphModel* graph, bool instructions) {
    graph_ = graph;
    m_.unit = table_.unit;
    m_.has_graph = graph != nullptr;
    if (graph != nullptr) m_.nodes = node_counts(*graph);
    if (instructions) {
      if (Status s = load_instructions(); !s.ok()) return s;
      if (Status s = load_layouts(); !s.ok()) return s;
    }
    for (const OpBlock& block : table_.blocks) {
      if (block.kind == "execute" && block.method.value_or("") == m_.method) add_costs(block);
    }
    std::sort(m_.items.begin(), m_.items.end(),
              [](const MapItem& a, const MapItem& b) { return a.instruction < b.instruction; });
    for (size_t i = 0; i < m_.items.size(); ++i) item_of_[m_.items[i].instruction] = i;
    if (graph_ != nullptr) join_graph();
    for (const DelegationPart& p : m_.summary.parts) {
      const auto at = item_of_.find(p.instruction_id);
      if (at != item_of_.end()) m_.items[at->second].node_count = p.nodes;
    }
    for (MapItem& item : m_.items) {
      if (item.shown_nodes == 0) item.shown_nodes = item.node_count;
      if (item.kind == Kind::Delegate) item.number = ++calls_;
    }
    list_non_delegated();
    for (size_t i = 0; i < m_.items.size(); ++i) m_.items[i].title = title_of(i);
    find_breaks();
    return {};
  }

 private:
  std::string title_of(size_t index) const {
    const MapItem& item = m_.items[index];
    if (item.kind == Kind::Delegate) return backend_title(item.backend);
    if (item.kind != Kind::Kernel) return item.label;
    const auto nodes = nodes_of_item_.find(index);
    if (nodes != nodes_of_item_.end()) {
      const auto costs = [&](int32_t a, int32_t b) { return node(a).ns < node(b).ns; };
      return operator_title(node(*std::max_element(nodes->second.begin(), nodes->second.end(), costs)).op);
    }
    constexpr std::string_view kUsual = "aten::";
    return operator_title(item.label.starts_with(kUsual) ? item.label.substr(kUsual.size()) : item.label);
  }

  MapItem& item_at(int64_t instruction) {
    const auto [at, made] = item_of_.try_emplace(instruction, m_.items.size());
    if (made) m_.items.emplace_back().instruction = instruction;
    return m_.items[at->second];
  }

  Status load_instructions() {
    Statement st;
    Status status = store_.prepare(
        "SELECT i.instruction_id, i.kind, coalesce(i.operator, ''), coalesce(d.backend, ''), d.payload_bytes, "
        "d.payload_nodes FROM instructions i LEFT JOIN delegates d ON d.delegate_id = i.delegate_id "
        "WHERE i.trace_id = ?1 AND i.method = ?2 ORDER BY i.instruction_id",
        &st);
    if (!status.ok()) return status;
    st.bind_all(table_.trace_id, m_.method);
    while (st.step()) {
      MapItem& item = item_at(st.integer(0));
      const std::string_view kind = st.text(1);
      item.label = st.str(2);
      if (kind == "DelegateCall") {
        item.kind = Kind::Delegate;
        item.label = item.backend = st.str(3);
        item.payload_bytes = st.is_null(4) ? -1 : st.integer(4);
        item.payload_nodes = st.is_null(5) ? -1 : st.integer(5);
      } else if (kind != "KernelCall") {
        item.kind = Kind::Control;
        const auto* const name =
            std::find_if(kControls.begin(), kControls.end(), [&](const ControlName& c) { return c.kind == kind; });
        item.label = name == kControls.end() ? std::string(kind) : std::string(name->label);
      }
    }
    return st.finish("instructions");
  }

  // By instruction and payload node; preparing them once is not what they cost.
  Status costs_of_payload_nodes(std::map<std::pair<int64_t, int64_t>, double>* out) {
    Statement st = store_.query(
        "SELECT op_id, instruction_id, payload_node_id FROM ops WHERE trace_id = ?1 AND kind = 'delegate_op' AND clock "
        "IS NULL AND payload_node_id IS NOT NULL AND coalesce(role, '') NOT IN ('init', 'plan')");
    st.bind_all(table_.trace_id);
    while (st.step()) {
      if (const auto op = table_.find_own(st.integer(0)))
        (*out)[{st.integer(1), st.integer(2)}] += table_.ops[*op].cost;
    }
    return st.finish("ops of delegates");
  }

  // Transposes that a delegate begins or ends with: what it pays for tensors of another layout outside. Those that the
  // model asked for have a debug handle in XNNPACK's payloads; TOSA's do not say.
  Status load_layouts() {
    Statement st;
    Status status = store_.prepare(
        "SELECT i.instruction_id, p.type = 'TRANSPOSE' OR (p.type = 'StaticTranspose' AND p.debug_handle IS NULL), "
        "p.payload_node_id FROM instructions i JOIN payload_nodes p ON p.delegate_id = i.delegate_id WHERE i.trace_id "
        "= ?1 AND i.method = ?2 AND p.type NOT LIKE 'CONST%' ORDER BY i.instruction_id, p.ordinal",
        &st);
    if (!status.ok()) return status;
    std::map<std::pair<int64_t, int64_t>, double> costs;
    status = costs_of_payload_nodes(&costs);
    if (!status.ok()) return status;
    st.bind_all(table_.trace_id, m_.method);
    while (st.step()) {
      Edges& e = edges_[st.integer(0)];
      if (st.integer(1) == 0) {
        e.begun = true;
        e.exit = {};
        continue;
      }
      Edge& edge = e.begun ? e.exit : e.entry;
      ++edge.count;
      if (const auto cost = costs.find({st.integer(0), st.integer(2)}); cost != costs.end()) edge.ns += cost->second;
    }
    return st.finish("payload nodes");
  }

  // Everything inside of an instruction is its own, also the instructions of a program that a delegate runs, and what
  // it takes the runtime to call a kernel: without the kernel there is no call.
  void add_costs(const OpBlock& block) {
    m_.total_ns += block.cost;
    m_.variation_ns += block.variation;
    for (size_t i = block.first_op; i < block.first_op + block.ops; ++i) {
      const OpEntry& op = table_.ops[i];
      const bool counts = op.on_trace_clock() && op.count > 0;
      size_t at = i, outermost = table_.ops.size();
      for (size_t steps = 0; steps <= block.ops; ++steps) {
        if (table_.ops[at].instruction_id) outermost = at;
        if (!table_.ops[at].parent) break;
        at = *table_.ops[at].parent;
      }
      if (outermost == table_.ops.size()) {
        if (counts) m_.framework_ns += op.cost;
        continue;
      }
      const OpEntry& call = table_.ops[outermost];
      if (call.kind != "delegate_call") note_links(op, *call.instruction_id);
      MapItem& item = item_at(*call.instruction_id);
      if (call.kind == "delegate_call") {
        item.kind = Kind::Delegate;
        if (item.backend.empty()) item.backend = call.backend.value_or("");
        if (item.label.empty()) item.label = item.backend.empty() ? "delegate" : item.backend;
      } else if (call.kind == "control" && item.label.empty()) {
        item.kind = Kind::Control;
        item.label = call.name;
      } else if (item.label.empty() || (i == outermost && item.label == "OPERATOR_CALL")) {
        item.label = operator_of(table_, call);
      }
      // Without a program and links only the kernel inside has a name.
      if (item.kind == Kind::Kernel && item.label == "OPERATOR_CALL" && op.kind == "kernel")
        item.label = operator_of(table_, op);
      if (!counts) continue;
      item.ns += op.cost;
      if (item.kind == Kind::Delegate && i != outermost) {
        item.inner_ns += op.cost;
        if (op.resolution_limited) item.hidden_ns += hidden_time(op, block);
      }
      if (i == outermost) item.calls += op.count;
    }
  }

  /// Whole microseconds are cut, not rounded: each event of an execution may have taken almost one more.
  double hidden_time(const OpEntry& op, const OpBlock& block) const {
    constexpr double kMicrosecond = 1000;
    const double executions = table_.basis.is_sum() ? 1 : static_cast<double>(std::max<int64_t>(block.runs, 1));
    return kMicrosecond * static_cast<double>(op.count) / executions;
  }

  void note_links(const OpEntry& op, int64_t instruction) {
    for (size_t l = op.first_node; l < op.first_node + op.nodes; ++l) {
      const OpNode& link = table_.nodes[l];
      if (link.weight > 0) linked_[link.node->id].insert(instruction);
    }
  }

  // ETRecords tell nothing of the instructions of branches and loops: there the links of what ran do.
  void place_nodes() {
    for (const GraphNode& n : graph_->nodes) {
      auto& place = place_.emplace_back();
      if (n.instruction) place = *n.instruction;
      const auto linked = linked_.find(n.id);
      if (place || n.part >= 0 || linked == linked_.end()) continue;
      if (n.scope != 0) place = *linked->second.begin();
      if (n.bodies.empty()) continue;
      for (const int64_t i : linked->second) m_.items[item_of_.at(i)].control = n.name;
    }
  }

  const GraphNode& node(int32_t n) const { return graph_->nodes[static_cast<size_t>(n)]; }
  int64_t value_bytes(const GraphNode& n, const std::string& name) const {
    const GraphValue* const v = graph_->value(n.scope, name);
    return v == nullptr || v->dtype.empty() ? 0 : tensor_bytes(v->dtype, v->shape);
  }
  static void add(int64_t* sum, int64_t bytes) {
    if (*sum >= 0) *sum = bytes < 0 ? -1 : *sum + bytes;
  }

  // Values that a node reads, each once; weights are not among them.
  std::vector<const GraphValue*> reads(const GraphNode& n) const {
    std::vector<const GraphValue*> out;
    for (const GraphArgument& a : n.arguments) {
      for (const std::string_view id : identifiers(a.text)) {
        const GraphValue* const v = graph_->value(n.scope, std::string(id));
        if (v != nullptr && !v->is_constant() && std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
      }
    }
    return out;
  }

  void join_graph() {
    const size_t count = graph_->nodes.size();
    place_nodes();
    from_.assign(count, false);
    to_.assign(count, false);
    readers_.resize(count);
    for (size_t n = 0; n < count; ++n) {
      for (const int32_t p : graph_->nodes[n].producers) readers_[static_cast<size_t>(p)].push_back(n);
    }
    // What leaves no instruction (views) passes on what it reads.
    const auto passes = [&](size_t n) { return graph_->nodes[n].part < 0 && !place_[n]; };
    for (size_t n = 0; n < count; ++n) {
      for (const int32_t p : graph_->nodes[n].producers) {
        const auto producer = static_cast<size_t>(p);
        if (node(p).part >= 0 || (passes(producer) && from_[producer])) from_[n] = true;
      }
    }
    for (size_t n = count; n-- > 0;) {
      for (const size_t r : readers_[n]) {
        if (graph_->nodes[r].part >= 0 || (passes(r) && to_[r])) to_[n] = true;
      }
    }
    for (size_t n = 0; n < count; ++n) {
      const GraphNode& x = graph_->nodes[n];
      if (!place_[n]) continue;
      const auto at = item_of_.find(*place_[n]);
      if (at == item_of_.end()) continue;
      MapItem& item = m_.items[at->second];
      item.nodes.push_back(x.name);
      if (x.part >= 0 || item.kind == Kind::Delegate) continue;
      nodes_of_item_[at->second].push_back(static_cast<int32_t>(n));
      item.crossing = item.crossing || (from_[n] && to_[n]);
      if (item.bytes_in < 0 && nodes_of_item_[at->second].size() == 1) item.bytes_in = item.bytes_out = 0;
      for (const GraphValue* v : reads(x)) add(&item.bytes_in, value_bytes(x, v->name));
      for (const std::string& r : x.results) add(&item.bytes_out, value_bytes(x, r));
    }
    for (const GraphPart& part : graph_->parts) {
      const auto at = item_of_.find(part.instruction);
      if (at == item_of_.end()) continue;
      MapItem& item = m_.items[at->second];
      item.part = part.name;
      item.guessed = part.guessed;
      item.node_count = static_cast<int64_t>(part.nodes.size());
      item.shown_nodes =
          std::count_if(part.nodes.begin(), part.nodes.end(), [&](int32_t n) { return is_counted_node(node(n).op); });
      if (part.nodes.empty()) continue;
      describe_part(part, &item);
      const GraphNode& any = node(part.nodes.front());
      item.bytes_in = item.bytes_out = 0;
      for (const std::string& v : part.inputs) add(&item.bytes_in, value_bytes(any, v));
      for (const std::string& v : part.outputs) add(&item.bytes_out, value_bytes(any, v));
    }
  }

  void describe_part(const GraphPart& part, MapItem* item) const {
    std::vector<std::string> titles, others;
    bool any = false;
    for (const int32_t n : part.nodes) {
      const GraphNode& x = node(n);
      const bool computes = type_family(x.op) != TypeFamily::Quantisation && !only_moves_data(x.op);
      if (is_counted_node(x.op)) (computes ? titles : others).push_back(operator_title(x.op));
      if (x.module_path.empty()) continue;
      item->module = any ? module_of_both(item->module, x.module_path) : x.module_path;
      any = true;
    }
    constexpr size_t kMost = 6;
    // What computes stands among nodes that only say how its tensors are stored and seen.
    item->operators = counted_operators(titles.empty() ? others : titles, kMost);
  }

  // Bytes between the node and delegates.
  int64_t crossing_bytes(int32_t n, std::set<const GraphValue*>* seen) const {
    int64_t sum = 0;
    const GraphNode& x = node(n);
    for (const GraphValue* v : reads(x)) {
      if (v->producer >= 0 && node(v->producer).part >= 0 && seen->insert(v).second) add(&sum, value_bytes(x, v->name));
    }
    for (const std::string& r : x.results) {
      const GraphValue* const v = graph_->value(x.scope, r);
      if (v == nullptr) continue;
      const auto& readers = readers_[static_cast<size_t>(n)];
      const bool taken = std::any_of(readers.begin(), readers.end(), [&](size_t reader) {
        if (graph_->nodes[reader].part < 0) return false;
        const auto what = reads(graph_->nodes[reader]);
        return std::find(what.begin(), what.end(), v) != what.end();
      });
      if (taken && seen->insert(v).second) add(&sum, value_bytes(x, r));
    }
    return sum;
  }

  void list_non_delegated() {
    for (size_t i = 0; i < m_.items.size(); ++i) {
      MapItem& item = m_.items[i];
      if (item.kind == Kind::Delegate) continue;
      item.moves = item.kind == Kind::Kernel && only_moves_data(item.label);
      const auto nodes = nodes_of_item_.find(i);
      if (item.kind == Kind::Kernel) item.non_delegated = static_cast<int32_t>(m_.non_delegated.size());
      if (nodes == nodes_of_item_.end()) {
        if (item.kind != Kind::Kernel) continue;
        NonDelegatedOp& o = m_.non_delegated.emplace_back();
        o.op = item.label;
        o.ns = item.ns;
        fill(&o, i);
        continue;
      }
      item.non_delegated = static_cast<int32_t>(m_.non_delegated.size());
      item.node_count = static_cast<int64_t>(nodes->second.size());
      for (const int32_t n : nodes->second) {
        add_node(n, i, item.ns / static_cast<double>(nodes->second.size()));
      }
    }
    if (graph_ == nullptr) return;
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      const GraphNode& x = graph_->nodes[n];
      const bool listed = place_[n] && item_of_.contains(*place_[n]);
      if (!listed && x.part < 0 && x.op != "executorch_call_delegate") {
        add_node(static_cast<int32_t>(n), m_.items.size(), 0);
      }
    }
  }

  void fill(NonDelegatedOp* o, size_t item) const {
    if (item >= m_.items.size()) return;
    o->item = static_cast<int32_t>(item);
    o->instruction = m_.items[item].instruction;
    o->calls = m_.items[item].calls;
  }

  void add_node(int32_t n, size_t item, double ns) {
    const GraphNode& x = node(n);
    NonDelegatedOp& o = m_.non_delegated.emplace_back();
    o.op = x.op;
    o.node = x.name;
    o.dtype = x.dtype;
    o.shape = x.shape;
    o.scope = x.scope;
    o.file = x.file;
    o.line = x.line;
    o.module_path = x.module_path;
    o.ns = ns;
    std::set<const GraphValue*> seen;
    o.crossing_bytes = crossing_bytes(n, &seen);
    fill(&o, item);
    if (from_[static_cast<size_t>(n)] && to_[static_cast<size_t>(n)]) {
      o.reasons.push_back({StayReason::Kind::Between, ""});  // worded with the others
    }
  }

  void find_breaks() {
    size_t before = m_.items.size();
    for (size_t i = 0; i < m_.items.size(); ++i) {
      if (m_.items[i].kind != Kind::Delegate) continue;
      if (before < m_.items.size() && i > before + 1) {
        MapBreak b;
        b.first = before + 1;
        b.last = i - 1;
        b.before = m_.items[before].backend;
        b.after = m_.items[i].backend;
        const auto left = edges_.find(m_.items[before].instruction), entered = edges_.find(m_.items[i].instruction);
        if (left != edges_.end() && entered != edges_.end()) {
          b.layouts = left->second.exit.count + entered->second.entry.count;
          b.layout_ns = left->second.exit.ns + entered->second.entry.ns;
        }
        std::set<const GraphValue*> seen;
        b.bytes = graph_ != nullptr ? 0 : -1;
        for (size_t k = b.first; k <= b.last; ++k) {
          const MapItem& item = m_.items[k];
          b.ns += item.ns;
          if (item.moves) {
            ++b.moves;
            b.move_ns += item.ns;
          }
          const auto nodes = nodes_of_item_.find(k);
          if (nodes == nodes_of_item_.end()) {
            if (item.label.empty()) b.bytes = -1;  // the kernel is not known
            continue;
          }
          for (const int32_t n : nodes->second) add(&b.bytes, crossing_bytes(n, &seen));
        }
        m_.breaks.push_back(b);
      }
      before = i;
    }
  }

  const Store& store_;
  const OpTable& table_;
  DelegationMap& m_;
  const GraphModel* graph_ = nullptr;
  struct Edge {
    int64_t count = 0;
    double ns = 0;
  };
  struct Edges {
    Edge entry, exit;
    bool begun = false;  // a node that is no transpose was seen
  };
  int64_t calls_ = 0;                            // delegate calls so far
  std::map<int64_t, Edges> edges_;               // by instruction
  std::map<int64_t, size_t> item_of_;            // by instruction
  std::map<int64_t, std::set<int64_t>> linked_;  // instructions by key of the node
  std::vector<std::optional<int64_t>> place_;    // instruction by node
  std::map<size_t, std::vector<int32_t>> nodes_of_item_;
  std::vector<bool> from_, to_;  // by node: reads from, feeds a delegate
  std::vector<std::vector<size_t>> readers_;
};

std::vector<std::string> methods_of(const Store& store, const OpTable& table) {
  std::vector<std::string> out;
  Statement st = store.query("SELECT name FROM methods WHERE trace_id = ?1 ORDER BY method_id");
  st.bind_all(table.trace_id);
  while (st.step()) out.push_back(st.str(0));
  for (const OpBlock& block : table.blocks) {
    const std::string name = block.method.value_or("");
    if (block.kind == "execute" && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

}  // namespace

double DelegationMap::delegated_ns() const {
  double sum = 0;
  for (const MapItem& i : items) sum += i.kind == MapItem::Kind::Delegate ? i.ns : 0;
  return sum;
}

double DelegationMap::non_delegated_ns() const {
  double sum = 0;
  for (const MapItem& i : items) sum += i.kind == MapItem::Kind::Delegate ? 0 : i.ns;
  return sum;
}

size_t DelegationMap::delegates() const {
  return static_cast<size_t>(
      std::count_if(items.begin(), items.end(), [](const MapItem& i) { return i.kind == MapItem::Kind::Delegate; }));
}

void leave_what_ran(std::vector<DelegationMap>* maps) {
  for (DelegationMap& map : *maps)
    std::erase_if(map.non_delegated, [](const NonDelegatedOp& op) { return !(op.ns > 0); });
}

Status delegation_map(const Store& store, const OpTable& table, std::vector<DelegationMap>* out) {
  std::vector<DelegationSummary> summaries;
  const ForeignFiles foreign = foreign_files(store, table.trace_id);
  std::vector<std::string> with_graph;
  // What lies inside of which delegate follows from the instructions.
  const bool graphs_fit = !foreign.hides_record() && !foreign.hides_instructions();
  if (graphs_fit) {
    if (Status s = shown_delegation(store, table, &summaries); !s.ok()) return s;
    with_graph = graph_methods(store, table.trace_id, "edge");
  }
  std::vector<GraphModel> graphs, inside;
  graphs.reserve(with_graph.size());
  std::vector<const GraphModel*> graph_of_map;
  std::vector<DelegationMap> maps;
  for (const std::string& method : methods_of(store, table)) {
    const GraphModel* graph = nullptr;
    if (std::find(with_graph.begin(), with_graph.end(), method) != with_graph.end()) {
      if (Status s = load_graph(store, table, method, "edge", &graphs.emplace_back()); !s.ok()) return s;
      graph = &graphs.back();
    }
    DelegationMap map;
    map.method = method;
    for (DelegationSummary& s : summaries) {
      if (s.method == method) map.summary = s;
    }
    if (Status s = MapBuilder(store, table, &map).run(graph, !foreign.hides_instructions()); !s.ok()) return s;
    if (map.items.empty() && graph == nullptr) continue;
    maps.push_back(std::move(map));
    graph_of_map.push_back(graph);
  }
  // Records of lowered programs have the delegates' graphs as such.
  for (const std::string& name : graph_names(store, table.trace_id)) {
    if (!name.starts_with("edge:") || !graphs_fit) continue;
    for (const std::string& method : graph_methods(store, table.trace_id, name)) {
      if (Status s = load_graph(store, table, method, name, &inside.emplace_back()); !s.ok()) return s;
    }
  }
  explain_non_delegated(graph_of_map, inside, &maps);
  *out = std::move(maps);
  return {};
}

DelegationTotals delegation_totals(const DelegationMap& map) {
  DelegationTotals t;
  t.delegated = map.delegated_ns();
  t.non_delegated = map.non_delegated_ns();
  t.framework = map.framework_ns;
  t.variation = map.variation_ns;
  t.total = map.total_ns;
  t.break_bytes = map.breaks.empty() ? -1 : 0;
  for (const MapBreak& b : map.breaks) {
    t.breaks += b.ns;
    t.moves += b.move_ns;
    t.move_count += b.moves;
    t.layout_count += std::max<int64_t>(b.layouts, 0);
    t.layouts += b.layout_ns;
    t.break_bytes = t.break_bytes < 0 || b.bytes < 0 ? -1 : t.break_bytes + b.bytes;
  }
  return t;
}

}  // namespace et::inspector
