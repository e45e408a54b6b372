#include <algorithm>
#include <unordered_map>
#include <utility>

#include "inspector/analysis/ops/op_costs.h"

namespace et::inspector {
namespace {

constexpr uint32_t kNowhere = UINT32_MAX;

/// Ops of an OpTable that are one with others, by index.
using MergedInto = std::unordered_map<uint32_t, uint32_t>;

Status load_merged(const Store& store, const OpTable& table, MergedInto* out) {
  const auto [first, last] = table.ids();
  Statement st = store.query(
      "SELECT op, merged_into FROM raw_op_cost WHERE op BETWEEN ?1 AND ?2 AND merged_into IS NOT NULL ORDER BY op");
  st.bind_all(first, last);
  while (st.step()) {
    const auto op = table.find(st.integer(0)), into = table.find(st.integer(1));
    if (!op || !into || op == into) continue;
    const OpBlock &block = table.block_of(table.ops[*op]), &first_block = table.block_of(table.ops[*into]);
    // Whatever a damaged store says: one step, backwards, within a method.
    if (table.ops[*into].block >= table.ops[*op].block || block.kind != "execute" || !block.method ||
        block.method != first_block.method || out->contains(static_cast<uint32_t>(*into)))
      continue;
    out->emplace(static_cast<uint32_t>(*op), static_cast<uint32_t>(*into));
  }
  return st.finish("costs of ops");
}

Status load_statistics(const Store& store, const MergedInto& merged, OpTable* table) {
  Statement st = store.query("SELECT * FROM raw_merged_op WHERE op = ?1");
  for (const auto& [op, into] : merged) {
    st.bind_all(table->ops[into].id);
    if (st.step()) read_merged_statistics(st, static_cast<OpStatistics*>(&table->ops[into]));
    st.reset();
  }
  return st.finish("merged ops");
}

/// A block joins the first one of its method.
void join(OpBlock& into, OpBlock& other) {
  const auto warm_runs = [](const OpBlock& b) { return static_cast<double>(b.runs - (b.cold ? 1 : 0)); };
  const double runs = warm_runs(into), more = warm_runs(other);
  if (other.warm_mean && runs + more > 0)
    into.warm_mean = (into.warm_mean.value_or(0) * runs + *other.warm_mean * more) / (runs + more);
  into.warm_p50.reset();
  if (!into.cold) into.cold = other.cold;
  into.runs += other.runs;
  if (__builtin_add_overflow(into.total, other.total, &into.total)) into.total = INT64_MAX;
  if (into.bundled_input_index != other.bundled_input_index) into.bundled_input_index.reset();
  into.complete = into.complete && other.complete;
  if (!into.error || *into.error == 0) into.error = other.error;
  for (BlockPhase& phase : other.phases) {
    const auto same =
        std::find_if(into.phases.begin(), into.phases.end(), [&](const BlockPhase& p) { return p.name == phase.name; });
    if (same == into.phases.end()) {
      into.phases.push_back(std::move(phase));
      continue;
    }
    same->runs += phase.runs;
    same->total += phase.total;
  }
  if (into.merged.empty()) into.merged.push_back(into.id);
  into.merged.push_back(other.id);
}

/// What was merged goes; what is only in a later block comes behind the op that it followed there.
class Merger {
 public:
  Merger(OpTable& table, const MergedInto& merged) : table_(table), merged_(merged) {}

  void run() {
    choose_blocks();
    std::vector<uint32_t> order = new_order();
    move_ops(order);
  }

 private:
  uint32_t head(uint32_t op) const {
    const auto at = merged_.find(op);
    return at == merged_.end() ? op : at->second;
  }

  void choose_blocks() {
    std::unordered_map<std::string, uint32_t> first;
    first_block_.resize(table_.blocks.size());
    for (uint32_t b = 0; b < table_.blocks.size(); ++b) {
      const OpBlock& block = table_.blocks[b];
      first_block_[b] = b;
      if (block.kind == "execute" && block.method) first_block_[b] = first.try_emplace(*block.method, b).first->second;
    }
  }

  std::vector<uint32_t> new_order() const {
    struct Place {
      uint32_t block, anchor, op;
    };
    std::vector<Place> places;
    std::vector<uint32_t> anchor(table_.ops.size(), 0);
    for (uint32_t b = 0; b < table_.blocks.size(); ++b) {
      const OpBlock& block = table_.blocks[b];
      uint32_t last = 0;
      for (auto i = static_cast<uint32_t>(block.first_op); i < block.first_op + block.ops; ++i) {
        const uint32_t h = head(i);
        if (h != i) {
          last = anchor[h];
          continue;
        }
        if (first_block_[b] == b) last = i;
        anchor[i] = last;
        places.push_back({first_block_[b], last, i});
      }
    }
    std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return std::pair(a.block, a.anchor) < std::pair(b.block, b.anchor);
    });
    std::vector<uint32_t> order;
    for (const Place& p : places) order.push_back(p.op);
    return order;
  }

  void move_ops(const std::vector<uint32_t>& order) {
    std::vector<uint32_t> new_index(table_.ops.size(), kNowhere), new_block(table_.blocks.size(), kNowhere);
    for (uint32_t i = 0; i < order.size(); ++i) new_index[order[i]] = i;
    std::vector<OpBlock> blocks;
    for (uint32_t b = 0; b < table_.blocks.size(); ++b) {
      if (first_block_[b] == b) {
        new_block[b] = static_cast<uint32_t>(blocks.size());
        blocks.push_back(std::move(table_.blocks[b]));
        blocks.back().ops = 0;
      } else {
        join(blocks[new_block[first_block_[b]]], table_.blocks[b]);
      }
    }
    for (const auto& [op, into] : merged_) {
      OpEntry &from = table_.ops[op], &to = table_.ops[into];
      to.encloses = to.encloses || from.encloses;
      if (to.nodes == 0) {
        to.first_node = from.first_node;
        to.nodes = from.nodes;
      }
      table_.merged_ids[from.id] = new_index[into];
    }
    std::vector<OpEntry> ops;
    ops.reserve(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
      OpEntry op = table_.ops[order[i]];
      op.block = new_block[first_block_[op.block]];
      op.ordinal = blocks[op.block].merged.empty() ? op.ordinal : blocks[op.block].ops;
      if (op.parent) op.parent = new_index[head(*op.parent)];
      OpBlock& block = blocks[op.block];
      if (block.ops++ == 0) block.first_op = i;
      if (!block.merged.empty() && op.on_trace_clock() && op.count > 0 && block.total > 0) {
        op.share = static_cast<double>(op.sum) / static_cast<double>(block.total);
        op.self_share = static_cast<double>(op.self) / static_cast<double>(block.total);
      }
      ops.push_back(op);
    }
    table_.ops = std::move(ops);
    table_.blocks = std::move(blocks);
    table_.index_ids();
  }

  OpTable& table_;
  const MergedInto& merged_;
  std::vector<uint32_t> first_block_;  // by block: the one that it joins
};

}  // namespace

Status merge_blocks(const Store& store, OpTable* table) {
  if (!store.has_table("raw_op_cost")) return {};
  MergedInto merged;
  Status status = load_merged(store, *table, &merged);
  if (!status.ok() || merged.empty()) return status;
  status = load_statistics(store, merged, table);
  if (!status.ok()) return status;
  Merger(*table, merged).run();
  Statement basis = store.query("SELECT warm_median FROM raw_execution_basis WHERE block = ?1");
  for (OpBlock& b : table->blocks) {
    if (b.merged.empty()) continue;
    basis.bind_all(b.id);
    if (basis.step()) b.warm_p50 = basis.real(0);
    basis.reset();
  }
  return basis.finish("executions");
}

}  // namespace et::inspector
