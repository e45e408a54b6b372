#include "bundled_program/reference/reference_run.h"

#include <cstring>
#include <set>

#include "bundled_program/cases/tensor_value.h"
#include "bundled_program/reference/graph_executor.h"
#include "bundled_program/reference/operator_schema.h"
#include "bundled_program/reference/program_inputs.h"
#include "bundled_program/reference/weights.h"

namespace et::reference {
namespace {

using etrecord::InputKind;
using etrecord::InputSpec;
using etrecord::OutputKind;
using etrecord::OutputSpec;

// Buffers that runs change, by name; those of several methods when they share them.
struct State {
  std::set<std::string> names;
  std::unordered_map<std::string, TensorHandle> values;
};

// Buffers and parameters that the graph's outputs or its operators change.
std::set<std::string> changed_names(const etrecord::Program& program) {
  std::set<std::string> names;
  for (const OutputSpec& spec : program.signature.outputs) {
    if (spec.kind == OutputKind::BufferMutation || spec.kind == OutputKind::ParameterMutation)
      names.insert(spec.target);
  }
  for (const etrecord::Node& node : program.nodes) {
    const OperatorSchema* schema = find_schema(node.qualified_op);
    if (schema == nullptr || node.graph != 0) continue;
    for (const SchemaArgument& to : schema->arguments) {
      if (!to.written) continue;
      for (const etrecord::Argument& a : node.inputs) {
        if (a.name != to.name || a.strings.empty()) continue;
        if (const std::string* name = program.fqn(a.strings[0])) names.insert(*name);
      }
    }
  }
  return names;
}

Status copy_of(const TensorHandle& from, RunState& state, TensorHandle* out) {
  const Tensor t = from->tensor();
  if (Status s = state.make_tensor(t.scalar_type(), t.sizes(), t.dim_order(), out); !s.ok()) return s;
  copy_elements(t, (*out)->tensor());
  return {};
}

// One input of a case, in the dim order of the graph.
Status input_value(const bundled::Value& v, const etrecord::TensorMeta* meta, RunState& state, GraphValue* out) {
  switch (v.kind) {
    case bundled::ValueKind::None:
      return {};
    case bundled::ValueKind::Int:
      *out = GraphValue::of_int(v.as_int);
      return {};
    case bundled::ValueKind::Double:
      *out = GraphValue::of_double(v.as_double);
      return {};
    case bundled::ValueKind::Bool:
      *out = GraphValue::of_bool(v.as_bool);
      return {};
    case bundled::ValueKind::Tensor:
      break;
  }
  if (const std::string problem = bundled::tensor_problem(v.tensor); !problem.empty()) {
    return {Error::InvalidArgument, problem};
  }
  TensorHandle given;
  if (Status s = state.make_tensor(v.tensor.scalar_type, v.tensor.sizes, v.tensor.dim_order, &given); !s.ok()) return s;
  if (!v.tensor.data.empty()) std::memcpy(given->data(), v.tensor.data.data(), v.tensor.data.size());
  if (meta != nullptr && meta->sizes.size() == v.tensor.sizes.size()) {
    Symbols symbols;  // those of this input are enough for its strides
    for (size_t d = 0; d < meta->sizes.size(); ++d) symbols.bind(meta->sizes[d], v.tensor.sizes[d]);
    const std::vector<uint8_t> order = dim_order_of(symbols, *meta);
    if (!std::equal(order.begin(), order.end(), v.tensor.dim_order.begin(), v.tensor.dim_order.end())) {
      TensorHandle own;
      if (Status s = state.make_tensor(v.tensor.scalar_type, v.tensor.sizes, order, &own); !s.ok()) return s;
      copy_elements(given->tensor(), own->tensor());
      given = own;
    }
  }
  given->set_read_only(true);
  *out = GraphValue(std::move(given));
  return {};
}

}  // namespace

struct ReferenceRun::Parts {
  const etrecord::Program& program;
  Limits limits;
  std::shared_ptr<MemoryCount> memory = std::make_shared<MemoryCount>();
  std::unique_ptr<Weights> weights;
  std::shared_ptr<State> state = std::make_shared<State>();
  std::unique_ptr<GraphExecutor> executor;
  const Bypass* bypass = nullptr;

  Parts(const etrecord::Record& record, const etrecord::Program& p, const Limits& l)
      : program(p),
        limits(l),
        weights(Weights::of_member(record, p.member)),
        executor(std::make_unique<GraphExecutor>(record, p)) {
    state->names = changed_names(p);
  }

  /// The tensor behind an input that the ETRecord keeps.
  Status load(const InputSpec& spec, RunState& run, TensorHandle* out) {
    const bool changes = state->names.contains(spec.target);
    if (changes) {
      if (const auto it = state->values.find(spec.target); it != state->values.end()) {
        *out = it->second;
        return {};
      }
    }
    if (Status s = weights->load(spec.target, program.tensor(0, spec.value), run, !changes, out); !s.ok()) return s;
    if (changes) state->values[spec.target] = *out;
    return {};
  }

  Status inputs(std::span<const bundled::Value> given, RunState& run, std::vector<GraphValue>* out) {
    std::vector<const etrecord::TensorMeta*> metas;
    for (const InputSpec& spec : program.signature.inputs) {
      if (spec.kind == InputKind::UserInput) metas.push_back(program.tensor(0, spec.value));
      if (spec.kind == InputKind::ConstantInput) metas.push_back(nullptr);
    }
    std::vector<GraphValue> values(given.size());
    for (size_t i = 0; i < given.size(); ++i) {
      const etrecord::TensorMeta* meta = metas.size() == given.size() ? metas[i] : nullptr;
      if (Status s = input_value(given[i], meta, run, &values[i]); !s.ok()) {
        return {s.code(), program.member + ": input " + std::to_string(i) + ": " + s.message()};
      }
    }
    return bind_inputs(
        program, values, [&](const InputSpec& spec, TensorHandle* tensor) { return load(spec, run, tensor); }, out);
  }

  /// Outputs of the graph: changed buffers into the state, the others to the caller.
  Status outputs(const std::vector<GraphValue>& values, RunState& run, std::vector<GraphValue>* out) {
    const std::vector<OutputSpec>& specs = program.signature.outputs;
    if (values.size() != specs.size()) {
      return {Error::InvalidProgram, program.member + ": " + std::to_string(values.size()) +
                                         " outputs, the signature has " + std::to_string(specs.size())};
    }
    for (size_t i = 0; i < specs.size(); ++i) {
      switch (specs[i].kind) {
        case OutputKind::BufferMutation:
        case OutputKind::ParameterMutation: {
          if (values[i].kind != GraphValue::Kind::Tensor) {
            return {Error::InvalidProgram,
                    program.member + ": buffer " + specs[i].target + " does not become a tensor"};
          }
          TensorHandle copy;
          if (Status s = copy_of(values[i].tensor, run, &copy); !s.ok()) return s;
          state->values[specs[i].target] = std::move(copy);
          break;
        }
        case OutputKind::UserInputMutation:
        case OutputKind::Token:
          break;
        default:
          out->push_back(values[i]);
      }
    }
    return {};
  }
};

ReferenceRun::ReferenceRun(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
ReferenceRun::~ReferenceRun() = default;

Status ReferenceRun::open(const etrecord::Record& record, const std::string& method, const Limits& limits,
                          std::unique_ptr<ReferenceRun>* out) {
  const etrecord::Program* program = record.edge_program(method);
  if (program == nullptr || program->graphs.empty()) {
    return {Error::NotFound, record.path() + ": the ETRecord has no edge program for method " + method};
  }
  out->reset(new ReferenceRun(std::make_unique<Parts>(record, *program, limits)));
  return {};
}

Status ReferenceRun::run(std::span<const bundled::Value> inputs, const Sink& sink, RunResult* out) {
  *out = RunResult();
  RunState state(parts_->limits, sink, parts_->memory);
  state.bypass = parts_->bypass;
  std::vector<GraphValue> given, results;
  if (Status s = parts_->inputs(inputs, state, &given); !s.ok()) return s;
  Status s = parts_->executor->run(0, given, Symbols(), 0, 0, state, &results);
  out->steps = state.steps;
  out->stopped = state.stopped;
  if (!s.ok() || state.stopped) return s;
  return parts_->outputs(results, state, &out->outputs);
}

void ReferenceRun::set_bypass(const Bypass* bypass) { parts_->bypass = bypass; }

void ReferenceRun::reset() { parts_->state->values.clear(); }

void ReferenceRun::share_state(ReferenceRun& with) {
  with.parts_->state->names.insert(parts_->state->names.begin(), parts_->state->names.end());
  parts_->state = with.parts_->state;
  reset();
}

const etrecord::Program& ReferenceRun::program() const { return parts_->program; }

std::vector<std::string> ReferenceRun::missing_operators() const {
  std::set<std::string> missing;
  parts_->executor->add_missing(&missing);
  return {missing.begin(), missing.end()};
}

}  // namespace et::reference
