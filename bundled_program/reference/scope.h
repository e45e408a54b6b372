// The values of one graph while it runs, by their names, and the limits that all graphs of a run share.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "bundled_program/reference/graph_value.h"
#include "bundled_program/reference/reference_run.h"
#include "bundled_program/reference/symbols.h"
#include "etrecord/graph.h"
#include "runtime/core/memory_allocator.h"

namespace et::reference {

struct Bypass;

/// Temporary memory of kernels, up to the limit of one tensor.
class BoundedAllocator : public PlatformMemoryAllocator {
 public:
  explicit BoundedAllocator(uint64_t max) : max_(max) {}
  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override {
    return size > max_ || used() > max_ - size ? nullptr : PlatformMemoryAllocator::allocate(size, alignment);
  }

 private:
  uint64_t max_;
};

/// What one run has used, and who hears of its values.
struct RunState {
  const Limits& limits;
  const Sink& sink;
  std::shared_ptr<MemoryCount> memory;
  BoundedAllocator temporary;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  uint64_t steps = 0;
  bool stopped = false;
  const Bypass* bypass = nullptr;                                  ///< null: the graph runs as it is
  std::unordered_map<const etrecord::Node*, TensorHandle> floats;  ///< what nodes were given that quantise

  RunState(const Limits& l, const Sink& s, std::shared_ptr<MemoryCount> m)
      : limits(l), sink(s), memory(std::move(m)), temporary(l.max_tensor_bytes) {}

  /// One node or one trip more. OutOfResources: too many, or too late.
  Status step();
  /// OutOfResources when the tensor, or all that are alive, would be too large. InvalidProgram: there is no such
  /// tensor.
  Status make_tensor(ScalarType type, std::span<const int32_t> sizes, std::span<const uint8_t> dim_order,
                     TensorHandle* out);
};

/// Values by name.
struct Scope {
  const etrecord::Program& program;
  int32_t graph = 0;
  uint32_t depth = 0;
  uint32_t trip = 0;
  Symbols symbols;
  std::unordered_map<std::string, GraphValue> values;

  const GraphValue* find(const std::string& name) const;
  /// Names a value, and learns from it what its symbols are. InvalidProgram: the graph says otherwise.
  Status set(const std::string& name, GraphValue value);
};

/// What an argument stands for, lists flattened. InvalidProgram: a name without value, or a kind that is no value.
Status values_of(const Scope& scope, const etrecord::Argument& argument, std::vector<GraphValue>* out);

/// Dim order of a tensor whose strides the graph gives; row-major where they are unknown or no permutation.
std::vector<uint8_t> dim_order_of(const Symbols& symbols, const etrecord::TensorMeta& meta);

/// "float32[2, s0]" for messages.
std::string text_of(const etrecord::TensorMeta& meta);

}  // namespace et::reference
