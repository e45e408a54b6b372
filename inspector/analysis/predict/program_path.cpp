#include "inspector/analysis/predict/program_path.h"

#include <algorithm>
#include <utility>

#include "inspector/analysis/predict/known_numbers.h"

namespace et::inspector {
namespace {

constexpr uint64_t kMostSteps = uint64_t{20} << 20;

/// Where the ways from each instruction meet again, whatever jumps decide: its immediate post-dominator, the chain's
/// length for the end. Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", on the reversed graph.
class MeetingPoints {
 public:
  explicit MeetingPoints(const format::Chain& chain) : size_(chain.instruction_count()), next_(size_) {
    std::vector<std::vector<uint32_t>> before(size_ + 1);
    for (uint32_t i = 0; i < size_; ++i) {
      const format::Instruction in = chain.instruction(i);
      next_[i] = {i + 1};
      if (in.kind() == format::InstructionKind::JumpFalseCall) {
        next_[i].push_back(std::min(static_cast<uint32_t>(in.destination()), size_));
      }
      for (const uint32_t n : next_[i]) before[n].push_back(i);
    }
    number_.assign(size_ + 1, 0);
    walk_back(before);
    meet_.assign(size_ + 1, kNone);
    meet_[size_] = size_;
    for (bool changed = true; changed;) changed = pass();
  }
  uint32_t of(uint32_t i) const { return meet_[i] == kNone ? size_ : meet_[i]; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  void walk_back(const std::vector<std::vector<uint32_t>>& before) {
    std::vector<std::pair<uint32_t, size_t>> open = {{size_, 0}};
    std::vector<bool> seen(size_ + 1, false);
    seen[size_] = true;
    while (!open.empty()) {
      auto& [at, k] = open.back();
      if (k < before[at].size()) {
        const uint32_t to = before[at][k++];
        if (seen[to]) continue;
        seen[to] = true;
        open.emplace_back(to, 0);
      } else {
        number_[at] = static_cast<uint32_t>(order_.size());
        order_.push_back(at);
        open.pop_back();
      }
    }
  }

  bool pass() {
    bool changed = false;
    for (size_t k = order_.size() - 1; k-- > 0;) {  // the last one is the end
      const uint32_t at = order_[k];
      uint32_t best = kNone;
      for (const uint32_t n : next_[at]) {
        if (meet_[n] == kNone) continue;
        best = best == kNone ? n : common(best, n);
      }
      changed = changed || best != meet_[at];
      meet_[at] = best;
    }
    return changed;
  }

  uint32_t common(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (number_[a] < number_[b]) a = meet_[a];
      while (number_[b] < number_[a]) b = meet_[b];
    }
    return a;
  }

  uint32_t size_;
  std::vector<std::vector<uint32_t>> next_;
  std::vector<uint32_t> order_, number_, meet_;
};

class Follower {
 public:
  Follower(const format::Method& method, uint32_t chain, std::span<const uint64_t> weights, uint64_t trips)
      : method_(method), chain_(method.chain(chain)), weights_(weights), trips_(trips) {}

  ChainPath run() {
    Way all = way();
    KnownNumbers known(method_);
    follow(0, size(), &known, &all);
    std::sort(asked_.begin(), asked_.end());
    asked_.erase(std::unique(asked_.begin(), asked_.end()), asked_.end());
    std::sort(loops_.begin(), loops_.end());
    loops_.erase(std::unique(loops_.begin(), loops_.end()), loops_.end());
    return {std::move(all.fewest), std::move(all.most), static_cast<uint32_t>(asked_.size()),
            static_cast<uint32_t>(loops_.size()), steps_ >= kMostSteps};
  }

 private:
  struct Way {
    std::vector<uint64_t> fewest, most;
    bool comes_back = false;  // to the jump that it began at
  };

  uint32_t size() const { return chain_.instruction_count(); }
  Way way() const { return {std::vector<uint64_t>(size()), std::vector<uint64_t>(size()), false}; }
  uint64_t weight(const std::vector<uint64_t>& visits) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < visits.size(); ++i) sum += visits[i] * weights_[i];
    return sum;
  }
  static void add(std::vector<uint64_t>* to, const std::vector<uint64_t>& visits, uint64_t times) {
    for (size_t i = 0; i < visits.size(); ++i) (*to)[i] += visits[i] * times;
  }

  /// From `at` to `stop`, or to a jump that is being asked already.
  void follow(uint32_t at, uint32_t stop, KnownNumbers* known, Way* out) {
    while (at < size() && at != stop) {
      if (std::find(open_.begin(), open_.end(), at) != open_.end()) {
        out->comes_back = true;
        return;
      }
      if (++steps_ >= kMostSteps) return;
      ++out->fewest[at];
      ++out->most[at];
      const format::Instruction in = chain_.instruction(at);
      if (in.kind() != format::InstructionKind::JumpFalseCall) {
        known->apply(in);
        ++at;
        continue;
      }
      const auto to = static_cast<uint32_t>(in.destination());
      const std::optional<bool> holds = known->condition(in.cond_value_index());
      at = holds ? (*holds ? at + 1 : to) : both_ways(at, to, known, out);
    }
  }

  /// Returns where they meet.
  uint32_t both_ways(uint32_t at, uint32_t to, KnownNumbers* known, Way* out) {
    if (!meeting_) meeting_.emplace(chain_);
    asked_.push_back(at);
    const uint32_t meet = meeting_->of(at);
    KnownNumbers other = *known;
    Way on = way(), away = way();
    open_.push_back(at);
    follow(at + 1, meet, known, &on);
    follow(to, meet, &other, &away);
    open_.pop_back();
    known->keep_common(other);
    if (on.comes_back || away.comes_back) {
      const Way &body = on.comes_back ? on : away, &leave = on.comes_back ? away : on;
      loops_.push_back(at);
      // Each trip comes by the jump again.
      out->most[at] += trips_;
      add(&out->most, body.most, trips_);
      add(&out->fewest, leave.fewest, 1);
      add(&out->most, leave.most, 1);
      return meet;
    }
    add(&out->fewest, weight(on.fewest) <= weight(away.fewest) ? on.fewest : away.fewest, 1);
    add(&out->most, weight(on.most) >= weight(away.most) ? on.most : away.most, 1);
    return meet;
  }

  const format::Method& method_;
  const format::Chain chain_;
  const std::span<const uint64_t> weights_;
  const uint64_t trips_;
  std::optional<MeetingPoints> meeting_;
  std::vector<uint32_t> open_, asked_, loops_;
  uint64_t steps_ = 0;
};

}  // namespace

ChainPath follow_chain(const format::Method& method, uint32_t chain, std::span<const uint64_t> weights,
                       uint64_t trips) {
  return Follower(method, chain, weights, trips).run();
}

}  // namespace et::inspector
