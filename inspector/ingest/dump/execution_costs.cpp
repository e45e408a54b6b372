#include "inspector/ingest/dump/execution_costs.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "inspector/match/statistics.h"

namespace et::inspector {
namespace {

/// What makes ops of two blocks the same.
struct SameOp {
  int32_t group = 0;
  const EventKey* key = nullptr;
  bool operator==(const SameOp& o) const { return group == o.group && *key == *o.key; }
};
struct SameOpHash {
  size_t operator()(const SameOp& o) const {
    size_t h = std::hash<std::string>()(o.key->name) * 31 + std::hash<std::string>()(o.key->delegate_str);
    for (const int64_t v : {int64_t{o.group}, int64_t{o.key->instruction}, o.key->chain, int64_t{o.key->delegate_int}})
      h = (h ^ static_cast<uint64_t>(v)) * 0x9E3779B97F4A7C15ULL;
    return h ^ (h >> 29);
  }
};

}  // namespace

ExecutionCosts::ExecutionCosts(Trace& trace) : trace_(trace), inside_(trace.ops.size()) {
  group_blocks();
  merge_ops();
}

void ExecutionCosts::group_blocks() {
  std::map<std::string, int32_t> of_method;
  for (const Block& b : trace_.blocks) {
    int32_t group = static_cast<int32_t>(trace_.executions_of.size());
    if (b.kind == "execute" && !b.method.empty()) group = of_method.try_emplace(b.method, group).first->second;
    if (group == static_cast<int32_t>(trace_.executions_of.size())) trace_.executions_of.emplace_back();
    trace_.executions_of[static_cast<size_t>(group)].blocks.push_back(b.ordinal);
    group_of_block_.push_back(group);
  }
  groups_.resize(trace_.executions_of.size());
  for (size_t g = 0; g < groups_.size(); ++g) {
    Executions& executions = trace_.executions_of[g];
    std::vector<std::tuple<int64_t, const Block*, size_t>> runs;
    for (const int32_t b : executions.blocks) {
      const Block& block = trace_.blocks[static_cast<size_t>(b)];
      for (size_t i = 0; i < block.run_rows.size(); ++i) runs.emplace_back(block.run_rows[i], &block, i);
    }
    if (runs.empty()) continue;
    std::sort(runs.begin(), runs.end());
    Group& group = groups_[g];
    group.first_run = std::get<0>(runs.front());
    group.execution_of.assign(static_cast<size_t>(std::get<0>(runs.back()) - group.first_run + 1), -1);
    std::vector<ExecutionFacts> facts;
    for (const auto& [row, block, i] : runs) {
      group.execution_of[static_cast<size_t>(row - group.first_run)] = static_cast<int32_t>(facts.size());
      facts.push_back({block->run_durations[i], row == block->cold_run, block->complete || block->kind != "execute"});
    }
    group.basis = ExecutionBasis(facts);
    executions.count = static_cast<int64_t>(facts.size());
    executions.warm = group.basis.warm_count();
    executions.cold = group.basis.cold_count();
    executions.tail = group.basis.tail_count();
    executions.warm_median = group.basis.warm_median();
  }
}

void ExecutionCosts::merge_ops() {
  std::vector<std::vector<uint32_t>> others(trace_.ops.size());
  std::unordered_map<SameOp, int32_t, SameOpHash> known;
  for (size_t o = 0; o < trace_.ops.size(); ++o) {
    Op& op = trace_.ops[o];
    const int32_t group = group_of_block_[static_cast<size_t>(op.block)];
    if (trace_.executions_of[static_cast<size_t>(group)].blocks.size() < 2) continue;
    const auto [at, fresh] = known.try_emplace(SameOp{group, &op.key}, static_cast<int32_t>(o));
    if (fresh) continue;
    const Op& head = trace_.ops[static_cast<size_t>(at->second)];
    if (head.clock != op.clock || head.kind != op.kind) continue;  // not to be added up
    op.merged_into = at->second;
    others[static_cast<size_t>(at->second)].push_back(static_cast<uint32_t>(o));
  }
  encloses_.assign(trace_.ops.size(), false);
  for (size_t o = 0; o < trace_.ops.size(); ++o) {
    if (trace_.ops[o].has_children) encloses_[head_of(o)] = true;
  }
  order_.reserve(trace_.ops.size());
  for (size_t o = 0; o < trace_.ops.size(); ++o) {
    const Op& op = trace_.ops[o];
    if (op.merged_into >= 0) continue;
    order_.push_back(static_cast<uint32_t>(o));
    order_.insert(order_.end(), others[o].begin(), others[o].end());
    if (!op.foreign())
      groups_[static_cast<size_t>(group_of_block_[static_cast<size_t>(op.block)])].heads.push_back(
          static_cast<int32_t>(o));
  }
}

size_t ExecutionCosts::head_of(size_t op) const {
  const int32_t into = trace_.ops[op].merged_into;
  return into < 0 ? op : static_cast<size_t>(into);
}

void ExecutionCosts::add(size_t o, std::span<const Sample> samples) {
  const Op& op = trace_.ops[o];
  const Group& group = groups_[static_cast<size_t>(group_of_block_[static_cast<size_t>(op.block)])];
  const size_t head = head_of(o);
  ++next_;
  if (!op.foreign()) {
    std::vector<PartTime> times;
    times.reserve(samples.size());
    for (const Sample& s : samples) {
      const auto at = static_cast<uint32_t>(group.execution_of[static_cast<size_t>(s.run - group.first_run)]);
      if (!times.empty() && times.back().execution == at) {
        times.back().time = add_clamped(times.back().time, s.duration);
      } else {
        times.push_back({at, s.duration});
      }
    }
    if (op.parent >= 0 && !trace_.ops[static_cast<size_t>(op.parent)].foreign())
      merge(times, -1, &inside_[head_of(static_cast<size_t>(op.parent))]);
    if (pending_.empty()) {
      pending_ = std::move(times);
    } else {
      merge(times, 1, &pending_);
    }
  }
  if (next_ < order_.size() && head_of(order_[next_]) == head) return;
  // What encloses others is known when all of them are; of the rest nothing has to be kept.
  if (encloses_[head]) {
    merge(pending_, 1, &inside_[head]);
  } else {
    trace_.ops[head].cost = part_cost(group.basis, pending_);
  }
  pending_.clear();
}

void ExecutionCosts::finish() {
  for (const Group& group : groups_) {
    for (const int32_t o : group.heads) {
      const auto head = static_cast<size_t>(o);
      if (encloses_[head]) trace_.ops[head].cost = part_cost(group.basis, inside_[head]);
    }
    double sum = 0;
    for (const int32_t o : group.heads) sum += trace_.ops[static_cast<size_t>(o)].cost.warm_median;
    if (!exceeds_median(sum, group.basis.warm_median())) continue;
    for (const int32_t o : group.heads) {
      PartCost& cost = trace_.ops[static_cast<size_t>(o)].cost;
      cost.warm_median = cost.one_mode;
    }
  }
}

void ExecutionCosts::merge(const std::vector<PartTime>& times, int sign, std::vector<PartTime>* into) {
  if (times.empty()) return;
  // Nearly always the same executions.
  if (into->size() == times.size() &&
      std::equal(times.begin(), times.end(), into->begin(),
                 [](const PartTime& a, const PartTime& b) { return a.execution == b.execution; })) {
    for (size_t i = 0; i < times.size(); ++i)
      (*into)[i].time = add_clamped((*into)[i].time, sign < 0 ? -times[i].time : times[i].time);
    return;
  }
  std::vector<PartTime> sum;
  sum.reserve(into->size() + times.size());
  size_t a = 0, b = 0;
  while (a < into->size() || b < times.size()) {
    const bool first = b == times.size() || (a < into->size() && (*into)[a].execution < times[b].execution);
    const bool both = !first && a < into->size() && (*into)[a].execution == times[b].execution;
    PartTime t = first || both ? (*into)[a] : PartTime{times[b].execution, 0};
    if (!first) t.time = add_clamped(t.time, sign < 0 ? -times[b].time : times[b].time);
    a += first || both ? 1 : 0;
    b += first ? 0 : 1;
    sum.push_back(t);
  }
  *into = std::move(sum);
}

}  // namespace et::inspector
