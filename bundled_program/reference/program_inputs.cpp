#include "bundled_program/reference/program_inputs.h"

#include <cstring>

namespace et::reference {

using etrecord::InputKind;
using etrecord::InputSpec;

Status bind_inputs(const etrecord::Program& program, const std::vector<GraphValue>& given, const TensorSource& tensors,
                   std::vector<GraphValue>* out) {
  size_t users = 0;
  size_t constants = 0;
  for (const InputSpec& spec : program.signature.inputs) {
    users += spec.kind == InputKind::UserInput ? 1 : 0;
    constants += spec.kind == InputKind::ConstantInput ? 1 : 0;
  }
  const bool with_constants = given.size() == users + constants;
  if (!with_constants && given.size() != users) {
    return {Error::InvalidArgument, program.member + ": " + std::to_string(given.size()) + " inputs, the graph has " +
                                        std::to_string(users + constants)};
  }
  size_t next = 0;
  for (const InputSpec& spec : program.signature.inputs) {
    GraphValue value;
    switch (spec.kind) {
      case InputKind::UserInput:
        value = given[next++];
        break;
      case InputKind::ConstantInput:
        // The graph was made for the value at the export; programs read past another one as well.
        if (with_constants) value = given[next++];
        break;
      case InputKind::Parameter:
      case InputKind::Buffer:
      case InputKind::TensorConstant: {
        TensorHandle tensor;
        if (Status s = tensors(spec, &tensor); !s.ok()) return {s.code(), program.member + ": " + s.message()};
        value = GraphValue(std::move(tensor));
        break;
      }
      case InputKind::CustomObj:
      case InputKind::Token:
      case InputKind::Unknown:
        return {Error::NotSupported, program.member + ": input " + spec.value + " is neither a tensor nor a number"};
    }
    out->push_back(std::move(value));
  }
  return {};
}

Status number_tensor(const GraphValue& value, RunState& state, TensorHandle* out) {
  const bool real = value.kind == GraphValue::Kind::Double;
  const ScalarType type = real                                   ? ScalarType::Double
                          : value.kind == GraphValue::Kind::Bool ? ScalarType::Bool
                                                                 : ScalarType::Long;
  if (Status s = state.make_tensor(type, {}, {}, out); !s.ok()) return s;
  if (real) {
    std::memcpy((*out)->data(), &value.number, sizeof(value.number));
  } else {
    std::memcpy((*out)->data(), &value.integer, (*out)->size());  // little endian: a bool is the first byte
  }
  return {};
}

}  // namespace et::reference
