// Chrome trace event format: JSON for chrome://tracing and the Perfetto UI. One complete event ("ph":"X") a sample; ts
// and dur are µs with the ns as fraction. A clock is a process, a lane is a thread of it.
#include "inspector/report/export_text.h"
#include "inspector/report/exporters.h"

#include <set>
#include <vector>

namespace et::inspector {
namespace {

// Processes of foreign clocks get numbers that no trace has.
int64_t pid_of(const Timeline& t, int32_t track) { return t.trace_id() + (static_cast<int64_t>(track) << 20); }

std::string process_name(const Timeline& t, int32_t track) {
  const TimelineTrack& k = t.tracks()[static_cast<size_t>(track)];
  if (track == 0) return trace_title(t) + (t.unit() == "ns" ? "" : " (" + t.unit() + ", drawn as ns)");
  return (k.backend.empty() ? "delegate" : k.backend) + " on its own clock (" + k.clock + ", drawn as ns)";
}

void append_metadata(std::string* out, const char* what, int64_t pid, int64_t tid, std::string_view name) {
  *out += std::string("{\"name\":\"") + what + "\",\"ph\":\"M\",\"pid\":" + std::to_string(pid) +
          ",\"tid\":" + std::to_string(tid) + ",\"args\":{\"name\":";
  append_json_string(out, name);
  *out += "}}";
}

void append_member(std::string* out, const char* key, std::string_view text) {
  if (text.empty()) return;
  *out += std::string("\"") + key + "\":";
  append_json_string(out, text);
  *out += ',';
}

/// What all events of an op share: from "name" to the middle of its args.
std::string op_prefix(const Timeline& t, const TimelineOp& o) {
  const OpBlock& block = *t.blocks()[static_cast<size_t>(o.block)].entry;
  const OpEntry& op = *o.entry;
  std::string s = "{\"name\":";
  append_json_string(&s, o.title);
  s += ",\"cat\":";
  append_json_string(&s, op.kind);
  s += ",\"ph\":\"X\",\"pid\":" + std::to_string(pid_of(t, o.track)) + ",\"args\":{";
  if (o.title != op.name) append_member(&s, "event", op.name);
  append_member(&s, "block", block.name);
  append_member(&s, "method", block.method.value_or(""));
  if (op.instruction_id) s += "\"instruction\":" + std::to_string(*op.instruction_id) + ",";
  if (!op.op_types.empty()) s += "\"op_types\":" + types_json(op) + ",";
  append_member(&s, "source", source_text(o));
  append_member(&s, "function", o.source == nullptr ? "" : o.source->function);
  append_member(&s, "module", module_text(o));
  append_member(&s, "backend", op.backend.text());
  append_member(&s, "delegate_debug_id", op.delegate_debug_id.text());
  append_member(&s, "role", op.role.text());
  if (!op.debug_handles.empty()) s += "\"debug_handles\":" + handles_json(op) + ",";
  if (op.resolution_limited) s += "\"resolution_limited\":true,";
  return s;
}

}  // namespace

Status export_chrome(const Store& store, int64_t trace_id, const ExportOptions& options, std::ostream& out) {
  Timeline t;
  if (Status s = Timeline::load(store, trace_id, &t); !s.ok()) return s;
  std::vector<std::string> prefixes;
  for (const TimelineOp& o : t.ops()) prefixes.push_back(op_prefix(t, o));

  ExportSink sink(out);
  std::string& s = sink.buffer;
  s += "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"et-inspect\",\"unit\":";
  append_json_string(&s, t.unit());
  s += ",\"lines\":";
  append_json_string(&s, t.table().lines.text());
  s += "},\"traceEvents\":[\n";
  bool first = true;
  auto separate = [&] {
    if (!first) s += ",\n";
    first = false;
  };
  for (size_t i = 0; i < t.tracks().size(); ++i) {
    const auto track = static_cast<int32_t>(i);
    separate();
    append_metadata(&s, "process_name", pid_of(t, track), 0, process_name(t, track));
  }
  std::set<std::pair<int32_t, int32_t>> named;
  const Status walked =
      t.walk(store, options.max_executions, [&](const TimelineRun& run, std::span<const Slice> slices) {
        for (const Slice& slice : slices) {
          const TimelineOp& o = t.ops()[static_cast<size_t>(slice.op)];
          if (named.emplace(o.track, slice.lane).second) {
            separate();
            append_metadata(&s, "thread_name", pid_of(t, o.track), slice.lane + 1,
                            slice.lane == 0 ? std::string("ops") : "overlapping " + std::to_string(slice.lane));
          }
          separate();
          s += prefixes[static_cast<size_t>(slice.op)];
          if (slice.clamped > 0) s += "\"clamped_ns\":" + std::to_string(slice.clamped) + ",";
          if (run.is_cold) s += "\"cold\":true,";
          s += "\"run\":" + std::to_string(run.ordinal) + ",\"execution\":" + std::to_string(run.execution) +
               "},\"tid\":" + std::to_string(slice.lane + 1) + ",\"ts\":";
          append_us(&s, slice.start);
          s += ",\"dur\":";
          append_us(&s, slice.end - slice.start);
          s += '}';
          if (!sink.flush_if_large()) return sink.status();
        }
        return Status();
      });
  if (!walked.ok()) return walked;
  s += "\n]}\n";
  return sink.finish();
}

}  // namespace et::inspector
