// Control flow operators: their bodies are graphs of the same program.
#include <cstring>

#include "bundled_program/reference/graph_executor.h"

namespace et::reference {
namespace {

using etrecord::Argument;
using etrecord::ArgumentKind;
using etrecord::Node;
using Kind = GraphValue::Kind;

Status bad_control_flow(const char* cause) { return {Error::InvalidProgram, cause}; }

Status list_argument(const Node& node, size_t i, const Scope& scope, std::vector<GraphValue>* out) {
  if (i >= node.inputs.size()) return bad_control_flow("an argument is missing");
  return values_of(scope, node.inputs[i], out);
}

// A predicate: a bool, or a tensor with one element of it.
Status truth_of(const std::vector<GraphValue>& values, bool* out) {
  if (values.size() != 1) return bad_control_flow("the condition is not one value");
  const GraphValue& v = values[0];
  if (v.kind == Kind::Tensor) {
    const Tensor t = v.tensor->tensor();
    if (t.scalar_type() != ScalarType::Bool || t.numel() != 1) return bad_control_flow("the condition is not a bool");
    *out = *t.const_data_ptr<uint8_t>() != 0;
    return {};
  }
  if (v.kind != Kind::Bool) return bad_control_flow("the condition is not a bool");
  *out = v.integer != 0;
  return {};
}

// Row-major: the slices of a tensor along its first dimension are pieces of its bytes.
Status row_major(const TensorHandle& tensor, RunState& state, TensorHandle* out) {
  if (is_contiguous_dim_order(tensor->tensor().dim_order())) {
    *out = tensor;
    return {};
  }
  if (Status s = state.make_tensor(tensor->tensor().scalar_type(), tensor->tensor().sizes(), {}, out); !s.ok())
    return s;
  copy_elements(tensor->tensor(), (*out)->tensor());
  return {};
}

Status slice_of(const TensorHandle& tensor, int32_t i, RunState& state, TensorHandle* out) {
  const Tensor t = tensor->tensor();
  if (Status s = state.make_tensor(t.scalar_type(), t.sizes().subspan(1), {}, out); !s.ok()) return s;
  const size_t bytes = (*out)->size();
  if (bytes > 0) std::memcpy((*out)->data(), tensor->data() + static_cast<size_t>(i) * bytes, bytes);
  return {};
}

}  // namespace

Status GraphExecutor::run_body(const Node& node, size_t argument, const std::vector<GraphValue>& inputs, Scope& scope,
                               uint32_t trip, RunState& state, std::vector<GraphValue>* outputs) {
  if (argument >= node.inputs.size() || node.inputs[argument].kind != ArgumentKind::Graph ||
      node.inputs[argument].graph < 0) {
    return bad_control_flow("its body is missing");
  }
  if (Status s = state.step(); !s.ok()) return s;
  return run(node.inputs[argument].graph, inputs, scope.symbols, scope.depth + 1, trip, state, outputs);
}

// cond(condition, if true, if false, [operands])
Status GraphExecutor::run_cond(const Node& node, Scope& scope, RunState& state, std::vector<GraphValue>* results) {
  std::vector<GraphValue> condition, operands;
  bool truth = false;
  if (Status s = list_argument(node, 0, scope, &condition); !s.ok()) return s;
  if (Status s = truth_of(condition, &truth); !s.ok()) return s;
  for (size_t i = 3; i < node.inputs.size(); ++i) {
    if (Status s = list_argument(node, i, scope, &operands); !s.ok()) return s;
  }
  return run_body(node, truth ? 1 : 2, operands, scope, scope.trip, state, results);
}

// map_impl(body, [tensors to walk along], [operands])
Status GraphExecutor::run_map(const Node& node, Scope& scope, RunState& state, std::vector<GraphValue>* results) {
  std::vector<GraphValue> lists, rest;
  if (Status s = list_argument(node, 1, scope, &lists); !s.ok()) return s;
  if (Status s = list_argument(node, 2, scope, &rest); !s.ok()) return s;
  return run_trips(node, {}, lists, rest, scope, state, results);
}

// scan(body, [carried], [tensors to walk along], [operands])
Status GraphExecutor::run_scan(const Node& node, Scope& scope, RunState& state, std::vector<GraphValue>* results) {
  std::vector<GraphValue> carried, lists, rest;
  if (Status s = list_argument(node, 1, scope, &carried); !s.ok()) return s;
  if (Status s = list_argument(node, 2, scope, &lists); !s.ok()) return s;
  if (Status s = list_argument(node, 3, scope, &rest); !s.ok()) return s;
  return run_trips(node, carried, lists, rest, scope, state, results);
}

// The body is called with what is carried, one slice of each list, and the rest; it gives what is carried on, and a
// slice of each result.
Status GraphExecutor::run_trips(const Node& node, const std::vector<GraphValue>& carried,
                                const std::vector<GraphValue>& lists, const std::vector<GraphValue>& rest, Scope& scope,
                                RunState& state, std::vector<GraphValue>* results) {
  std::vector<TensorHandle> walked;
  for (const GraphValue& v : lists) {
    if (v.kind != Kind::Tensor || v.tensor->tensor().dim() == 0)
      return bad_control_flow("it iterates over something that is not a list");
    if (Status s = row_major(v.tensor, state, &walked.emplace_back()); !s.ok()) return s;
    if (walked.back()->tensor().size(0) != walked[0]->tensor().size(0))
      return bad_control_flow("it walks along lists of unequal length");
  }
  if (walked.empty()) return bad_control_flow("it walks along nothing");
  const int32_t trips = walked[0]->tensor().sizes()[0];

  std::vector<GraphValue> state_values = carried;
  if (node.outputs.size() < carried.size()) return bad_control_flow("it has fewer outputs than it carries");
  std::vector<TensorHandle> stacked(node.outputs.size() - carried.size());
  for (int32_t trip = 0; trip < trips; ++trip) {
    std::vector<GraphValue> inputs = state_values;
    for (const TensorHandle& t : walked) {
      TensorHandle slice;
      if (Status s = slice_of(t, trip, state, &slice); !s.ok()) return s;
      inputs.emplace_back(std::move(slice));
    }
    inputs.insert(inputs.end(), rest.begin(), rest.end());
    std::vector<GraphValue> outputs;
    if (Status s = run_body(node, 0, inputs, scope, static_cast<uint32_t>(trip), state, &outputs); !s.ok()) return s;
    if (state.stopped) return {};
    if (outputs.size() != node.outputs.size()) return bad_control_flow("its body has another number of outputs");
    state_values.assign(outputs.begin(), outputs.begin() + static_cast<ptrdiff_t>(carried.size()));
    for (size_t i = 0; i < stacked.size(); ++i) {
      const GraphValue& v = outputs[carried.size() + i];
      if (v.kind != Kind::Tensor) return bad_control_flow("its body returns something that is not a tensor");
      TensorHandle slice;
      if (Status s = row_major(v.tensor, state, &slice); !s.ok()) return s;
      const Tensor t = slice->tensor();
      if (stacked[i] == nullptr) {
        std::vector<int32_t> sizes(t.sizes().begin(), t.sizes().end());
        sizes.insert(sizes.begin(), trips);
        if (Status s = state.make_tensor(t.scalar_type(), sizes, {}, &stacked[i]); !s.ok()) return s;
      }
      const Tensor all = stacked[i]->tensor();
      const auto wanted = all.sizes().subspan(1);
      if (all.scalar_type() != t.scalar_type() ||
          !std::equal(wanted.begin(), wanted.end(), t.sizes().begin(), t.sizes().end())) {
        return bad_control_flow("its body gives tensors of unequal shapes");
      }
      if (slice->size() > 0) {
        std::memcpy(stacked[i]->data() + static_cast<size_t>(trip) * slice->size(), slice->data(), slice->size());
      }
    }
  }
  for (size_t i = 0; trips == 0 && i < stacked.size(); ++i) {
    if (Status s = make_output(node, node.outputs[carried.size() + i], scope, walked, state, &stacked[i]); !s.ok())
      return s;
  }
  *results = std::move(state_values);
  for (TensorHandle& t : stacked) results->emplace_back(std::move(t));
  return {};
}

// while_loop(condition, body, [carried], [operands])
Status GraphExecutor::run_while(const Node& node, Scope& scope, RunState& state, std::vector<GraphValue>* results) {
  std::vector<GraphValue> rest;
  if (Status s = list_argument(node, 2, scope, results); !s.ok()) return s;
  if (node.inputs.size() > 3) {
    if (Status s = list_argument(node, 3, scope, &rest); !s.ok()) return s;
  }
  for (uint32_t trip = 0;; ++trip) {
    std::vector<GraphValue> inputs = *results, condition, next;
    inputs.insert(inputs.end(), rest.begin(), rest.end());
    if (Status s = run_body(node, 0, inputs, scope, trip, state, &condition); !s.ok()) return s;
    bool truth = false;
    if (state.stopped) return {};
    if (Status s = truth_of(condition, &truth); !s.ok()) return s;
    if (!truth) return {};
    if (Status s = run_body(node, 1, inputs, scope, trip, state, &next); !s.ok()) return s;
    if (state.stopped) return {};
    if (next.size() != results->size())
      return bad_control_flow("its body has another number of outputs than it carries");
    *results = std::move(next);
  }
}

}  // namespace et::reference
