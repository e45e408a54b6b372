// A validator for the part of JSON Schema that docs/json-schema-1.json uses: type, required, properties,
// additionalProperties, items, enum, const, oneOf, minimum, maximum and $ref into $defs. An unknown keyword is an
// error, so that the schema cannot ask for what is not checked.
#pragma once

#include <simdjson.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace et::inspector::test {

class JsonSchema {
 public:
  explicit JsonSchema(const std::string& path) {
    problem_ = parser_.load(path).get(root_) == simdjson::SUCCESS ? "" : "cannot read " + path;
  }

  /// "" when the document fits, else the first problem with its place.
  std::string check(const std::string& document) {
    if (!problem_.empty()) return problem_;
    simdjson::dom::parser parser;
    simdjson::dom::element value;
    if (const auto error = parser.parse(document).get(value))
      return std::string("not JSON: ") + simdjson::error_message(error);
    return fits(root_, value, "$");
  }

  /// Places of properties without a description.
  std::vector<std::string> undescribed() {
    std::vector<std::string> out;
    walk(root_, "$", &out);
    return out;
  }

 private:
  using Element = simdjson::dom::element;

  static std::string_view type_name(Element v) {
    switch (v.type()) {
      case simdjson::dom::element_type::ARRAY:
        return "array";
      case simdjson::dom::element_type::OBJECT:
        return "object";
      case simdjson::dom::element_type::INT64:
      case simdjson::dom::element_type::UINT64:
        return "integer";
      case simdjson::dom::element_type::DOUBLE:
        return "number";
      case simdjson::dom::element_type::STRING:
        return "string";
      case simdjson::dom::element_type::BOOL:
        return "boolean";
      case simdjson::dom::element_type::NULL_VALUE:
        return "null";
    }
    return "?";
  }
  static bool type_fits(std::string_view wanted, Element v) {
    const std::string_view have = type_name(v);
    return wanted == have || (wanted == "number" && have == "integer");
  }
  static double as_number(Element v) {
    double d = 0;
    if (v.get_double().get(d) != simdjson::SUCCESS) d = static_cast<double>(v.get_int64().value());
    return d;
  }

  std::string fits(Element schema, Element v, const std::string& at) {
    simdjson::dom::object s;
    if (schema.get_object().get(s) != simdjson::SUCCESS) return at + ": schema is no object";
    for (const auto [key, rule] : s) {
      std::string problem;
      if (key == "description" || key == "title" || key == "$schema" || key == "$defs") continue;
      if (key == "$ref") {
        Element target;
        const std::string_view ref = rule.get_string().value();
        if (root_.at_pointer(ref.substr(1)).get(target) != simdjson::SUCCESS) return at + ": no " + std::string(ref);
        problem = fits(target, v, at);
      } else if (key == "type") {
        problem = check_type(rule, v, at);
      } else if (key == "const" || key == "enum") {
        bool found = key == "const" && simdjson::minify(rule) == simdjson::minify(v);
        if (key == "enum") {
          for (const Element e : rule.get_array()) found = found || simdjson::minify(e) == simdjson::minify(v);
        }
        if (!found) problem = at + ": " + simdjson::minify(v) + " is not " + simdjson::minify(rule);
      } else if (key == "minimum" || key == "maximum") {
        if (v.is_number() && (key == "minimum" ? as_number(v) < as_number(rule) : as_number(v) > as_number(rule))) {
          problem = at + ": " + simdjson::minify(v) + " breaks " + std::string(key) + " " + simdjson::minify(rule);
        }
      } else if (key == "items") {
        simdjson::dom::array items;
        if (v.get_array().get(items) != simdjson::SUCCESS) continue;
        size_t i = 0;
        for (const Element e : items) {
          if (problem.empty()) problem = fits(rule, e, at + "[" + std::to_string(i) + "]");
          ++i;
        }
      } else if (key == "required") {
        for (const Element name : rule.get_array()) {
          Element unused;
          if (v.is_object() && v.at_key(name.get_string().value()).get(unused) != simdjson::SUCCESS) {
            problem = at + ": has no " + std::string(name.get_string().value());
          }
        }
      } else if (key == "oneOf") {
        int matching = 0;
        for (const Element option : rule.get_array()) matching += fits(option, v, at).empty() ? 1 : 0;
        if (matching != 1) problem = at + ": fits " + std::to_string(matching) + " alternatives instead of one";
      } else if (key == "properties" || key == "additionalProperties") {
        problem = check_properties(schema, key, rule, v, at);
      } else {
        problem = at + ": the schema uses " + std::string(key) + ", which is not checked";
      }
      if (!problem.empty()) return problem;
    }
    return "";
  }

  static std::string check_type(Element rule, Element v, const std::string& at) {
    bool found = false;
    simdjson::dom::array types;
    if (rule.get_array().get(types) == simdjson::SUCCESS) {
      for (const Element t : types) found = found || type_fits(t.get_string().value(), v);
    } else {
      found = type_fits(rule.get_string().value(), v);
    }
    return found ? "" : at + ": is " + std::string(type_name(v)) + ", expected " + simdjson::minify(rule);
  }

  std::string check_properties(Element schema, std::string_view key, Element rule, Element v, const std::string& at) {
    simdjson::dom::object object;
    if (v.get_object().get(object) != simdjson::SUCCESS) return "";
    std::set<std::string_view> seen;
    for (const auto [name, member] : object) {
      const std::string place = at + "." + std::string(name);
      if (!seen.insert(name).second) return place + ": is there twice";
      Element known;
      const bool listed = schema.at_key("properties").at_key(name).get(known) == simdjson::SUCCESS;
      std::string problem;
      if (key == "properties" && listed) problem = fits(known, member, place);
      if (key == "additionalProperties" && !listed) {
        problem = rule.is_bool() ? (rule.get_bool().value() ? "" : place + ": is not in the schema")
                                 : fits(rule, member, place);
      }
      if (!problem.empty()) return problem;
    }
    return "";
  }

  void walk(Element schema, const std::string& at, std::vector<std::string>* out) {
    simdjson::dom::object object;
    if (schema.get_object().get(object) != simdjson::SUCCESS) return;
    for (const auto [key, rule] : object) {
      simdjson::dom::object members;
      if ((key != "properties" && key != "$defs") || rule.get_object().get(members) != simdjson::SUCCESS) continue;
      for (const auto [name, member] : members) {
        const std::string place = at + "." + std::string(name);
        std::string_view text;
        if (key == "properties" &&
            (member.at_key("description").get_string().get(text) != simdjson::SUCCESS || text.empty())) {
          out->push_back(place);
        }
        walk(member, place, out);
      }
    }
  }

  simdjson::dom::parser parser_;
  Element root_;
  std::string problem_;
};

}  // namespace et::inspector::test
