#include "inspector/analysis/op_table.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace et::inspector {
namespace {

// Reads the lists that the store keeps as JSON text: of strings or of integers. Anything else ends the list, because
// a store may come from anybody.
class ListReader {
 public:
  explicit ListReader(std::string_view text) : text_(text) {
    skip_space();
    if (take('[')) open_ = true;
  }

  bool next(std::string* out) {
    if (!to_item() || !take('"')) return end();
    out->clear();
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        *out += text_[at_++];
        continue;
      }
      if (++at_ >= text_.size()) return end();
      const char c = text_[at_++];
      switch (c) {
        case 'n':
          *out += '\n';
          break;
        case 't':
          *out += '\t';
          break;
        case 'r':
          *out += '\r';
          break;
        case 'b':
          *out += '\b';
          break;
        case 'f':
          *out += '\f';
          break;
        case 'u':
          if (!unicode(out)) return end();
          break;
        default:
          *out += c;
      }
    }
    return take('"') || end();
  }
  bool next(int64_t* out) {
    if (!to_item()) return end();
    const auto result = std::from_chars(text_.data() + at_, text_.data() + text_.size(), *out);
    if (result.ec != std::errc()) return end();
    at_ = static_cast<size_t>(result.ptr - text_.data());
    return true;
  }

 private:
  bool end() { return open_ = false; }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool to_item() {
    if (!open_) return false;
    skip_space();
    if (!first_ && !take(',')) return false;
    first_ = false;
    skip_space();
    return at_ < text_.size();
  }
  bool unicode(std::string* out) {
    uint32_t code = 0;
    if (text_.size() - at_ < 4) return false;
    const auto result = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, code, 16);
    if (result.ptr != text_.data() + at_ + 4) return false;
    at_ += 4;
    if (code < 0x80) {
      *out += static_cast<char>(code);
    } else if (code < 0x800) {
      *out += static_cast<char>(0xc0 | (code >> 6));
      *out += static_cast<char>(0x80 | (code & 0x3f));
    } else {  // halves of a pair stay as they are: the writers replace what is not UTF-8
      *out += static_cast<char>(0xe0 | (code >> 12));
      *out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
      *out += static_cast<char>(0x80 | (code & 0x3f));
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  bool open_ = false, first_ = true;
};

template <class T>
std::vector<T> read_list(std::string_view text) {
  std::vector<T> out;
  if (text.empty()) return out;
  ListReader reader(text);
  T item{};
  while (reader.next(&item)) out.push_back(item);
  return out;
}

// True when the statement ended because there was no more, not because the database is damaged.
Status finished(const Store& store) {
  const int rc = sqlite3_errcode(store.db());
  if (rc == SQLITE_OK || rc == SQLITE_DONE || rc == SQLITE_ROW) return {};
  return {Error::InvalidExternalData,
          (store.path().empty() ? "store" : store.path()) + std::string(": ") + store.error_text()};
}

Status check_trace(const Store& store, int64_t trace_id, OpTable* out) {
  Statement st;
  Status status = store.prepare("SELECT unit FROM traces WHERE trace_id = ?1", &st);
  if (!status.ok()) return status;
  st.bind_all(trace_id);
  if (st.step()) {
    out->unit = st.str(0);
    out->trace_id = trace_id;
    return {};
  }
  status = finished(store);
  if (!status.ok()) return status;
  std::string message = "no trace " + std::to_string(trace_id) + " in the store; it holds ";
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
  return finished(store);
}

// Growing step by step would take half as much memory again. The rows are counted, not believed: a number that the
// store only claims could be any.
Status reserve_ops(const Store& store, OpTable* out) {
  Statement st;
  Status status = store.prepare("SELECT count(*) FROM ops WHERE block_id = ?1", &st);
  if (!status.ok()) return status;
  size_t ops = 0;
  for (const OpBlock& block : out->blocks) {
    st.bind_all(block.id);
    if (st.step()) ops += static_cast<size_t>(st.integer(0));
    st.reset();
  }
  out->ops.reserve(ops);
  return finished(store);
}

// Ops by their key, as the store numbers them: in order, so that a search needs no table of its own.
class OpIndex {
 public:
  void add(int64_t id, size_t index) {
    sorted_ = sorted_ && (ids_.empty() || ids_.back().first < id);
    ids_.emplace_back(id, index);
  }
  void finish() {
    if (!sorted_)
      std::stable_sort(ids_.begin(), ids_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  std::optional<size_t> find(int64_t id) const {
    const auto at = std::lower_bound(ids_.begin(), ids_.end(), id,
                                     [](const auto& entry, int64_t key) { return entry.first < key; });
    return at == ids_.end() || at->first != id ? std::nullopt : std::optional(at->second);
  }
  int64_t first() const { return ids_.empty() ? 0 : ids_.front().first; }
  int64_t last() const { return ids_.empty() ? -1 : ids_.back().first; }

 private:
  std::vector<std::pair<int64_t, size_t>> ids_;
  bool sorted_ = true;
};

Status load_ops(const Store& store, OpTable* out, OpIndex* index) {
  Statement st;
  Status status = store.prepare(
      "SELECT op_id, ordinal, parent_op_id, name, kind, instruction_id, chain_index, outputs, delegate_debug_id, "
      "backend, "
      "role, clock, metadata, unit, is_delegated, resolution_limited, op_types, debug_handles, count, sum_ns, self_ns, "
      "min_ns, "
      "max_ns, cold_ns, mean_ns, stddev_ns, p10_ns, p50_ns, p90_ns, p99_ns, share, self_share, warm_mean_ns, "
      "warm_p50_ns "
      "FROM ops WHERE block_id = ?1 ORDER BY ordinal",
      &st);
  if (!status.ok()) return status;
  status = reserve_ops(store, out);
  if (!status.ok()) return status;
  const auto text = [&](int column) { return st.is_null(column) ? nullptr : out->texts.keep(st.text(column)); };
  std::vector<std::pair<size_t, int64_t>> parents;
  for (size_t b = 0; b < out->blocks.size(); ++b) {
    out->blocks[b].first_op = out->ops.size();
    st.bind_all(out->blocks[b].id);
    while (st.step()) {
      OpEntry o;
      o.block = b;
      o.id = st.integer(0);
      o.ordinal = st.integer(1);
      if (!st.is_null(2)) parents.emplace_back(out->ops.size(), st.integer(2));
      o.name = st.str(3);
      o.kind = st.str(4);
      o.instruction_id = st.maybe_integer(5);
      o.chain_index = st.maybe_integer(6);
      o.outputs = st.maybe_integer(7);
      o.delegate_debug_id = text(8);
      o.backend = text(9);
      o.role = text(10);
      o.clock = text(11);
      o.metadata = text(12);
      o.unit = st.str(13);
      o.is_delegated = st.integer(14) != 0;
      o.resolution_limited = st.integer(15) != 0;
      o.op_types = read_list<std::string>(st.text(16));
      o.debug_handles = read_list<int64_t>(st.text(17));
      o.count = st.integer(18);
      o.sum = st.integer(19);
      o.self = st.integer(20);
      o.min = st.maybe_integer(21);
      o.max = st.maybe_integer(22);
      o.cold = st.maybe_integer(23);
      o.mean = st.maybe_real(24);
      o.stddev = st.maybe_real(25);
      o.p10 = st.maybe_real(26);
      o.p50 = st.maybe_real(27);
      o.p90 = st.maybe_real(28);
      o.p99 = st.maybe_real(29);
      o.share = st.maybe_real(30);
      o.self_share = st.maybe_real(31);
      o.warm_mean = st.maybe_real(32);
      o.warm_p50 = st.maybe_real(33);
      index->add(o.id, out->ops.size());
      out->ops.push_back(std::move(o));
    }
    status = finished(store);
    if (!status.ok()) return status;
    st.reset();
    out->blocks[b].ops = out->ops.size() - out->blocks[b].first_op;
  }
  index->finish();
  for (const auto& [child, parent_id] : parents) {
    const auto found = index->find(parent_id);
    // A parent stands before what it encloses or behind it, but never is itself inside.
    if (!found || *found == child) continue;
    OpEntry& op = out->ops[child];
    op.parent = *found;
    OpEntry& parent = out->ops[*found];
    if (op.on_trace_clock() && op.count > 0 && parent.on_trace_clock() && parent.count > 0) parent.encloses = true;
  }
  return {};
}

void read_node(const Statement& st, const PathMaps& maps, NodeFacts* out) {
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
}

Status load_links(const Store& store, const PathMaps& maps, const OpIndex& index, OpTable* out) {
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
  std::unordered_map<int64_t, const NodeFacts*> known;
  const OpEntry* current = nullptr;
  links.bind_all(index.first(), index.last());
  while (links.step()) {
    const auto found = index.find(links.integer(0));
    if (!found) continue;
    const NodeFacts*& facts = known[links.integer(1)];
    if (facts == nullptr) {
      nodes.bind_all(links.integer(1));
      if (!nodes.step()) {  // a link to nowhere: the store is not sound, but the op is still there
        status = finished(store);
        if (!status.ok()) return status;
      }
      read_node(nodes, maps, &out->facts.emplace_back());
      nodes.reset();
      facts = &out->facts.back();
    }
    OpEntry& op = out->ops[*found];
    if (&op != current) {
      op.first_node = out->nodes.size();
      op.nodes = 0;
      current = &op;
    }
    ++op.nodes;
    out->nodes.push_back({facts, links.str(2), links.real(3), links.real(4)});
  }
  return finished(store);
}

}  // namespace

std::string mapped_path(std::string_view path, const PathMaps& maps) {
  for (const auto& [from, to] : maps) {
    std::string_view prefix = from;
    while (prefix.size() > 1 && prefix.back() == '/') prefix.remove_suffix(1);
    if (prefix.empty() || !path.starts_with(prefix)) continue;
    std::string_view rest = path.substr(prefix.size());
    if (!rest.empty() && rest.front() != '/' && prefix != "/") continue;
    while (!rest.empty() && rest.front() == '/') rest.remove_prefix(1);
    std::string out = to;
    if (!rest.empty() && !out.empty() && out.back() != '/') out += '/';
    return out.append(rest);
  }
  return std::string(path);
}

Status load_op_table(const Store& store, int64_t trace_id, const PathMaps& maps, OpTable* out) {
  OpTable table;
  OpIndex index;
  Status status = check_trace(store, trace_id, &table);
  if (status.ok()) status = load_blocks(store, &table);
  if (status.ok()) status = load_ops(store, &table, &index);
  if (status.ok()) status = load_links(store, maps, index, &table);
  if (status.ok()) *out = std::move(table);
  return status;
}

const OpNode* OpTable::main_node(const OpEntry& op) const {
  const OpNode* best = nullptr;
  for (size_t i = op.first_node; i < op.first_node + op.nodes; ++i) {
    const OpNode& n = nodes[i];
    // A node without a source place says less than one with.
    const auto rank = [](const OpNode& x) {
      return std::make_pair(!x.node->file.empty(), std::make_pair(x.weight, x.confidence));
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
      part.backend = call->backend.value_or(op.backend.value_or(""));
      part.overhead = call_index == i && op.encloses;
    } else if (op.kind == "kernel" || (op.kind == "operator_call" && !op.encloses)) {
      part.part = Part::Kernel;
    } else if (op.kind == "control") {
      part.part = Part::Control;
    }
  }
  return parts;
}

}  // namespace et::inspector
