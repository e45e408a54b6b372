// The graph for other programs: its nodes with what they read and make, and the delegates that they went into.
#include "inspector/report/graph_format.h"
#include "inspector/text/json_writer.h"

namespace et::inspector {
namespace {

void names(JsonWriter* json, const char* key, const std::vector<std::string>& values) {
  json->key(key).begin_array();
  for (const std::string& v : values) json->value(v);
  json->end_array();
}

void text_or_null(JsonWriter* json, const char* key, const std::string& text) {
  json->key(key);
  if (text.empty()) {
    json->value(nullptr);
  } else {
    json->value(text);
  }
}

/// Values that a node reads, in the order of its arguments.
std::vector<std::string> values_read(const GraphModel& model, const GraphNode& node) {
  std::vector<std::string> out;
  for (const GraphArgument& a : node.arguments) {
    for (const std::string_view id : identifiers(a.text)) {
      if (model.value(node.scope, std::string(id)) != nullptr) out.emplace_back(id);
    }
  }
  return out;
}

/// Of the outer graph.
void write_ends(JsonWriter* json, const GraphModel& m) {
  json->key("inputs").begin_array();
  const size_t inputs = m.scopes.empty() ? 0 : m.scopes[0].inputs.size();
  for (size_t i = 0; i < inputs; ++i) {
    const std::string& name = m.scopes[0].inputs[i];
    const GraphValue* v = m.value(0, name);
    json->begin_object().member("name", name);
    text_or_null(json, "kind", v == nullptr ? "" : v->kind);
    text_or_null(json, "target", v == nullptr ? "" : v->target);
    text_or_null(json, "dtype", v == nullptr ? "" : v->dtype);
    text_or_null(json, "shape", v == nullptr ? "" : v->shape);
    json->end_object();
  }
  json->end_array();
  names(json, "outputs", m.scopes.empty() ? std::vector<std::string>() : m.scopes[0].outputs);
}

void write_node(JsonWriter* json, const GraphModel& model, const GraphNode& n) {
  json->begin_object().member("name", n.name).member("op", n.op).member("target", n.target);
  text_or_null(json, "body", n.subgraph);
  names(json, "reads", values_read(model, n));
  names(json, "makes", n.results);
  json->key("arguments").begin_array();
  for (const GraphArgument& a : n.arguments) json->value(a.name.empty() ? a.text : a.name + "=" + a.text);
  json->end_array();
  text_or_null(json, "dtype", n.dtype);
  text_or_null(json, "shape", n.shape);
  json->member("debug_handle", n.debug_handle).member("instruction", n.instruction);
  json->member("delegate", n.part < 0 ? std::nullopt : std::optional<int64_t>(n.part));
  text_or_null(json, "file", n.file);
  json->member("line", n.line > 0 ? std::optional<int64_t>(n.line) : std::nullopt);
  text_or_null(json, "code", n.code);
  text_or_null(json, "module", n.module_path);
  json->member("time", n.ns).end_object();
}

void write_graph_part(JsonWriter* json, const GraphModel& model, const GraphPart& p) {
  json->begin_object().member("name", p.name).member("backend", p.backend).member("instruction", p.instruction);
  json->key("nodes").begin_array();
  for (const int32_t n : p.nodes) json->value(model.nodes[static_cast<size_t>(n)].name);
  json->end_array();
  names(json, "inputs", p.inputs);
  names(json, "constants", p.constants);
  names(json, "outputs", p.outputs);
  json->member("guessed", p.guessed).member("time", p.ns).end_object();
}

}  // namespace

void write_graph_json(const std::vector<GraphModel>& models, const std::vector<std::string>& errors, std::string* out) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", kJsonSchemaVersion);
  names(&json, "errors", errors);
  json.key("methods").begin_array();
  for (const GraphModel& m : models) {
    json.begin_object().member("method", m.method).member("graph", m.graph).member("unit", m.unit);
    json.member("time", m.total_ns);
    write_ends(&json, m);
    json.key("nodes").begin_array();
    for (const GraphNode& n : m.nodes) write_node(&json, m, n);
    json.end_array().key("delegates").begin_array();
    for (const GraphPart& p : m.parts) write_graph_part(&json, m, p);
    json.end_array().end_object();
  }
  json.end_array().end_object();
}

}  // namespace et::inspector
