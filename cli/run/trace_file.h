// The trace of et-run: the tracer as the options ask for it, and its file.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "cli/arguments.h"
#include "etdump/etdump_gen.h"
#include "etdump/file_data_sink.h"
#include "etdump/perf_counters_posix.h"

namespace et::cli {

/// The tracer with all that the options ask of it.
struct Trace {
  std::unique_ptr<etdump::ETDumpGen> gen;
  std::optional<etdump::FileDataSink> sink;
  std::optional<etdump::PerfCounters> counters;
  std::string path;
};

/// Without --etdump `trace` stays empty; options that need one are errors then. Errors: InvalidArgument.
Status open_trace(const Arguments& args, unsigned threads, Trace* trace);
/// Creates the debug buffer, if one is asked for. Before the first execution.
Status open_debug_buffer(const Arguments& args, Trace* trace);

/// What the trace says of the program that runs: its hash, that of the first data file (empty: there is none), its
/// path, which must outlive the trace.
void describe_program(const char* path, std::span<const uint8_t> program, std::span<const uint8_t> data, Trace* trace);

/// Writes the files and warns of what did not fit: `lost`.
Status write_trace(const Arguments& args, Trace* trace, bool* lost);

}  // namespace et::cli
