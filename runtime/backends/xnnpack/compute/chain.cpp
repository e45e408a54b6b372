#include "runtime/backends/xnnpack/compute/chain.h"

#include "runtime/backends/xnnpack/compute/broadcast.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"

namespace et::xnn {
namespace {

/// Elements that go through all steps together. A few slots and inputs of so many fit the second cache; with fewer the
/// processor's prefetching starts anew too often.
constexpr int64_t kPiece = 8192;

}  // namespace

Chain::Chain(std::vector<ChainStep> steps) : steps_(std::move(steps)), slot_(steps_.size()) {
  std::vector<size_t> last(steps_.size(), 0);
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].a.of_step) last[steps_[i].a.index] = i;
    if (steps_[i].is_binary && steps_[i].b.of_step) last[steps_[i].b.index] = i;
  }
  std::vector<uint32_t> free;
  for (size_t i = 0; i + 1 < steps_.size(); ++i) {
    // A result may overwrite the operands that nobody needs afterwards.
    const ChainStep& s = steps_[i];
    if (s.a.of_step && last[s.a.index] == i) free.push_back(slot_[s.a.index]);
    const bool other = !s.a.of_step || s.b.index != s.a.index;
    if (s.is_binary && s.b.of_step && other && last[s.b.index] == i) free.push_back(slot_[s.b.index]);
    if (free.empty()) {
      slot_[i] = slots_++;
    } else {
      slot_[i] = free.back();
      free.pop_back();
    }
  }
}

void Chain::run(Dims out_shape, std::span<const ChainInput> inputs, float* out) const {
  int64_t count = 1;
  for (const int64_t d : out_shape) count *= d;
  if (count == 0 || steps_.empty()) return;
  const auto shape_of = [&](const ChainOperand& o) { return o.of_step ? out_shape : inputs[o.index].shape; };
  std::vector<Broadcast> broadcasts;
  broadcasts.reserve(steps_.size());
  for (const ChainStep& s : steps_) {
    broadcasts.emplace_back(shape_of(s.a), s.is_binary ? shape_of(s.b) : shape_of(s.a));
  }
  const Loops& table = loops();
  const auto steps = static_cast<int64_t>(steps_.size());
  const int64_t grain = std::max(kPiece, kGrain / steps);
  parallel_parts(count, grain, [&](int64_t begin, int64_t end) {
    float* const memory = thread_workspace<float>(WorkspaceSlot::Chain, static_cast<int64_t>(slots_) * kPiece);
    for (int64_t first = begin; first < end; first += kPiece) {
      const int64_t last = std::min(end, first + kPiece);
      // Pointers as if a slot held all of the result.
      const auto result_of = [&](size_t step) {
        return step + 1 == steps_.size() ? out : memory + static_cast<int64_t>(slot_[step]) * kPiece - first;
      };
      const auto data_of = [&](const ChainOperand& o) { return o.of_step ? result_of(o.index) : inputs[o.index].data; };
      for (size_t i = 0; i < steps_.size(); ++i) {
        const ChainStep& s = steps_[i];
        const float* const a = data_of(s.a);
        float* const to = result_of(i);
        if (s.is_binary) {
          const float* const b = data_of(s.b);
          broadcasts[i].each_run_in(first, last, [&](Repeat repeat, int64_t n, int64_t at_a, int64_t at_b, int64_t at) {
            table.binary(s.binary, repeat, n, a + at_a, b + at_b, to + at, s.params.clamp);
          });
        } else {
          table.unary(s.unary, last - first, a + first, to + first, s.params);
        }
        if (s.round != FloatType::F32) round_run(table, last - first, s.round, to + first);
      }
    }
  });
}

}  // namespace et::xnn
