#include "inspector/analysis/llm/run_times.h"

namespace et::inspector {

namespace {

constexpr int kPositionBits = 32;  // of a sample's key, behind those of its op

}  // namespace

RunTimes::RunTimes(const Store& store, const OpTable& shown, const std::vector<const TokenStep*>& steps)
    : shown_(shown), sums_(steps.size()), ran_(steps.size()) {
  samples_ = store.query("SELECT run, duration FROM raw_sample WHERE id BETWEEN ?1 AND ?2");
  for (size_t i = 0; i < steps.size(); ++i) index_.emplace(steps[i]->run_id, static_cast<uint32_t>(i));
  for (const auto& [id, into] : shown.merged_ids) merged_[into].push_back(id);
}

std::vector<PartTime> RunTimes::take() {
  std::vector<PartTime> out;
  for (uint32_t i = 0; i < sums_.size(); ++i) {
    if (ran_[i] != 0) out.push_back({i, sums_[i]});
    sums_[i] = ran_[i] = 0;
  }
  return out;
}

void RunTimes::add_op(size_t op, int64_t sign) {
  add_key(shown_.ops[op].id, sign);
  const auto more = merged_.find(op);
  if (more == merged_.end()) return;
  for (const int64_t id : more->second) add_key(id, sign);
}

void RunTimes::add_key(int64_t id, int64_t sign) {
  samples_.bind_all(id << kPositionBits, ((id + 1) << kPositionBits) - 1);
  while (samples_.step()) {
    const auto at = index_.find(samples_.integer(0));
    if (at == index_.end()) continue;
    int64_t& sum = sums_[at->second];
    if (__builtin_add_overflow(sum, sign * samples_.integer(1), &sum)) sum = INT64_MAX;
    ran_[at->second] = 1;
  }
  samples_.reset();
}

}  // namespace et::inspector
