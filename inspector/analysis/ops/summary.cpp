#include "inspector/analysis/ops/summary.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "inspector/analysis/ops/op_count.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::inspector {
namespace {

Status load_trace(const Store& store, TraceFacts* out) {
  Statement st;
  Status status = store.prepare(
      "SELECT name, dump_path, record_path, program_path, debug_buffer_path, producer, host, cpu, os, build, clock, "
      "program_sha256, dump_bytes, execute_ns, threads, lost_events, event_overhead_ns, unit, events, executions "
      "FROM traces WHERE trace_id = ?1",
      &st);
  if (!status.ok()) return status;
  st.bind_all(out->id);
  if (!st.step()) return {Error::NotFound, "no trace " + std::to_string(out->id) + " in the store"};
  int c = 0;
  for (auto* text : {&out->name, &out->dump_path, &out->record_path, &out->program_path, &out->debug_buffer_path,
                     &out->producer, &out->host, &out->cpu, &out->os, &out->build, &out->clock, &out->program_sha256}) {
    *text = st.maybe_text(c++);
  }
  for (auto* number : {&out->dump_bytes, &out->execute_total, &out->threads, &out->lost_events})
    *number = st.maybe_integer(c++);
  out->event_overhead_ns = st.maybe_real(c++);
  out->unit = st.str(c++);
  out->events = st.integer(c++);
  out->executions = st.integer(c++);
  Statement labels;
  status = store.prepare("SELECT key, value FROM labels WHERE trace_id = ?1 ORDER BY key, value", &labels);
  if (!status.ok()) return status;
  labels.bind_all(out->id);
  while (labels.step()) out->labels.emplace_back(labels.str(0), labels.str(1));
  return {};
}

Status load_diagnostics(const Store& store, TraceFacts* out) {
  Statement st;
  Status status = store.prepare(
      "SELECT id, severity, count, message, help FROM diagnostics WHERE trace_id = ?1 "
      "ORDER BY CASE severity WHEN 'error' THEN 0 WHEN 'data-loss' THEN 1 ELSE 2 END, id",
      &st);
  if (!status.ok()) return status;
  st.bind_all(out->id);
  while (st.step()) out->diagnostics.push_back({st.str(0), st.str(1), st.str(3), st.str(4), st.integer(2)});
  return {};
}

void add_block(const OpBlock& block, MethodRow* m, double* warm_sum, int64_t* warm_runs, int* blocks) {
  m->executions += block.runs;
  m->total += block.total;
  if (block.cold) m->cold = m->cold.value_or(0) + *block.cold;
  if (block.warm_mean) {
    const int64_t runs = block.runs - (block.cold ? 1 : 0);
    *warm_sum += *block.warm_mean * static_cast<double>(runs);
    *warm_runs += runs;
    m->warm_p50 = ++*blocks == 1 ? block.warm_p50 : std::nullopt;
  }
  if (*warm_runs > 0) m->warm_mean = *warm_sum / static_cast<double>(*warm_runs);
}

Status load_methods(const Store& store, const OpTable& table, TraceFacts* out) {
  Statement st;
  Status status = store.prepare(
      "SELECT name, inputs, outputs, instructions FROM methods WHERE trace_id = ?1 ORDER BY method_id", &st);
  if (!status.ok()) return status;
  st.bind_all(out->id);
  while (st.step()) {
    MethodRow m;
    m.name = st.str(0);
    m.inputs = st.maybe_integer(1);
    m.outputs = st.maybe_integer(2);
    m.instructions = st.maybe_integer(3);
    double warm_sum = 0;
    int64_t warm_runs = 0;
    int blocks = 0;
    for (const OpBlock& b : table.blocks) {
      if (b.kind == "execute" && b.method == m.name) add_block(b, &m, &warm_sum, &warm_runs, &blocks);
    }
    out->methods.push_back(std::move(m));
  }
  return {};
}

Status load_unlinked(const Store& store, const OpTable& table, TraceFacts* out) {
  Statement st;
  Status status = store.prepare("SELECT op, reason FROM raw_unlinked WHERE op BETWEEN ?1 AND ?2 ORDER BY op", &st);
  if (!status.ok()) return status;
  const auto [first, last] = table.ids();
  st.bind_all(first, last);
  out->texts = std::make_shared<TextPool>();
  while (st.step()) {
    if (const auto op = table.find(st.integer(0))) out->unlinked.push_back({*op, out->texts->keep(st.text(1))});
  }
  out->unlinked.shrink_to_fit();
  return {};
}

}  // namespace

bool TraceFacts::data_loss() const {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const DiagnosticRow& d) { return d.severity == "data-loss"; });
}

Status load_summary(const Store& store, const OpTable& table, TraceFacts* out) {
  TraceFacts summary;
  summary.id = table.trace_id;
  Status status = load_trace(store, &summary);
  if (status.ok()) status = load_diagnostics(store, &summary);
  if (status.ok()) status = load_methods(store, table, &summary);
  if (status.ok()) status = load_unlinked(store, table, &summary);
  if (status.ok()) *out = std::move(summary);
  return status;
}

std::vector<PartRow> cost_parts(const OpTable& table) {
  using Key = std::tuple<std::optional<std::string>, Part, std::string>;
  std::map<Key, PartRow> rows;
  std::map<Key, std::vector<uint32_t>> ops;
  std::map<std::optional<std::string>, double> totals;
  const std::vector<OpPart> parts = parts_of(table);
  for (const OpBlock& block : table.blocks) {
    if (block.kind != "execute") continue;
    totals[block.method] += block.cost;
    for (size_t i = block.first_op; i < block.first_op + block.ops; ++i) {
      const OpEntry& op = table.ops[i];
      if (!op.on_trace_clock() || op.count == 0) continue;
      const Key key = {block.method, parts[i].part, parts[i].backend.str()};
      PartRow& row = rows[key];
      ops[key].push_back(static_cast<uint32_t>(i));
      row.method = block.method;
      row.part = parts[i].part;
      row.backend = parts[i].backend;
      row.total += op.cost;
      const auto add_calls = [&](int64_t count) {
        row.calls += count;
        row.calls_each += block.runs > 0 ? static_cast<double>(count) / static_cast<double>(block.runs) : 0;
      };
      if (row.part == Part::Delegate || row.part == Part::Kernel)
        (parts[i].overhead ? row.overhead : row.inner) += op.cost;
      if (row.part == Part::Delegate) {
        // A call inside a call is no call of the method.
        bool nested = false;
        size_t at = i;
        for (size_t steps = 0; steps <= block.ops && table.ops[at].parent; ++steps) {
          at = *table.ops[at].parent;
          nested = nested || table.ops[at].kind == "delegate_call";
        }
        if (op.kind == "delegate_call" && !nested) add_calls(op.count);
      } else if (!op.is_wrapper()) {  // its kernel counts
        add_calls(op.count);
      }
    }
  }
  // Methods as they first ran, then the parts in the order of their names in Part.
  std::map<std::optional<std::string>, size_t> first;
  for (size_t b = 0; b < table.blocks.size(); ++b) first.try_emplace(table.blocks[b].method, b);
  std::vector<PartRow> out;
  for (auto& [key, row] : rows) {
    const double total = totals[row.method];
    row.share = total > 0 ? row.total / total : 0;
    row.ops = count_ops(table, ops[key]);
    out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(),
                   [&](const PartRow& a, const PartRow& b) { return first[a.method] < first[b.method]; });
  return out;
}

std::string part_name(const PartRow& row) {
  switch (row.part) {
    case Part::Delegate:
      return backend_title(row.backend);
    case Part::Kernel:
      return "kernels";
    case Part::Control:
      return "control flow";
    case Part::Framework:
      break;
  }
  return "framework";
}

}  // namespace et::inspector
