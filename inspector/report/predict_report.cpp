#include "inspector/report/predict_report.h"

#include <utility>
#include <vector>

#include "inspector/text/json_writer.h"
#include "inspector/text/table.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr uint64_t kLargestDump = uint64_t{1} << 31;  // offsets of a flatbuffer are signed 32-bit numbers

int64_t number(uint64_t n) { return n > INT64_MAX ? INT64_MAX : static_cast<int64_t>(n); }

const char* values_word(LoggedValues values) {
  switch (values) {
    case LoggedValues::Outputs:
      return "outputs";
    case LoggedValues::Intermediate:
      return "intermediate";
    default:
      return "none";
  }
}

/// What is printed: one line each.
struct Line {
  std::string what, key;
  Bounds bounds;
  bool bytes = false;
};

std::vector<Line> lines_of(const Prediction& p) {
  const auto sum = [](const Bounds& a, const Bounds& b) {
    return Bounds{a.least + b.least, a.most + b.most, a.open || b.open};
  };
  const EventCounts& e = p.events;
  const bool open = p.loops > 0 || p.cut;
  const auto shown = [&](Bounds b) {
    b.open = open && b.most > b.least;
    return b;
  };
  const Bounds all = shown(sum(sum(e.kernels, e.calls), sum(sum(e.delegates, e.values), {e.method, e.method, false})));
  return {{"ETDump", "dump_bytes", p.dump, true},
          {"  each further execution", "dump_bytes_per_execution", p.dump_execution, true},
          {"Debug buffer", "debug_buffer_bytes", p.debug_buffer, true},
          {"  each execution", "debug_buffer_bytes_per_execution", p.debug_execution, true},
          {"Memory for events while it runs", "memory_bytes", p.memory, true},
          {"Events of an execution", "events", all, false},
          {"  kernels", "kernel_events", shown(e.kernels), false},
          {"  calls, jumps, moves, frees", "call_events", shown(e.calls), false},
          {"  inside delegates", "delegate_events", shown(e.delegates), false},
          {"  logged values", "value_events", shown(e.values), false},
          {"Events of loading", "load_events", {e.load, e.load, false}, false},
          {"Events of the first execution on top", "first_events", {e.first, e.first, false}, false}};
}

std::string bound_text(uint64_t n, bool bytes) { return bytes ? format_bytes(number(n)) : format_count(number(n)); }

std::string bounds_text(const Line& line) {
  const Bounds& b = line.bounds;
  const std::string least = bound_text(b.least, line.bytes), most = bound_text(b.most, line.bytes);
  std::string out = least == most ? most : least + " to " + most;
  if (b.open) out += " or more";
  return out;
}

std::string notes_text(const Prediction& p, const PredictOptions& asked) {
  std::string out;
  if (p.branches > 0)
    out += plural(p.branches, "branch") + (p.branches == 1 ? " depends" : " depend") +
           " on data: the range is from the shorter to the longer way.\n";
  if (p.loops > 0)
    out += "The end of " + plural(p.loops, "loop") + " depends on data: the upper end is for " +
           plural(number(asked.trips), "trip") + " (--trips), and more make more.\n";
  if (p.cut) out += "An execution has more instructions than can be followed: there will be more events.\n";
  if (p.dynamic_shapes)
    out += "Shapes vary: the upper end of the debug buffer is for the largest that the program allows.\n";
  if (!p.unknown_delegates.empty())
    out += "Events inside " + joined(p.unknown_delegates, ", ") + " are not counted: their number is not known.\n";
  if (p.memory.most > asked.trace_limit)
    out += "The events take more memory than the trace limit, " + format_bytes(number(asked.trace_limit)) +
           ": run fewer executions, or raise --trace-limit of et-run.\n";
  if (p.dump.most >= kLargestDump)
    out += "An ETDump holds at most 2 GiB: what is beyond is dropped. Run fewer executions.\n";
  return out;
}

void write_bounds(const Line& line, JsonWriter* json) {
  const Bounds& b = line.bounds;
  json->key(line.key).begin_object().member("least", number(b.least)).member("most", number(b.most));
  json->member("open", b.open).end_object();
}

void write_json(const Prediction& p, const PredictOptions& asked, std::string* out) {
  JsonWriter json(out);
  json.begin_object().member("schema_version", kJsonSchemaVersion).key("prediction").begin_object();
  json.member("method", p.method).member("executions", number(p.executions));
  json.member("instructions", number(p.instructions)).member("debug_level", values_word(asked.values));
  json.member("methods_only", asked.methods_only).member("trips", number(asked.trips));
  for (const Line& line : lines_of(p)) write_bounds(line, &json);
  json.member("branches", static_cast<int64_t>(p.branches)).member("loops", static_cast<int64_t>(p.loops));
  json.member("cut", p.cut).member("dynamic_shapes", p.dynamic_shapes);
  json.member("trace_limit_bytes", number(asked.trace_limit));
  json.member("fits_trace_limit", p.memory.most <= asked.trace_limit && p.dump.most < kLargestDump);
  json.key("unknown_delegates").begin_array();
  for (const std::string& backend : p.unknown_delegates) json.value(backend);
  json.end_array().end_object().end_object();
}

}  // namespace

Status write_prediction(const Prediction& p, const PredictOptions& asked, const PredictReportOptions& options,
                        std::string* out) {
  if (options.format == "json") {
    write_json(p, asked, out);
    return {};
  }
  const bool people = options.format == "table" || options.format == "markdown";
  Table t;
  if (people) {
    t.columns = {{.title = "what"}, {.title = "will be", .right = true}};
    for (const Line& line : lines_of(p)) {
      if (line.bounds.most == 0 && line.bounds.least == 0 && !line.bounds.open) continue;
      t.add({line.what, bounds_text(line)});
    }
    *out += "Trace of " + plural(number(p.executions), "execution") + " of " + printable(p.method) + ", " +
            plural(number(p.instructions), "instruction") + "\n\n";
  } else {
    t.columns = {{.title = "what"},
                 {.title = "least", .kind = CellKind::Integer},
                 {.title = "most", .kind = CellKind::Integer},
                 {.title = "open", .kind = CellKind::Integer}};
    for (const Line& line : lines_of(p))
      t.add({line.key, number(line.bounds.least), number(line.bounds.most), static_cast<int64_t>(line.bounds.open)});
  }
  const TableOptions table = {.format = options.format, .width = options.width, .color = options.color};
  if (Status s = t.write(table, out); !s.ok()) return s;
  const std::string notes = notes_text(p, asked);
  if (people && !notes.empty()) *out += "\n" + notes;
  return {};
}

}  // namespace et::inspector
