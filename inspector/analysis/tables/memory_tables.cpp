// Tables memory_totals and program_bytes.
#include "inspector/analysis/memory/memory_plan.h"
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
