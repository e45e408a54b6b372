// Numbers over whole blocks and ops once all runs are read, and what the dump says of itself.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/hex.h"
#include "inspector/ingest/dump/dump_detail.h"
#include "inspector/ingest/dump/dump_import.h"

namespace et::inspector {
namespace {

std::optional<std::string> text_or_null(std::string_view s) {
  return s.empty() ? std::nullopt : std::optional(std::string(s));
}

int64_t add_clamped(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

// XNNPACK's profiler gives whole microseconds: what is shorter shows as 0.
void flag_whole_microseconds(ImportContext& context, Trace& trace) {
  for (Block& block : trace.blocks) {
    bool whole = true, any = false;
    for (const int32_t o : block.ops) {
      const Op& op = trace.ops[static_cast<size_t>(o)];
      if (op.kind != OpKind::DelegateOp || op.foreign()) continue;
      whole &= op.whole_microseconds;
      any |= op.stats.max.value_or(0) > 0;
    }
    for (const int32_t o : block.ops) {
      Op& op = trace.ops[static_cast<size_t>(o)];
      op.whole_microseconds = op.kind == OpKind::DelegateOp && whole && any && !trace.cycles && !op.foreign();
      if (op.whole_microseconds) {
        context.diagnostics.add("resolution-limited",
                                "block " + std::to_string(block.ordinal) + " (" + block.name + "): events of " +
                                    (op.backend.empty() ? "a delegate" : op.backend) + " last whole microseconds");
      }
    }
  }
}

// Statistics that depend on other ops: what is enclosed, and the block's total.
void add_shares(Trace& trace) {
  for (const Op& op : trace.ops) {
    if (op.parent < 0 || op.foreign()) continue;
    int64_t& self = trace.ops[static_cast<size_t>(op.parent)].stats.self;
    self = add_clamped(self, -op.stats.sum);
  }
  for (Op& op : trace.ops) {
    const Block& block = trace.blocks[static_cast<size_t>(op.block)];
    if (op.stats.count == 0 || op.foreign() || block.total <= 0) continue;
    op.stats.share = static_cast<double>(op.stats.sum) / static_cast<double>(block.total);
    op.stats.self_share = static_cast<double>(op.stats.self) / static_cast<double>(block.total);
  }
}

}  // namespace

void detail::report_reader_state(const etdump::Reader& reader, ImportContext& context, const Trace& trace) {
  const std::string& path = context.inputs.dump;
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
    d.add("trailer-damaged", path + ": the bytes behind the dump are not a trailer");
  if (path.empty()) {
    const IngestInputs& in = context.inputs;
    d.add("no-dump", (in.program.empty() ? in.record : in.program) + ": given without a dump");
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
}

void DumpImport::finish(Trace& trace) {
  if (has_buffer_ && !saw_values_) {
    context_.diagnostics.add("debug-buffer-unused",
                             context_.inputs.debug_buffer + ": " + context_.inputs.dump + " has no logged tensors");
  }
  std::vector<Sample> samples;
  std::vector<int64_t> durations, warm;
  for (size_t o = 0; o < trace.ops.size(); ++o) {
    context_.report("statistics", o, trace.ops.size());
    Op& op = trace.ops[o];
    const Block& block = trace.blocks[static_cast<size_t>(op.block)];
    samples_.samples(o, &samples);
    samples_.release(o);
    durations.clear();
    warm.clear();
    op.whole_microseconds = true;
    std::optional<int64_t> cold;
    for (const Sample& s : samples) {
      durations.push_back(s.duration);
      op.whole_microseconds &= s.duration % 1000 == 0;
      if (s.run == block.cold_run) {
        cold = add_clamped(cold.value_or(0), s.duration);
      } else {
        warm.push_back(s.duration);
      }
    }
    Samples all(durations), warm_ones(warm);
    op.stats = OpStatistics::of(all, warm_ones, cold);
  }
  for (Block& block : trace.blocks) {
    for (const int64_t d : block.run_durations) block.total = add_clamped(block.total, d);
    if (block.cold_run >= 0) {
      Statement st = context_.store.query("SELECT duration FROM raw_run WHERE id = ?1");
      st.bind_all(block.cold_run);
      if (st.step()) block.cold = st.integer(0);
    }
  }
  add_shares(trace);
  flag_whole_microseconds(context_, trace);
}

void DumpImport::write_trace_row(const Trace& trace) const {
  const IngestInputs& in = context_.inputs;
  Statement st = context_.store.query(
      "INSERT INTO raw_trace VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22)");
  std::optional<std::string> producer, host, cpu, os, build, clock, sha;
  std::optional<int64_t> threads, numerator, denominator, lost;
  std::optional<double> overhead;
  std::optional<size_t> dump_bytes;
  if (!in.dump.empty()) dump_bytes = file_.bytes().size();
  if (const etdump::Trailer* t = reader_.trailer(); t != nullptr) {
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
    Statement label = context_.store.query("INSERT INTO raw_label VALUES(?1,?2,?3)");
    for (size_t i = 0; i < t->label_count(); ++i) label.run(context_.trace, t->label(i).key, t->label(i).value);
  }
  st.run(context_.trace, text_or_null(in.trace_name), text_or_null(in.dump), dump_bytes, text_or_null(in.record),
         text_or_null(in.program), text_or_null(in.debug_buffer), trace.cycles ? "cycles" : "ns", producer, host, cpu,
         os, build, threads, clock, numerator, denominator, sha, lost, overhead, trace.events, trace.executions);
}

}  // namespace et::inspector
