#include "inspector/ingest/dump/json_name.h"

#include "base/json.h"

namespace et::inspector {
namespace {

constexpr uint32_t kMaxDepth = 8;
constexpr size_t kLongestName = 64 << 10, kMostArguments = 16;

std::string text_of(JsonValue value) {
  const auto string = value.string();
  return string ? std::string(*string) : json_minified(value);
}

void append(std::string_view key, std::string_view value, std::string* out) {
  if (!out->empty()) *out += "; ";
  *out += key;
  *out += '=';
  *out += value;
}

/// "float[1,8] TEXTURE_3D" of a tensor, the value of a number, else the type.
std::string argument_text(JsonValue argument) {
  const auto object = argument.object();
  if (!object) return text_of(argument);
  std::string out;
  if (const auto sizes = object->find("sizes")) {
    const auto dtype = object->find("dtype");
    out = (dtype ? text_of(*dtype) : "tensor") + json_minified(*sizes);
    if (const auto storage = object->find("storage")) out += " " + text_of(*storage);
  } else if (const auto value = object->find("value")) {
    out = text_of(*value);
  } else if (const auto values = object->find("values")) {
    out = json_minified(*values);
  } else if (const auto type = object->find("type")) {
    out = text_of(*type);
  }
  return out.empty() ? json_minified(argument) : out;
}

std::string arguments_text(JsonArray arguments) {
  std::string out;
  size_t count = 0;
  for (const JsonValue argument : arguments) {
    if (++count > kMostArguments) return out + ", …";
    out += (out.empty() ? "" : ", ") + argument_text(argument);
  }
  return out;
}

void read_operator(JsonObject members, JsonName* out, std::string* name) {
  for (const JsonMember m : members) {
    if (m.key == "name") {
      *name = text_of(m.value);
      append("operator", *name, &out->arguments);
    } else if (const auto list = m.value.array(); list && m.key == "args") {
      append("args", arguments_text(*list), &out->arguments);
    } else {
      if (m.key == "delegate_node_id" && m.value.integer()) out->map_key = std::to_string(*m.value.integer());
      append(m.key, text_of(m.value), &out->arguments);
    }
  }
}

}  // namespace

std::optional<JsonName> read_json_name(std::string_view name) {
  if (name.size() < 2 || name.size() > kLongestName || name.front() != '{' || name.back() != '}') return std::nullopt;
  JsonDocument json;
  if (!json.parse(name, "event name", kMaxDepth).ok()) return std::nullopt;
  const auto members = json.root().object();
  if (!members) return std::nullopt;
  JsonName out;
  std::string called;
  for (const JsonMember m : *members) {
    const auto inner = m.value.object();
    if (inner && m.key == "operator") {
      read_operator(*inner, &out, &called);
    } else if (m.key == "kernel_name" || m.key == "name") {
      out.title = text_of(m.value);
    } else {
      append(m.key, text_of(m.value), &out.arguments);
    }
  }
  if (out.title.empty()) out.title = called;
  return out.title.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace et::inspector
