#include "inspector/ingest/dump/trace_row.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/hex.h"

namespace et::inspector {
namespace {

std::optional<std::string> text_or_null(std::string_view s) {
  return s.empty() ? std::nullopt : std::optional(std::string(s));
}

}  // namespace

void report_dump(const DumpFile& dump, const Trace& trace, bool saw_values, ImportContext& context) {
  const etdump::Reader& reader = dump.reader;
  const std::string& path = dump.path;
  Diagnostics& d = context.diagnostics;
  if (reader.truncated()) d.add("dump-truncated", path + ": the file is shorter than its size prefix says");
  if (reader.lost_tables() > 0) {
    std::string text = path + ": " + std::to_string(reader.lost_tables()) + " runs or events cannot be read";
    if (!reader.losses().empty()) {
      const etdump::Loss& first = reader.losses().front();
      text += "; first: ";
      if (first.run != etdump::Loss::kNoRun) text += "run " + std::to_string(first.run) + ", ";
      if (first.event >= 0) text += "event " + std::to_string(first.event) + ", ";
      text += std::string(first.field) + " at byte " + std::to_string(first.offset) + ": expected " + first.expected;
    }
    d.add("dump-damaged", text, reader.lost_tables());
  }
  if (reader.version() != 0)
    d.add("dump-version", path + ": version " + std::to_string(reader.version()) + ", expected 0");
  if (reader.trailer_state() == etdump::TrailerState::Damaged)
    d.add("trailer-damaged", path + ": the bytes after the ETDump are not a trailer");
  if (path.empty()) {
    const IngestInputs& in = context.inputs;
    d.add("no-dump", (in.program.empty() ? in.record : in.program) + ": given without an ETDump");
  } else if (trace.events == 0) {
    d.add("empty-dump", path + ": no events");
  }
  if (const etdump::Trailer* t = reader.trailer(); t != nullptr && t->lost_events() > 0) {
    d.add("lost-events",
          path + ": the runtime dropped " + std::to_string(t->lost_events()) + " events (policy " +
              std::string(t->policy()) + ")",
          t->lost_events());
  }
  const bool loads =
      std::any_of(trace.blocks.begin(), trace.blocks.end(), [](const Block& b) { return b.kind == "load"; });
  if (trace.executions > 0 && !loads && reader.trailer() == nullptr)
    d.add("no-load-block", path + ": executions, but no load block");
  if (dump.has_buffer && !saw_values)
    d.add("debug-buffer-unused", context.inputs.debug_buffer + ": " + path + " has no logged tensors");
}

void write_trace_row(const DumpFile& dump, const Trace& trace, ImportContext& context) {
  const IngestInputs& in = context.inputs;
  Statement st = context.store.query(
      "INSERT INTO raw_trace VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22)");
  std::optional<std::string> producer, host, cpu, os, build, clock, sha;
  std::optional<int64_t> threads, numerator, denominator, lost;
  std::optional<double> overhead;
  std::optional<size_t> dump_bytes;
  if (!in.dump.empty()) dump_bytes = dump.bytes().size();
  if (const etdump::Trailer* t = dump.reader.trailer(); t != nullptr) {
    producer = text_or_null(t->producer());
    lost = static_cast<int64_t>(t->lost_events());
    if (t->overhead_ns() > 0) overhead = t->overhead_ns();
    if (t->has_host()) {
      host = text_or_null(t->host().name);
      cpu = text_or_null(t->host().cpu);
      os = text_or_null(t->host().os);
      build = text_or_null(t->host().build);
      if (t->host().threads_used > 0) threads = t->host().threads_used;
    }
    if (t->has_clock()) {
      clock = text_or_null(t->clock().name);
      numerator = static_cast<int64_t>(t->clock().numerator);
      denominator = static_cast<int64_t>(t->clock().denominator);
    }
    if (t->has_program()) sha = text_or_null(hex_text(t->program().sha256));
    Statement label = context.store.query("INSERT INTO raw_label VALUES(?1,?2,?3)");
    for (size_t i = 0; i < t->label_count(); ++i) label.run(context.trace, t->label(i).key, t->label(i).value);
  }
  st.run(context.trace, text_or_null(in.trace_name), text_or_null(in.dump), dump_bytes, text_or_null(in.record),
         text_or_null(in.program), text_or_null(in.debug_buffer), trace.cycles ? "cycles" : "ns", producer, host, cpu,
         os, build, threads, clock, numerator, denominator, sha, lost, overhead, trace.events, trace.executions);
}

}  // namespace et::inspector
