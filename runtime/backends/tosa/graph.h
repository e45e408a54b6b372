// Graph: a TOSA payload made ready to run. Each block has its values, planned into one arena, and its operators, each
// checked and turned into a function. Nothing of the payload is looked up or checked again while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "runtime/backends/tosa/types.h"
#include "runtime/core/event_tracer.h"
#include "runtime/format/delegate_metadata.h"
#include "runtime/format/tosa_payload.h"

namespace et::tosa {

/// What a payload may ask for. The defaults only keep a wrong file from exhausting the machine.
struct Limits {
  uint64_t bytes = uint64_t{4} << 30;  ///< values, copies of constants and packed weights together
  uint64_t iterations = 10'000'000;    ///< of one WHILE_LOOP
  uint64_t work = UINT64_MAX;          ///< multiplications, or elements read: what one pass over the blocks costs
  int depth = 16;                      ///< regions inside regions
};

struct Value {
  std::string_view name;
  Type type = Type::Unknown;
  std::vector<int64_t> shape;
  int64_t count = 1;
  const uint8_t* constant = nullptr;  ///< not null: known at load
  bool variable = false;              ///< keeps its content between executions
  size_t offset = 0;                  ///< in the arena, of values that are computed
  int64_t last_use = -1;              ///< node; nodes.size() for outputs of the block

  size_t bytes() const { return static_cast<size_t>(count) * element_size(type); }
};

class Run;

/// Where a function finds its values, and where it says what went wrong.
class Frame {
 public:
  Frame(Run& run, uint8_t* const* data) : run_(run), data_(data) {}
  template <class T>
  T* at(uint32_t value) const {
    return reinterpret_cast<T*>(data_[value]);
  }
  Run& run() const { return run_; }
  /// Returns false. The text is static.
  bool fail(const char* cause);

 private:
  Run& run_;
  uint8_t* const* data_;
};

/// Computes a node. False: failed, the cause is in the run.
using Kernel = std::function<bool(Frame&)>;

struct Node {
  uint32_t index = 0;  ///< operator in its block
  const char* name = "";
  std::vector<uint32_t> in;
  std::vector<uint32_t> out;
  Kernel run;
  std::string event;  ///< "CONV2D op 12"
};

struct Block {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;  ///< without constants
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
  std::vector<uint8_t*> data;  ///< place of each value; those of inputs change with each call
  bool ready = false;

  const Value& input(size_t i) const { return values[inputs[i]]; }
  const Value& output(size_t i) const { return values[outputs[i]]; }
};

/// One execution of the graph.
class Run {
 public:
  Run(EventTracer* tracer, const Limits& limits) : tracer_(tracer), limits_(limits) {}
  const Limits& limits() const { return limits_; }
  /// Reads `inputs` and writes `outputs`, which have the sizes of the block's; they do not overlap each other.
  bool block(Block& block, std::span<const uint8_t* const> inputs, std::span<uint8_t* const> outputs);
  /// "operator 12 (GATHER): index out of range"
  const std::string& error() const { return error_; }
  bool fail(const char* cause);

 private:
  void log(const Block& block, const Node& node, Timestamp start);

  EventTracer* tracer_;
  const Limits& limits_;
  std::string error_;
  const Node* node_ = nullptr;
  int depth_ = 0;
  uint32_t main_node_ = 0;  // the operator of the main block that is running
};

class Graph {
 public:
  /// The payload must outlive the graph. On failure `error` says which operator and why.
  /// DelegateInvalidCompatibility: another format or version; InvalidProgram: it breaks a rule of the format;
  /// NotSupported: what the interpreter does not do; MemoryAllocationFailed: beyond the limits.
  static Error load(std::span<const uint8_t> payload, const Limits& limits, std::unique_ptr<Graph>* out,
                    std::string* error);

  Block& main() { return *blocks_[0]; }
  const Limits& limits() const { return limits_; }

 private:
  friend class Loader;
  Limits limits_;
  std::vector<std::unique_ptr<Block>> blocks_;  // the main one first
  struct Free {
    void operator()(uint8_t* p) const;
  };
  struct Variable {
    uint8_t* data = nullptr;
    size_t bytes = 0;
  };
  std::vector<std::unique_ptr<uint8_t, Free>> owned_;  // arenas, variables, constants in another form
  std::map<std::string, Variable, std::less<>> variables_;
};

}  // namespace et::tosa
