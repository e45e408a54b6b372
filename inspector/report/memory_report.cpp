#include "inspector/report/memory_report.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>

#include "inspector/text/json_writer.h"
#include "inspector/text/table.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

/// Bytes exactly, and so that people can read them.
std::string both(int64_t bytes) {
  return bytes < 1024 ? format_count(bytes) + " B" : format_count(bytes) + " B (" + format_bytes(bytes) + ")";
}

const PlanInstruction* instruction_of(const MemoryPlan& plan, const PlanArena& arena, int64_t at) {
  const std::vector<PlanInstruction>& all = plan.methods[arena.method_index].instructions;
  return at >= 0 && static_cast<size_t>(at) < all.size() ? &all[static_cast<size_t>(at)] : nullptr;
}

/// Who writes it: "aten::linear.out, models.py:41"; its role for inputs and state.
std::string writer(const MemoryPlan& plan, const PlanArena& arena, const PlanTensor& t) {
  const PlanInstruction* const by = instruction_of(plan, arena, t.producer);
  if (by == nullptr) return role_name(t.role);
  const std::string place = written_at(*by, t);
  return (by->what.empty() ? by->kind : by->what) + (place.empty() ? "" : ", " + place);
}

Table arenas_table(const MemoryPlan& plan) {
  Table t;
  t.columns = {{.title = "arena", .min_width = 10},
               {.title = "asked for", .kind = CellKind::Bytes, .key = "bytes"},
               {.title = "peak of its tensors", .kind = CellKind::Bytes, .key = "peak"},
               {.title = "unused", .kind = CellKind::Share},
               {.title = "at run time", .kind = CellKind::Bytes, .key = "high_water"},
               {.title = "tensors", .kind = CellKind::Integer},
               {.title = "peak at", .min_width = 16}};
  for (const PlanArena& a : plan.arenas) {
    const PlanInstruction* const at = instruction_of(plan, a, a.peak_at);
    t.add({a.method + " #" + std::to_string(a.memory_id) +
               (a.device.empty() || a.device == "cpu" ? "" : " (" + a.device + ")"),
           a.bytes, a.peak, a.lost(), cell(a.high_water), static_cast<int64_t>(a.tensors.size()),
           at == nullptr
               ? Cell()
               : Cell("instruction " + std::to_string(a.peak_at) + ", " + (at->what.empty() ? at->kind : at->what))});
  }
  t.drop_columns([&](size_t c) { return t.is_empty(c); });
  return t;
}

void add_alive(const MemoryPlan& plan, const PlanArena& a, size_t most, bool people, Table* t) {
  size_t shown = 0;
  int64_t rest = 0;
  const std::vector<int32_t> alive = a.alive_at(a.peak_at);
  // A view has no bytes of its own, unless it is what keeps those of a tensor that is read no more.
  std::set<int64_t> counted;
  for (const int32_t i : alive) {
    const PlanTensor& p = a.tensors[static_cast<size_t>(i)];
    if (p.view_of < 0) counted.insert(p.value);
  }
  for (const int32_t i : alive) {
    const PlanTensor& p = a.tensors[static_cast<size_t>(i)];
    if (p.view_of >= 0 && !counted.insert(p.view_of).second) continue;
    if (shown == most) {
      rest += p.bytes;
      continue;
    }
    ++shown;
    std::vector<Cell> cells = {p.bytes,
                               a.peak > 0 ? Cell(static_cast<double>(p.bytes) / static_cast<double>(a.peak)) : Cell(),
                               p.name.empty() ? "value " + std::to_string(p.value) : p.name,
                               p.dtype + " " + p.shape,
                               writer(plan, a, p),
                               p.first,
                               p.last};
    if (!people) cells.insert(cells.begin(), {a.method, a.memory_id});
    t->add(std::move(cells));
  }
  if (people && rest > 0) t->add({rest, Cell(), "(others)"}, RowStyle::Dim);
}

Table alive_table(bool people) {
  Table t;
  t.columns = {{.title = "bytes", .kind = CellKind::Bytes},
               {.title = "of peak", .kind = CellKind::Share},
               {.title = "tensor", .min_width = 12},
               {.title = "type"},
               {.title = "written by", .min_width = 20},
               {.title = "from", .kind = CellKind::Integer, .key = "first_instruction"},
               {.title = "to", .kind = CellKind::Integer, .key = "last_instruction"}};
  if (!people) {
    t.columns.insert(t.columns.begin(), std::initializer_list<Column>{
                                            {.title = "method"}, {.title = "memory id", .kind = CellKind::Integer}});
  }
  return t;
}

/// The largest of each memory id over all methods: what one set of buffers for all has to hold.
std::map<int64_t, int64_t> pools(const MemoryPlan& plan) {
  std::map<int64_t, int64_t> out;
  for (const PlanArena& a : plan.arenas) out[a.memory_id] = std::max(out[a.memory_id], a.bytes);
  return out;
}

int64_t high_water(const MemoryPlan& plan, const std::string& name) {
  int64_t most = 0;
  for (const RuntimeArena& a : plan.runtime) most = a.name == name ? std::max(most, a.high_water) : most;
  return most;
}

std::string other_lines(const MemoryPlan& plan) {
  std::string out;
  for (const PlanMethod& m : plan.methods) {
    if (m.constant_bytes + m.external_bytes + m.unplanned_bytes == 0) continue;
    out += m.name + ": ";
    std::vector<std::string> parts;
    if (m.constants > 0) parts.push_back(plural(m.constants, "constant") + " " + both(m.constant_bytes));
    if (m.external > 0) parts.push_back(plural(m.external, "constant") + " of a tensor file " + both(m.external_bytes));
    if (m.unplanned > 0)
      parts.push_back(format_count(m.unplanned) + " inputs and outputs that the caller provides " +
                      both(m.unplanned_bytes));
    out += joined(parts, ", ") + "\n";
  }
  struct OfBackend {
    int64_t delegates = 0, payloads = 0, weights = 0;
    bool known = true;
  };
  std::map<std::pair<std::string, std::string>, OfBackend> backends;
  for (const PlanDelegate& d : plan.delegates) {
    OfBackend& b = backends[{d.method, d.backend}];
    ++b.delegates;
    b.payloads += d.payload_bytes.value_or(0);
    b.weights += d.weights_bytes.value_or(0);
    b.known = b.known && d.payload_bytes.has_value();
  }
  for (const auto& [of, b] : backends) {
    out += of.first + ": " + plural(b.delegates, "delegate") + " of " + of.second + ": payloads " +
           (b.known ? both(b.payloads) : "of unknown size");
    if (b.weights > 0) out += ", of it weights " + both(b.weights);
    out += "\n";
  }
  for (const PlanMethod& m : plan.methods) out += m.name + ": " + memory_total_text(memory_total(plan, m.name)) + "\n";
  for (const char* const name : {"method", "temp"}) {
    if (const int64_t most = high_water(plan, name); most > 0)
      out += std::string(name) + " allocator at run time: " + both(most) + "\n";
  }
  return out;
}

std::string cpp_text(const MemoryPlan& plan, const std::string& program) {
  std::string out = "// Memory of " + program + ", for a runtime without an allocator.\n";
  out += "#include <array>\n#include <cstddef>\n#include <cstdint>\n\n";
  const std::map<int64_t, int64_t> sizes = pools(plan);
  std::string ids, spans;
  for (const auto& [id, bytes] : sizes) {
    const std::string n = std::to_string(id);
    out += "// Memory id " + n + ", the most that a method asks for.\n";
    out += "alignas(16) inline std::array<uint8_t, " + std::to_string(std::max<int64_t>(bytes, 1)) + "> planned_" + n +
           ";\n";
    spans += (spans.empty() ? "" : ", ") + ("{planned_" + n + ".data(), planned_" + n + ".size()}");
  }
  out +=
      "// Give them as Span<uint8_t> to HierarchicalAllocator, in this order: " + (spans.empty() ? "(none)" : spans) +
      "\n";
  for (const auto& [name, what] : {std::pair("method", "structures of the loaded method"),
                                   std::pair("temp", "what kernels and delegates need while they run")}) {
    const int64_t most = high_water(plan, name);
    if (most > 0) {
      out += std::string("// Seen in the trace: ") + what + ".\n";
      out += "alignas(16) inline std::array<uint8_t, " + std::to_string(most) + "> " + name + "_pool;\n";
    } else {
      out += std::string("// How much the ") + name + " allocator needs (" + what +
             ") is seen when the program runs: et-run --etdump.\n";
    }
  }
  return out;
}

void write_json(const MemoryPlan& plan, std::string* out) {
  JsonWriter json(out);
  json.begin_object()
      .member("schema_version", kJsonSchemaVersion)
      .key("memory")
      .begin_object()
      .key("arenas")
      .begin_array();
  for (const PlanArena& a : plan.arenas) {
    json.begin_object().member("method", a.method).member("memory_id", a.memory_id).member("device", a.device);
    json.member("bytes", a.bytes).member("peak", a.peak).member("peak_at", a.peak_at).member("reach", a.reach);
    json.member("high_water", a.high_water).key("alive_at_peak").begin_array();
    for (const int32_t i : a.alive_at(a.peak_at)) {
      const PlanTensor& t = a.tensors[static_cast<size_t>(i)];
      json.begin_object()
          .member("value", t.value)
          .member("name", t.name)
          .member("dtype", t.dtype)
          .member("shape", t.shape);
      json.member("bytes", t.bytes).member("offset", t.offset).member("first", t.first).member("last", t.last);
      json.member("view_of", t.view_of >= 0 ? std::optional(t.view_of) : std::nullopt)
          .member("written_by", writer(plan, a, t))
          .end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().key("pools").begin_array();
  for (const auto& [id, bytes] : pools(plan))
    json.begin_object().member("memory_id", id).member("bytes", bytes).end_object();
  json.end_array().key("runtime").begin_array();
  for (const RuntimeArena& a : plan.runtime)
    json.begin_object()
        .member("method", a.method)
        .member("name", a.name)
        .member("capacity", a.capacity)
        .member("high_water", a.high_water)
        .end_object();
  json.end_array().key("delegates").begin_array();
  for (const PlanDelegate& d : plan.delegates)
    json.begin_object()
        .member("method", d.method)
        .member("ordinal", d.ordinal)
        .member("backend", d.backend)
        .member("payload_bytes", d.payload_bytes)
        .member("weights_bytes", d.weights_bytes)
        .end_object();
  json.end_array().key("totals").begin_array();
  for (const PlanMethod& m : plan.methods) {
    const MemoryTotal total = memory_total(plan, m.name);
    json.begin_object().member("method", m.name).member("bytes", total.sum()).member("planned", total.planned);
    json.member("constants", total.constants).member("delegates", total.delegates).member("caller", total.caller);
    json.member("runtime", total.runtime)
        .member("load_peak", total.load_peak())
        .key("unknown_workspace_of")
        .begin_array();
    for (const std::string& backend : total.unknown) json.value(backend);
    json.end_array().end_object();
  }
  json.end_array().end_object().end_object();
  *out += "\n";
}

}  // namespace

Status write_memory(const MemoryPlan& plan, const MemoryReportOptions& options, std::string* out) {
  if (options.format == "json") {
    write_json(plan, out);
    return {};
  }
  const TableOptions table = {
      .format = options.format == "cpp" ? "table" : options.format, .width = options.width, .color = options.color};
  const bool people = options.format == "table" || options.format == "markdown";
  const size_t most = options.top < 0 || !people ? SIZE_MAX : static_cast<size_t>(options.top);
  if (options.format == "cpp") {
    if (plan.empty()) return {Error::InvalidArgument, "C++ needs the program: give it with --pte"};
    *out += cpp_text(plan, options.program);
    return {};
  }
  if (!people) {
    Table t = alive_table(false);
    for (const PlanArena& a : plan.arenas) add_alive(plan, a, most, false, &t);
    return t.write(table, out);
  }
  if (plan.empty() && plan.runtime.empty()) {
    *out +=
        "Nothing is known of memory: the plan is in the program (--pte), marks of the run time are in traces of "
        "et-run.\n";
    return {};
  }
  const std::string end = options.format == "markdown" ? "\n\n" : "\n";
  if (!plan.arenas.empty()) {
    *out += "Memory-planned arenas" + end;
    if (Status s = arenas_table(plan).write(table, out); !s.ok()) return s;
    *out += "\n";
  }
  for (const PlanArena& a : plan.arenas) {
    if (a.tensors.empty()) continue;
    *out += "At the peak of " + a.method + " #" + std::to_string(a.memory_id) + ", " + both(a.peak) + end;
    Table t = alive_table(true);
    add_alive(plan, a, most, true, &t);
    if (Status s = t.write(table, out); !s.ok()) return s;
    *out += "\n";
  }
  *out += other_lines(plan);
  return {};
}

}  // namespace et::inspector
