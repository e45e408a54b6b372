#include "cli/run/trace_file.h"

#include <array>
#include <cstdlib>

#include "base/interruption.h"
#include "base/quantity.h"
#include "base/sha256.h"
#include "base/write_file.h"
#include "cli/console.h"
#include "cli/version.h"
#include "etdump/host_info_posix.h"
#include "inspector/text/words.h"

namespace et::cli {

Status open_trace(const Arguments& args, unsigned threads, Trace* trace) {
  if (!args.given("etdump")) {
    for (const char* option :
         {"debug-buffer", "debug-level", "counters", "label", "phase", "methods-only", "event-notes"}) {
      if (args.given(option)) return {Error::InvalidArgument, std::string("--") + option + " needs --etdump"};
    }
    return {};
  }
  trace->path = args.text("etdump");
  trace->gen = std::make_unique<etdump::ETDumpGen>();
  etdump::ETDumpGen& gen = *trace->gen;
  if (args.given("trace-limit")) {
    const auto limit = parse_bytes(args.text("trace-limit"));
    if (!limit) {
      return {Error::InvalidArgument,
              "--trace-limit: expected a size such as 4096 or 2MiB, got '" + args.text("trace-limit") + "'"};
    }
    gen.set_max_bytes(static_cast<size_t>(*limit));
  }
  gen.set_full_policy(args.text("when-full") == "ring" ? etdump::FullPolicy::Ring : etdump::FullPolicy::Stop);
  if (args.flag("methods-only")) gen.set_event_tracer_profiling_level(EventTracerProfilingLevel::kProfileMethodOnly);
  gen.set_wants_event_notes(args.flag("event-notes"));
  gen.set_producer((std::string("et-inspect runtime ") + kVersion).c_str());
  etdump::set_host_info(gen, "et::kernels", threads);
  for (const auto& [key, value] : args.pairs("label")) {
    if (!gen.add_label(key.c_str(), value.c_str())) return {Error::InvalidArgument, "--label: too many labels"};
  }
  // Nobody should take these times for those of the device.
  if (args.given("tosa") && !gen.add_label("EthosUBackend", "TOSA graph on this machine, not the NPU"))
    return {Error::InvalidArgument, "--label: too many labels"};
  if (args.given("phase")) gen.set_phase(args.text("phase").c_str());
  const std::string level = args.given("debug-level")    ? args.text("debug-level")
                            : args.given("debug-buffer") ? "intermediate"
                                                         : "none";
  if (level != "none" && !args.given("debug-buffer")) {
    return {Error::InvalidArgument, "--debug-level " + level + " needs --debug-buffer"};
  }
  gen.set_event_tracer_debug_level(level == "intermediate" ? EventTracerDebugLogLevel::kIntermediateOutputs
                                   : level == "outputs"    ? EventTracerDebugLogLevel::kProgramOutputs
                                                           : EventTracerDebugLogLevel::kNoLogging);
  if (args.flag("counters")) {
    trace->counters.emplace();
    if (!trace->counters->problem().empty()) print_warning(args, "--counters: " + trace->counters->problem());
    if (trace->counters->available()) gen.set_counter_reader(&*trace->counters);
  }
  return {};
}

Status open_debug_buffer(const Arguments& args, Trace* trace) {
  if (trace->gen == nullptr || !args.given("debug-buffer")) return {};
  Result<etdump::FileDataSink> sink = etdump::FileDataSink::create(args.text("debug-buffer").c_str());
  if (!sink.ok()) return {sink.error(), args.text("debug-buffer") + ": cannot write"};
  trace->sink.emplace(std::move(*sink));
  trace->gen->set_data_sink(&*trace->sink);
  return {};
}

void describe_program(const char* path, std::span<const uint8_t> program, std::span<const uint8_t> data, Trace* trace) {
  if (trace->gen == nullptr) return;
  const auto hash = et::sha256(program);
  std::array<uint8_t, 32> data_hash{};
  etdump::ProgramFacts facts;
  facts.sha256 = hash;
  if (!data.empty()) {
    data_hash = et::sha256(data);
    facts.data_sha256 = data_hash;
  }
  facts.bytes = program.size();
  facts.path = path;
  trace->gen->set_program(facts);
}

Status write_trace(const Arguments& args, Trace* trace, bool* lost_any) {
  if (trace->gen == nullptr) return {};
  const etdump::LossCounts lost = trace->gen->losses();
  *lost_any = lost.events > 0 || lost.runs > 0 || lost.names > 0 || lost.values > 0;
  const etdump::ETDumpResult dump = trace->gen->get_etdump_data();
  if (dump.buf == nullptr) {
    const std::string what = trace->path + ": not written: no events were recorded";
    trace->path.clear();
    if (!*lost_any && interruption() == 0) return {Error::OutOfResources, what};
    print_warning(args, *lost_any ? what + "; raise --trace-limit" : what);
    return {};
  }
  const Status status = et::write_file(trace->path, {{static_cast<const uint8_t*>(dump.buf), dump.size}});
  std::free(dump.buf);
  if (trace->sink && !trace->sink->close())
    return {Error::AccessFailed, args.text("debug-buffer") + ": cannot write: disk full"};
  if (lost.events > 0 || lost.runs > 0) {
    const std::string what = lost.events > 0 ? inspector::plural(static_cast<int64_t>(lost.events), "event")
                                             : inspector::plural(static_cast<int64_t>(lost.runs), "execution");
    print_warning(args, what + " exceeded the trace limit and were dropped; raise --trace-limit");
  }
  if (lost.names > 0) {
    print_warning(args, std::to_string(lost.names) + " names of events were lost; raise --trace-limit");
  }
  if (lost.values > 0) print_warning(args, std::to_string(lost.values) + " tensors could not be logged");
  return status;
}

}  // namespace et::cli
