#include "bundled_program/reference/graph_executor.h"

#include <algorithm>

#include "bundled_program/reference/bypass.h"
#include "bundled_program/reference/call_frame.h"
#include "bundled_program/reference/native_operators.h"
#include "bundled_program/reference/operator_schema.h"
#include "bundled_program/reference/program_inputs.h"
#include "runtime/core/kernel_registry.h"
#include "runtime/kernels/common/dtype.h"
#include "runtime/kernels/common/shape.h"
#include "runtime/module/log_capture.h"

namespace et::reference {

using etrecord::Argument;
using etrecord::ArgumentKind;
using etrecord::Node;

struct GraphExecutor::Lowered {
  std::unique_ptr<Weights> weights;
  std::unique_ptr<GraphExecutor> executor;
};

std::string place_of(const etrecord::Program& program, const Node& node) {
  return program.member + ": node " + node.name + " (" + node.qualified_op + ")";
}

GraphExecutor::GraphExecutor(const etrecord::Record& record, const etrecord::Program& program)
    : record_(record), program_(program) {}
GraphExecutor::~GraphExecutor() = default;

const GraphExecutor::Plan& GraphExecutor::plan(int32_t graph) {
  const auto [it, fresh] = plans_.try_emplace(graph);
  if (!fresh) return it->second;
  const etrecord::Graph& g = program_.graphs[static_cast<size_t>(graph)];
  it->second.resize(g.nodes.size());
  std::unordered_map<std::string, size_t> last;
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& node = program_.nodes[static_cast<size_t>(g.nodes[i])];
    for (const std::string& name : node.outputs) last[name] = i;  // outputs that nobody reads
    for (const Argument& a : node.inputs) {
      for (const std::string& name : a.tensor_names()) last[name] = i;
    }
  }
  for (const Argument& a : g.raw_outputs) {
    for (const std::string& name : a.tensor_names()) last.erase(name);
  }
  for (const std::string& name : g.outputs) last.erase(name);
  for (const auto& [name, i] : last) it->second[i].push_back(name);
  return it->second;
}

Status GraphExecutor::run(int32_t graph, const std::vector<GraphValue>& inputs, const Symbols& symbols, uint32_t depth,
                          uint32_t trip, RunState& state, std::vector<GraphValue>* outputs) {
  if (depth > state.limits.max_depth) {
    return {Error::OutOfResources,
            program_.member + ": graphs nest deeper than " + std::to_string(state.limits.max_depth)};
  }
  const etrecord::Graph& g = program_.graphs[static_cast<size_t>(graph)];
  const std::string where = program_.member + (g.name.empty() ? "" : ": graph " + g.name) + ": ";
  Scope scope{program_, graph, depth, trip, symbols, {}};
  if (inputs.size() != g.inputs.size()) {
    return {Error::InvalidProgram,
            where + std::to_string(inputs.size()) + " values for " + std::to_string(g.inputs.size()) + " inputs"};
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (g.inputs[i].empty()) continue;  // a constant
    if (Status s = scope.set(g.inputs[i], inputs[i]); !s.ok()) return {s.code(), where + s.message()};
  }
  const Plan& dead = plan(graph);
  for (size_t i = 0; i < g.nodes.size(); ++i) {
    const Node& node = program_.nodes[static_cast<size_t>(g.nodes[i])];
    if (Status s = run_node(node, scope, state); !s.ok()) return s;
    if (state.stopped) return {};
    for (const std::string& name : dead[i]) scope.values.erase(name);
  }
  for (const Argument& a : g.raw_outputs) {
    if (Status s = values_of(scope, a, outputs); !s.ok()) return {s.code(), where + "output: " + s.message()};
  }
  return {};
}

GraphExecutor::Control GraphExecutor::control_of(const Node& node) {
  struct Row {
    std::string_view op;
    Control control;
  };
  static constexpr Row kRows[] = {
      {"cond", &GraphExecutor::run_cond},
      {"map_impl", &GraphExecutor::run_map},
      {"scan", &GraphExecutor::run_scan},
      {"while_loop", &GraphExecutor::run_while},
      {"executorch_call_delegate", &GraphExecutor::run_delegate},
  };
  for (const Row& row : kRows) {
    if (row.op == node.qualified_op) return row.control;
  }
  return nullptr;
}

/// A node that a bypass has gives what was quantised for it; others what their operator gives.
Status GraphExecutor::compute(const Node& node, Scope& scope, RunState& state, std::vector<GraphValue>* results) {
  const Bypass* const bypass = state.bypass;
  NativeCall call{scope, node, state, {}};
  if (bypass != nullptr) {
    if (const auto pair = bypass->pairs.find(&node); pair != bypass->pairs.end()) {
      if (const auto kept = state.floats.find(pair->second); kept != state.floats.end()) {
        results->emplace_back(kept->second);
        return {};
      }
    }
    TensorHandle given;
    if (bypass->quantises(node) && call.tensor("input", 0, &given).ok()) state.floats[&node] = given;
  }
  Status s;
  if (const NativeOperator native = find_native(node)) {
    s = native(call);
    *results = std::move(call.results);
  } else {
    s = call_kernel(node, scope, state, results);
  }
  if (s.ok() && bypass != nullptr && bypass->disturbed == &node && results->size() == 1)
    s = disturb(call, results->front().tensor);
  return s;
}

Status GraphExecutor::run_node(const Node& node, Scope& scope, RunState& state) {
  const auto fail = [&](const Status& s) {
    // The error of a body names its own node.
    if (s.message().find(": node ") != std::string::npos) return s;
    return Status(s.code(), place_of(program_, node) + ": " + s.message());
  };
  std::vector<GraphValue> results;
  Status s = state.step();
  if (s.ok()) {
    if (const Control control = control_of(node)) {
      s = (this->*control)(node, scope, state, &results);
      if (state.stopped) return {};
    } else {
      s = compute(node, scope, state, &results);
    }
  }
  if (!s.ok()) return fail(s);
  if (results.size() != node.outputs.size()) {
    return fail({Error::InvalidProgram,
                 std::to_string(results.size()) + " results for " + std::to_string(node.outputs.size()) + " outputs"});
  }
  for (uint32_t i = 0; i < results.size(); ++i) {
    if (s = scope.set(node.outputs[i], results[i]); !s.ok()) return fail(s);
    if (!state.sink || state.stopped) continue;
    const GraphValue& value = results[i];
    TensorHandle tensor = value.tensor;
    if (value.is_number() && (s = number_tensor(value, state, &tensor), !s.ok())) return fail(s);
    if (tensor == nullptr) continue;
    state.stopped = !state.sink({program_, node, i, scope.trip, tensor->tensor(), value.is_number()});
  }
  return {};
}

namespace {

// Elements that an output can have at most along a dimension that only the kernel will know.
int64_t data_dependent_bound(const Node& node, const std::vector<TensorHandle>& inputs) {
  int64_t max = 0;
  kernels::Shape shape;
  for (const TensorHandle& t : inputs) {
    max = std::max<int64_t>(max, t->tensor().numel());
    kernels::Shape wider;
    if (kernels::broadcast_shapes(shape.view(), t->tensor().sizes(), &wider)) shape = wider;
  }
  if (node.qualified_op == "aten.masked_select.default") {
    int64_t all = 1;
    for (int32_t n : shape.view()) {
      if (__builtin_mul_overflow(all, int64_t{n}, &all)) return max;
    }
    return std::max(max, all);
  }
  if (node.qualified_op == "aten.repeat_interleave.Tensor" && !inputs.empty()) {
    const Tensor repeats = inputs[0]->tensor();
    int64_t sum = 0;
    static_cast<void>(kernels::dispatch<kernels::kInts>(repeats.scalar_type(), [&]<class T>() {
      for (ssize_t i = 0; i < repeats.numel(); ++i) {
        const auto n = static_cast<int64_t>(repeats.const_data_ptr<T>()[i]);
        if (__builtin_add_overflow(sum, std::max<int64_t>(n, 0), &sum)) sum = INT32_MAX;
      }
    }));
    return sum;
  }
  return max;
}

}  // namespace

Status GraphExecutor::make_output(const Node& node, const std::string& name, const Scope& scope,
                                  const std::vector<TensorHandle>& inputs, RunState& state, TensorHandle* out) {
  const etrecord::TensorMeta* meta = program_.tensor(scope.graph, name);
  if (meta == nullptr || !meta->dtype_known) {
    return {Error::InvalidProgram, "the graph does not say what tensor " + name + " is"};
  }
  Symbols symbols = scope.symbols;
  std::vector<int32_t> sizes;
  for (const etrecord::Dim& dim : meta->sizes) {
    std::optional<int64_t> size = symbols.value(dim);
    if (!size && !dim.fixed()) {
      size = data_dependent_bound(node, inputs);
      symbols.bind(dim, *size);
    }
    if (!size || *size < 0 || *size > INT32_MAX) {
      return {Error::InvalidProgram, "output " + name + " is " + text_of(*meta) + ", which is not a shape"};
    }
    sizes.push_back(static_cast<int32_t>(*size));
  }
  return state.make_tensor(meta->dtype, sizes, dim_order_of(symbols, *meta), out);
}

namespace {

bool has_number_for_tensor(const Node& node, const OperatorSchema& schema) {
  for (const SchemaArgument& to : schema.arguments) {
    if (to.type != ArgumentType::Tensor || to.list) continue;
    for (const Argument& a : node.inputs) {
      if (a.name != to.name) continue;
      switch (a.kind) {
        case ArgumentKind::Int:
        case ArgumentKind::Float:
        case ArgumentKind::Bool:
        case ArgumentKind::SymInt:
        case ArgumentKind::SymFloat:
        case ArgumentKind::SymBool:
          return true;
        default:
          break;
      }
    }
  }
  return false;
}

// "my_ops.scale.default" → "my_ops::scale.out", and "….Tensor" → "….Tensor_out": kernels of applications.
std::string usual_kernel(const Node& node) {
  const std::string& op = node.qualified_op;
  const size_t first = op.find('.');
  const size_t last = op.rfind('.');
  if (first == std::string::npos || first == last) return {};
  const std::string overload = op.substr(last + 1);
  return op.substr(0, first) + "::" + op.substr(first + 1, last - first - 1) + "." +
         (overload == "default" ? "out" : overload + "_out");
}

struct Callee {
  const OperatorSchema* schema = nullptr;
  std::string kernel;
};
Callee callee_of(const Node& node) {
  Callee callee;
  callee.schema = find_schema(node.qualified_op);
  if (callee.schema != nullptr && has_number_for_tensor(node, *callee.schema)) {
    const OperatorSchema* scalar = find_scalar_overload(node.qualified_op);
    if (scalar != nullptr && has_kernel(scalar->kernel)) callee.schema = scalar;
  }
  callee.kernel = callee.schema != nullptr ? std::string(callee.schema->kernel) : usual_kernel(node);
  return callee;
}

}  // namespace

Status GraphExecutor::call_kernel(const Node& node, Scope& scope, RunState& state, std::vector<GraphValue>* results) {
  const Callee callee = callee_of(node);
  if (callee.kernel.empty() || !has_kernel(callee.kernel)) {
    return {Error::OperatorMissing,
            callee.kernel.empty() ? "no kernel computes it" : "there is no kernel " + callee.kernel};
  }
  CallFrame frame(state);
  if (Status s =
          callee.schema != nullptr ? frame.set_inputs(scope, node, *callee.schema) : frame.set_given(scope, node);
      !s.ok()) {
    return s;
  }
  const size_t inputs = frame.arguments().size();
  std::vector<TensorHandle> made;
  for (const Argument& output : node.raw_outputs) {
    std::vector<TensorHandle> list;
    for (const std::string& name : output.strings) {
      TensorHandle tensor;
      if (Status s = make_output(node, name, scope, frame.tensors(), state, &tensor); !s.ok()) return s;
      list.push_back(tensor);
      made.push_back(tensor);
    }
    if (output.kind == ArgumentKind::Tensors) {
      frame.add_output_list(list);
    } else if (output.kind == ArgumentKind::Tensor && list.size() == 1) {
      frame.add_output(list[0]);
    } else {
      return {Error::InvalidProgram, std::string("an output of kind ") + argument_kind_name(output.kind)};
    }
  }
  if (callee.schema != nullptr && frame.arguments().size() - inputs != callee.schema->results) {
    return {Error::InvalidProgram, std::to_string(node.raw_outputs.size()) + " outputs, the operator has " +
                                       std::to_string(callee.schema->results)};
  }
  frame.add_result();

  Result<const Kernel*> kernel = get_kernel(callee.kernel);
  if (!kernel.ok()) return {kernel.error(), "kernel " + callee.kernel + ": " + take_errors()};
  KernelRuntimeContext context(nullptr, &state.temporary);
  (*kernel)->function(context, frame.arguments());
  state.temporary.reset();
  if (context.failure_state() != Error::Ok) {
    const std::string said = take_errors();
    return {context.failure_state(), said.empty() ? callee.kernel + ": " + error_name(context.failure_state()) : said};
  }
  for (TensorHandle& tensor : made) {
    tensor->settle();
    results->emplace_back(std::move(tensor));
  }
  return {};
}

Status GraphExecutor::run_delegate(const Node& node, Scope& scope, RunState& state, std::vector<GraphValue>* results) {
  if (node.delegate < 0 || static_cast<size_t>(node.delegate) >= program_.delegates.size()) {
    return {Error::InvalidProgram, "it calls no delegate"};
  }
  const etrecord::DelegateCall& call = program_.delegates[static_cast<size_t>(node.delegate)];
  if (call.program < 0) return {Error::NotFound, "the ETRecord has no graph for this lowered module"};
  const etrecord::Program& inner = record_.programs()[static_cast<size_t>(call.program)];
  std::unique_ptr<Lowered>& lowered = lowered_[node.delegate];
  if (lowered == nullptr) {
    lowered = std::make_unique<Lowered>();
    lowered->weights = Weights::of_delegate(call);
    lowered->executor = std::make_unique<GraphExecutor>(record_, inner);
  }
  std::vector<GraphValue> given;
  for (const Argument& a : node.inputs) {
    if (a.kind == ArgumentKind::String) continue;  // the lowered module
    if (Status s = values_of(scope, a, &given); !s.ok()) return s;
  }
  std::vector<GraphValue> inputs;
  const auto buffer = [&](const etrecord::InputSpec& spec, TensorHandle* out) {
    return lowered->weights->load(spec.target, inner.tensor(0, spec.value), state, true, out);
  };
  if (Status s = bind_inputs(inner, given, buffer, &inputs); !s.ok()) return s;
  return lowered->executor->run(0, inputs, Symbols(), scope.depth + 1, scope.trip, state, results);
}

void GraphExecutor::add_missing(std::set<std::string>* operators) {
  for (const Node& node : program_.nodes) {
    if (node.delegate >= 0 && static_cast<size_t>(node.delegate) < program_.delegates.size()) {
      const int32_t inner = program_.delegates[static_cast<size_t>(node.delegate)].program;
      if (inner >= 0) {
        GraphExecutor(record_, record_.programs()[static_cast<size_t>(inner)]).add_missing(operators);
        continue;
      }
      operators->insert(node.qualified_op);
    }
    if (control_of(node) != nullptr || find_native(node) != nullptr) continue;
    if (!has_kernel(callee_of(node).kernel)) operators->insert(node.qualified_op);
  }
}

}  // namespace et::reference
