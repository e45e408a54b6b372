#include "inspector/analysis/ops/kept_executions.h"

#include <utility>

namespace et::inspector {
namespace {

// Of what is worked out and of its texts: one more with each change of these.
constexpr int64_t kKeptVersion = 3;

bool is_kept(const Store& store, int64_t trace_id) {
  if (!store.has_table("raw_kept_trace")) return false;
  Statement st = store.query("SELECT version FROM raw_kept_trace WHERE trace = ?1");
  st.bind_all(trace_id);
  return st.step() && st.integer(0) == kKeptVersion;
}

void forget(const Store& store, int64_t trace_id) {
  for (const char* sql : {"DELETE FROM raw_kept_phase WHERE block IN (SELECT id FROM raw_block WHERE trace = ?1)",
                          "DELETE FROM raw_kept_note_op WHERE trace = ?1", "DELETE FROM raw_kept_note WHERE trace = ?1",
                          "DELETE FROM raw_kept_trace WHERE trace = ?1"}) {
    store.query(sql).run(trace_id);
  }
}

void write_phases(const Store& store, const PhasesOfBlocks& phases) {
  Statement st = store.query("INSERT INTO raw_kept_phase VALUES(?1,?2,?3,?4,?5)");
  for (const auto& [block, of_block] : phases) {
    for (size_t i = 0; i < of_block.size(); ++i)
      st.run(block, i, of_block[i].name, of_block[i].runs, of_block[i].total);
  }
}

void write_notes(const Store& store, int64_t trace_id, const std::vector<ExecutionNote>& notes) {
  Statement note = store.query("INSERT INTO raw_kept_note VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)");
  Statement op = store.query("INSERT INTO raw_kept_note_op VALUES(?1,?2,?3,?4,?5,?6,?7)");
  for (size_t i = 0; i < notes.size(); ++i) {
    const ExecutionNote& n = notes[i];
    note.run(trace_id, i, static_cast<int64_t>(n.kind), n.method, n.test_case, n.run_id, n.execution, n.ordinal,
             n.count, n.warm, n.time, n.reference, n.interrupted, n.extra_share, n.text);
    for (size_t o = 0; o < n.ops.size(); ++o)
      op.run(trace_id, i, o, n.ops[o].op_id, n.ops[o].name, n.ops[o].ticks, n.ops[o].usual);
  }
}

}  // namespace

Status keep_executions(Store& store, int64_t trace_id, int64_t from) {
  Statement count = store.query("SELECT total(runs) FROM blocks WHERE trace_id = ?1");
  count.bind_all(trace_id);
  if (!count.step() || count.integer(0) < from) return {};
  count = Statement();
  std::vector<ExecutionNote> notes;
  PhasesOfBlocks phases;
  Transaction transaction(store);
  Status status = transaction.begin_status();
  if (status.ok()) status = store.ensure_part("kept", "raw_kept_trace");
  if (!status.ok()) return status;
  forget(store, trace_id);
  status = load_execution_notes(store, trace_id, &notes);
  if (status.ok()) status = count_phases(store, trace_id, &phases);
  if (!status.ok()) return status;
  write_phases(store, phases);
  write_notes(store, trace_id, notes);
  store.query("INSERT INTO raw_kept_trace VALUES(?1,?2)").run(trace_id, kKeptVersion);
  return transaction.commit();
}

bool load_kept_notes(const Store& store, int64_t trace_id, std::vector<ExecutionNote>* out) {
  out->clear();
  if (!is_kept(store, trace_id)) return false;
  Statement st = store.query(
      "SELECT kind, method, test_case, run, execution, place, count, warm, time, reference, interrupted, extra_share, "
      "text "
      "FROM raw_kept_note WHERE trace = ?1 ORDER BY ordinal");
  st.bind_all(trace_id);
  while (st.step()) {
    ExecutionNote n;
    const int64_t kind = st.integer(0);
    if (kind < 0 || kind > static_cast<int64_t>(ExecutionNote::Kind::Disturbed)) return false;
    n.kind = static_cast<ExecutionNote::Kind>(kind);
    n.method = st.maybe_text(1);
    n.test_case = st.maybe_integer(2);
    n.run_id = st.maybe_integer(3);
    n.execution = st.maybe_integer(4);
    n.ordinal = static_cast<int>(st.integer(5));
    n.count = st.integer(6);
    n.warm = st.integer(7);
    n.time = st.real(8);
    n.reference = st.real(9);
    n.interrupted = st.integer(10) != 0;
    n.extra_share = st.real(11);
    n.text = st.str(12);
    out->push_back(std::move(n));
  }
  bool ok = st.finish("kept notes").ok();
  st = store.query("SELECT note, op, name, ticks, usual FROM raw_kept_note_op WHERE trace = ?1 ORDER BY note, ordinal");
  st.bind_all(trace_id);
  while (ok && st.step()) {
    const int64_t note = st.integer(0);
    ok = note >= 0 && note < std::ssize(*out);
    if (ok) (*out)[static_cast<size_t>(note)].ops.push_back({st.maybe_integer(1), st.str(2), st.real(3), st.real(4)});
  }
  return ok && st.finish("kept notes").ok();
}

bool load_kept_phases(const Store& store, int64_t trace_id, PhasesOfBlocks* out) {
  if (!is_kept(store, trace_id)) return false;
  Statement st = store.query(
      "SELECT p.block, p.name, p.runs, p.total FROM raw_block b JOIN raw_kept_phase p ON p.block = b.id "
      "WHERE b.trace = ?1 ORDER BY p.block, p.ordinal");
  st.bind_all(trace_id);
  while (st.step()) (*out)[st.integer(0)].push_back({st.str(1), st.integer(2), st.real(3)});
  const bool ok = st.finish("kept phases").ok();
  if (!ok) out->clear();  // whoever counts them instead adds to what is there
  return ok;
}

}  // namespace et::inspector
