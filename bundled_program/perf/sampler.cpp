#include "bundled_program/perf/sampler.h"

#include <algorithm>
#include <cmath>

#include "bundled_program/perf/statistics.h"

namespace et::perf {
namespace {

constexpr double kSample = 500e3;       // ns that a sample takes at least
constexpr double kLongestSample = 4e6;  // unless one execution is longer
constexpr double kLong = 20e6;          // executions from here on are warmed up by one
constexpr size_t kSide[kSlots] = {0, 0, 1, 1};

}  // namespace

Sampler::Sampler(Workload* candidate, Workload* baseline, Machine* machine, std::function<uint64_t()> now,
                 uint64_t seed)
    : sides_{candidate, baseline}, machine_(machine), now_(std::move(now)), state_(seed * 2 + 1) {}

Status Sampler::run(size_t side, Instance* instance, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    const Error error = instance->run();
    if (error == Error::Ok) continue;
    const std::string text = sides_[side]->reason();
    return {error, text + (text.empty() ? "" : " ") + "(" + error_name(error) + ")"};
  }
  return {};
}

Status Sampler::calibrate() {
  for (size_t side = 0; side < 2; ++side) {
    std::unique_ptr<Instance> instance;
    if (Status status = sides_[side]->make(random(), &instance); !status.ok()) return status;
    if (Status status = run(side, instance.get(), 1); !status.ok()) return status;
    // Doubles until it is measurable; the fastest of three is closest to undisturbed.
    for (uint64_t count = 1;; count *= 2) {
      double least = 0;
      for (int i = 0; i < 3; ++i) {
        const uint64_t started = now_();
        if (Status status = run(side, instance.get(), count); !status.ok()) return status;
        const double took = std::max(static_cast<double>(now_() - started), 1.0);
        least = i == 0 ? took : std::min(least, took);
        if (took > kLong) break;
      }
      once_[side] = least / static_cast<double>(count);
      if (least > kSample / 4 || count > (uint64_t{1} << 30)) break;
    }
    if (sides_[0] == sides_[1]) {
      once_[1] = once_[0];
      break;
    }
  }
  // The same number for both, so that what a sample costs beside the executions weighs the same.
  const double fastest = std::min(once_[0], once_[1]);
  const double batch = std::max(1.0, std::ceil(kSample / fastest));
  for (size_t side = 0; side < 2; ++side) {
    const double most = std::max(1.0, std::floor(kLongestSample / once_[side]));
    batch_[side] = static_cast<uint64_t>(std::min(batch, most));
  }
  const double sample = std::max(once_[0] * static_cast<double>(batch_[0]), once_[1] * static_cast<double>(batch_[1]));
  blocks_ = sample < 2e6 ? 9 : sample < kLong ? 5 : 3;
  return {};
}

Status Sampler::warm_up(size_t side, Instance* instance) {
  const uint64_t count = once_[side] > kLong ? 1 : std::max<uint64_t>(2, batch_[side] / 2);
  return run(side, instance, count);
}

Status Sampler::sample(size_t side, Slot* slot) {
  // One that does not count brings the caches back to this instance; of long executions it would double the time.
  if (batch_[side] >= 4) {
    if (Status status = run(side, slot->instance.get(), 1); !status.ok()) return status;
  }
  const uint64_t started = now_();
  if (Status status = run(side, slot->instance.get(), batch_[side]); !status.ok()) return status;
  slot->samples.push_back(static_cast<double>(now_() - started) / static_cast<double>(batch_[side]));
  return {};
}

Status Sampler::round(Round* out) {
  Slot slots[kSlots];
  size_t order[kSlots] = {0, 1, 2, 3};
  const auto shuffle = [&] {
    for (size_t i = kSlots - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
  };
  shuffle();
  for (size_t slot : order) {
    if (Status status = sides_[kSide[slot]]->make(random(), &slots[slot].instance); !status.ok()) return status;
    if (Status status = warm_up(kSide[slot], slots[slot].instance.get()); !status.ok()) return status;
  }
  // Each block has each instance once, in random order: neither drift nor anything periodic favours one of them. None
  // runs twice in a row, which would find its caches warm.
  std::vector<double> compute, memory;
  size_t last = kSlots;
  for (size_t block = 0; block < blocks_; ++block) {
    do {
      shuffle();
    } while (order[0] == last);
    last = order[kSlots - 1];
    for (size_t slot : order) {
      if (Status status = sample(kSide[slot], &slots[slot]); !status.ok()) return status;
    }
    if (machine_ == nullptr) continue;
    const uint64_t t0 = now_();
    machine_->compute();
    const uint64_t t1 = now_();
    machine_->memory();
    compute.push_back(static_cast<double>(t1 - t0));
    memory.push_back(static_cast<double>(now_() - t1));
  }
  for (size_t i = 0; i < kSlots; ++i) out->slot[i] = std::max(median(slots[i].samples), 1e-3);
  if (machine_ != nullptr) {
    out->compute = std::max(median(compute), 1.0);
    out->memory = std::max(median(memory), 1.0);
  }
  return {};
}

}  // namespace et::perf
