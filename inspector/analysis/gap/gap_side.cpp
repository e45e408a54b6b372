// The logged values of a trace as one side of a comparison.
#include <memory>

#include "inspector/analysis/gap/gap.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

/// Why an execution has no values to compare.
Status no_values(const Store& store, int64_t trace_id, const std::string& dump) {
  Statement s = store.query(
      "SELECT count(*), sum(problem IS NOT NULL), min(problem) FROM debug_values WHERE trace_id = ? AND kind IN "
      "('tensor', 'tensor_list')");
  s.bind_all(trace_id);
  (void)s.step();
  if (s.integer(0) > 0 && s.integer(1) == s.integer(0) && s.str(2) == "no debug buffer") {
    return {Error::NotFound,
            dump + ": its tensors are in a debug buffer, which is missing: give it with --debug-buffer"};
  }
  if (s.integer(1) > 0) return {Error::NotFound, dump + ": none of its logged tensors can be read: " + s.str(2)};
  return {Error::NotFound, dump +
                               ": the trace has no logged values of operators; record it with et-run --etdump run.etdp "
                               "--debug-buffer run.bin"};
}

}  // namespace

std::vector<GapExecution> gap_executions(const Store& store, int64_t trace_id) {
  Statement s = store.query(
      "SELECT e.run_id, coalesce(b.method, ''), b.bundled_input_index, e.run_id IN (SELECT v.run_id FROM debug_values "
      "v "
      "WHERE v.trace_id = ?1 AND v.is_output = 0 AND v.data IS NOT NULL AND v.kind IN ('tensor', 'tensor_list')) FROM "
      "executions e JOIN blocks b ON b.block_id = e.block_id WHERE e.trace_id = ?1 AND b.kind = 'execute' ORDER BY "
      "e.start_ns, e.run_id");
  s.bind_all(trace_id);
  std::vector<GapExecution> out;
  while (s.step()) {
    GapExecution e{s.integer(0), s.str(1), s.maybe_integer(2), s.integer(3) != 0};
    if (e.test_case && *e.test_case < 0) e.test_case.reset();
    out.push_back(std::move(e));
  }
  return out;
}

Status open_gap_side(const Store& store, int64_t trace_id, std::optional<int64_t> execution,
                     std::optional<int64_t> bundled_case, GapSide* out) {
  Statement trace =
      store.query("SELECT coalesce(dump_path, ''), coalesce(record_path, '') FROM traces WHERE trace_id = ?");
  trace.bind_all(trace_id);
  (void)trace.step();
  out->name = trace.str(0);
  out->record = trace.str(1);
  if (out->name.empty()) return {Error::NotFound, "gap: expected a run, got files without an ETDump"};
  const std::vector<GapExecution> runs = gap_executions(store, trace_id);
  if (runs.empty()) return {Error::NotFound, out->name + ": the trace has no execution"};
  if (execution && (*execution < 0 || static_cast<size_t>(*execution) >= runs.size())) {
    return {Error::InvalidArgument, "execution " + std::to_string(*execution) + ": " + out->name + " has " +
                                        plural(static_cast<int64_t>(runs.size()), "execution") +
                                        (runs.size() == 1 ? ", 0" : ", 0 to " + std::to_string(runs.size() - 1))};
  }
  const GapExecution* run = execution ? &runs[static_cast<size_t>(*execution)] : &runs.back();
  for (const GapExecution& e : runs) {
    if (!execution && bundled_case && e.test_case == bundled_case) run = &e;  // the last of the case
  }
  out->run_id = run->run_id;
  out->method = run->method;
  out->test_case = run->test_case;
  if (Status s = load_logged_values(store, trace_id, run->run_id, &out->values, ValueData::Later); !s.ok()) return s;
  if (out->values.empty()) return no_values(store, trace_id, out->name);
  auto read = std::make_shared<Statement>();
  if (Status s = store.prepare("SELECT data FROM debug_values WHERE value_id = ?", read.get()); !s.ok()) return s;
  std::vector<int64_t> ids;
  for (const LoggedValue& v : out->values) ids.push_back(v.value_id);
  out->bytes = [read, ids = std::move(ids)](size_t value, std::span<const uint8_t>* bytes) -> Status {
    read->reset();
    read->bind_all(ids[value]);
    if (!read->step()) return read->finish("a logged value");
    *bytes = read->blob(0);
    return {};
  };
  out->let_go = [read] { read->reset(); };
  return {};
}

}  // namespace et::inspector
