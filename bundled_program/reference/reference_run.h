// Runs the graph of an ETRecord: the edge program of a method as it was before anything was delegated, one node
// after the other, with the kernels that are registered. So each operator has a value to compare with, whatever the
// program did with it: delegated, fused, put into planned memory. The caller links the kernels (et_kernels).
//
// Nothing in an ETRecord is trusted: sizes are checked, memory, nodes and time are bounded (a single kernel is not
// interrupted), and a graph that cannot be run is an error that names the node.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "bundled_program/bundle.h"
#include "bundled_program/reference/graph_value.h"
#include "etrecord/record.h"
#include "runtime/core/tensor.h"

namespace et::reference {

/// All can be reached by large models, too; then the run fails with OutOfResources and says which one it was.
struct Limits {
  uint64_t max_tensor_bytes = uint64_t{4} << 30;  ///< one tensor
  uint64_t max_live_bytes = uint64_t{8} << 30;    ///< weights, state, and the values that are still read
  uint64_t max_steps = 10'000'000;                ///< executed nodes, those of loops once a trip
  uint32_t max_depth = 16;                        ///< graphs inside graphs
  double max_seconds = 0;                         ///< wall time of one run; 0: no limit
};

/// One output of a node that has just run.
struct NodeValue {
  const etrecord::Program& program;  ///< the method's graph, or one that a delegate call of the ETRecord has
  const etrecord::Node& node;        ///< its graph says whether it stands in the body of a control flow operator
  uint32_t output;                   ///< index into node.outputs
  uint32_t trip;                     ///< trip of the innermost loop around it, from 0
  Tensor tensor;                     ///< valid during the call. Numbers are tensors of rank 0: int64, float64, bool
  bool is_number;
};

/// Called for each output of each node, in order of execution; lists are flattened. False ends the run.
using Sink = std::function<bool(const NodeValue&)>;

struct RunResult {
  std::vector<GraphValue> outputs;  ///< the method's outputs in its order; mutations of buffers are not among them
  uint64_t steps = 0;
  bool stopped = false;  ///< by the sink; there are no outputs then
};

struct Bypass;

/// The edge program of one method with its weights and the state of its buffers.
class ReferenceRun {
 public:
  ~ReferenceRun();

  /// `record` must outlive it. Errors: NotFound (no edge program for the method), InvalidExternalData (weights are
  /// missing or do not fit the graph), OutOfResources.
  static Status open(const etrecord::Record& record, const std::string& method, const Limits& limits,
                     std::unique_ptr<ReferenceRun>* out);

  /// Runs the graph once. `inputs` are the method's, in order; a tensor may have another dim order than the graph's.
  /// `sink` may be empty. Buffers that the graph changes keep their new values for the next run.
  /// Errors name the node: InvalidArgument (an input does not fit), OperatorMissing (no kernel, no schema),
  /// InvalidProgram (the graph contradicts itself), OutOfResources (a limit), and those of kernels.
  Status run(std::span<const bundled::Value> inputs, const Sink& sink, RunResult* out);

  /// What later runs leave out of quantisation (bypass.h); null: nothing. It must outlive them.
  void set_bypass(const Bypass* bypass);

  /// Buffers as the ETRecord has them, as after loading a program.
  void reset();
  /// From now on buffers of the same name are one in both: for programs whose methods share state. Both start again.
  void share_state(ReferenceRun& with);

  const etrecord::Program& program() const;
  /// Operators of the graph that cannot be run here, sorted, each once; empty: none is missing.
  std::vector<std::string> missing_operators() const;

 private:
  struct Parts;
  explicit ReferenceRun(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace et::reference
