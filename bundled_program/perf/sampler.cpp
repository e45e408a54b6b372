#include "bundled_program/perf/sampler.h"

#include <alloca.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace et::perf {
namespace {

constexpr double kSample = 100e3;       // min ns of one: the shorter, the more of them nobody else disturbs
constexpr double kMaxSample = 2e6;      // unless one execution is longer
constexpr double kLong = 2e6;           // executions from here on are warmed up by one
constexpr double kInterruption = 20e3;  // ns: shorter ones are the kernel's own work
constexpr size_t kSide[kSlots] = {0, 0, 1, 1};

/// More blocks tell more about a round's instances, more rounds about all; by the length of a sample in ns.
size_t blocks_for(double sample) {
  if (sample < 0.4e6) return 15;
  if (sample < kLong) return 9;
  return 3;
}

/// Runs with the stack lower by some bytes: where frames lie against buffers matters as much as where buffers lie.
[[gnu::noinline]] Error run_lower(Instance* instance, uint64_t count, size_t bytes) {
  volatile auto* room = static_cast<volatile char*>(alloca(bytes + 1));
  room[0] = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (const Error error = instance->run(); error != Error::Ok) return error;
  }
  return Error::Ok;
}

}  // namespace

Sampler::Sampler(Workload* candidate, Workload* baseline, Machine* machine, std::function<uint64_t()> now,
                 std::function<uint64_t()> wall, uint64_t seed)
    : sides_{candidate, baseline}, machine_(machine), now_(std::move(now)), wall_(std::move(wall)), state_(seed) {}

/// Time that passed while this thread did not run, since some fixed point.
double Sampler::lost_ns() const { return wall_ ? static_cast<double>(wall_()) - static_cast<double>(now_()) : 0; }

uint64_t Sampler::random() {  // SplitMix64
  uint64_t z = state_ += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

void Sampler::shuffle(size_t (&order)[kSlots]) {
  for (size_t i = kSlots - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
}

Status Sampler::make(size_t side, Placed* out) {
  out->stack = random() % 256 * 16;
  return sides_[side]->make(random(), &out->instance);
}

Status Sampler::run(size_t side, const Placed& placed, uint64_t count) {
  const Error error = run_lower(placed.instance.get(), count, placed.stack);
  if (error == Error::Ok) return {};
  const std::string text = sides_[side]->reason();
  return {error, text + (text.empty() ? "" : " ") + "(" + error_name(error) + ")"};
}

Status Sampler::time_one(size_t side, const Placed& placed, double* ns) {
  // Doubles the number until it takes long enough; the min of three is closest to undisturbed.
  for (uint64_t count = 1;; count *= 2) {
    double shortest = 0;
    for (int i = 0; i < 3; ++i) {
      const uint64_t started = now_();
      if (Status status = run(side, placed, count); !status.ok()) return status;
      const double took = std::max(static_cast<double>(now_() - started), 1.0);
      shortest = i == 0 ? took : std::min(shortest, took);
      if (took > 10 * kLong) break;
    }
    *ns = shortest / static_cast<double>(count);
    if (shortest > kSample / 4 || count > (uint64_t{1} << 20)) return {};
  }
}

Status Sampler::calibrate() {
  for (size_t side = 0; side < 2; ++side) {
    if (side == 1 && sides_[1] == sides_[0]) {
      once_[1] = once_[0];
      break;
    }
    Placed placed;
    if (Status status = make(side, &placed); !status.ok()) return status;
    if (Status status = run(side, placed, 1); !status.ok()) return status;
    if (Status status = time_one(side, placed, &once_[side]); !status.ok()) return status;
  }
  // The same number for both, so that what a sample costs beside the executions weighs the same.
  const double batch = std::max(1.0, std::ceil(kSample / std::min(once_[0], once_[1])));
  double sample = 0;
  for (size_t side = 0; side < 2; ++side) {
    const double max_batch = std::max(1.0, std::floor(kMaxSample / once_[side]));
    batch_[side] = static_cast<uint64_t>(std::min(batch, max_batch));
    sample = std::max(sample, once_[side] * static_cast<double>(batch_[side]));
  }
  blocks_ = blocks_for(sample);
  return {};
}

Status Sampler::block(const Instances& instances, const size_t (&order)[kSlots], Round* out) {
  double lost = lost_ns();
  for (size_t slot : order) {
    const size_t side = kSide[slot];
    // One that does not count brings the caches back to this instance; of long executions it would double the time.
    const uint64_t again = batch_[side] >= 4 ? 1 : 0;
    if (Status status = run(side, instances[slot], again); !status.ok()) return status;
    const uint64_t started = now_();
    if (Status status = run(side, instances[slot], batch_[side]); !status.ok()) return status;
    const double ns = static_cast<double>(now_() - started) / static_cast<double>(batch_[side]);
    out->slot[slot].push_back(std::max(ns, 1e-3));
    const double lost_before = std::exchange(lost, lost_ns());
    out->whole[slot].push_back(lost - lost_before < kInterruption);
  }
  if (machine_ == nullptr) return {};
  const uint64_t t0 = now_();
  machine_->compute();
  const uint64_t t1 = now_();
  machine_->memory();
  const uint64_t t2 = now_();
  out->compute.push_back(std::max(static_cast<double>(t1 - t0), 1.0));
  out->memory.push_back(std::max(static_cast<double>(t2 - t1), 1.0));
  return {};
}

Status Sampler::round(Round* out) {
  *out = Round();
  Instances instances;
  size_t order[kSlots] = {0, 1, 2, 3};
  shuffle(order);
  for (size_t slot : order) {
    const size_t side = kSide[slot];
    if (Status status = make(side, &instances[slot]); !status.ok()) return status;
    const uint64_t warm_up = once_[side] > kLong ? 1 : std::max<uint64_t>(2, batch_[side] / 2);
    if (Status status = run(side, instances[slot], warm_up); !status.ok()) return status;
  }
  // Each block has each instance once, in random order: neither drift nor anything periodic favours one of them. None
  // is sampled twice in a row, where it would find its caches warm.
  size_t last = kSlots;
  for (size_t i = 0; i < blocks_; ++i) {
    do {
      shuffle(order);
    } while (order[0] == last);
    last = order[kSlots - 1];
    if (Status status = block(instances, order, out); !status.ok()) return status;
  }
  return {};
}

}  // namespace et::perf
