// Executor: runs a graph for the arguments of a delegate call: shapes, memory, operators, events.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "runtime/backends/backend.h"
#include "runtime/backends/xnnpack/graph/memory_plan.h"
#include "runtime/backends/xnnpack/graph/workspace.h"

namespace et::xnn {

class Executor {
 public:
  /// `limit`: bytes of intermediate values.
  Executor(Graph graph, std::shared_ptr<Workspace> workspace, size_t limit);

  /// One call; `args` are those of the delegate. Not for two threads at once (InvalidState).
  Error execute(EventTracer* tracer, Span<EValue*> args);

  const Graph& graph() const { return graph_; }
  /// Bytes of intermediate values for the shapes of the last call.
  size_t planned_bytes() const { return plan_.bytes(); }
  /// How often shapes were inferred and memory planned.
  uint64_t plans() const { return plans_; }

 private:
  struct Event {
    std::string name;
    std::vector<uint8_t> metadata;
  };
  Error execute_alone(EventTracer* tracer, Span<EValue*> args);
  Error read_inputs(Span<EValue*> args, bool* changed);
  Error write_shapes(Span<EValue*> args);
  Error plan(EventTracer* tracer);
  void choose_order(bool fused);
  bool chain_fits(const Operator& chain) const;
  Error run(EventTracer* tracer);
  void log_outputs(EventTracer* tracer, const Operator& op, const char* name);

  Graph graph_;
  std::shared_ptr<Workspace> workspace_;
  const size_t limit_;
  MemoryPlan plan_;
  std::vector<bool> chain_fits_;  // the shapes of this run allow it
  std::vector<Operator*> order_;
  std::vector<Event> events_;        // of `order_`
  std::vector<Timestamp> times_;     // before each operator, and behind the last
  std::vector<uint8_t*> arguments_;  // by value
  std::vector<uint8_t*> placed_;     // those that the values' pointers were set for
  uint8_t* arena_ = nullptr;
  bool planned_ = false, fused_ = true;
  uint64_t plans_ = 0;
  std::atomic<bool> busy_{false};
};

}  // namespace et::xnn
