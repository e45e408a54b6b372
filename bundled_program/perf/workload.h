// What a performance check measures: something that makes fresh instances of itself, each of which can be executed.
#pragma once

#include <cstdint>
#include <memory>

#include "base/status.h"

namespace et::perf {

/// One loaded method with its inputs. Destroyed at the end of the round that it was made for.
class Instance {
 public:
  virtual ~Instance() = default;
  /// Sets the inputs and executes once: this is what is timed.
  virtual Error run() = 0;
};

/// One side of a comparison.
class Workload {
 public:
  virtual ~Workload() = default;
  /// A fresh instance in its own memory. Where buffers lie makes several percent of difference between two instances
  /// of one program, so their offsets have to differ with `seed`: the measurement then averages over placements instead
  /// of comparing one with another. Four instances live at a time.
  virtual Status make(uint64_t seed, std::unique_ptr<Instance>* out) = 0;
  /// The cause of a failed run(), for the message; empty: only the error's name is known.
  virtual std::string reason() { return ""; }
};

}  // namespace et::perf
