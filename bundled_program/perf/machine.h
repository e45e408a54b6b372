// The machine's own speed: two fixed loops, timed between the samples of a program. When both a recording and a later
// run have them, a machine that became slower can be told from a program that did.
#pragma once

#include <cstdint>
#include <vector>

namespace et::perf {

class Machine {
 public:
  Machine();
  /// A chain of multiplications and additions in registers, some 0.1 ms: the processor's frequency. Returns its result.
  uint64_t compute();
  /// A walk over each line of some MB, in an order that no prefetcher knows: the caches that cores share, and memory.
  uint64_t memory();

 private:
  std::vector<uint32_t> next_;  // a cycle through all lines
  uint32_t at_ = 0;
};

}  // namespace et::perf
