#include "inspector/ingest/dump/run_samples.h"

#include <algorithm>
#include <optional>

#include "inspector/match/int128.h"

namespace et::inspector {
namespace {

int64_t trace_time(const DumpFile& dump, uint64_t ticks, ImportContext& context) {
  const Uint128 t = static_cast<Uint128>(ticks) * dump.ns_per_tick;
  if (t <= static_cast<Uint128>(INT64_MAX)) return static_cast<int64_t>(t);
  context.diagnostics.add("time-out-of-range", dump.path + ": a time of " + std::to_string(ticks) + " ticks");
  return INT64_MAX;
}

int64_t event_duration(const DumpFile& dump, const RunEvents& run, size_t i, const Op& op, ImportContext& context) {
  bool wrapped = false, invalid = false;
  const uint64_t ticks = etdump::elapsed_ticks(run.starts[i], run.ends[i], &wrapped, &invalid);
  if (wrapped)
    context.diagnostics.add("time-wrapped", dump.place(run.run.index(), run.indexes[i]) + ": the clock wrapped");
  if (invalid) {
    context.diagnostics.add("time-invalid", dump.place(run.run.index(), run.indexes[i]) + " (" + op.name + "): start " +
                                                std::to_string(run.starts[i]) + " is after end " +
                                                std::to_string(run.ends[i]));
  }
  if (!op.clock_given) return trace_time(dump, ticks, context);
  if (op.clock_denominator == 0) return static_cast<int64_t>(std::min<uint64_t>(ticks, INT64_MAX));
  const Uint128 ns =
      (static_cast<Uint128>(ticks) * op.clock_numerator + op.clock_denominator / 2) / op.clock_denominator;
  return static_cast<int64_t>(std::min<Uint128>(ns, static_cast<Uint128>(INT64_MAX)));
}

/// Is this run the first of its method? Of an unknown method only the very first execution surely is.
bool is_cold(const DumpFile& dump, const Block& block, const std::optional<etdump::TrailerRun>& trailer, Trace& trace,
             RunSamples& out) {
  bool cold = false;
  if (block.kind == "load") out.saw_load = true;
  if (block.kind == "execute") {
    ++trace.executions;
    cold = !out.method_ran[block.method] && (out.saw_load || dump.reader.trailer() != nullptr);
    if (cold && block.method.empty() && trace.executions > 1) cold = false;
    out.method_ran[block.method] = true;
  }
  // A program that is loaded again counts from 0 again, in a process that has run it.
  return cold && (!trailer || trailer->execution == 0);
}

constexpr int kRunColumns = 12;

/// "INSERT INTO raw_run VALUES(?1, …, ?12), (?13, …": so many rows.
std::string insert_runs_sql(size_t rows) {
  std::string sql = "INSERT INTO raw_run VALUES";
  for (size_t r = 0; r < rows; ++r) {
    sql += r == 0 ? "(?" : ",(?";
    for (int c = 1; c < kRunColumns; ++c) sql += ",?";
    sql += ")";
  }
  return sql;
}

}  // namespace

RunRows::RunRows(const ImportContext& context)
    : store_(context.store), trace_(context.trace), one_(context.store.query(insert_runs_sql(1))) {
  waiting_.reserve(kTogether);
}

void RunRows::bind(Statement& st, int first, const RunRow& r) const {
  st.bind(first, r.id);
  st.bind(first + 1, trace_);
  st.bind(first + 2, r.block);
  st.bind(first + 3, r.ordinal);
  st.bind(first + 4, r.execution);
  st.bind(first + 5, r.start);
  st.bind(first + 6, r.duration);
  st.bind(first + 7, r.cold);
  st.bind(first + 8, r.complete);
  st.bind(first + 9, r.error);
  st.bind(first + 10, r.lost);
  st.bind(first + 11, r.phase);
}

void RunRows::flush() {
  const bool all = waiting_.size() == kTogether;
  if (all && !many_.valid()) many_ = store_.query(insert_runs_sql(kTogether));
  int at = 1;
  for (const RunRow& row : waiting_) {
    bind(all ? many_ : one_, at, row);
    if (all) {
      at += kRunColumns;
    } else {
      one_.run();
    }
  }
  if (all) many_.run();
  waiting_.clear();
}

void declare_block(Trace& trace, Block& block, RunSamples& out) {
  block.row = out.block_ids.next();
  const size_t samples = block.ops.empty() ? 0 : std::min(out.runs, SampleBuffer::kLimit / block.ops.size());
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    op.row = out.op_ids.next();
    out.samples.declare(static_cast<size_t>(o), op.row, samples);
  }
}

int64_t add_run(const DumpFile& dump, const RunEvents& run, const Variant& variant, Trace& trace, RunSamples& out,
                ImportContext& context) {
  Block& block = trace.blocks[static_cast<size_t>(variant.block)];
  const int64_t row = out.run_ids.next();
  const std::optional<etdump::TrailerRun> trailer = dump.trailer_run(run.run.index());
  const bool cold = is_cold(dump, block, trailer, trace, out);
  std::optional<int64_t> start, error, lost;
  std::optional<std::string> phase;
  if (trailer) {
    error = trailer->error;
    lost = static_cast<int64_t>(trailer->lost_events);
    if (!trailer->phase.empty()) phase = std::string(trailer->phase);
  }
  int64_t total = 0;
  size_t next_root = 0;
  for (size_t i = 0; i < run.size(); ++i) {
    if (!run.measured(i)) continue;
    const auto o = static_cast<size_t>(variant.op_of_event[i]);
    const Op& op = trace.ops[o];
    const int64_t at = op.foreign() ? static_cast<int64_t>(std::min<uint64_t>(run.starts[i], INT64_MAX))
                                    : trace_time(dump, run.starts[i], context);
    const int64_t duration = event_duration(dump, run, i, op, context);
    out.samples.add(o, {row, at, duration});
    if (next_root < variant.roots.size() && variant.roots[next_root] == i) {
      ++next_root;
      start = start ? std::min(*start, at) : at;
      if (__builtin_add_overflow(total, duration, &total)) total = INT64_MAX;
    }
  }
  if (cold) {
    block.cold_run = row;
    block.cold = total;
  }
  out.rows.add({.id = row,
                .block = block.row,
                .ordinal = static_cast<int64_t>(run.run.index()),
                .execution = static_cast<int64_t>(block.run_durations.size()),
                .start = start,
                .duration = total,
                .cold = cold,
                .complete = block.complete || block.kind != "execute",
                .error = error,
                .lost = lost,
                .phase = std::move(phase)});
  block.run_durations.push_back(total);
  block.run_rows.push_back(row);
  if (!block.complete && block.kind == "execute") {
    context.diagnostics.add("execution-incomplete",
                            dump.path + ": run " + std::to_string(run.run.index()) + " has no Method::execute event");
  }
  return row;
}

}  // namespace et::inspector
