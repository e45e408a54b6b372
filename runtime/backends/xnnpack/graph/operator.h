// Operator: one node of the payload, checked and ready to run. Graph: the values and operators of one delegate.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/backends/xnnpack/compute/chain.h"
#include "runtime/backends/xnnpack/compute/types.h"
#include "runtime/backends/xnnpack/graph/value.h"

namespace et::xnn {

struct Graph;

/// `b` applied behind `a`.
Clamp both(const Clamp& a, const Clamp& b);

class WeightCache;

class Operator {
 public:
  /// How the memory of the first output may relate to that of inputs.
  enum class Reuse : uint8_t {
    None,
    InPlace,  // may be that of any input of the same size whose values nobody needs afterwards
    View,     // the output is the first input's bytes under another shape
  };

  virtual ~Operator() = default;

  /// Once, after all nodes are known and before the first reshape(): packs weights. What the payload holds is gone
  /// afterwards.
  virtual Error prepare(Graph&, WeightCache&) { return Error::Ok; }
  /// Sets the shapes of the outputs, and `scratch`, from the shapes of the inputs. Logs what does not fit.
  virtual Error reshape(Graph& graph) = 0;
  /// All values have memory of their sizes, none of them is empty. `scratch_memory`: `scratch` bytes, aligned to 64.
  virtual void run(Graph& graph, uint8_t* scratch_memory) = 0;

  /// True: the operator can bound its output itself (a Clamp behind it is then not run).
  virtual bool can_clamp() const { return false; }
  /// True: when the graph runs fused this operator can do what `front` does, which writes its first input, and reads
  /// that one's input. Asked before prepare().
  virtual bool fold(const Graph&, const Operator&) { return false; }
  /// The first input from now on: that of `folds` (true), or its own.
  virtual void use_folded(bool) {}
  /// True: elementwise on values in floats; `step` gets the function, with the bounds of a fused graph.
  virtual bool as_step(const Graph&, ChainStep*) const { return false; }
  /// Bounds to apply from now on.
  Clamp clamp;

  uint32_t node = 0;  // position in the payload
  uint32_t debug_handle = format::kXnnNoDebugHandle;
  format::XnnNodeType type = format::XnnNodeType::Unknown;
  /// The operator behind this one that is done by it when the graph runs fused: position in Graph::operators.
  int32_t absorbs = -1;
  bool absorbed = false;
  /// The operator in front of this one that is done by it, which then reads that one's input.
  int32_t folds = -1;
  /// The chain that does this operator when the graph runs fused: position in Graph::chains.
  int32_t chain = -1;
  std::vector<uint32_t> members;  // of a chain: positions in Graph::operators, as they run
  Clamp own_clamp, fused_clamp;   // bounds of the node, and with those of what it absorbs

  std::vector<uint32_t> inputs;   // values, without what was packed; the first is that of `folds` in a fused graph
  std::vector<uint32_t> outputs;  // values
  uint32_t result = 0;            // outputs[0], or the output of a node that is done by this operator, too
  Reuse reuse = Reuse::None;
  bool moves_only = false;  // computes nothing: what was rounded stays rounded
  size_t scratch = 0;       // bytes
  std::string kind;         // "Fully Connected (F32": what stands in front of the sizes in the event's name
  size_t packed_bytes = 0;  // of weights
  /// Set where the event's name has a better way to say the sizes than those of the values: "128x384->384".
  std::string sizes;
};

struct Graph {
  std::vector<Value> values;
  std::vector<std::unique_ptr<Operator>> operators;
  std::vector<std::unique_ptr<Operator>> chains;    // of elementwise operators, for fused runs
  std::vector<uint32_t> inputs, outputs;            // values, by their external number
  std::unordered_map<uint32_t, uint32_t> index_of;  // value by the number that the payload gives it
  std::vector<std::vector<uint64_t>> constants;     // bytes of constant values
  bool winograd = true;                             // set before operators are read: as kWinogradOption

  Value& value(uint32_t index) { return values[index]; }
  Value& in(const Operator& op, size_t i = 0) { return values[op.inputs[i]]; }
  Value& out(const Operator& op) { return values[op.result]; }
};

/// Logs "node 12 (Conv2d): <message>" and returns `error`.
[[gnu::format(printf, 4, 5)]] Error node_error(uint32_t node, format::XnnNodeType type, Error error, const char* format,
                                               ...);
#define ET_XNN_CHECK(condition, op, error, ...)                                            \
  do {                                                                                     \
    if (!(condition)) [[unlikely]]                                                         \
      return ::et::xnn::node_error((op).node, (op).type, ::et::Error::error, __VA_ARGS__); \
  } while (0)

}  // namespace et::xnn
