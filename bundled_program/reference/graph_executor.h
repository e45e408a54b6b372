// Executes the nodes of a program's graphs, bodies of control flow included.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "bundled_program/reference/scope.h"
#include "bundled_program/reference/weights.h"
#include "etrecord/record.h"

namespace et::reference {

class GraphExecutor {
 public:
  /// All must outlive it.
  GraphExecutor(const etrecord::Record& record, const etrecord::Program& program);
  ~GraphExecutor();

  /// Runs a graph whose inputs, in order, have these values; gives its outputs, lists flattened. Stops early when the
  /// sink wants it (state.stopped). Errors name the node.
  Status run(int32_t graph, const std::vector<GraphValue>& inputs, const Symbols& symbols, uint32_t depth,
             uint32_t trip, RunState& state, std::vector<GraphValue>* outputs);

  /// What no kernel and nothing here computes.
  void add_missing(std::set<std::string>* operators);

 private:
  // Which values are read for the last time by which node: by graph, then by place in it.
  using Plan = std::vector<std::vector<std::string>>;
  // A graph that was lowered, and what runs it.
  struct Lowered;

  const Plan& plan(int32_t graph);
  Status run_node(const etrecord::Node& node, Scope& scope, RunState& state);
  Status compute(const etrecord::Node& node, Scope& scope, RunState& state, std::vector<GraphValue>* results);
  Status call_kernel(const etrecord::Node& node, Scope& scope, RunState& state, std::vector<GraphValue>* results);
  Status make_output(const etrecord::Node& node, const std::string& name, const Scope& scope,
                     const std::vector<TensorHandle>& inputs, RunState& state, TensorHandle* out);
  Status run_delegate(const etrecord::Node& node, Scope& scope, RunState& state, std::vector<GraphValue>* results);
  Status run_cond(const etrecord::Node& node, Scope& scope, RunState& state, std::vector<GraphValue>* results);
  Status run_map(const etrecord::Node& node, Scope& scope, RunState& state, std::vector<GraphValue>* results);
  Status run_scan(const etrecord::Node& node, Scope& scope, RunState& state, std::vector<GraphValue>* results);
  Status run_while(const etrecord::Node& node, Scope& scope, RunState& state, std::vector<GraphValue>* results);
  Status run_body(const etrecord::Node& node, size_t argument, const std::vector<GraphValue>& inputs, Scope& scope,
                  uint32_t trip, RunState& state, std::vector<GraphValue>* outputs);
  Status run_trips(const etrecord::Node& node, const std::vector<GraphValue>& carried,
                   const std::vector<GraphValue>& lists, const std::vector<GraphValue>& rest, Scope& scope,
                   RunState& state, std::vector<GraphValue>* results);
  using Control = Status (GraphExecutor::*)(const etrecord::Node&, Scope&, RunState&, std::vector<GraphValue>*);
  static Control control_of(const etrecord::Node& node);

  const etrecord::Record& record_;
  const etrecord::Program& program_;
  std::unordered_map<int32_t, Plan> plans_;
  std::unordered_map<int32_t, std::unique_ptr<Lowered>> lowered_;
};

/// The program's name in messages and the operator's as a graph names it.
std::string place_of(const etrecord::Program& program, const etrecord::Node& node);

}  // namespace et::reference
