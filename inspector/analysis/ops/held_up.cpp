#include "inspector/analysis/ops/held_up.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "inspector/analysis/ops/interruptions.h"

namespace et::inspector {
namespace {

constexpr size_t kLeastTimes = 5;  // of fewer nothing is usual
constexpr double kQuick = 0.25;    // the quantile of those that nothing held up, also where many were
constexpr double kLonger = 1.25;   // times as long as these
constexpr double kPart = 0.05;     // of a quick execution, or it is not worth to be called one

double quick_of(std::span<const double> times) {
  std::vector<double> sorted(times.begin(), times.end());
  const auto at = sorted.begin() + static_cast<ptrdiff_t>(static_cast<double>(sorted.size() - 1) * kQuick);
  std::nth_element(sorted.begin(), at, sorted.end());
  return *at;
}

bool was_held_up(const ExtraTime& op, double usual) {
  if (op.ticks < kInterrupted * op.usual || op.ticks < kPart * usual) return false;
  // Where the runtime usually does next to nothing, somebody else ran.
  return op.op_id.has_value() || op.ticks >= usual;
}

using OpKey = std::pair<int64_t, std::string>;
OpKey key_of(const ExtraTime& op) { return {op.op_id.value_or(0), op.name}; }

}  // namespace

Status find_held_up(std::span<const double> times, size_t most, const ExplainExecution& explain,
                    std::vector<HeldUp>* out) {
  out->clear();
  if (times.size() < kLeastTimes) return {};
  const double usual = quick_of(times);
  if (!(usual > 0)) return {};
  std::vector<size_t> slow;
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i] >= kLonger * usual) slow.push_back(i);
  }
  std::stable_sort(slow.begin(), slow.end(), [&](size_t a, size_t b) { return times[a] > times[b]; });
  slow.resize(std::min(slow.size(), most));
  std::map<OpKey, size_t> in_op;  // executions with most of their time there, held up or not
  for (const size_t i : slow) {
    HeldUp found{i, 0, {}};
    if (Status status = explain(i, usual, &found.ops); !status.ok()) return status;
    const double more = times[i] - usual;
    for (const ExtraTime& op : found.ops) found.ticks += was_held_up(op, usual) ? op.ticks : 0;
    if (!found.ops.empty() && found.ops.front().ticks >= kHeldUp * more) ++in_op[key_of(found.ops.front())];
    if (found.ops.empty() || !(found.ticks >= kHeldUp * more)) continue;
    found.ticks = std::min(found.ticks, more);
    out->push_back(std::move(found));
  }
  // Chance meets the ops that take longest more often than once, where many executions were held up.
  const size_t often = std::max<size_t>(1, out->size() / 3);
  std::erase_if(*out, [&](const HeldUp& found) {
    const auto at = in_op.find(key_of(found.ops.front()));
    return at != in_op.end() && at->second > often;
  });
  std::sort(out->begin(), out->end(), [](const HeldUp& a, const HeldUp& b) { return a.index < b.index; });
  return {};
}

}  // namespace et::inspector
