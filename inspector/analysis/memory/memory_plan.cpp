#include "inspector/analysis/memory/memory_plan.h"
#include "inspector/analysis/memory/delegate_outputs.h"
#include "inspector/analysis/memory/runtime_marks.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>
#include <utility>

namespace et::inspector {
namespace {

/// How many bytes at least one interval covers, while intervals come and go: a tree over all their ends.
class Coverage {
 public:
  explicit Coverage(std::vector<int64_t> ends) : ends_(std::move(ends)) {
    std::sort(ends_.begin(), ends_.end());
    ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
    nodes_.resize(ends_.size() * 4 + 4);
  }
  void add(int64_t from, int64_t to, int32_t count) {
    if (from < to) add(1, 0, ends_.size() - 1, index(from), index(to), count);
  }
  int64_t covered() const { return nodes_[1].covered; }

 private:
  struct Node {
    int32_t count = 0;  // intervals that cover all of it
    int64_t covered = 0;
  };
  size_t index(int64_t end) const {
    return static_cast<size_t>(std::lower_bound(ends_.begin(), ends_.end(), end) - ends_.begin());
  }
  void add(size_t node, size_t low, size_t high, size_t from, size_t to, int32_t count) {
    if (to <= low || high <= from) return;
    if (from <= low && high <= to) {
      nodes_[node].count += count;
    } else {
      const size_t middle = (low + high) / 2;
      add(node * 2, low, middle, from, to, count);
      add(node * 2 + 1, middle, high, from, to, count);
    }
    if (nodes_[node].count > 0) {
      nodes_[node].covered = ends_[high] - ends_[low];
    } else {
      nodes_[node].covered = high - low == 1 ? 0 : nodes_[node * 2].covered + nodes_[node * 2 + 1].covered;
    }
  }
  std::vector<int64_t> ends_;
  std::vector<Node> nodes_;
};

Status check(const Store& store, const Statement& st) {
  const int rc = sqlite3_reset(st.raw());
  if (rc == SQLITE_OK) return {};
  return {Error::InvalidExternalData, store.path() + ": cannot read the memory plan: " + store.error_text()};
}

using MethodIndex = std::map<std::string, size_t>;
/// What an instruction is given, as indices of values.
struct Call {
  std::vector<int64_t> arguments;
  std::optional<int64_t> outputs;  // of a delegate's call
};
struct MethodCalls {
  std::vector<Call> calls;
  std::unordered_map<int64_t, int64_t> first_use;  // value -> instruction that has it as an argument
};
using Calls = std::vector<MethodCalls>;

std::vector<int64_t> integers_of(std::string_view json) {
  std::vector<int64_t> out;
  for (size_t at = 0; (at = json.find_first_of("-0123456789", at)) != std::string_view::npos;) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(json.data() + at, json.data() + json.size(), value);
    if (error == std::errc()) out.push_back(value);
    at = std::max(at + 1, static_cast<size_t>(end - json.data()));
  }
  return out;
}

Status load_methods(const Store& store, int64_t trace, MemoryPlan* out, MethodIndex* index) {
  Statement st = store.query(
      "SELECT name, instructions FROM methods WHERE trace_id = ?1 AND instructions IS NOT NULL ORDER BY method_id");
  st.bind_all(trace);
  while (st.step()) {
    index->emplace(st.str(0), out->methods.size());
    PlanMethod method;
    method.name = st.str(0);
    out->methods.push_back(std::move(method));
  }
  return check(store, st);
}

Status load_instructions(const Store& store, int64_t trace, const MethodIndex& index, MemoryPlan* out, Calls* calls) {
  Statement st = store.query(
      "SELECT i.method, i.instruction_id, i.kind, coalesce(i.operator, d.backend, ''), i.arguments, i.outputs, "
      "d.ordinal FROM instructions i "
      "LEFT JOIN delegates d ON d.delegate_id = i.delegate_id WHERE i.trace_id = ?1 AND i.arguments IS NOT NULL "
      "ORDER BY i.method, i.instruction_id");
  st.bind_all(trace);
  calls->resize(out->methods.size());
  while (st.step()) {
    const auto method = index.find(st.str(0));
    if (method == index.end()) continue;
    PlanMethod& m = out->methods[method->second];
    if (st.integer(1) != static_cast<int64_t>(m.instructions.size())) continue;
    PlanInstruction instruction;
    instruction.kind = st.text(2);
    instruction.what = st.text(3);
    instruction.delegate = st.maybe_integer(6).value_or(-1);
    m.jumps |= instruction.kind == "JumpFalseCall";
    MethodCalls& of = (*calls)[method->second];
    of.calls.push_back({integers_of(st.text(4)), st.maybe_integer(5)});
    for (const int64_t value : of.calls.back().arguments) of.first_use.emplace(value, st.integer(1));
    m.instructions.push_back(std::move(instruction));
  }
  return check(store, st);
}

/// Ops and nodes of instructions: nodes by the handles that the record gives an instruction; links of the op that ran
/// it, which know more, take their place.
Status load_sources(const Store& store, int64_t trace, const MethodIndex& index, MemoryPlan* out) {
  const auto find = [&](const Statement& st) -> PlanInstruction* {
    auto method = index.find(st.str(0));
    if (st.is_null(0) && index.size() == 1) method = index.begin();
    if (method == index.end()) return nullptr;
    auto& list = out->methods[method->second].instructions;
    const int64_t at = st.integer(1);
    return at >= 0 && at < static_cast<int64_t>(list.size()) ? &list[static_cast<size_t>(at)] : nullptr;
  };
  const auto take = [](const Statement& st, int column, PlanInstruction* i) {
    if (st.is_null(column)) return;
    i->node = st.text(column);
    i->file = st.text(column + 1);
    i->line = st.integer(column + 2);
    i->module = st.text(column + 3);
  };
  Statement handles = store.query(
      "SELECT i.method, i.instruction_id, n.name, n.file, n.line, n.module_path FROM instructions i, "
      "json_each(i.debug_handles) h "
      "JOIN nodes n ON n.trace_id = i.trace_id AND n.method = i.method AND n.graph = 'edge' "
      "AND n.debug_handle = h.value WHERE i.trace_id = ?1 AND json_valid(i.debug_handles) ORDER BY n.ordinal");
  handles.bind_all(trace);
  while (handles.step()) {
    PlanInstruction* i = find(handles);
    if (i != nullptr && i->node.empty()) take(handles, 2, i);
  }
  Status status = check(store, handles);
  if (!status.ok()) return status;
  Statement ops = store.query(
      "SELECT o.method, o.instruction_id, o.op_id, n.name, n.file, n.line, n.module_path FROM ops o LEFT JOIN links l "
      "ON l.op_id = "
      "o.op_id LEFT JOIN nodes n ON n.node_id = l.node_id WHERE o.trace_id = ?1 AND o.instruction_id IS NOT NULL "
      "AND o.kind IN ('kernel', 'operator_call', 'delegate_call', 'control') "
      // The kernel before the call around it.
      "ORDER BY o.kind = 'operator_call', o.op_id, l.weight DESC, l.confidence DESC, l.ordinal");
  ops.bind_all(trace);
  while (ops.step()) {
    PlanInstruction* i = find(ops);
    if (i == nullptr || i->op_id.has_value()) continue;
    i->op_id = ops.integer(2);
    take(ops, 3, i);
  }
  return check(store, ops);
}

/// True when the first instruction that touches the tensor reads it. Kernels get inputs before outputs, and one output
/// once more as what they return; delegates get inputs before outputs, too.
bool is_read_first(const PlanMethod& method, const MethodCalls& of, const PlanTensor& t) {
  const size_t at = static_cast<size_t>(t.first);
  const std::vector<int64_t>& arguments = of.calls[at].arguments;
  const size_t count = arguments.size();
  if (count == 0) return false;
  if (method.instructions[at].kind == "DelegateCall") {
    const auto outputs = static_cast<size_t>(std::max<int64_t>(of.calls[at].outputs.value_or(0), 0));
    if (outputs == 0 || outputs > count) return false;
    const auto end = arguments.end() - static_cast<std::ptrdiff_t>(outputs);
    return std::find(arguments.begin(), end, t.value) != end;
  }
  const bool one_output = count >= 2 && arguments[count - 1] == arguments[count - 2];
  return one_output ? t.value != arguments.back() : t.value == arguments.front();
}

/// Roles of an arena's tensors. State outlives an execution; the program says so only of tensors with a name or an
/// initial value. Tensors that are read before anybody wrote them are further state (caches of zeros) when nobody else
/// ever has their bytes, else views of what lies there: the program has no instruction for making a view.
void classify(const PlanMethod& method, const MethodCalls& calls, PlanArena* arena) {
  std::vector<PlanTensor>& tensors = arena->tensors;
  const auto count = static_cast<int64_t>(method.instructions.size());
  std::vector<size_t> by_offset(tensors.size());
  for (size_t i = 0; i < by_offset.size(); ++i) by_offset[i] = i;
  std::sort(by_offset.begin(), by_offset.end(),
            [&](size_t a, size_t b) { return tensors[a].offset < tensors[b].offset; });
  std::vector<bool> shares(tensors.size(), false);
  int64_t end = -1;
  for (size_t k = 0; k < by_offset.size(); ++k) {
    const PlanTensor& t = tensors[by_offset[k]];
    if (k > 0 && t.offset < end) shares[by_offset[k]] = true;
    end = std::max(end, t.offset + t.bytes);
    if (k + 1 < by_offset.size() && tensors[by_offset[k + 1]].offset < end) shares[by_offset[k]] = true;
  }
  std::unordered_map<int64_t, size_t> latest;  // by offset
  for (size_t i = 0; i < tensors.size(); ++i) {
    PlanTensor& t = tensors[i];
    if (const auto use = calls.first_use.find(t.value); use != calls.first_use.end()) t.reader = use->second;
    const bool inside = t.first >= 0 && t.first < count;
    const bool read_first = inside && is_read_first(method, calls, t);
    if (t.initialised || !t.name.empty() || (read_first && !shares[i])) {
      t.role = PlanTensor::Role::State;
      t.first = -1;
      t.last = count;
      continue;
    }
    if (read_first) {
      if (const auto source = latest.find(t.offset); source != latest.end()) {
        const PlanTensor& s = tensors[source->second];
        t.view_of = s.value;
        t.producer = s.producer;
        t.first = std::min(t.first, s.last + 1);  // its bytes were kept for it
      }
    } else if (inside) {
      t.producer = t.first;
    }
    latest[t.offset] = i;
    t.role = t.first < 0       ? PlanTensor::Role::Input
             : t.last >= count ? PlanTensor::Role::Output
                               : PlanTensor::Role::Intermediate;
  }
}

Status load_arenas(const Store& store, int64_t trace, const MethodIndex& index, MemoryPlan* out) {
  Statement st =
      store.query("SELECT method, memory_id, bytes, device FROM arenas WHERE trace_id = ?1 ORDER BY memory_id");
  st.bind_all(trace);
  while (st.step()) {
    const auto method = index.find(st.str(0));
    if (method == index.end()) continue;
    PlanArena arena;
    arena.method = method->first;
    arena.method_index = method->second;
    arena.memory_id = st.integer(1);
    arena.bytes = st.integer(2);
    arena.device = st.text(3);
    out->arenas.push_back(std::move(arena));
  }
  std::stable_sort(out->arenas.begin(), out->arenas.end(),
                   [](const PlanArena& a, const PlanArena& b) { return a.method_index < b.method_index; });
  return check(store, st);
}

Status load_tensors(const Store& store, int64_t trace, const MethodIndex& index, MemoryPlan* out) {
  std::map<std::pair<size_t, int64_t>, size_t> arenas;
  for (size_t a = 0; a < out->arenas.size(); ++a) {
    arenas.emplace(std::pair(out->arenas[a].method_index, out->arenas[a].memory_id), a);
  }
  Statement st = store.query(
      "SELECT method, value, name, dtype, shape, location, memory_id, offset, bytes, first_instruction, "
      "last_instruction FROM tensors WHERE trace_id = ?1 ORDER BY first_instruction, offset, value");
  st.bind_all(trace);
  while (st.step()) {
    const auto method = index.find(st.str(0));
    if (method == index.end()) continue;
    PlanMethod& m = out->methods[method->second];
    const int64_t bytes = std::max<int64_t>(0, st.integer(8));
    const std::string location = st.str(5);
    if (location == "constant") ++m.constants, m.constant_bytes += bytes;
    if (location == "external") ++m.external, m.external_bytes += bytes;
    if (location == "none") ++m.unplanned, m.unplanned_bytes += bytes;
    const auto arena = arenas.find({method->second, st.integer(6)});
    // Without instructions nobody touches it; where it lies says nothing.
    if (st.is_null(6) || arena == arenas.end() || st.is_null(9)) continue;
    PlanTensor t;
    t.value = st.integer(1);
    t.name = st.str(2);
    t.dtype = st.text(3);
    t.shape = st.text(4);
    t.offset = std::max<int64_t>(0, st.integer(7));
    t.bytes = std::min(bytes, INT64_MAX - t.offset);
    t.initialised = location == "planned_initialised";
    t.first = st.integer(9);
    t.last = st.integer(10);
    out->arenas[arena->second].tensors.push_back(std::move(t));
  }
  return check(store, st);
}

void measure(const PlanMethod& method, const MethodCalls& calls, PlanArena* arena) {
  classify(method, calls, arena);
  const auto count = static_cast<int64_t>(method.instructions.size());
  std::stable_sort(arena->tensors.begin(), arena->tensors.end(),
                   [](const PlanTensor& a, const PlanTensor& b) { return a.first < b.first; });
  arena->in_use.assign(static_cast<size_t>(count) + 2, 0);
  std::vector<int64_t> ends = {0, 0};
  std::vector<std::vector<int32_t>> comes(arena->in_use.size() + 1), goes(arena->in_use.size() + 1);
  for (size_t i = 0; i < arena->tensors.size(); ++i) {
    PlanTensor& t = arena->tensors[i];
    t.first = std::clamp<int64_t>(t.first, -1, count);
    t.last = std::clamp<int64_t>(t.last, t.first, count);
    ends.push_back(t.offset);
    ends.push_back(t.offset + t.bytes);
    arena->reach = std::max(arena->reach, t.offset + t.bytes);
    comes[static_cast<size_t>(t.first + 1)].push_back(static_cast<int32_t>(i));
    goes[static_cast<size_t>(t.last + 2)].push_back(static_cast<int32_t>(i));
  }
  Coverage coverage(std::move(ends));
  for (size_t at = 0; at < arena->in_use.size(); ++at) {
    for (const int32_t i : goes[at]) {
      const PlanTensor& t = arena->tensors[static_cast<size_t>(i)];
      coverage.add(t.offset, t.offset + t.bytes, -1);
    }
    for (const int32_t i : comes[at]) {
      const PlanTensor& t = arena->tensors[static_cast<size_t>(i)];
      coverage.add(t.offset, t.offset + t.bytes, 1);
    }
    arena->in_use[at] = coverage.covered();
    if (arena->in_use[at] <= arena->peak) continue;
    arena->peak = arena->in_use[at];
    arena->peak_at = static_cast<int64_t>(at) - 1;
  }
}

Status load_rest(const Store& store, int64_t trace, MemoryPlan* out) {
  Statement segments =
      store.query("SELECT ordinal, offset, bytes, content FROM segments WHERE trace_id = ?1 ORDER BY ordinal");
  segments.bind_all(trace);
  while (segments.step()) {
    out->segments.push_back({segments.integer(0), segments.integer(1), segments.integer(2), segments.str(3)});
  }
  Status status = check(store, segments);
  if (!status.ok()) return status;
  Statement delegates = store.query(
      "SELECT method, backend, coalesce(payload_kind, ''), ordinal, payload_bytes, weights_bytes, payload_nodes "
      "FROM delegates WHERE trace_id = ?1 ORDER BY delegate_id");
  delegates.bind_all(trace);
  while (delegates.step()) {
    out->delegates.push_back({delegates.str(0), delegates.str(1), delegates.str(2), delegates.integer(3),
                              delegates.maybe_integer(4), delegates.maybe_integer(5), delegates.maybe_integer(6)});
  }
  return check(store, delegates);
}

Status load_runtime(const Store& store, int64_t trace, MemoryPlan* out) {
  if (Status s = load_runtime_marks(store, trace, &out->runtime); !s.ok()) return s;
  for (const RuntimeArena& mark : out->runtime) {
    for (PlanArena& arena : out->arenas) {
      const bool fits = mark.method == arena.method || (mark.method.empty() && out->methods.size() == 1);
      if (!fits || mark.name != "planned:" + std::to_string(arena.memory_id)) continue;
      arena.capacity = mark.capacity;
      arena.high_water = mark.high_water;
    }
  }
  Statement allocations = store.query(
      "SELECT allocator, count(*), sum(bytes), max(bytes) FROM allocations WHERE trace_id = ?1 GROUP BY allocator "
      "ORDER BY allocator");
  allocations.bind_all(trace);
  while (allocations.step()) {
    out->allocators.push_back(
        {allocations.str(0), allocations.integer(1), allocations.integer(2), allocations.integer(3)});
  }
  return check(store, allocations);
}

/// Instructions are called as the ops that ran them, without a trace by their operators; calls of delegates have their
/// number in the method, as `delegation` counts them.
void name_instructions(const Store& store, MemoryPlan* out) {
  for (PlanMethod& method : out->methods) {
    int64_t calls = 0;
    for (PlanInstruction& i : method.instructions) {
      if (i.kind == "DelegateCall") {
        i.title = backend_title(i.what) + " call " + std::to_string(++calls);
        continue;
      }
      if (i.op_id) i.title = stored_op_title(store, *i.op_id);
      if (!i.title.empty() && i.title != "OPERATOR_CALL") continue;
      const std::string_view kernel = kernel_name(i.what);
      i.title = operator_title(kernel.empty() ? std::string_view(i.what.empty() ? i.kind : i.what) : kernel);
    }
  }
}

}  // namespace

const char* role_name(PlanTensor::Role role) {
  constexpr const char* kNames[] = {"intermediate", "input", "output", "state"};
  return kNames[static_cast<size_t>(role)];
}

std::string written_at(const PlanInstruction& by, const PlanTensor& t) {
  if (by.kind == "DelegateCall" && t.file.empty() && !by.lines.empty()) return by.lines;
  const auto [file, line] = writer_place(by, t);
  if (file.empty()) return {};
  return file.substr(file.find_last_of('/') + 1) + (line > 0 ? ":" + std::to_string(line) : "");
}

int64_t PlanArena::used_at(int64_t instruction) const {
  const int64_t at = instruction + 1;
  return at < 0 || at >= static_cast<int64_t>(in_use.size()) ? 0 : in_use[static_cast<size_t>(at)];
}

std::vector<int32_t> PlanArena::alive_at(int64_t instruction) const {
  std::vector<int32_t> out;
  for (size_t i = 0; i < tensors.size() && tensors[i].first <= instruction; ++i) {
    if (tensors[i].last >= instruction) out.push_back(static_cast<int32_t>(i));
  }
  std::stable_sort(out.begin(), out.end(), [&](int32_t a, int32_t b) {
    return tensors[static_cast<size_t>(a)].bytes > tensors[static_cast<size_t>(b)].bytes;
  });
  return out;
}

Status load_memory_plan(const Store& store, int64_t trace_id, MemoryPlan* out) {
  *out = {};
  MethodIndex index;
  Calls calls;
  Status status = load_methods(store, trace_id, out, &index);
  if (status.ok()) status = load_instructions(store, trace_id, index, out, &calls);
  if (status.ok()) status = load_sources(store, trace_id, index, out);
  if (status.ok()) status = load_arenas(store, trace_id, index, out);
  if (status.ok()) status = load_tensors(store, trace_id, index, out);
  if (!status.ok()) return status;
  for (PlanArena& arena : out->arenas) measure(out->methods[arena.method_index], calls[arena.method_index], &arena);
  name_instructions(store, out);
  place_delegate_outputs(store, trace_id, out);
  status = load_rest(store, trace_id, out);
  return status.ok() ? load_runtime(store, trace_id, out) : status;
}

}  // namespace et::inspector
