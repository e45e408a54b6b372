// Arguments of nodes: tensors, numbers, lists, graphs.
#include "base/printable.h"
#include "etrecord/dtype_map.h"
#include "etrecord/program_parser.h"

namespace et::etrecord {

std::vector<Argument> ProgramParser::arguments(JsonValue e, const char* what, int32_t graph, int depth) {
  std::vector<Argument> out;
  const auto list = e.array();
  if (!list) {
    odd(std::string(what) + ": expected a list");
    return out;
  }
  for (const JsonValue item : *list) {
    Argument a;
    // Graphs stand among inputs of nodes only.
    if (!parse_argument(item, graph, -1, depth, &a)) odd(std::string(what) + ": expected arguments");
    out.push_back(std::move(a));
  }
  return out;
}

std::string ProgramParser::name_of(JsonValue e) {
  const auto name = e.find("name");
  return name ? std::string(name->string().value_or("")) : std::string();
}

bool ProgramParser::parse_argument(JsonValue e, int32_t graph, int32_t node, int depth, Argument* a) {
  const auto object = e.object();
  std::string_view tag;
  JsonValue value;
  if (object) {
    for (const auto [key, v] : *object) {
      tag = key;
      value = v;
    }
  }
  if (tag.empty()) {
    odd("argument: expected an object with one key");
    return true;
  }
  const auto list = value.array();
  if (tag == "as_tensor") {
    a->kind = ArgumentKind::Tensor;
    a->strings.push_back(name_of(value));
  } else if (tag == "as_int") {
    a->kind = ArgumentKind::Int;
    a->ints.push_back(whole(value));
  } else if (tag == "as_none") {
    a->kind = ArgumentKind::None;
  } else if (tag == "as_float") {
    a->kind = ArgumentKind::Float;
    a->floats.push_back(real(value));
  } else if (tag == "as_bool") {
    a->kind = ArgumentKind::Bool;
    a->ints.push_back(whole(value));
  } else if (tag == "as_string") {
    a->kind = ArgumentKind::String;
    a->strings.emplace_back(json_string(value).value_or(""));
  } else if (tag == "as_operator") {
    a->kind = ArgumentKind::Operator;
    a->strings.emplace_back(json_string(value).value_or(""));
  } else if (tag == "as_scalar_type" || tag == "as_memory_format" || tag == "as_layout") {
    a->kind = tag == "as_scalar_type"     ? ArgumentKind::ScalarType
              : tag == "as_memory_format" ? ArgumentKind::MemoryFormat
                                          : ArgumentKind::Layout;
    a->ints.push_back(whole(value));
    if (a->kind == ArgumentKind::ScalarType) {
      const auto type = scalar_type_of_json(a->ints[0]);
      a->scalar_type_known = type.has_value();
      a->scalar_type = type.value_or(ScalarType::Byte);
    }
  } else if (tag == "as_sym_int" || tag == "as_sym_float" || tag == "as_sym_bool") {
    a->kind = tag == "as_sym_int"     ? ArgumentKind::SymInt
              : tag == "as_sym_float" ? ArgumentKind::SymFloat
                                      : ArgumentKind::SymBool;
    a->syms.push_back(sym_value(value));
  } else if (tag == "as_device") {
    a->kind = ArgumentKind::Device;
    parse_device(value, a);
  } else if (tag == "as_custom_obj") {
    a->kind = ArgumentKind::CustomObj;
    parse_custom_obj(value, a);
  } else if (tag == "as_graph") {
    if (node < 0) return fail("argument", "graphs among the inputs of nodes only");
    return parse_graph_argument(value, graph, node, depth, a);
  } else if (list && parse_list_argument(tag, *list, a)) {
    return true;
  } else {
    a->kind = ArgumentKind::Unknown;
    a->strings = {std::string(tag), json_minified(value)};
    unknown("argument " + printable(tag));
  }
  return true;
}

bool ProgramParser::parse_list_argument(std::string_view tag, JsonArray list, Argument* a) {
  const auto each = [&](ArgumentKind kind, auto add) {
    a->kind = kind;
    for (const JsonValue item : list) add(item);
    return true;
  };
  const auto add_int = [&](JsonValue e) { a->ints.push_back(whole(e)); };
  const auto add_sym = [&](JsonValue e) { a->syms.push_back(sym_value(e)); };
  if (tag == "as_tensors") {
    return each(ArgumentKind::Tensors, [&](JsonValue e) { a->strings.push_back(name_of(e)); });
  }
  if (tag == "as_ints") return each(ArgumentKind::Ints, add_int);
  if (tag == "as_bools") return each(ArgumentKind::Bools, add_int);
  if (tag == "as_floats") return each(ArgumentKind::Floats, [&](JsonValue e) { a->floats.push_back(real(e)); });
  if (tag == "as_strings") {
    return each(ArgumentKind::Strings, [&](JsonValue e) { a->strings.emplace_back(json_string(e).value_or("")); });
  }
  if (tag == "as_sym_ints") return each(ArgumentKind::SymInts, add_sym);
  if (tag == "as_sym_floats") return each(ArgumentKind::SymFloats, add_sym);
  if (tag == "as_sym_bools") return each(ArgumentKind::SymBools, add_sym);
  if (tag == "as_optional_tensors") {
    return each(ArgumentKind::OptionalTensors, [&](JsonValue e) {
      const auto tensor = e.find("as_tensor");
      a->strings.push_back(tensor ? name_of(*tensor) : std::string());
    });
  }
  return false;
}

int64_t ProgramParser::whole(JsonValue e) {
  if (const auto i = json_int(e)) return *i;
  odd("argument: expected an integer of 64 bits");
  const auto d = json_double(e);
  if (!d || std::isnan(*d)) return 0;
  return *d < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

double ProgramParser::real(JsonValue e) {
  if (const auto d = json_double(e)) return *d;
  odd("argument: expected a number");
  return std::numeric_limits<double>::quiet_NaN();
}

SymValue ProgramParser::sym_value(JsonValue e) {
  SymValue s;
  const auto object = e.object();
  if (!object) {
    odd("symbolic argument: expected an object");
    return s;
  }
  for (const auto [key, value] : *object) {
    if (key == "as_name")
      s.name = json_string(value).value_or("");
    else if (key == "as_int" || key == "as_bool")
      s.integer = whole(value);
    else if (key == "as_float")
      s.number = real(value);
  }
  return s;
}

void ProgramParser::parse_device(JsonValue e, Argument* a) {
  a->strings.emplace_back();
  const auto object = e.object();
  if (!object) return odd("device: expected an object");
  for (const auto [key, value] : *object) {
    if (key == "type")
      a->strings[0] = json_string(value).value_or("");
    else if (key == "index" && !value.is_null())
      a->ints = {whole(value)};
  }
}

void ProgramParser::parse_custom_obj(JsonValue e, Argument* a) {
  a->strings.resize(2);
  const auto object = e.object();
  if (!object) return odd("custom object: expected an object");
  for (const auto [key, value] : *object) {
    if (key == "name")
      a->strings[0] = json_string(value).value_or("");
    else if (key == "class_fqn")
      a->strings[1] = json_string(value).value_or("");
  }
}

bool ProgramParser::parse_graph_argument(JsonValue e, int32_t graph, int32_t node, int depth, Argument* a) {
  a->kind = ArgumentKind::Graph;
  const auto object = e.object();
  if (!object) return fail("as_graph", "an object");
  std::string name;
  std::optional<JsonValue> body;
  for (const auto [key, value] : *object) {
    if (key == "name")
      name = json_string(value).value_or("");
    else if (key == "graph")
      body = value;
  }
  if (!body) return fail("as_graph " + printable(name), "a graph");
  a->strings.push_back(name);
  a->graph = parse_graph(*body, std::move(name), graph, node, depth + 1);
  return a->graph >= 0;
}

}  // namespace et::etrecord
