#include "inspector/analysis/ops/group_times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "inspector/match/execution_basis.h"

namespace et::inspector {

Status GroupTimes::prepare() {
  if (Status s = read_runs(); !s.ok()) return s;
  for (const auto& [id, op] : table_.merged_ids) others_[op].push_back(id);
  inside_.resize(table_.ops.size());
  for (uint32_t i = 0; i < table_.ops.size(); ++i) {
    const OpEntry& op = table_.ops[i];
    if (op.parent && op.on_trace_clock() && op.count > 0) inside_[*op.parent].push_back(i);
  }
  return store_.prepare("SELECT run, duration FROM raw_sample WHERE id BETWEEN ?1 AND ?2", &samples_);
}

Status GroupTimes::read_all(int64_t most) {
  int64_t samples = 0;
  for (const OpEntry& op : table_.ops) samples += op.count;
  if (samples > most || table_.ops.empty()) return {};
  int64_t low = table_.ops.front().id, high = low;
  for (const OpEntry& op : table_.ops) {
    low = std::min(low, op.id);
    high = std::max(high, op.id);
  }
  for (const auto& [id, op] : table_.merged_ids) {
    low = std::min(low, id);
    high = std::max(high, id);
  }
  if (low < 0 || high >= std::numeric_limits<int32_t>::max())
    return {Error::InvalidExternalData, store_.path() + ": op id out of range"};
  all_.reserve(static_cast<size_t>(samples));
  Statement st = store_.query("SELECT id >> 32, run, duration FROM raw_sample WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
  st.bind_all(low << 32, (high << 32) + std::numeric_limits<uint32_t>::max());
  while (st.step()) {
    const auto run = number_of_run_.find(st.integer(1));
    if (run == number_of_run_.end()) continue;
    const int64_t id = st.integer(0);
    if (all_of_.empty() || all_of_.back().first != id) all_of_.emplace_back(id, all_.size());
    all_.push_back({run->second, st.integer(2)});
  }
  read_all_ = true;
  return st.finish("samples");
}

Status GroupTimes::of(const std::vector<GroupPart>& parts, std::vector<double>* out, std::vector<int64_t>* runs) {
  // What an op encloses is not its own: their times are taken off, as far as they are not in the group themselves.
  std::map<uint32_t, double> factors;
  std::vector<bool> in_block(table_.blocks.size(), false);
  for (const GroupPart& part : parts) {
    in_block[table_.ops[part.op].block] = true;
    factors[part.op] += part.weight;
    for (const uint32_t inner : inside_[part.op]) factors[inner] -= part.weight;
  }
  std::vector<double> sums(warm_runs_, 0);
  for (const auto& [op, factor] : factors) {
    if (std::fabs(factor) < 1e-9) continue;
    if (Status s = add(op, factor, &sums); !s.ok()) return s;
  }
  out->clear();
  if (runs != nullptr) runs->clear();
  for (size_t b = 0; b < in_block.size(); ++b) {
    if (!in_block[b]) continue;
    for (const size_t run : runs_of_block_[b]) {
      out->push_back(sums[run]);
      if (runs != nullptr) runs->push_back(keys_[run]);
    }
  }
  return {};
}

/// Numbers the warm executions of each block with those that were merged into it.
Status GroupTimes::read_runs() {
  std::unordered_map<int64_t, size_t> block_of;
  for (size_t b = 0; b < table_.blocks.size(); ++b) {
    if (table_.blocks[b].kind != "execute") continue;
    block_of[table_.blocks[b].id] = b;
    for (const int64_t id : table_.blocks[b].merged) block_of[id] = b;
  }
  std::vector<std::vector<int64_t>> runs(table_.blocks.size());
  std::vector<std::vector<ExecutionFacts>> facts(table_.blocks.size());
  Statement st = store_.query("SELECT id, block, duration, is_cold, complete FROM raw_run WHERE trace = ?1");
  st.bind_all(table_.trace_id);
  while (st.step()) {
    const auto block = block_of.find(st.integer(1));
    if (block == block_of.end()) continue;
    runs[block->second].push_back(st.integer(0));
    facts[block->second].push_back({st.integer(2), st.integer(3) != 0, st.integer(4) != 0});
  }
  runs_of_block_.resize(table_.blocks.size());
  latencies_.resize(table_.blocks.size());
  for (size_t b = 0; b < runs.size(); ++b) {
    const ExecutionBasis basis(facts[b]);
    for (size_t i = 0; i < runs[b].size(); ++i) {
      if (!basis.warm(i)) continue;
      number_of_run_[runs[b][i]] = warm_runs_;
      keys_.push_back(runs[b][i]);
      latencies_[b].push_back(static_cast<double>(facts[b][i].latency));
      runs_of_block_[b].push_back(warm_runs_++);
    }
  }
  return st.finish("executions");
}

Status GroupTimes::add(uint32_t op, double factor, std::vector<double>* sums) {
  if (Status s = add_samples(table_.ops[op].id, factor, sums); !s.ok()) return s;
  const auto others = others_.find(op);
  if (others == others_.end()) return {};
  for (const int64_t id : others->second) {
    if (Status s = add_samples(id, factor, sums); !s.ok()) return s;
  }
  return {};
}

Status GroupTimes::add_samples(int64_t id, double factor, std::vector<double>* sums) {
  if (read_all_) {
    const auto at = std::lower_bound(all_of_.begin(), all_of_.end(), std::pair<int64_t, size_t>(id, 0));
    if (at == all_of_.end() || at->first != id) return {};
    const size_t end = at + 1 == all_of_.end() ? all_.size() : (at + 1)->second;
    for (size_t i = at->second; i < end; ++i) (*sums)[all_[i].run] += factor * static_cast<double>(all_[i].duration);
    return {};
  }
  // The key of a sample is its op and its number.
  if (id < 0 || id > std::numeric_limits<int32_t>::max()) {
    return {Error::InvalidExternalData, store_.path() + ": op id out of range"};
  }
  samples_.bind_all(id << 32, (id << 32) + std::numeric_limits<uint32_t>::max());
  while (samples_.step()) {
    const auto run = number_of_run_.find(samples_.integer(0));
    if (run != number_of_run_.end()) (*sums)[run->second] += factor * static_cast<double>(samples_.integer(1));
  }
  const Status status = samples_.finish("samples");
  samples_.reset();
  return status;
}

}  // namespace et::inspector
