#include "inspector/analysis/ops/op_costs.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "inspector/analysis/ops/basis_gaps.h"

namespace et::inspector {
namespace {

/// Costs that are sums: of all executions, or their mean.
void from_sums(bool mean, OpTable* table) {
  for (OpEntry& op : table->ops) {
    const auto runs = static_cast<double>(std::max<int64_t>(table->block_of(op).runs, 1));
    op.cost = static_cast<double>(op.self) / (mean ? runs : 1);
  }
}

const char* column_of(BasisKind kind) {
  return kind == BasisKind::WarmMedian ? "warm_median" : kind == BasisKind::Cold ? "cold" : "p99";
}

/// Whether nothing but sums is known of executions that there were several of.
Status find_old_trace(const Store& store, OpTable* table) {
  const bool repeated =
      std::any_of(table->blocks.begin(), table->blocks.end(), [](const OpBlock& b) { return b.runs > 1; });
  if (!repeated) return {};
  table->old_store = true;
  if (!store.has_table("raw_execution_basis")) return {};
  Statement st =
      store.query("SELECT 1 FROM raw_execution_basis e JOIN raw_block b ON b.id = e.block WHERE b.trace = ?1");
  st.bind_all(table->trace_id);
  table->old_store = !st.step();
  return st.finish("executions");
}

/// Costs that the import worked out. A method that ran once has none: it costs what it took.
Status from_store(const Store& store, BasisKind kind, OpTable* table) {
  from_sums(true, table);
  if (kind == BasisKind::Cold) {
    for (OpEntry& op : table->ops) {
      const OpBlock& block = table->block_of(op);
      if (block.kind == "execute" && !block.cold) op.cost = 0;
    }
  }
  Status status = find_old_trace(store, table);
  if (!status.ok()) return status;
  if (table->old_store) {
    if (kind == BasisKind::WarmMedian) return {};
    return {Error::InvalidArgument, "--basis " + Basis{kind}.name() + ": " + missing_basis(*table, {kind})};
  }
  const auto [first, last] = table->ids();
  Statement st = store.query(std::string("SELECT op, ") + column_of(kind) +
                             " FROM raw_op_cost WHERE op BETWEEN ?1 AND ?2 AND merged_into IS NULL");
  st.bind_all(first, last);
  while (st.step()) {
    if (const auto op = table->find(st.integer(0))) table->ops[*op].cost = st.real(1);
  }
  return st.finish("costs of ops");
}

/// The samples of an op in one run: a range of its keys, since they are in the order of the runs.
class RunSamplesReader {
 public:
  RunSamplesReader(const Store& store, int64_t run) : run_(run) {
    at_ = store.query("SELECT run, duration FROM raw_sample WHERE id = ?1");
  }

  int64_t sum(int64_t op, int64_t count) {
    int64_t low = 0, high = count;
    while (low < high) {  // the first sample that is not of an earlier run
      const int64_t middle = low + (high - low) / 2;
      if (!read(op, middle)) return 0;
      (read_run_ < run_ ? low : high) = read_run_ < run_ ? middle + 1 : middle;
    }
    int64_t total = 0;
    for (int64_t i = low; i < count && read(op, i) && read_run_ == run_; ++i)
      if (__builtin_add_overflow(total, duration_, &total)) return INT64_MAX;
    return total;
  }
  Status finish() { return at_.finish("samples"); }

 private:
  bool read(int64_t op, int64_t position) {
    at_.bind_all((op << 32) + position);
    const bool found = at_.step();
    if (found) {
      read_run_ = at_.integer(0);
      duration_ = at_.integer(1);
    }
    at_.reset();
    return found;
  }

  int64_t run_, read_run_ = 0, duration_ = 0;
  Statement at_;
};

/// The latency, and by how much the ops' usual times fall short of it.
Status set_medians(const Store& store, OpTable* table) {
  Statement st = store.query("SELECT warm_median FROM raw_execution_basis WHERE block = ?1");
  for (OpBlock& b : table->blocks) {
    st.bind_all(b.id);
    if (st.step() && st.real(0) > 0) {
      b.variation = st.real(0) - b.cost;
      b.cost = st.real(0);
    }
    st.reset();
  }
  return st.finish("executions");
}

/// The run of a block's executions with that number, from 0; false when there are fewer.
bool find_execution(const Store& store, const OpBlock& block, int64_t number, int64_t* run, int64_t* in_block) {
  std::string blocks = std::to_string(block.id);
  for (const int64_t id : block.merged) blocks += "," + std::to_string(id);
  Statement st =
      store.query("SELECT id, block FROM raw_run WHERE block IN (" + blocks + ") ORDER BY id LIMIT 1 OFFSET ?1");
  st.bind_all(number);
  if (!st.step()) return false;
  *run = st.integer(0);
  *in_block = st.integer(1);
  return true;
}

/// What each method's execution with that number took.
Status from_execution(const Store& store, int64_t number, OpTable* table) {
  from_sums(true, table);  // what is no execution, as loading, is beside each
  for (OpEntry& op : table->ops) {
    if (table->block_of(op).kind == "execute") op.cost = 0;
  }
  std::unordered_map<size_t, double> inclusive;
  bool any = false;
  Statement ops = store.query("SELECT id, count FROM raw_op WHERE block = ?1 AND clock IS NULL");
  for (const OpBlock& block : table->blocks) {
    int64_t run = 0, in_block = 0;
    if (block.kind != "execute" || !find_execution(store, block, number, &run, &in_block)) continue;
    any = true;
    RunSamplesReader samples(store, run);
    ops.bind_all(in_block);
    while (ops.step()) {
      if (const auto op = table->find(ops.integer(0)))
        inclusive[*op] += static_cast<double>(samples.sum(ops.integer(0), ops.integer(1)));
    }
    Status status = ops.finish("ops");
    if (status.ok()) status = samples.finish();
    if (!status.ok()) return status;
    ops.reset();
  }
  if (!any) {
    const Basis basis{BasisKind::Execution, number};
    return {Error::InvalidArgument, "--basis " + basis.name() + ": " + missing_basis(*table, basis)};
  }
  for (const auto& [op, time] : inclusive) {
    table->ops[op].cost += time;
    const Maybe<uint32_t> parent = table->ops[op].parent;
    if (parent && table->ops[*parent].on_trace_clock()) table->ops[*parent].cost -= time;
  }
  return {};
}

}  // namespace

Status set_basis(const Store& store, const Basis& basis, OpTable* table) {
  Status status;
  switch (basis.kind) {
    case BasisKind::Total:
    case BasisKind::Mean:
      from_sums(basis.kind == BasisKind::Mean, table);
      break;
    case BasisKind::WarmMedian:
    case BasisKind::Cold:
    case BasisKind::P99:
      status = from_store(store, basis.kind, table);
      break;
    case BasisKind::Range:
      return {Error::InvalidArgument, "a range is no basis of a whole trace"};
    case BasisKind::Execution:
      status = from_execution(store, basis.execution, table);
      break;
  }
  if (!status.ok()) return status;
  table->basis = table->old_store && basis.kind == BasisKind::WarmMedian ? Basis{BasisKind::Mean} : basis;
  for (OpBlock& b : table->blocks) b.cost = b.variation = 0;
  for (OpEntry& op : table->ops) {
    if (!op.on_trace_clock() || op.count == 0) {
      op.cost = 0;
      continue;
    }
    table->blocks[op.block].cost += op.cost;
  }
  if (basis.kind == BasisKind::Total) {
    for (OpBlock& b : table->blocks) b.cost = static_cast<double>(b.total);
  }
  return basis.kind == BasisKind::WarmMedian && !table->old_store ? set_medians(store, table) : Status();
}

}  // namespace et::inspector
