// Ops of the trace of a test case, against those of an earlier call.
#include <map>
#include <tuple>

#include "inspector/analysis/checks/check_history.h"
#include "inspector/analysis/ops/samples.h"

namespace et::inspector {
namespace {

constexpr size_t kMostSamples = 1000;  // of an op, for its interval

using OpName = std::tuple<std::string, std::string, std::optional<int64_t>, std::optional<std::string>>;

OpName name_of(const CheckOpRow& op) { return {op.name, op.kind, op.instruction_id, op.delegate_debug_id}; }

Status load_ops(const Store& store, int64_t check_case_id, std::vector<CheckOpRow>* out) {
  Statement st;
  Status status = store.prepare(
      "SELECT c.op_id, c.count, c.sum_ns, c.self_ns, c.name, c.kind, c.unit, c.instruction_id, c.delegate_debug_id, "
      "c.self_share, c.p50_ns, c.max_abs_error FROM check_ops c JOIN ops o ON o.op_id = c.op_id "
      "WHERE c.check_case_id = ?1 AND c.count > 0 ORDER BY o.block_id, o.ordinal",
      &st);
  if (!status.ok()) return {Error::InvalidExternalData, status.message()};
  st.bind_all(check_case_id);
  while (st.step()) {
    CheckOpRow op;
    op.op_id = st.integer(0);
    op.count = st.integer(1);
    op.sum_ns = st.integer(2);
    op.self_ns = st.integer(3);
    op.name = st.str(4);
    op.kind = st.str(5);
    op.unit = st.str(6);
    op.instruction_id = st.maybe_integer(7);
    op.delegate_debug_id = st.maybe_text(8);
    op.self_share = st.maybe_real(9);
    op.p50_ns = st.maybe_real(10);
    op.max_abs_error = read_check_number(st, 11);
    out->push_back(std::move(op));
  }
  if (sqlite3_reset(st.raw()) == SQLITE_OK) return {};
  return {Error::InvalidExternalData, store.path() + ": cannot read checks: " + store.error_text()};
}

std::optional<MedianInterval> interval_of(const Store& store, int64_t op_id) {
  OpSamples samples;
  if (!load_op_samples(store, op_id, kMostSamples, &samples).ok()) return std::nullopt;
  return median_interval(samples.durations);
}

}  // namespace

Status load_check_ops(const Store& store, int64_t check_case_id, int64_t before, std::vector<CheckOpRow>* out) {
  out->clear();
  Status status = load_ops(store, check_case_id, out);
  if (!status.ok() || before == 0) return status;
  std::vector<CheckOpRow> old;
  status = load_ops(store, before, &old);
  if (!status.ok()) return status;
  // Ops that are alike in all that names them are told apart by their order.
  std::multimap<OpName, const CheckOpRow*> waiting;
  for (const CheckOpRow& op : old) waiting.emplace(name_of(op), &op);
  for (CheckOpRow& op : *out) {
    const auto it = waiting.lower_bound(name_of(op));
    if (it == waiting.end() || it->first != name_of(op) || it->second->unit != op.unit) continue;
    const CheckOpRow& was = *it->second;
    op.before_p50_ns = was.p50_ns;
    const auto now_interval = interval_of(store, op.op_id), old_interval = interval_of(store, was.op_id);
    if (op.p50_ns && was.p50_ns && now_interval && old_interval)
      op.change = time_change(*was.p50_ns, *old_interval, *op.p50_ns, *now_interval);
    waiting.erase(it);
  }
  return {};
}

}  // namespace et::inspector
