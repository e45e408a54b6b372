#include "bundled_program/reference/scope.h"

#include <algorithm>
#include <numeric>

namespace et::reference {

using etrecord::Argument;
using etrecord::ArgumentKind;

Status RunState::step() {
  if (++steps > limits.max_steps) {
    return {Error::OutOfResources, "more than " + std::to_string(limits.max_steps) + " executed nodes"};
  }
  if (limits.max_seconds > 0 &&
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > limits.max_seconds) {
    return {Error::OutOfResources, "longer than " + std::to_string(limits.max_seconds) + " s"};
  }
  return {};
}

Status RunState::make_tensor(ScalarType type, std::span<const int32_t> sizes, std::span<const uint8_t> dim_order,
                             TensorHandle* out) {
  const uint64_t left = limits.max_live_bytes - std::min(limits.max_live_bytes, memory->live);
  *out = OwnTensor::make(type, sizes, dim_order, std::min(limits.max_tensor_bytes, left), memory);
  if (*out != nullptr) return {};
  std::string text = std::string(scalar_type_name(type)) + "[";
  for (size_t d = 0; d < sizes.size(); ++d) text += (d > 0 ? ", " : "") + std::to_string(sizes[d]);
  return {Error::OutOfResources, text + "] is not a tensor within the limits (" +
                                     std::to_string(limits.max_tensor_bytes) + " bytes each, " + std::to_string(left) +
                                     " bytes left)"};
}

const GraphValue* Scope::find(const std::string& name) const {
  const auto it = values.find(name);
  return it == values.end() ? nullptr : &it->second;
}

Status Scope::set(const std::string& name, GraphValue value) {
  const etrecord::Graph& g = program.graphs[static_cast<size_t>(graph)];
  const auto wrong = [&](const std::string& is, const std::string& says) {
    return Status(Error::InvalidProgram, "value " + name + " is " + is + ", the graph says " + says);
  };
  if (value.kind == GraphValue::Kind::Tensor) {
    if (const etrecord::TensorMeta* meta = program.tensor(graph, name)) {
      const Tensor t = value.tensor->tensor();
      if (meta->dtype_known && meta->dtype != t.scalar_type()) {
        return wrong(scalar_type_name(t.scalar_type()), text_of(*meta));
      }
      bool same = meta->sizes.size() == t.sizes().size();
      for (size_t d = 0; same && d < meta->sizes.size(); ++d) same = symbols.bind(meta->sizes[d], t.sizes()[d]);
      if (!same) {
        std::string is = "[";
        for (size_t d = 0; d < t.sizes().size(); ++d) is += (d > 0 ? ", " : "") + std::to_string(t.sizes()[d]);
        return wrong(is + "]", text_of(*meta));
      }
    }
  } else if (value.kind == GraphValue::Kind::Int) {
    const auto it = g.sym_ints.find(name);
    if (it != g.sym_ints.end() && !symbols.bind(it->second, value.integer)) {
      return wrong(std::to_string(value.integer), it->second.expr);
    }
  }
  values[name] = std::move(value);
  return {};
}

Status values_of(const Scope& scope, const Argument& a, std::vector<GraphValue>* out) {
  const auto named = [&](const std::string& name) -> Status {
    const GraphValue* value = scope.find(name);
    if (value == nullptr) return {Error::InvalidProgram, "no value named " + name};
    out->push_back(*value);
    return {};
  };
  switch (a.kind) {
    case ArgumentKind::None:
      out->emplace_back();
      return {};
    case ArgumentKind::Tensor:
    case ArgumentKind::Tensors:
    case ArgumentKind::OptionalTensors:
      for (const std::string& name : a.strings) {
        if (name.empty() && a.kind == ArgumentKind::OptionalTensors) {
          out->emplace_back();
        } else if (Status s = named(name); !s.ok()) {
          return s;
        }
      }
      return {};
    case ArgumentKind::Int:
    case ArgumentKind::Ints:
      for (int64_t v : a.ints) out->push_back(GraphValue::of_int(v));
      return {};
    case ArgumentKind::Bool:
    case ArgumentKind::Bools:
      for (int64_t v : a.ints) out->push_back(GraphValue::of_bool(v != 0));
      return {};
    case ArgumentKind::Float:
    case ArgumentKind::Floats:
      for (double v : a.floats) out->push_back(GraphValue::of_double(v));
      return {};
    case ArgumentKind::SymInt:
    case ArgumentKind::SymInts:
    case ArgumentKind::SymBool:
    case ArgumentKind::SymBools:
    case ArgumentKind::SymFloat:
    case ArgumentKind::SymFloats: {
      const bool real = a.kind == ArgumentKind::SymFloat || a.kind == ArgumentKind::SymFloats;
      const bool truth = a.kind == ArgumentKind::SymBool || a.kind == ArgumentKind::SymBools;
      for (const etrecord::SymValue& v : a.syms) {
        if (!v.name.empty()) {
          if (Status s = named(v.name); !s.ok()) return s;
        } else {
          out->push_back(real    ? GraphValue::of_double(v.number)
                         : truth ? GraphValue::of_bool(v.integer != 0)
                                 : GraphValue::of_int(v.integer));
        }
      }
      return {};
    }
    default:
      return {Error::InvalidProgram, std::string("a ") + argument_kind_name(a.kind) + " where a value belongs"};
  }
}

std::vector<uint8_t> dim_order_of(const Symbols& symbols, const etrecord::TensorMeta& meta) {
  const size_t rank = meta.sizes.size();
  std::vector<uint8_t> order(rank);
  std::iota(order.begin(), order.end(), uint8_t{0});
  if (meta.strides.size() != rank || rank > kTensorDimensionLimit) return order;
  std::vector<int64_t> strides;
  for (const etrecord::Dim& dim : meta.strides) {
    const std::optional<int64_t> stride = symbols.value(dim);
    if (!stride || *stride <= 0) return order;
    strides.push_back(*stride);
  }
  // Outermost first; equal ones keep their order.
  std::stable_sort(order.begin(), order.end(), [&](uint8_t a, uint8_t b) { return strides[a] > strides[b]; });
  return order;
}

std::string text_of(const etrecord::TensorMeta& meta) {
  std::string text = std::string(meta.dtype_known ? scalar_type_name(meta.dtype) : "tensor") + "[";
  for (size_t d = 0; d < meta.sizes.size(); ++d) {
    if (d > 0) text += ", ";
    text += !meta.sizes[d].fixed() ? meta.sizes[d].expr
            : meta.sizes[d].value  ? std::to_string(*meta.sizes[d].value)
                                   : "?";
  }
  return text + "]";
}

}  // namespace et::reference
