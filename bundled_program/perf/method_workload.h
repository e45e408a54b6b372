// A method of a program with the inputs of one test case, as a side of a performance comparison.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bundled_program/bundle.h"
#include "bundled_program/perf/workload.h"
#include "runtime/executor/data_maps.h"

namespace et::perf {

/// Each instance has a copy of the program (of large ones the caller's bytes), its own memory and its own inputs.
class MethodWorkload : public Workload {
 public:
  /// All must outlive the workload: `program` (a .pte, aligned to 16), the data of `inputs`, and `weights`, which may
  /// be null. `name` stands before messages.
  MethodWorkload(std::string name, std::span<const uint8_t> program, std::string method,
                 std::vector<bundled::Value> inputs, const NamedDataMap* weights);
  Status make(uint64_t seed, std::unique_ptr<Instance>* out) override;
  std::string reason() override;

 private:
  std::string name_;
  std::span<const uint8_t> program_;
  std::string method_;
  std::vector<bundled::Value> inputs_;
  const NamedDataMap* weights_;
};

}  // namespace et::perf
