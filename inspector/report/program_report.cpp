#include "inspector/report/program_report.h"

#include "inspector/report/program_signature.h"
#include "inspector/text/json_list.h"
#include "inspector/text/json_writer.h"
#include "inspector/text/table.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

/// "[1, 3]", "at most [4, 16]": a program knows the bounds of a dynamic shape, not which of its dimensions vary.
std::string shape_text(const SignatureValue& v) {
  if (v.kind != "Tensor") return {};
  const std::string sizes = json_list(v.sizes);
  if (v.dynamism == "bounded") return "at most " + sizes;
  return v.dynamism == "unbounded" ? sizes + ", unbounded" : sizes;
}

std::string type_text(const SignatureValue& v) { return v.kind == "Tensor" ? v.dtype : v.kind; }

Cell bytes_cell(const SignatureValue& v) { return v.dynamism == "unbounded" ? Cell() : cell(v.bytes); }

Table values_table(const MethodSignature& m) {
  Table table;
  table.columns = {{.title = "#", .right = true},
                   {.title = "", .key = "role"},
                   {.title = "type"},
                   {.title = "shape"},
                   {.title = "size", .kind = CellKind::Bytes},
                   {.title = "exported with"}};
  for (const SignatureValue& v : m.values) {
    table.add({v.index, v.role, type_text(v), cell(shape_text(v)), bytes_cell(v), cell(v.value)});
  }
  table.drop_columns([&](size_t c) { return c >= 3 && table.is_empty(c); });
  return table;
}

Table delegates_table(const MethodSignature& m) {
  Table table;
  table.columns = {{.title = "#", .right = true}, {.title = "backend"}, {.title = "payload", .kind = CellKind::Bytes}};
  for (size_t i = 0; i < m.delegates.size(); ++i) {
    table.add({static_cast<int64_t>(i), m.delegates[i].backend, m.delegates[i].payload_bytes});
  }
  return table;
}

Table operators_table(const MethodSignature& m) {
  Table table;
  table.columns = {{.title = "calls", .kind = CellKind::Integer}, {.title = "operator"}};
  for (const auto& [name, calls] : m.operators) table.add({calls, name});
  return table;
}

/// "XnnpackBackend (3 delegates, 2.2 KiB)".
std::vector<std::string> backends_of(const ProgramSignature& p) {
  std::map<std::string, std::pair<int64_t, int64_t>> all;
  for (const MethodSignature& m : p.methods) {
    for (const SignatureDelegate& d : m.delegates) {
      ++all[d.backend].first;
      all[d.backend].second += d.payload_bytes;
    }
  }
  std::vector<std::string> out;
  for (const auto& [name, sum] : all) {
    out.push_back(name + " (" + plural(sum.first, "delegate") + ", " + format_bytes(sum.second) + ")");
  }
  return out;
}

std::string heading(const ProgramSignature& p) {
  std::string text = printable(p.path) + ": a " + (p.bundled ? "bundled program (.bpte)" : "program (.pte)") + ", " +
                     format_bytes(p.file_bytes) +
                     (p.bundled ? ", of it the program " + format_bytes(p.program_bytes) : "") + "\n";
  text += "  constants: " + (p.constants == 0 ? std::string("none")
                                              : plural(p.constants, "tensor") + ", " + format_bytes(p.constant_bytes));
  if (p.named_data > 0) {
    text += "; named data: " + plural(p.named_data, "weight") + ", " + format_bytes(p.named_data_bytes);
  }
  text += "\n";
  if (!p.external.empty()) {
    text += "  external weights (.ptd): " + printable(joined(p.external, ", ")) + "\n";
  }
  const std::vector<std::string> backends = backends_of(p);
  text += "  backends needed: " + (backends.empty() ? std::string("none") : printable(joined(backends, ", "))) + "\n";
  return text;
}

std::string method_heading(const MethodSignature& m) {
  std::string text = "\n" + printable(m.name) + ": " + plural(m.instructions, "instruction");
  if (m.cases > 0) text += ", " + plural(m.cases, "test case");
  int64_t all = 0;
  std::vector<std::string> sizes;
  for (const SignatureBuffer& b : m.planned) {
    all += b.bytes;
    sizes.push_back(format_bytes(b.bytes) + (b.device == "cpu" ? "" : " on " + b.device));
  }
  text += ", planned memory " + (sizes.empty() ? "none" : format_bytes(all));
  if (sizes.size() > 1) text += " (" + joined(sizes, ", ") + ")";
  return text + "\n";
}

Status write_for_people(const ProgramSignature& p, const TableOptions& options, std::string* out) {
  *out += heading(p);
  for (const MethodSignature& m : p.methods) {
    *out += method_heading(m);
    const std::pair<const char*, Table> tables[] = {
        {"Inputs and outputs", values_table(m)}, {"Delegates", delegates_table(m)}, {"Operators", operators_table(m)}};
    for (const auto& [title, table] : tables) {
      if (table.rows.empty()) continue;
      *out += std::string("\n") + title + "\n";
      if (options.format == "markdown") *out += "\n";
      if (Status s = table.write(options, out); !s.ok()) return s;
    }
  }
  return {};
}

Status write_rows(const ProgramSignature& p, const TableOptions& options, std::string* out) {
  Table table;
  table.columns = {{.title = "method"},   {.title = "role"},  {.title = "index"},
                   {.title = "kind"},     {.title = "dtype"}, {.title = "shape"},
                   {.title = "dynamism"}, {.title = "bytes"}, {.title = "value"}};
  for (const MethodSignature& m : p.methods) {
    for (const SignatureValue& v : m.values) {
      table.add({m.name, v.role, v.index, v.kind, cell(v.dtype), v.kind == "Tensor" ? Cell(json_list(v.sizes)) : Cell(),
                 cell(v.dynamism), bytes_cell(v), cell(v.value)});
    }
  }
  return table.write(options, out);
}

void json_value(JsonWriter& json, const SignatureValue& v) {
  json.begin_object().member("index", v.index).member("kind", v.kind);
  if (v.kind == "Tensor") {
    json.member("dtype", v.dtype).key("shape").begin_array();
    for (const int64_t n : v.sizes) json.value(n);
    json.end_array().member("dynamism", v.dynamism);
    json.member("bytes", v.dynamism == "unbounded" ? std::nullopt : v.bytes);
  } else if (!v.value.empty()) {
    json.member("value", v.value);
  }
  json.end_object();
}

void json_method(JsonWriter& json, const MethodSignature& m) {
  json.begin_object().member("name", m.name).member("instructions", m.instructions).member("test_cases", m.cases);
  for (const char* role : {"input", "output"}) {
    json.key(std::string(role) + "s").begin_array();
    for (const SignatureValue& v : m.values) {
      if (v.role == role) json_value(json, v);
    }
    json.end_array();
  }
  json.key("delegates").begin_array();
  for (const SignatureDelegate& d : m.delegates) {
    json.begin_object().member("backend", d.backend).member("payload_bytes", d.payload_bytes).end_object();
  }
  json.end_array().key("operators").begin_array();
  for (const auto& [name, calls] : m.operators) {
    json.begin_object().member("name", name).member("calls", calls).end_object();
  }
  json.end_array().key("planned_buffers").begin_array();
  for (size_t b = 0; b < m.planned.size(); ++b) {
    json.begin_object().member("memory_id", static_cast<int64_t>(b + 1)).member("bytes", m.planned[b].bytes);
    json.member("device", m.planned[b].device).end_object();
  }
  json.end_array().end_object();
}

void write_json(const ProgramSignature& p, std::string* out) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", kJsonSchemaVersion).key("program").begin_object();
  json.member("path", p.path).member("bundled", p.bundled).member("bytes", p.file_bytes);
  json.member("program_bytes", p.program_bytes).member("constants", p.constants);
  json.member("constant_bytes", p.constant_bytes).member("named_data", p.named_data);
  json.member("named_data_bytes", p.named_data_bytes).key("external_weights").begin_array();
  for (const std::string& name : p.external) json.value(name);
  json.end_array().key("methods").begin_array();
  for (const MethodSignature& m : p.methods) json_method(json, m);
  json.end_array().end_object().end_object();
  *out += "\n";
}

}  // namespace

Status write_program_report(const std::string& path, const ProgramReportOptions& options, std::string* out) {
  ProgramSignature program;
  if (Status s = read_signature(path, &program); !s.ok()) return s;
  const TableOptions table = {.format = options.format, .width = options.width, .color = options.color};
  if (options.format == "json") {
    write_json(program, out);
    return {};
  }
  const bool people = options.format == "table" || options.format == "markdown";
  return people ? write_for_people(program, table, out) : write_rows(program, table, out);
}

}  // namespace et::inspector
