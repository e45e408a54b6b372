// Arguments: which values they name, how they are shown.
#include <array>
#include <charconv>
#include <cmath>

#include "base/printable.h"
#include "etrecord/graph.h"

namespace et::etrecord {
namespace {

std::string number_text(double d) {
  if (std::isnan(d)) return "nan";
  if (std::isinf(d)) return d < 0 ? "-inf" : "inf";
  std::array<char, 32> buffer;
  const auto r = std::to_chars(buffer.data(), buffer.data() + buffer.size(), d);
  std::string text(buffer.data(), r.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

const char* bool_text(int64_t b) { return b != 0 ? "True" : "False"; }

// "[a, b]" for lists, the only element otherwise.
template <class Items, class Text>
std::string join(const Items& items, bool list, Text text) {
  std::string out = list ? "[" : "";
  for (size_t i = 0; i < items.size(); ++i) {
    if (i != 0) out += ", ";
    out += text(items[i]);
  }
  return list ? out + "]" : out;
}

const char* memory_format_name(int64_t f) {
  switch (f) {
    case 1:
      return "contiguous_format";
    case 2:
      return "channels_last";
    case 3:
      return "channels_last_3d";
    case 4:
      return "preserve_format";
    default:
      return "unknown_format";
  }
}

const char* layout_name(int64_t l) {
  static constexpr std::array<const char*, 8> kNames = {"unknown_layout", "sparse_coo", "sparse_csr", "sparse_csc",
                                                        "sparse_bsr",     "sparse_bsc", "_mkldnn",    "strided"};
  return l >= 0 && l < static_cast<int64_t>(kNames.size()) ? kNames[static_cast<size_t>(l)] : kNames[0];
}

}  // namespace

const char* argument_kind_name(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::None:
      return "none";
    case ArgumentKind::Tensor:
      return "tensor";
    case ArgumentKind::Tensors:
      return "tensors";
    case ArgumentKind::OptionalTensors:
      return "optional_tensors";
    case ArgumentKind::Int:
      return "int";
    case ArgumentKind::Ints:
      return "ints";
    case ArgumentKind::Float:
      return "float";
    case ArgumentKind::Floats:
      return "floats";
    case ArgumentKind::String:
      return "string";
    case ArgumentKind::Strings:
      return "strings";
    case ArgumentKind::SymInt:
      return "sym_int";
    case ArgumentKind::SymInts:
      return "sym_ints";
    case ArgumentKind::SymFloat:
      return "sym_float";
    case ArgumentKind::SymFloats:
      return "sym_floats";
    case ArgumentKind::SymBool:
      return "sym_bool";
    case ArgumentKind::SymBools:
      return "sym_bools";
    case ArgumentKind::ScalarType:
      return "scalar_type";
    case ArgumentKind::MemoryFormat:
      return "memory_format";
    case ArgumentKind::Layout:
      return "layout";
    case ArgumentKind::Device:
      return "device";
    case ArgumentKind::Bool:
      return "bool";
    case ArgumentKind::Bools:
      return "bools";
    case ArgumentKind::Graph:
      return "graph";
    case ArgumentKind::CustomObj:
      return "custom_obj";
    case ArgumentKind::Operator:
      return "operator";
    case ArgumentKind::Unknown:
      break;
  }
  return "unknown";
}

std::vector<std::string> Argument::tensor_names() const {
  std::vector<std::string> names;
  switch (kind) {
    case ArgumentKind::Tensor:
    case ArgumentKind::Tensors:
    case ArgumentKind::OptionalTensors:
      for (const std::string& s : strings) {
        if (!s.empty()) names.push_back(s);
      }
      break;
    case ArgumentKind::CustomObj:
      if (!strings.empty()) names.push_back(strings[0]);
      break;
    case ArgumentKind::SymInt:
    case ArgumentKind::SymInts:
    case ArgumentKind::SymFloat:
    case ArgumentKind::SymFloats:
    case ArgumentKind::SymBool:
    case ArgumentKind::SymBools:
      for (const SymValue& s : syms) {
        if (!s.name.empty()) names.push_back(s.name);
      }
      break;
    default:
      break;
  }
  return names;
}

std::string Argument::text() const {
  const auto plain = [](const std::string& s) { return printable(s); };
  const auto quoted = [](const std::string& s) { return '"' + printable(s) + '"'; };
  const auto whole = [](int64_t i) { return std::to_string(i); };
  const auto sym = [](const SymValue& s) { return s.name.empty() ? std::to_string(s.integer) : printable(s.name); };
  const auto sym_float = [](const SymValue& s) { return s.name.empty() ? number_text(s.number) : printable(s.name); };
  const auto sym_bool = [](const SymValue& s) {
    return s.name.empty() ? std::string(bool_text(s.integer)) : printable(s.name);
  };
  switch (kind) {
    case ArgumentKind::None:
      return "None";
    case ArgumentKind::Tensor:
    case ArgumentKind::Operator:
      return join(strings, false, plain);
    case ArgumentKind::Tensors:
      return join(strings, true, plain);
    case ArgumentKind::OptionalTensors:
      return join(strings, true, [](const std::string& s) { return s.empty() ? "None" : printable(s); });
    case ArgumentKind::Int:
      return join(ints, false, whole);
    case ArgumentKind::Ints:
      return join(ints, true, whole);
    case ArgumentKind::Float:
      return join(floats, false, number_text);
    case ArgumentKind::Floats:
      return join(floats, true, number_text);
    case ArgumentKind::String:
      return join(strings, false, quoted);
    case ArgumentKind::Strings:
      return join(strings, true, quoted);
    case ArgumentKind::SymInt:
      return join(syms, false, sym);
    case ArgumentKind::SymInts:
      return join(syms, true, sym);
    case ArgumentKind::SymFloat:
      return join(syms, false, sym_float);
    case ArgumentKind::SymFloats:
      return join(syms, true, sym_float);
    case ArgumentKind::SymBool:
      return join(syms, false, sym_bool);
    case ArgumentKind::SymBools:
      return join(syms, true, sym_bool);
    case ArgumentKind::Bool:
      return join(ints, false, bool_text);
    case ArgumentKind::Bools:
      return join(ints, true, bool_text);
    case ArgumentKind::ScalarType:
      return scalar_type_known ? scalar_type_name(scalar_type) : "unknown";
    case ArgumentKind::MemoryFormat:
      return memory_format_name(ints.empty() ? 0 : ints[0]);
    case ArgumentKind::Layout:
      return layout_name(ints.empty() ? 0 : ints[0]);
    case ArgumentKind::Device:
      return (strings.empty() ? "" : printable(strings[0])) + (ints.empty() ? "" : ":" + std::to_string(ints[0]));
    case ArgumentKind::Graph:
    case ArgumentKind::CustomObj:
      return strings.empty() ? "" : printable(strings[0]);
    case ArgumentKind::Unknown:
      break;
  }
  return strings.size() > 1 ? printable(strings[1]) : "?";
}

const TensorMeta* Program::tensor(int32_t graph, const std::string& value) const {
  if (graph < 0 || static_cast<size_t>(graph) >= graphs.size()) return nullptr;
  const auto& tensors = graphs[static_cast<size_t>(graph)].tensors;
  const auto it = tensors.find(value);
  return it == tensors.end() ? nullptr : &it->second;
}

const std::string* Program::fqn(const std::string& value) const {
  for (const InputSpec& spec : signature.inputs) {
    if (spec.value == value && !spec.target.empty()) return &spec.target;
  }
  return nullptr;
}

}  // namespace et::etrecord
