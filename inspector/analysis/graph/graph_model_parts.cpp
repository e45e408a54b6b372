// Which nodes of the record's graph went into which delegate.
//
// The instruction of a delegate call carries the debug handles of the nodes inside, one a node (nodes with several
// results count once more for each result that is read). A handle of a single instruction decides for all of its nodes.
// Several nodes may share one handle (all of an unrolled LSTM): then the kernels' names take theirs, and delegates, in
// the order of their instructions, take what the instructions up to the next delegate need, and then what is ready to
// run.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "inspector/analysis/graph/graph_model.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/xnnpack_kinds.h"

namespace et::inspector {
namespace {

struct Call {
  int64_t instruction = 0;
  bool delegate = false;
  std::string kernel;  // "add.out", "" when unknown
  std::string backend;
  std::optional<int64_t> delegate_id;
  std::vector<int64_t> handles;
  std::vector<std::pair<std::string, int64_t>> payload;  // node types with their handles
};

// [1, 2, 2]; what is no number is left out.
std::vector<int64_t> int_list(std::string_view json) {
  std::vector<int64_t> out;
  const char* const end = json.data() + json.size();
  for (const char* at = json.data(); at < end;) {
    int64_t v = 0;
    const auto [behind, error] = std::from_chars(at, end, v);
    if (error == std::errc()) out.push_back(v);
    at = behind == at ? at + 1 : behind;
  }
  return out;
}

/// "aten::add.out", "native_call_add.out" and "aten.add.Tensor" -> "add".
std::string operator_stem(std::string_view name) {
  name = kernel_name(name);
  if (const size_t colons = name.rfind("::"); colons != std::string_view::npos) {
    name.remove_prefix(colons + 2);
    return std::string(name.substr(0, name.find('.')));
  }
  const size_t first = name.find('.');
  if (first == std::string_view::npos) return std::string(name);
  const size_t second = name.find('.', first + 1);
  // "ns.op.overload" has three parts, "op.overload" two.
  return std::string(second == std::string_view::npos ? name.substr(0, first)
                                                      : name.substr(first + 1, second - first - 1));
}

// What events tell of the instructions that ran.
std::map<int64_t, Call> calls_of_events(const Store& store, int64_t trace_id, const std::string& method) {
  std::map<int64_t, Call> calls;
  Statement ops = store.query(
      "SELECT instruction_id, max(kind = 'delegate_call'), max(CASE WHEN kind = 'kernel' THEN name END), max(backend), "
      "max(debug_handles) FROM ops WHERE trace_id = ?1 AND method = ?2 AND instruction_id IS NOT NULL AND "
      "kind IN ('delegate_call', 'operator_call', 'kernel') GROUP BY instruction_id");
  ops.bind_all(trace_id, method);
  while (ops.step()) {
    Call c;
    c.instruction = ops.integer(0);
    c.delegate = ops.integer(1) != 0;
    c.kernel = ops.str(2);
    c.backend = ops.str(3);
    c.handles = int_list(ops.text(4));
    calls.emplace(c.instruction, std::move(c));
  }
  return calls;
}

std::vector<Call> read_calls(const Store& store, int64_t trace_id, const std::string& method) {
  std::map<int64_t, Call> ran = calls_of_events(store, trace_id, method);
  std::vector<Call> calls;
  Statement st = store.query(
      "SELECT i.instruction_id, i.kind, coalesce(i.operator, ''), i.delegate_id, coalesce(i.debug_handles, '[]'), "
      "coalesce(d.backend, '') FROM instructions i LEFT JOIN delegates d ON d.delegate_id = i.delegate_id "
      "WHERE i.trace_id = ?1 AND i.method = ?2 AND i.kind IN ('KernelCall', 'DelegateCall') ORDER BY i.instruction_id");
  st.bind_all(trace_id, method);
  while (st.step()) {
    Call c;
    c.instruction = st.integer(0);
    c.delegate = st.text(1) == "DelegateCall";
    c.kernel = st.str(2);
    c.delegate_id = st.maybe_integer(3);
    c.handles = int_list(st.text(4));
    c.backend = st.str(5);
    // Without a program the record knows the handles, and only the events the kernels' names.
    if (const auto event = ran.find(c.instruction); event != ran.end()) {
      if (c.kernel.empty()) c.kernel = event->second.kernel;
      if (c.backend.empty()) c.backend = event->second.backend;
    }
    calls.push_back(std::move(c));
  }
  Statement payload = store.query(
      "SELECT p.type, p.debug_handle FROM payload_nodes p JOIN delegates d ON d.delegate_id = p.delegate_id "
      "WHERE p.delegate_id = ?1 AND d.payload_kind = 'xnnpack' AND p.debug_handle IS NOT NULL ORDER BY p.ordinal");
  for (Call& c : calls) {
    if (!c.delegate_id) continue;
    payload.bind_all(*c.delegate_id);
    while (payload.step()) c.payload.emplace_back(payload.str(0), payload.integer(1));
    payload.reset();
  }
  if (calls.empty()) {
    for (auto& [instruction, c] : ran) calls.push_back(std::move(c));
  }
  return calls;
}

class PartAssigner {
 public:
  PartAssigner(GraphModel& model, std::vector<Call> calls)
      : m_(model), calls_(std::move(calls)), owner_(model.nodes.size(), -1) {
    for (const int32_t n : m_.scopes[0].nodes) {
      const GraphNode& node = m_.nodes[static_cast<size_t>(n)];
      if (node.debug_handle) nodes_of_[*node.debug_handle].push_back(n);
      for (const GraphArgument& a : node.arguments) {
        for (const std::string_view id : identifiers(a.text)) {
          if (m_.value(0, std::string(id)) != nullptr) readers_[std::string(id)].insert(n);
        }
      }
    }
    for (const std::string& o : m_.scopes[0].outputs) readers_[o].insert(kGraphOutput);
    for (size_t i = 0; i < m_.scopes[0].inputs.size(); ++i) rank_.emplace(m_.scopes[0].inputs[i], i);
    guessed_.resize(calls_.size());
  }

  void run() {
    for (size_t c = 0; c < calls_.size(); ++c) {
      for (const int64_t h : std::set<int64_t>(calls_[c].handles.begin(), calls_[c].handles.end()))
        claims_[h].push_back(c);
    }
    for (const auto& [handle, callers] : claims_) {
      if (callers.size() == 1) {
        for (const int32_t n : nodes(handle)) owner_[static_cast<size_t>(n)] = static_cast<int32_t>(callers[0]);
      }
    }
    place_kernels();
    kernel_nodes_.resize(calls_.size());
    for (const int32_t n : m_.scopes[0].nodes) {
      if (owner(n) >= 0) kernel_nodes_[static_cast<size_t>(owner(n))].push_back(n);
    }
    for (size_t c = 0; c < calls_.size(); ++c) {
      if (calls_[c].delegate) place_delegate(c);
    }
    make_parts();
  }

 private:
  static constexpr int32_t kGraphOutput = -1;

  const std::vector<int32_t>& nodes(int64_t handle) const {
    static const std::vector<int32_t> kNone;
    const auto at = nodes_of_.find(handle);
    return at == nodes_of_.end() ? kNone : at->second;
  }
  const GraphNode& node(int32_t n) const { return m_.nodes[static_cast<size_t>(n)]; }
  int32_t& owner(int32_t n) { return owner_[static_cast<size_t>(n)]; }
  bool shared(int64_t handle) const {
    const auto at = claims_.find(handle);
    return at != claims_.end() && at->second.size() > 1;
  }

  // Kernels of a shared handle, by name; of several nodes of that name in their order.
  void place_kernels() {
    for (const auto& [handle, callers] : claims_) {
      if (callers.size() < 2) continue;
      std::map<std::string, std::vector<size_t>> kernels;
      for (const size_t c : callers) {
        if (!calls_[c].delegate) kernels[operator_stem(calls_[c].kernel)].push_back(c);
      }
      for (const auto& [stem, group] : kernels) {
        std::vector<int32_t> alike;
        for (const int32_t n : nodes(handle)) {
          if (owner(n) < 0 && operator_stem(node(n).op) == stem) alike.push_back(n);
        }
        const bool others = std::any_of(callers.begin(), callers.end(), [&](size_t c) { return calls_[c].delegate; });
        if (others && alike.size() > group.size()) {
          // Partitions are connected: what stands among delegated nodes is likelier delegated, too.
          ambiguous_.emplace(handle, stem);
          std::stable_sort(alike.begin(), alike.end(),
                           [&](int32_t x, int32_t y) { return delegated_around(x) < delegated_around(y); });
          alike.resize(group.size());
          std::sort(alike.begin(), alike.end());
        }
        for (size_t k = 0; k < group.size() && k < alike.size(); ++k) owner(alike[k]) = static_cast<int32_t>(group[k]);
      }
    }
  }

  // Delegated for sure: no kernel of that name could run it.
  bool surely_delegated(int32_t n) const {
    if (const int32_t o = owner_[static_cast<size_t>(n)]; o >= 0) return calls_[static_cast<size_t>(o)].delegate;
    if (!node(n).debug_handle) return false;
    const auto claims = claims_.find(*node(n).debug_handle);
    if (claims == claims_.end()) return false;
    const std::string stem = operator_stem(node(n).op);
    return std::none_of(claims->second.begin(), claims->second.end(),
                        [&](size_t c) { return !calls_[c].delegate && operator_stem(calls_[c].kernel) == stem; });
  }

  // Part of the nodes next to `n` for which `is` holds.
  template <class Is>
  double part_around(int32_t n, Is is) const {
    size_t all = 0, such = 0;
    auto count = [&](int32_t neighbour) {
      ++all;
      such += is(neighbour) ? 1 : 0;
    };
    for (const int32_t p : node(n).producers) count(p);
    for (const std::string& r : node(n).results) {
      const auto readers = readers_.find(r);
      if (readers == readers_.end()) continue;
      for (const int32_t reader : readers->second) {
        if (reader != kGraphOutput) count(reader);
      }
    }
    return all == 0 ? 0 : static_cast<double>(such) / static_cast<double>(all);
  }
  double delegated_around(int32_t n) const {
    return part_around(n, [&](int32_t x) { return surely_delegated(x); });
  }

  // What a node counts for in the handles of a delegate.
  size_t weight(int32_t n) const {
    size_t w = 1;
    if (node(n).has_results) {
      for (const std::string& r : node(n).results) w += readers_.contains(r) ? 1 : 0;
    }
    return w;
  }

  bool ready(int32_t n, size_t call) const {
    const auto& producers = node(n).producers;
    return std::all_of(producers.begin(), producers.end(), [&](int32_t p) {
      const int32_t o = owner_[static_cast<size_t>(p)];
      return o >= 0 ? static_cast<size_t>(o) <= call : !node(p).debug_handle || !shared(*node(p).debug_handle);
    });
  }

  // Nodes without owner that `n` needs, itself included, limited to shared handles of the call.
  void add_needed(int32_t n, const std::map<int64_t, size_t>& want, std::set<int32_t>* out) const {
    std::vector<int32_t> todo = {n};
    while (!todo.empty()) {
      const int32_t at = todo.back();
      todo.pop_back();
      for (const int32_t p : node(at).producers) {
        if (owner_[static_cast<size_t>(p)] >= 0 || !node(p).debug_handle || !want.contains(*node(p).debug_handle))
          continue;
        if (out->insert(p).second) todo.push_back(p);
      }
    }
  }

  void place_delegate(size_t call) {
    std::map<int64_t, size_t> want;
    for (const int64_t h : calls_[call].handles) {
      if (shared(h)) ++want[h];
    }
    if (want.empty()) return;
    if (!calls_[call].payload.empty()) {
      take_payload(call, &want);
      take_neighbours(call, &want);
    } else {
      take_needed(call, &want);
    }
    for (const auto& [h, left] : want) guessed_[call] = guessed_[call] || left > 0;
  }

  void take(size_t call, int32_t n, std::map<int64_t, size_t>* want) {
    size_t& left = (*want)[*node(n).debug_handle];
    left -= std::min(left, weight(n));
    owner(n) = static_cast<int32_t>(call);
  }
  bool wanted(int32_t n, const std::map<int64_t, size_t>& want) const {
    if (owner_[static_cast<size_t>(n)] >= 0 || !node(n).debug_handle) return false;
    const auto w = want.find(*node(n).debug_handle);
    return w != want.end() && w->second > 0;
  }

  // For each node of the payload the first operator that can have become it; what is ready to run goes first.
  void take_payload(size_t call, std::map<int64_t, size_t>* want) {
    for (const auto& [type, handle] : calls_[call].payload) {
      int32_t best = -1;
      for (const int32_t n : nodes(handle)) {
        if (!wanted(n, *want) || !node_fits_operator(type, operator_stem(node(n).op))) continue;
        const bool is_ready = ready(n, call);
        if (best < 0 || is_ready) best = n;
        if (is_ready) break;
      }
      if (best >= 0) take(call, best, want);
    }
  }

  // What became no payload node of its own (activations, views, casts): what stands closest to the nodes of the call.
  void take_neighbours(size_t call, std::map<int64_t, size_t>* want) {
    for (;;) {
      int32_t best = -1;
      double closest = -1;
      bool tie = false;
      for (const int32_t n : m_.scopes[0].nodes) {
        if (!wanted(n, *want)) continue;
        const double near = part_around(n, [&](int32_t x) { return owner(x) == static_cast<int32_t>(call); });
        tie = near > closest ? false : tie || near == closest;
        if (near > closest) {
          closest = near;
          best = n;
        }
      }
      if (best < 0) return;
      guessed_[call] = guessed_[call] || tie;
      take(call, best, want);
    }
  }

  void take_needed(size_t call, std::map<int64_t, size_t>* want) {
    // What must have run before the next delegate starts: first what its successors up to there read.
    std::set<int32_t> needed;
    for (size_t next = call + 1; next < calls_.size() && !calls_[next].delegate; ++next) {
      for (const int32_t n : kernel_nodes_[next]) add_needed(n, *want, &needed);
    }
    auto take_ready = [&](bool only_needed) {
      for (bool more = true; more;) {
        more = false;
        for (const int32_t n : m_.scopes[0].nodes) {
          if (!wanted(n, *want) || (only_needed && !needed.contains(n)) || !ready(n, call)) continue;
          take(call, n, want);
          more = true;
        }
      }
    };
    take_ready(true);
    // The rest is a choice when there is more than there is place for.
    std::map<int64_t, size_t> free;
    for (const int32_t n : m_.scopes[0].nodes) {
      if (wanted(n, *want)) free[*node(n).debug_handle] += weight(n);
    }
    for (const auto& [h, count] : free) {
      if (count > want->at(h)) guessed_[call] = true;
    }
    take_ready(false);
  }

  void make_parts() {
    for (const int32_t n : m_.scopes[0].nodes) {
      if (owner(n) >= 0)
        m_.nodes[static_cast<size_t>(n)].instruction = calls_[static_cast<size_t>(owner(n))].instruction;
    }
    for (size_t c = 0; c < calls_.size(); ++c) {
      if (!calls_[c].delegate) continue;
      GraphPart part;
      part.name = "lowered_module_" + std::to_string(m_.parts.size());
      part.backend = calls_[c].backend;
      part.instruction = calls_[c].instruction;
      part.delegate_id = calls_[c].delegate_id;
      part.guessed = guessed_[c];
      for (const int32_t n : m_.scopes[0].nodes) {
        if (owner(n) != static_cast<int32_t>(c)) continue;
        part.nodes.push_back(n);
        part.guessed =
            part.guessed || ambiguous_.contains({node(n).debug_handle.value_or(0), operator_stem(node(n).op)});
        m_.nodes[static_cast<size_t>(n)].part = static_cast<int32_t>(m_.parts.size());
      }
      m_.parts.push_back(std::move(part));
    }
    // Values rank as their makers run, inputs of the graph first.
    size_t rank = m_.scopes[0].inputs.size();
    for (const GraphItem& item : execution_order(m_, 0)) {
      const std::vector<int32_t> one = {item.node};
      for (const int32_t n : item.part >= 0 ? m_.parts[static_cast<size_t>(item.part)].nodes : one) {
        for (const std::string& r : node(n).results) rank_.emplace(r, rank++);
      }
    }
    for (GraphPart& part : m_.parts) find_interface(&part);
  }

  void find_interface(GraphPart* part) {
    const auto index = static_cast<int32_t>(part - m_.parts.data());
    std::set<std::string> seen;
    auto reads_outside = [&](const std::string& value) {
      const auto at = readers_.find(value);
      return at != readers_.end() && std::any_of(at->second.begin(), at->second.end(),
                                                 [&](int32_t n) { return n == kGraphOutput || node(n).part != index; });
    };
    for (const int32_t n : part->nodes) {
      for (const GraphArgument& a : node(n).arguments) {
        for (const std::string_view id : identifiers(a.text)) {
          const GraphValue* v = m_.value(0, std::string(id));
          if (v == nullptr || (v->producer >= 0 && node(v->producer).part == index) || !seen.insert(v->name).second)
            continue;
          (taken_along(*v) ? part->constants : part->inputs).push_back(v->name);
        }
      }
      for (const std::string& r : node(n).results) {
        if (reads_outside(r)) part->outputs.push_back(r);
      }
    }
    auto by_rank = [&](const std::string& a, const std::string& b) { return rank_[a] < rank_[b]; };
    std::stable_sort(part->inputs.begin(), part->inputs.end(), by_rank);
    std::stable_sort(part->constants.begin(), part->constants.end(), by_rank);
  }

  // A constant that only delegates read is part of them; one that a kernel reads too is passed to the call.
  bool taken_along(const GraphValue& v) {
    if (!v.is_constant()) return false;
    for (const int32_t n : readers_[v.name]) {
      if (n == kGraphOutput || node(n).part < 0) return false;
    }
    return true;
  }

  GraphModel& m_;
  std::vector<Call> calls_;
  std::vector<int32_t> owner_;  // call that runs the node, by node; -1: unknown
  std::vector<bool> guessed_;   // by call
  std::map<int64_t, std::vector<int32_t>> nodes_of_;
  std::map<int64_t, std::vector<size_t>> claims_;  // calls of a handle
  std::set<std::pair<int64_t, std::string>>
      ambiguous_;  // handle and operator of nodes that a kernel or a delegate may run
  std::map<std::string, std::set<int32_t>> readers_;  // of values of the outer graph
  std::map<std::string, size_t> rank_;
  std::vector<std::vector<int32_t>> kernel_nodes_;  // by call: nodes that it surely runs
};

}  // namespace

void assign_parts(const Store& store, int64_t trace_id, GraphModel* model) {
  PartAssigner(*model, read_calls(store, trace_id, model->method)).run();
}

}  // namespace et::inspector
