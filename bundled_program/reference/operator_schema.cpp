#include "bundled_program/reference/operator_schema.h"

#include <unordered_map>

namespace et::reference {
namespace {

struct SchemaRow {
  std::string_view op, kernel, arguments, results;
};
constexpr SchemaRow kSchemaRows[] = {
#define ET_SCHEMA(op, kernel, arguments, results) {op, kernel, arguments, results},
#include "bundled_program/reference/schemas.def"
#undef ET_SCHEMA
};

struct TypeName {
  std::string_view text;
  ArgumentType type;
};
constexpr TypeName kTypes[] = {
    {"t", ArgumentType::Tensor},
    {"s", ArgumentType::Scalar},
    {"i", ArgumentType::Int},
    {"f", ArgumentType::Float},
    {"b", ArgumentType::Bool},
    {"str", ArgumentType::Text},
    {"dtype", ArgumentType::ScalarType},
    {"layout", ArgumentType::Layout},
    {"device", ArgumentType::Device},
    {"format", ArgumentType::MemoryFormat},
};

bool take_suffix(std::string_view* text, std::string_view suffix) {
  if (!text->ends_with(suffix)) return false;
  text->remove_suffix(suffix.size());
  return true;
}

// "name:type=default", as make_operator_schemas.py writes it.
SchemaArgument parse_argument(std::string_view text) {
  SchemaArgument a;
  const size_t colon = text.find(':');
  a.name = text.substr(0, colon);
  std::string_view type = text.substr(colon + 1);
  const size_t equals = type.find('=');
  if (equals != std::string_view::npos) {
    a.has_default = true;
    a.default_text = type.substr(equals + 1);
    type = type.substr(0, equals);
  }
  a.written = take_suffix(&type, "!");
  a.optional = take_suffix(&type, "?");
  a.list = take_suffix(&type, "[]");
  if (a.list) a.item_optional = take_suffix(&type, "?");
  for (const TypeName& t : kTypes) {
    if (t.text == type) a.type = t.type;
  }
  return a;
}

template <class F>
void each_word(std::string_view text, const F& f) {
  while (!text.empty()) {
    const size_t end = text.find(' ');
    f(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

const std::unordered_map<std::string_view, OperatorSchema>& schemas() {
  static const auto* const table = [] {
    auto* all = new std::unordered_map<std::string_view, OperatorSchema>();
    for (const SchemaRow& row : kSchemaRows) {
      OperatorSchema schema;
      schema.kernel = row.kernel;
      each_word(row.arguments, [&](std::string_view word) { schema.arguments.push_back(parse_argument(word)); });
      schema.results = 0;
      each_word(row.results, [&](std::string_view) { ++schema.results; });
      schema.list_result = row.results == "t[]";
      all->emplace(row.op, std::move(schema));
    }
    return all;
  }();
  return *table;
}

const OperatorSchema* exact(std::string_view op) {
  const auto it = schemas().find(op);
  return it == schemas().end() ? nullptr : &it->second;
}

}  // namespace

const OperatorSchema* find_schema(std::string_view op) {
  if (const OperatorSchema* schema = exact(op)) return schema;
  const size_t dot = op.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  return exact(std::string(op.substr(0, dot)) + "_copy" + std::string(op.substr(dot)));
}

const OperatorSchema* find_scalar_overload(std::string_view op) {
  return op.ends_with(".Tensor") ? exact(std::string(op.substr(0, op.rfind('.'))) + ".Scalar") : nullptr;
}

}  // namespace et::reference
