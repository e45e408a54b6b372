#include "inspector/analysis/ops/op_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "base/json_list_reader.h"
#include "inspector/analysis/graph/node_counts.h"
#include "inspector/analysis/ops/kept_executions.h"
#include "inspector/analysis/ops/op_costs.h"
#include "inspector/analysis/ops/op_range.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

Status check_trace(const Store& store, int64_t trace_id, OpTable* out) {
  Statement st;
  Status status = store.prepare("SELECT unit, name FROM traces WHERE trace_id = ?1", &st);
  if (!status.ok()) return status;
  st.bind_all(trace_id);
  if (st.step()) {
    out->unit = st.str(0);
    out->trace_name = st.str(1);
    out->trace_id = trace_id;
    return {};
  }
  status = st.finish("the trace");
  if (!status.ok()) return status;
  std::string message = "no trace " + std::to_string(trace_id) + " in the store; it has ";
  Statement all;
  status = store.prepare("SELECT count(*), min(trace_id), max(trace_id) FROM traces", &all);
  if (!status.ok()) return status;
  if (all.step() && all.integer(0) > 0) {
    message += std::to_string(all.integer(0)) + " trace(s), " + std::to_string(all.integer(1)) + " to " +
               std::to_string(all.integer(2));
  } else {
    message += "none";
  }
  return {Error::NotFound, message};
}

Status load_phases(const Store& store, OpTable* out) {
  PhasesOfBlocks phases;
  if (!load_kept_phases(store, out->trace_id, &phases)) {
    if (Status status = count_phases(store, out->trace_id, &phases); !status.ok()) return status;
  }
  for (OpBlock& b : out->blocks) b.phases = std::move(phases[b.id]);
  return {};
}

Status load_blocks(const Store& store, OpTable* out) {
  Statement st, run;
  Status status = store.prepare(
      "SELECT block_id, ordinal, name, kind, method, method_via, method_confidence, bundled_input_index, runs, "
      "total_ns, "
      "cold_ns, warm_mean_ns, warm_p50_ns FROM blocks WHERE trace_id = ?1 ORDER BY ordinal",
      &st);
  if (status.ok()) status = store.prepare("SELECT complete, error FROM executions WHERE block_id = ?1 LIMIT 1", &run);
  if (!status.ok()) return status;
  st.bind_all(out->trace_id);
  while (st.step()) {
    OpBlock b;
    b.id = st.integer(0);
    b.ordinal = st.integer(1);
    b.name = st.str(2);
    b.kind = st.str(3);
    b.method = st.maybe_text(4);
    b.method_via = st.maybe_text(5);
    b.method_confidence = st.maybe_real(6);
    b.bundled_input_index = st.maybe_integer(7);
    b.runs = st.integer(8);
    b.total = st.integer(9);
    b.cold = st.maybe_integer(10);
    b.warm_mean = st.maybe_real(11);
    b.warm_p50 = st.maybe_real(12);
    run.bind_all(b.id);
    if (run.step()) {
      b.complete = run.integer(0) != 0;
      b.error = run.maybe_integer(1);
    }
    run.reset();
    out->blocks.push_back(std::move(b));
  }
  status = st.finish("blocks");
  return status.ok() ? load_phases(store, out) : status;
}

// Where a block's ops are. Counted, not believed: a number that the store only claims could be any.
struct Extent {
  int64_t first = 0, last = -1, count = 0;  // of their keys
};

Status extents_of(const Store& store, const OpTable& table, std::vector<Extent>* out) {
  Statement st;
  Status status = store.prepare("SELECT min(op_id), max(op_id), count(*) FROM ops WHERE block_id = ?1", &st);
  if (!status.ok()) return status;
  for (const OpBlock& block : table.blocks) {
    st.bind_all(block.id);
    Extent extent;
    if (st.step() && st.integer(2) > 0) extent = {st.integer(0), st.integer(1), st.integer(2)};
    out->push_back(extent);
    st.reset();
  }
  return st.finish("ops");
}

// Reads rows of the table behind the view `ops`, whose joins would cost as much again as the rows.
class OpReader {
 public:
  OpReader(const Store& store, OpTable* out) : store_(store), out_(out) {}

  Status prepare() {
    const std::string columns = select_ops_sql(store_) + " ";
    // Keys of a block's ops mostly follow each other: one walk through the table then, in its own order.
    Status status = store_.prepare(columns + "WHERE id BETWEEN ?2 AND ?3 AND +block = ?1", &neighbours_);
    if (status.ok()) status = store_.prepare(columns + "WHERE block = ?1 ORDER BY ordinal", &scattered_);
    if (status.ok()) status = store_.prepare("SELECT text FROM raw_string WHERE id = ?1", &name_);
    return status;
  }

  Status read(uint32_t block, const Extent& extent) {
    const size_t first = out_->ops.size();
    out_->blocks[block].first_op = first;
    const int64_t id = out_->blocks[block].id;
    const bool dense = static_cast<uint64_t>(extent.last) - static_cast<uint64_t>(extent.first) <
                       2 * static_cast<uint64_t>(extent.count);
    Statement& st = dense ? neighbours_ : scattered_;
    if (dense) {
      st.bind_all(id, extent.first, extent.last);
    } else {
      st.bind_all(id);
    }
    while (st.step()) read_row(st, block);
    Status status = st.finish("ops");
    if (!status.ok()) return status;
    st.reset();
    out_->blocks[block].ops = out_->ops.size() - first;
    const auto before = [](const OpEntry& a, const OpEntry& b) { return a.ordinal < b.ordinal; };
    const auto begin = out_->ops.begin() + static_cast<std::ptrdiff_t>(first);
    if (!std::is_sorted(begin, out_->ops.end(), before)) sort_block(first);
    return {};
  }

  /// When all blocks are read. Parents stand before what they enclose or behind it.
  void finish() {
    out_->index_ids();
    for (const auto& [child_id, parent_id] : parents_) {
      const auto child = out_->find(child_id), parent = out_->find(parent_id);
      // None is itself inside, whatever a damaged store says.
      if (!child || !parent || *parent == *child) continue;
      OpEntry &op = out_->ops[*child], &around = out_->ops[*parent];
      op.parent = static_cast<uint32_t>(*parent);
      if (op.on_trace_clock() && op.count > 0 && around.on_trace_clock() && around.count > 0) around.encloses = true;
    }
  }

 private:
  const std::string* name_of(int64_t id) {
    const auto [at, is_new] = names_.try_emplace(id, nullptr);
    if (!is_new) return at->second;
    name_.bind_all(id);
    if (name_.step()) at->second = out_->texts.keep(name_.text(0));
    name_.reset();
    return at->second;
  }
  const std::vector<std::string>* types_of(std::string_view text) {
    if (text.empty() || text == "[]") return nullptr;
    const auto [at, is_new] = out_->types.try_emplace(std::string(text));
    if (is_new) at->second = json_strings(text);
    return &at->second;
  }
  const std::vector<int64_t>* handles_of(std::string_view text) {
    if (text.empty() || text == "[]") return nullptr;
    return &out_->handles.emplace_back(json_ints(text));
  }
  const std::string* kept(const Statement& st, int column) {
    return st.is_null(column) ? nullptr : out_->texts.keep(st.text(column));
  }

  static constexpr int at(RawOp column) { return static_cast<int>(column); }

  // The delegate's identifier: a text or a number.
  const std::string* delegate_id(const Statement& st) {
    const RawOp column = st.is_null(at(RawOp::delegate_id_str)) ? RawOp::delegate_id_int : RawOp::delegate_id_str;
    return kept(st, at(column));
  }

  void read_row(const Statement& st, uint32_t block) {
    OpEntry& o = out_->ops.emplace_back();
    o.block = block;
    o.id = st.integer(at(RawOp::id));
    o.ordinal = st.integer(at(RawOp::ordinal));
    if (!st.is_null(at(RawOp::parent))) parents_.emplace_back(o.id, st.integer(at(RawOp::parent)));
    o.name = name_of(st.integer(at(RawOp::name)));
    o.kind = kept(st, at(RawOp::kind));
    o.instruction_id = st.maybe_integer(at(RawOp::instruction_id));
    o.chain_index = st.maybe_integer(at(RawOp::chain_index));
    o.outputs = st.maybe_integer(at(RawOp::outputs));
    o.delegate_debug_id = delegate_id(st);
    o.backend = kept(st, at(RawOp::backend));
    o.role = kept(st, at(RawOp::role));
    o.clock = kept(st, at(RawOp::clock));
    o.metadata = kept(st, at(RawOp::metadata));
    o.unit = kept(st, at(RawOp::unit));
    o.is_delegated = o.kind == "delegate_op";
    o.resolution_limited = st.integer(at(RawOp::resolution_limited)) != 0;
    o.op_types = types_of(st.text(at(RawOp::op_types)));
    o.debug_handles = handles_of(st.text(at(RawOp::debug_handles)));
    read_statistics(st, static_cast<OpStatistics*>(&o));
  }

  // By a list of indices, so that the ops are not copied aside.
  void sort_block(size_t first) {
    std::vector<OpEntry>& ops = out_->ops;
    std::vector<uint32_t> order(ops.size() - first);
    std::iota(order.begin(), order.end(), static_cast<uint32_t>(first));
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return ops[a].ordinal < ops[b].ordinal; });
    for (size_t i = 0; i < order.size(); ++i) {  // each circle of places is turned by one
      const OpEntry held = ops[first + i];
      size_t at = i;
      while (order[at] - first != i) {
        const size_t from = order[at] - first;
        ops[first + at] = ops[first + from];
        order[at] = static_cast<uint32_t>(first + at);
        at = from;
      }
      ops[first + at] = held;
      order[at] = static_cast<uint32_t>(first + at);
    }
  }

  const Store& store_;
  OpTable* out_;
  Statement neighbours_, scattered_, name_;
  std::vector<std::pair<int64_t, int64_t>> parents_;  // keys of child and parent
  std::unordered_map<int64_t, const std::string*> names_;
};

/// Operators of the runtime itself have no kernel's event: the instruction says which it is.
Status name_calls(const Store& store, OpTable* out) {
  const auto is_nameless = [](const OpEntry& op) {
    return op.kind == "operator_call" && !op.encloses && op.instruction_id && op.op_types.empty();
  };
  if (std::none_of(out->ops.begin(), out->ops.end(), is_nameless)) return {};
  Statement st = store.query(
      "SELECT method, instruction_id, operator FROM instructions WHERE trace_id = ?1 AND operator IS NOT NULL");
  st.bind_all(out->trace_id);
  std::map<std::pair<std::string, int64_t>, const std::string*> operators;
  while (st.step()) operators[{st.str(0), st.integer(1)}] = out->texts.keep(st.text(2));
  for (OpEntry& op : out->ops) {
    if (!is_nameless(op)) continue;
    const auto at = operators.find({out->block_of(op).method.value_or(""), *op.instruction_id});
    if (at != operators.end()) op.called = at->second;
  }
  return st.finish("instructions");
}

Status load_ops(const Store& store, OpTable* out) {
  std::vector<Extent> extents;
  OpReader reader(store, out);
  Status status = extents_of(store, *out, &extents);
  if (status.ok()) status = reader.prepare();
  if (!status.ok()) return status;
  int64_t ops = 0;
  for (const Extent& extent : extents) ops += extent.count;
  out->ops.reserve(static_cast<size_t>(ops));
  for (size_t b = 0; b < out->blocks.size(); ++b) {
    status = reader.read(static_cast<uint32_t>(b), extents[b]);
    if (!status.ok()) return status;
  }
  reader.finish();
  return name_calls(store, out);
}

using Owners = std::map<std::string, std::string, std::less<>>;

void read_node(const Statement& st, const PathMaps& maps, const Owners& owners, NodeFacts* out) {
  out->name = st.str(0);
  out->op = st.str(1);
  out->target = st.str(2);
  out->file = maps.empty() ? st.str(3) : mapped_path(st.text(3), maps);
  out->function = st.str(4);
  out->code = st.str(5);
  out->has_module = !st.is_null(6);
  out->module_path = st.str(6);
  out->module_type = st.str(7);
  out->line = st.maybe_integer(8);
  if (const auto owner = owners.find(st.text(3)); owner != owners.end()) out->frame = owner->second;
}

Status load_links(const Store& store, const PathMaps& maps, OpTable* out) {
  Statement links, nodes;
  // All links in one question: one for each op would lock and unlock the file as often. Keys of a trace's ops follow
  // each other; what lies between and is not of this trace is left out. Many ops may share nodes, whose texts are many:
  // each is read once.
  Status status = store.prepare(
      "SELECT op_id, node_id, via, confidence, weight FROM links WHERE op_id BETWEEN ?1 AND ?2 ORDER BY op_id, ordinal",
      &links);
  if (status.ok()) {
    status = store.prepare(
        "SELECT name, op, target, file, function, code, module_path, module_type, line FROM nodes WHERE node_id = ?1",
        &nodes);
  }
  if (!status.ok()) return status;
  out->lines = shown_lines(store, out->trace_id);
  for (OpenedLine& l : out->lines.opened) l.file = mapped_path(l.file, maps);
  const Owners owners = owners_of_files(store, out->trace_id);
  std::unordered_map<int64_t, const NodeFacts*> known;
  const OpEntry* current = nullptr;
  const auto [first_id, last_id] = out->ids();
  links.bind_all(first_id, last_id);
  while (links.step()) {
    const auto found = out->find(links.integer(0));
    if (!found) continue;
    const NodeFacts*& facts = known[links.integer(1)];
    if (facts == nullptr) {
      nodes.bind_all(links.integer(1));
      if (!nodes.step()) {  // a link to nowhere: the store is not sound, but the op is still there
        status = nodes.finish("nodes");
        if (!status.ok()) return status;
      }
      read_node(nodes, maps, owners, &out->facts.emplace_back());
      nodes.reset();
      out->facts.back().id = links.integer(1);
      facts = &out->facts.back();
    }
    OpEntry& op = out->ops[*found];
    if (&op != current) {
      op.first_node = static_cast<uint32_t>(out->nodes.size());
      op.nodes = 0;
      current = &op;
    }
    ++op.nodes;
    out->nodes.push_back({facts, links.str(2), links.real(3), links.real(4)});
  }
  return links.finish("links");
}

}  // namespace

Status load_op_table(const Store& store, int64_t trace_id, const PathMaps& maps, OpTable* out) {
  OpTable table;
  Status status = check_trace(store, trace_id, &table);
  if (status.ok()) status = load_blocks(store, &table);
  if (status.ok()) status = load_ops(store, &table);
  if (status.ok()) status = load_links(store, maps, &table);
  for (OpEntry& op : table.ops) op.cost = static_cast<double>(op.self);
  for (OpBlock& block : table.blocks) block.cost = static_cast<double>(block.total);
  if (status.ok()) *out = std::move(table);
  return status;
}

Status load_shown_ops(const Store& store, int64_t trace_id, const OpTableOptions& options, OpTable* out) {
  OpTable table;
  Status status = load_op_table(store, trace_id, options.maps, &table);
  if (status.ok() && options.merge_blocks) status = merge_blocks(store, &table);
  if (status.ok()) {
    status = options.range ? restrict_ops(store, *options.range, &table) : set_basis(store, options.basis, &table);
  }
  if (status.ok()) *out = std::move(table);
  return status;
}

Status load_other_basis(const Store& store, std::shared_ptr<const OpTable> shown, const Basis& basis,
                        const std::optional<TimeRange>& range, OpTable* out) {
  OpTable table = OpTable::like(std::move(shown));
  Status status = range ? restrict_ops(store, *range, &table) : set_basis(store, basis, &table);
  if (status.ok()) *out = std::move(table);
  return status;
}

OpTable OpTable::like(std::shared_ptr<const OpTable> other) {
  OpTable out;
  out.trace_id = other->trace_id;
  out.trace_name = other->trace_name;
  out.unit = other->unit;
  out.basis = other->basis;
  out.old_store = other->old_store;
  out.blocks = other->blocks;
  out.ops = other->ops;
  out.nodes = other->nodes;
  out.lines = other->lines;
  out.by_id = other->by_id;
  out.merged_ids = other->merged_ids;
  // Never a chain: the one that has them is kept, not those in between.
  out.owner_ = other->owner_ != nullptr ? other->owner_ : std::move(other);
  return out;
}

void OpTable::index_ids() {
  by_id.resize(ops.size());
  std::iota(by_id.begin(), by_id.end(), 0U);
  const auto less = [this](uint32_t a, uint32_t b) { return ops[a].id < ops[b].id; };
  if (!std::is_sorted(by_id.begin(), by_id.end(), less)) std::sort(by_id.begin(), by_id.end(), less);
}

std::optional<size_t> OpTable::find(int64_t op_id) const {
  const auto merged = merged_ids.find(op_id);
  return merged != merged_ids.end() ? std::optional<size_t>(merged->second) : find_own(op_id);
}

std::optional<size_t> OpTable::find_own(int64_t op_id) const {
  const auto at = std::lower_bound(by_id.begin(), by_id.end(), op_id,
                                   [this](uint32_t index, int64_t key) { return ops[index].id < key; });
  return at == by_id.end() || ops[*at].id != op_id ? std::nullopt : std::optional<size_t>(*at);
}

std::pair<int64_t, int64_t> OpTable::ids() const {
  return by_id.empty() ? std::pair<int64_t, int64_t>(0, -1) : std::pair(ops[by_id.front()].id, ops[by_id.back()].id);
}

std::string OpTable::basis_text() const {
  std::set<std::string_view> methods;
  for (const OpBlock& b : blocks) {
    if (b.kind == "execute" && b.cost > 0) methods.insert(b.method ? std::string_view(*b.method) : std::string_view());
  }
  if (basis.is_sum() || methods.size() < 2) return basis.text();
  return basis.text() + ", sum of " + plural(static_cast<int64_t>(methods.size()), "method");
}

std::vector<const OpNode*> OpTable::own_nodes(const OpEntry& op) const {
  std::vector<const OpNode*> out, others;
  bool charged = false;
  for (size_t n = op.first_node; n < op.first_node + op.nodes; ++n) {
    const OpNode& link = nodes[n];
    charged |= link.weight > 0;
    (link.weight > 0 || link.via != "instruction" ? out : others).push_back(&link);
  }
  if (!charged) out.insert(out.end(), others.begin(), others.end());
  return out;
}

bool OpTable::is_of_many_places(const OpEntry& op) const {
  if (!op.encloses || op.kind != "delegate_call") return false;
  const NodeFacts* first = nullptr;
  for (size_t i = op.first_node; i < op.first_node + op.nodes; ++i) {
    const NodeFacts& n = *nodes[i].node;
    if (n.file.empty() && !n.has_module) continue;
    if (first == nullptr) first = &n;
    if (n.file != first->file || n.line != first->line || n.module_path != first->module_path) return true;
  }
  return false;
}

int64_t OpTable::counted_nodes(const OpEntry& op) const {
  int64_t out = 0;
  for (size_t i = op.first_node; i < op.first_node + op.nodes; ++i) out += is_counted_node(nodes[i].node->op) ? 1 : 0;
  // A handle that a call shares with others leads to the nodes of all of them; its own are as many as its handles.
  const auto own = std::ssize(op.debug_handles);
  return op.kind == "delegate_call" && own > 0 ? std::min<int64_t>(out, own) : out;
}

std::string OpTable::whole_call_text(const OpEntry& op) const {
  return is_of_many_places(op) ? "delegate call of " + plural(counted_nodes(op), "node") : "";
}

const OpNode* OpTable::main_node(const OpEntry& op) const {
  if (is_of_many_places(op)) return nullptr;
  const OpNode* best = nullptr;
  for (size_t i = op.first_node; i < op.first_node + op.nodes; ++i) {
    const OpNode& n = nodes[i];
    // A node without a source place says less than one with.
    const auto rank = [](const OpNode& x) {
      return std::make_tuple(x.weight > 0, !x.node->file.empty(), x.weight, x.confidence);
    };
    if (best == nullptr || rank(n) > rank(*best)) best = &n;
  }
  return best;
}

std::string source_place(const NodeFacts& node) {
  if (node.file.empty() || !node.line) return node.file;
  return node.file + ":" + std::to_string(*node.line);
}

std::vector<OpPart> parts_of(const OpTable& table) {
  std::vector<OpPart> parts(table.ops.size());
  for (size_t i = 0; i < table.ops.size(); ++i) {
    const OpEntry& op = table.ops[i];
    // The outermost call decides: a delegate may run a whole program of its own. Steps are bounded, since parents of a
    // damaged store may form a ring.
    const OpEntry* call = nullptr;
    size_t call_index = i, at = i;
    for (size_t steps = 0; steps <= table.blocks[op.block].ops; ++steps) {
      const OpEntry& o = table.ops[at];
      if (o.kind == "delegate_call" || o.kind == "delegate_op" || o.kind == "backend") {
        call = &o;
        call_index = at;
      }
      if (!o.parent) break;
      at = *o.parent;
    }
    OpPart& part = parts[i];
    if (call != nullptr) {
      part.part = Part::Delegate;
      part.backend = (call->backend ? call->backend : op.backend).text();
      part.overhead = call_index == i && op.encloses;
    } else if (op.kind == "kernel" || op.kind == "operator_call") {
      part.part = Part::Kernel;
      part.overhead = op.is_wrapper();
    } else if (op.kind == "control") {
      part.part = Part::Control;
    }
  }
  return parts;
}

int64_t nodes_sharing(double weight) {
  constexpr double kLeast = 1e-6;
  return weight > kLeast && weight < 1 ? std::llround(1 / weight) : 1;
}

}  // namespace et::inspector
