// Tables memory_totals, delegate_sizes and program_bytes.
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "inspector/analysis/memory/memory_plan.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/size/delegate_weights.h"
#include "inspector/analysis/size/program_size.h"
#include "inspector/analysis/tables/analysis_tables.h"

namespace et::inspector {

std::span<const ComputedColumn> memory_totals_columns() {
  static constexpr ComputedColumn kColumns[] = {
      kTraceColumn,
      {"method", "TEXT", "method"},
      {"planned_bytes", "INTEGER", "arenas"},
      {"constant_bytes", "INTEGER", "of the program, and of a tensor file"},
      {"delegate_bytes", "INTEGER", "payloads, and named data, which are weights of delegates"},
      {"caller_bytes", "INTEGER", "inputs and outputs that are not planned"},
      {"runtime_bytes", "INTEGER", "allocators of the runtime beside the arenas, where the trace has them"},
      {"total_bytes", "INTEGER", "the sum"},
      {"load_peak_bytes", "INTEGER",
       "the most while it loads: a delegate may hold its data twice, as stored and packed"},
      {"unknown", "TEXT", "backends that allocate what is in no file"},
  };
  return kColumns;
}

Status fill_memory_totals(const Store& store, int64_t trace_id, ComputedRows* rows) {
  MemoryPlan plan;
  const Status status = load_memory_plan(store, trace_id, &plan);
  for (const PlanMethod& method : plan.methods) {
    const MemoryTotal t = memory_total(plan, method.name);
    std::string unknown;
    for (const std::string& backend : t.unknown) unknown += (unknown.empty() ? "" : ", ") + backend;
    rows->add({method.name, t.planned, t.constants, t.delegates, t.caller, t.runtime, t.sum(), t.load_peak(),
               sql_text(unknown)});
  }
  return status;
}

std::span<const ComputedColumn> delegate_sizes_columns() {
  static constexpr ComputedColumn kColumns[] = {
      kTraceColumn,
      {"delegate_id", "INTEGER", "row of delegates"},
      {"name", "TEXT", "backend and number, as the window and the reports call it"},
      {"method", "TEXT", "method"},
      {"number", "INTEGER", "in the method's list of delegates, from 1 as people count them; delegates.ordinal + 1"},
      {"payload_kind", "TEXT", "as in delegates"},
      {"payload_bytes", "INTEGER", "what the program has for the backend"},
      {"weights_bytes", "INTEGER",
       "weights, also those that the program keeps outside of the payload: what several delegates share counts for the "
       "first that uses it. NULL: it has none, its payload cannot be read, or the program's file is not there any "
       "more"},
      {"payload_nodes", "INTEGER", "nodes found in it, NULL when it cannot be read"},
  };
  return kColumns;
}

Status fill_delegate_sizes(const Store& store, int64_t trace_id, ComputedRows* rows) {
  std::map<std::pair<std::string, int64_t>, int64_t> weights;
  Statement program = store.query("SELECT program_path FROM traces WHERE trace_id = ?1 AND program_path IS NOT NULL");
  program.bind_all(trace_id);
  ProgramSize size;
  // Without its file all is known but what the payloads only name.
  if (program.step() && program_size(program.str(0), &size).ok()) weights = delegate_weights(size);
  Statement st = store.query(
      "SELECT delegate_id, backend, method, ordinal, payload_kind, payload_bytes, weights_bytes, payload_nodes FROM "
      "delegates WHERE trace_id = ?1 ORDER BY delegate_id");
  st.bind_all(trace_id);
  while (st.step()) {
    const int64_t number = st.integer(3) + 1;
    std::optional<int64_t> bytes = st.maybe_integer(6);
    if (const auto at = weights.find({st.str(2), st.integer(3)}); !bytes && at != weights.end()) bytes = at->second;
    rows->add({st.integer(0), backend_title(st.str(1)) + " " + std::to_string(number), st.str(2), number,
               sql_text(st.str(4)), sql_value(st.maybe_integer(5)), sql_value(bytes), sql_value(st.maybe_integer(7))});
  }
  return st.finish("delegates");
}

std::span<const ComputedColumn> program_bytes_columns() {
  static constexpr ComputedColumn kColumns[] = {
      kTraceColumn,
      {"section", "TEXT", "constants, instructions, padding, weights of a backend …"},
      {"name", "TEXT", "of the tensor as the model calls it, key of named data, or what it is"},
      {"dtype", "TEXT", "of a tensor"},
      {"shape", "TEXT", "of a tensor"},
      {"used_by", "TEXT", "what uses it, as the program or the payload calls it"},
      {"operator", "TEXT", "the same as the other tables call it, NULL where no graph tells"},
      {"module_path", "TEXT", "module that uses it"},
      {"method", "TEXT", "NULL for what belongs to the whole program"},
      {"same_as", "TEXT", "earlier entry with the same bytes"},
      {"uses", "INTEGER", "instructions or payload nodes that use it"},
      {"bytes", "INTEGER", "in the file"},
  };
  return kColumns;
}

Status fill_program_bytes(const Store& store, int64_t trace_id, ComputedRows* rows) {
  Statement st = store.query("SELECT program_path FROM traces WHERE trace_id = ?1");
  st.bind_all(trace_id);
  if (!st.step()) return {};
  if (st.is_null(0)) return {Error::NotFound, "the trace has no program"};
  ProgramSize size;
  Status status = program_size(st.str(0), &size);
  if (status.ok()) status = name_entries(store, trace_id, &size);
  if (!status.ok()) return {Error::NotFound, status.message()};  // gone, or another one by now: no rows among others'
  for (const SizeEntry& e : size.entries) {
    rows->add({e.group, e.name, sql_text(e.dtype), sql_text(e.shape), sql_text(e.used_by), sql_text(e.operator_name),
               sql_text(e.module), sql_text(e.method), sql_text(e.same_as), e.uses, e.bytes});
  }
  return {};
}

}  // namespace et::inspector
