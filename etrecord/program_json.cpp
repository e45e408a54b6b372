#include "base/printable.h"
#include "etrecord/dtype_map.h"
#include "etrecord/program_parser.h"
#include "etrecord/tensor_meta_json.h"

namespace et::etrecord {
namespace {
constexpr int64_t kSchemaMajor = 5, kSchemaMinor = 4;  // the newest known, of 1.5
}  // namespace

Status ProgramParser::parse(std::string_view text, size_t index, uint32_t delegate_depth) {
  JsonDocument document;
  Status status = document.parse(text, (*programs_)[index].member, limits_.max_json_depth);
  if (!status.ok()) return status;
  return parse_element(document.root(), index, delegate_depth);
}

// The program is built aside, because programs_ grows when delegates are met.
Status ProgramParser::parse_element(JsonValue root, size_t index, uint32_t delegate_depth) {
  ProgramParser nested(limits_, programs_, problems_);
  nested.delegate_depth_ = delegate_depth;
  nested.program_ = std::move((*programs_)[index]);
  const bool ok = nested.parse_root(root);
  (*programs_)[index] = std::move(nested.program_);
  if (ok) return {};
  return {Error::InvalidExternalData, (*programs_)[index].member + ": " + nested.error_};
}

bool ProgramParser::fail(const std::string& at, const std::string& expected) {
  error_ = at + ": expected " + expected;
  return false;
}

// Something optional could not be read; one report per kind and program.
void ProgramParser::odd(const std::string& what) {
  if (problems_ == nullptr || !reported_.insert(what).second) return;
  problems_->push_back({Problem::DataLoss, "program-field-unreadable", program_.member + ": " + what});
}

void ProgramParser::unknown(std::string what) {
  constexpr size_t kMaxKinds = 100;
  if (program_.unknown.size() < kMaxKinds) program_.unknown.insert(std::move(what));
}

bool ProgramParser::parse_root(JsonValue root) {
  const auto object = root.object();
  if (!object) return fail("program", "an object");
  std::optional<JsonValue> module;
  for (const auto [key, value] : *object) {
    if (key == "graph_module")
      module = value;
    else if (key == "range_constraints")
      parse_ranges(value);
    else if (key == "verifiers")
      program_.verifiers = strings(value, "verifiers");
    else if (key == "dialect")
      program_.dialect = json_string(value).value_or("");
    else if (key == "schema_version")
      parse_schema_version(value);
    else if (key == "opset_version")
      parse_opsets(value);
    else
      unknown("program field " + printable(key));
  }
  if (program_.dialect.empty() && !program_.verifiers.empty()) program_.dialect = program_.verifiers.front();
  if (!module) return fail("program", "a graph_module");
  const auto module_object = module->object();
  if (!module_object) return fail("graph_module", "an object");
  std::optional<JsonValue> graph, signature;
  for (const auto [key, value] : *module_object) {
    if (key == "graph")
      graph = value;
    else if (key == "signature")
      signature = value;
    else if (key != "module_call_graph")
      unknown("graph module field " + printable(key));
  }
  if (!graph) return fail("graph_module", "a graph");
  if (parse_graph(*graph, "", -1, -1, 0) < 0) return false;
  if (signature) parse_signature(*signature);
  return true;
}

void ProgramParser::parse_schema_version(JsonValue e) {
  const auto object = e.object();
  if (!object) return odd("schema_version: expected an object");
  for (const auto [key, value] : *object) {
    if (key == "major") program_.schema_major = json_int(value).value_or(0);
    if (key == "minor") program_.schema_minor = json_int(value).value_or(0);
  }
  const std::pair version(program_.schema_major, program_.schema_minor);
  if (version == std::pair<int64_t, int64_t>(kSchemaMajor, 3)) program_.forms.add(Form::Schema5_3);
  if (version == std::pair(kSchemaMajor, kSchemaMinor)) program_.forms.add(Form::Schema5_4);
  const std::string text = "schema " + std::to_string(version.first) + "." + std::to_string(version.second);
  if (version > std::pair(kSchemaMajor, kSchemaMinor)) unknown(text);
  if (program_.schema_major < kSchemaMajor && program_.schema_major != 0 && problems_ != nullptr) {
    problems_->push_back({Problem::Info, "program-schema-version",
                          program_.member + ": " + text + ", expected " + std::to_string(kSchemaMajor) +
                              ": fields that differ are skipped"});
  }
}

void ProgramParser::parse_opsets(JsonValue e) {
  const auto object = e.object();
  if (!object) return odd("opset_version: expected an object");
  for (const auto [key, value] : *object) program_.opset_version[std::string(key)] = json_int(value).value_or(0);
}

void ProgramParser::parse_ranges(JsonValue e) {
  const auto object = e.object();
  if (!object) return odd("range_constraints: expected an object");
  for (const auto [symbol, bounds] : *object) {
    const auto pair = bounds.object();
    if (!pair) {
      odd("range_constraints: expected an object for each symbol");
      continue;
    }
    Range range;
    for (const auto [key, value] : *pair) {
      if (key != "min_val" && key != "max_val") continue;
      std::optional<int64_t> bound = json_int(value);
      if (!bound) {
        // Infinite or beyond 64 bit: no bound.
        const auto d = json_double(value);
        if (d && std::abs(*d) < 9.2e18) bound = static_cast<int64_t>(*d);
      }
      (key == "min_val" ? range.min : range.max) = bound;
    }
    program_.range_constraints[std::string(symbol)] = range;
  }
}

std::vector<std::string> ProgramParser::strings(JsonValue e, const char* what) {
  std::vector<std::string> out;
  const auto array = e.array();
  if (!array) {
    odd(std::string(what) + ": expected a list of strings");
    return out;
  }
  for (const JsonValue item : *array) {
    if (const auto s = json_string(item))
      out.emplace_back(*s);
    else
      odd(std::string(what) + ": expected a string");
  }
  return out;
}

bool parse_dim(JsonValue e, Dim* dim) {
  const auto object = e.object();
  if (!object) return false;
  bool ok = false;
  for (const auto [key, value] : *object) {
    if (key == "as_int") {
      dim->value = json_int(value);
      ok = dim->value.has_value();
    } else if (key == "as_expr") {
      const auto expr = value.object();
      if (!expr) return false;
      for (const auto [part, v] : *expr) {
        if (part == "expr_str") {
          dim->expr = json_string(v).value_or("");
          ok = !dim->expr.empty();
        } else if (part == "hint") {
          if (const auto hint = v.find("as_int")) dim->value = json_int(*hint);
        }
      }
    }
  }
  return ok;
}

bool parse_tensor_meta(JsonValue e, TensorMeta* meta) {
  const auto object = e.object();
  if (!object) return false;
  bool ok = true;
  const auto dims = [&ok](JsonValue list, std::vector<Dim>* out) {
    const auto array = list.array();
    if (!array) {
      ok = false;
      return;
    }
    out->clear();
    for (const JsonValue item : *array) ok = parse_dim(item, &out->emplace_back()) && ok;
  };
  for (const auto [key, value] : *object) {
    if (key == "dtype") {
      const auto type = scalar_type_of_json(json_int(value).value_or(0));
      meta->dtype_known = type.has_value();
      meta->dtype = type.value_or(ScalarType::Byte);
    } else if (key == "sizes") {
      dims(value, &meta->sizes);
    } else if (key == "strides") {
      dims(value, &meta->strides);
    } else if (key == "requires_grad") {
      meta->requires_grad = json_int(value).value_or(0) != 0;
    } else if (key == "layout") {
      meta->layout = static_cast<int32_t>(json_int(value).value_or(0));
    } else if (key == "device") {
      if (const auto type = value.find("type")) meta->device = type->string().value_or("");
      const auto part = value.find("index");
      if (const auto index = part ? json_int(*part) : std::nullopt) meta->device += ":" + std::to_string(*index);
    }
  }
  return ok;
}

Status parse_program(std::string_view text, const ProgramLimits& limits, std::vector<Program>* out,
                     std::vector<Problem>* problems) {
  if (out->empty()) out->emplace_back();
  return ProgramParser(limits, out, problems).parse(text, 0, 0);
}

}  // namespace et::etrecord
