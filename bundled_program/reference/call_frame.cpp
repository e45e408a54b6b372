#include "bundled_program/reference/call_frame.h"

#include <charconv>
#include <cstdlib>

#include "runtime/kernels/common/dtype.h"

namespace et::reference {
namespace {

using etrecord::Argument;
using etrecord::ArgumentKind;
using Kind = GraphValue::Kind;

const Argument* given(const etrecord::Node& node, std::string_view name) {
  for (const Argument& a : node.inputs) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

std::string quoted(std::string_view name) { return "argument " + std::string(name); }

// The ETRecord's numbers of memory formats → torch's, which kernels know.
std::optional<int64_t> memory_format(int64_t number) {
  switch (number) {
    case 1:
      return 0;  // contiguous
    case 2:
      return 2;  // channels last
    case 3:
      return 3;  // channels last 3d
    case 4:
      return 1;  // preserve
    default:
      return std::nullopt;
  }
}

bool is_list(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::Tensors:
    case ArgumentKind::OptionalTensors:
    case ArgumentKind::Ints:
    case ArgumentKind::Floats:
    case ArgumentKind::Bools:
    case ArgumentKind::SymInts:
    case ArgumentKind::SymFloats:
    case ArgumentKind::SymBools:
      return true;
    default:
      return false;
  }
}

}  // namespace

void CallFrame::push(EValue value) { pointers_.push_back(item(value)); }

EValue* CallFrame::item(EValue value) {
  values_.push_back(value);
  return &values_.back();
}

Status CallFrame::set_inputs(const Scope& scope, const etrecord::Node& node, const OperatorSchema& schema) {
  for (const SchemaArgument& to : schema.arguments) {
    const Argument* from = given(node, to.name);
    if (Status s = from != nullptr ? add_argument(to, *from, scope) : add_default(to); !s.ok()) return s;
  }
  return {};
}

Status CallFrame::add_argument(const SchemaArgument& to, const Argument& from, const Scope& scope) {
  const auto wrong = [&] {
    return Status(Error::InvalidType, quoted(to.name) + " is of kind " + argument_kind_name(from.kind));
  };
  if (from.kind == ArgumentKind::None) {
    if (!to.optional) return wrong();
    push(EValue());
    return {};
  }
  switch (to.type) {
    case ArgumentType::Layout:
    case ArgumentType::Device:
      push(EValue());  // there is one of each
      return {};
    case ArgumentType::Text:
      if (from.kind != ArgumentKind::String || from.strings.size() != 1) return wrong();
      texts_.push_back(from.strings[0]);
      push(EValue(&text_views_.emplace_back(texts_.back())));
      return {};
    case ArgumentType::ScalarType:
      if (from.kind != ArgumentKind::ScalarType || !from.scalar_type_known) return wrong();
      push(EValue(static_cast<int64_t>(from.scalar_type)));
      return {};
    case ArgumentType::MemoryFormat: {
      const std::optional<int64_t> format =
          from.kind == ArgumentKind::MemoryFormat && from.ints.size() == 1 ? memory_format(from.ints[0]) : std::nullopt;
      if (!format) return wrong();
      push(EValue(*format));
      return {};
    }
    default:
      break;
  }
  std::vector<GraphValue> values;
  if (Status s = values_of(scope, from, &values); !s.ok()) return {s.code(), quoted(to.name) + ": " + s.message()};
  if (to.list) return add_list(to, values);
  if (values.size() != 1 || is_list(from.kind)) return wrong();
  const GraphValue& value = values[0];
  if (to.type == ArgumentType::Tensor) {
    if (value.kind == Kind::Tensor) {
      tensors_.push_back(value.tensor);
      push(value.evalue());
      return {};
    }
    // A number where the operator takes a tensor: one of rank 0, of the dtype that it would have beside the others.
    if (!value.is_number()) return wrong();
    const Scalar scalar = value.evalue().toScalar();
    const ScalarType type = tensors_.empty()
                                ? value.kind == Kind::Double ? ScalarType::Float
                                  : value.kind == Kind::Bool ? ScalarType::Bool
                                                             : ScalarType::Long
                                : kernels::promote_with_scalar(tensors_[0]->tensor().scalar_type(), scalar);
    TensorHandle tensor;
    if (Status s = state_.make_tensor(type, {}, {}, &tensor); !s.ok()) return s;
    const bool known = kernels::dispatch<kernels::kRealHB>(
        type, [&]<class T>() { *reinterpret_cast<T*>(tensor->data()) = scalar.to<T>(); });
    if (!known) return wrong();
    tensors_.push_back(tensor);
    push(EValue(tensor->tensor()));
    return {};
  }
  return add_number(to, value);
}

Status CallFrame::add_number(const SchemaArgument& to, const GraphValue& value) {
  const bool fits = to.type == ArgumentType::Scalar  ? value.is_number()
                    : to.type == ArgumentType::Float ? value.kind == Kind::Double || value.kind == Kind::Int
                    : to.type == ArgumentType::Int   ? value.kind == Kind::Int || value.kind == Kind::Bool
                                                     : value.kind == Kind::Bool;
  if (!fits && !(value.kind == Kind::None && to.optional)) {
    return {Error::InvalidType, quoted(to.name) + " has another type"};
  }
  push(to.type == ArgumentType::Int && value.kind == Kind::Bool    ? EValue(value.integer)
       : to.type == ArgumentType::Float && value.kind == Kind::Int ? EValue(value.as_double())
                                                                   : value.evalue());
  return {};
}

Status CallFrame::add_list(const SchemaArgument& to, const std::vector<GraphValue>& items) {
  const auto all = [&](auto fits) {
    for (const GraphValue& v : items) {
      if (!fits(v)) return false;
    }
    return true;
  };
  const Status wrong(Error::InvalidType, quoted(to.name) + " has items of another type");
  switch (to.type) {
    case ArgumentType::Tensor:
      if (!all([&](const GraphValue& v) {
            return v.kind == Kind::Tensor || (v.kind == Kind::None && to.item_optional);
          })) {
        return wrong;
      }
      add_tensors(items, to.item_optional);
      return {};
    case ArgumentType::Int: {
      if (!all([](const GraphValue& v) { return v.kind == Kind::Int; })) return wrong;
      std::vector<int64_t> values;
      for (const GraphValue& v : items) values.push_back(v.integer);
      add_ints(values);
      return {};
    }
    case ArgumentType::Float:
      if (!all([](const GraphValue& v) { return v.kind == Kind::Double || v.kind == Kind::Int; })) return wrong;
      doubles_.emplace_back();
      for (const GraphValue& v : items) doubles_.back().push_back(v.as_double());
      push(EValue(&double_views_.emplace_back(doubles_.back())));
      return {};
    case ArgumentType::Bool:
      if (!all([](const GraphValue& v) { return v.kind == Kind::Bool; })) return wrong;
      static_assert(sizeof(bool) == 1);
      bools_.emplace_back();
      for (const GraphValue& v : items) bools_.back().push_back(static_cast<uint8_t>(v.integer));
      push(
          EValue(&bool_views_.emplace_back(reinterpret_cast<const bool*>(bools_.back().data()), bools_.back().size())));
      return {};
    default:
      return wrong;
  }
}

void CallFrame::add_ints(const std::vector<int64_t>& values) {
  std::vector<EValue*>& items = items_.emplace_back();
  for (int64_t v : values) items.push_back(item(EValue(v)));
  std::vector<int64_t>& room = ints_.emplace_back(values.size());
  int_lists_.push_back({items.data(), room.data(), items.size()});
  push(EValue(&int_lists_.back()));
}

void CallFrame::add_tensors(const std::vector<GraphValue>& list, bool optional_items) {
  std::vector<EValue*>& items = items_.emplace_back();
  for (const GraphValue& v : list) {
    items.push_back(v.kind == Kind::Tensor ? item(v.evalue()) : nullptr);
    if (v.kind == Kind::Tensor) tensors_.push_back(v.tensor);
  }
  if (optional_items) {
    std::vector<optional<Tensor>>& room = optional_room_.emplace_back(list.size());
    optional_lists_.push_back({items.data(), room.data(), items.size()});
    push(EValue(&optional_lists_.back()));
  } else {
    std::vector<Tensor>& room = tensor_room_.emplace_back(list.size());
    tensor_lists_.push_back({items.data(), room.data(), items.size()});
    push(EValue(&tensor_lists_.back()));
  }
}

Status CallFrame::add_default(const SchemaArgument& to) {
  if (!to.has_default) return {Error::InvalidProgram, quoted(to.name) + " is missing"};
  std::string_view text = to.default_text;
  if (text == "None") {
    push(EValue());
    return {};
  }
  if (to.type == ArgumentType::Text) {
    push(EValue(&text_views_.emplace_back(text)));
    return {};
  }
  // Numbers of the table: the script wrote them.
  const auto number = [](std::string_view word) {
    if (word == "true" || word == "false") return GraphValue::of_bool(word == "true");
    int64_t integer = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), integer);
    if (error == std::errc() && end == word.data() + word.size()) return GraphValue::of_int(integer);
    return GraphValue::of_double(std::strtod(std::string(word).c_str(), nullptr));
  };
  if (!to.list) return add_number(to, number(text));
  std::vector<GraphValue> items;
  if (text.starts_with("[")) text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const size_t comma = text.find(',');
    items.push_back(number(text.substr(0, comma)));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return add_list(to, items);
}

Status CallFrame::set_given(const Scope& scope, const etrecord::Node& node) {
  for (const Argument& from : node.inputs) {
    SchemaArgument to;
    to.name = from.name;
    to.optional = true;
    to.list = is_list(from.kind);
    to.item_optional = from.kind == ArgumentKind::OptionalTensors;
    switch (from.kind) {
      case ArgumentKind::Int:
      case ArgumentKind::Ints:
      case ArgumentKind::SymInt:
      case ArgumentKind::SymInts:
        to.type = ArgumentType::Int;
        break;
      case ArgumentKind::Float:
      case ArgumentKind::Floats:
      case ArgumentKind::SymFloat:
      case ArgumentKind::SymFloats:
        to.type = ArgumentType::Float;
        break;
      case ArgumentKind::Bool:
      case ArgumentKind::Bools:
      case ArgumentKind::SymBool:
      case ArgumentKind::SymBools:
        to.type = ArgumentType::Bool;
        break;
      case ArgumentKind::String:
        to.type = ArgumentType::Text;
        break;
      case ArgumentKind::ScalarType:
        to.type = ArgumentType::ScalarType;
        break;
      case ArgumentKind::MemoryFormat:
        to.type = ArgumentType::MemoryFormat;
        break;
      case ArgumentKind::Layout:
      case ArgumentKind::Device:
        to.type = ArgumentType::Device;
        break;
      default:
        break;  // tensors, or an error
    }
    if (Status s = add_argument(to, from, scope); !s.ok()) return s;
  }
  return {};
}

void CallFrame::add_output(const TensorHandle& tensor) { push(EValue(tensor->tensor())); }

void CallFrame::add_output_list(const std::vector<TensorHandle>& tensors) {
  const std::vector<TensorHandle> inputs = tensors_;
  std::vector<GraphValue> values;
  for (const TensorHandle& t : tensors) values.emplace_back(t);
  add_tensors(values, false);
  tensors_ = inputs;
}

}  // namespace et::reference
