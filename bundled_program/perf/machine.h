// The machine's own speed: fixed loops, timed between the samples of a program. When both a recording and a later run
// have them, a machine that became slower can be told from a program that did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace et::perf {

class Machine {
 public:
  Machine();
  /// Arithmetic on arrays that stay in the first cache, with as much in flight as the core can do: it slows down with
  /// the frequency, and when another thread shares the core. Some 0.02 ms. Returns a result, so that it is computed.
  float compute();
  /// A walk over lines of some MB, in an order that no prefetcher knows: the caches that cores share, and memory.
  uint32_t memory();

 private:
  static constexpr size_t kFloats = 1024;
  // Apart by more than a page and a half, wherever it lies: stores to one are never taken for loads of the other.
  struct alignas(64) Arrays {
    float x[kFloats];
    float gap[kFloats / 2];
    float y[kFloats];
  };
  std::unique_ptr<Arrays> arrays_;
  std::vector<uint32_t> next_;  // a cycle through all lines
  uint32_t at_ = 0;
};

}  // namespace et::perf
