#include "base/toml_values.h"

#include <optional>
#include <sstream>

#include "base/toml_parser.h"

namespace et {
namespace {

std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* number = node.as_floating_point()) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << number->get();
    return out.str();
  }
  return std::nullopt;
}

Status walk(const toml::table& table, const std::string& file, std::vector<std::string>* path,
            std::vector<TomlValue>* out) {
  for (const auto& [key, node] : table) {
    path->emplace_back(key.str());
    const toml::array* list = node.as_array();
    if (const toml::table* child = node.as_table()) {
      if (Status s = walk(*child, file, path, out); !s.ok()) return s;
    } else {
      TomlValue value{*path, {}, list != nullptr, toml_place(file, node.source())};
      const auto add = [&](const toml::node& element) {
        std::optional<std::string> text = scalar_text(element);
        if (text) value.values.push_back(std::move(*text));
        return text.has_value();
      };
      bool plain = true;
      if (list == nullptr) {
        plain = add(node);
      } else {
        for (const toml::node& element : *list) plain = plain && add(element);
      }
      if (!plain) {
        return {Error::InvalidArgument,
                value.place + ": " + path->back() + ": expected a text, a number, true or false, or a list of these"};
      }
      out->push_back(std::move(value));
    }
    path->pop_back();
  }
  return {};
}

}  // namespace

Status read_toml_values(std::string_view text, const std::string& file, std::vector<TomlValue>* out) {
  try {
    std::vector<std::string> path;
    return walk(toml::parse(text, file), file, &path, out);
  } catch (const toml::parse_error& e) {
    return toml_error(file, e);
  }
}

}  // namespace et
