// How large the trace of a program will be before it is taken: the events of an execution are told from instructions
// and payloads, and the tracer itself (ETDumpGen) records and writes them, so that sizes are those of the writer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/program_file.h"

namespace et::inspector {

enum class LoggedValues : uint8_t { None, Outputs, Intermediate };

struct PredictOptions {
  std::string method;       ///< empty: forward, or the only one
  uint64_t iterations = 1;  ///< of et-run: each runs all test cases of a bundled program
  LoggedValues values = LoggedValues::None;
  bool methods_only = false;
  bool event_notes = false;                    ///< shapes and temporary memory beside each event
  uint64_t trips = 1;                          ///< of loops whose end depends on data
  uint64_t trace_limit = uint64_t{256} << 20;  ///< memory for events
};

/// From the least to the most; `open`: more is possible, because a loop's end depends on data.
struct Bounds {
  uint64_t least = 0, most = 0;
  bool open = false;
  bool exact() const { return least == most && !open; }
};

/// Of one execution, unless said otherwise.
struct EventCounts {
  Bounds kernels;    ///< events of kernels
  Bounds calls;      ///< OPERATOR_CALL, DELEGATE_CALL, jumps, moves, frees
  Bounds delegates;  ///< inside delegates
  Bounds values;     ///< logged values
  uint64_t method = 1;
  uint64_t load = 0;   ///< while the method is loaded, once
  uint64_t first = 0;  ///< in the first execution on top, once
};

struct Prediction {
  std::string method;
  uint64_t executions = 0;
  uint64_t instructions = 0;
  EventCounts events;
  Bounds dump;            ///< bytes of the ETDump
  Bounds dump_execution;  ///< bytes that each further execution adds
  Bounds debug_buffer;    ///< bytes
  Bounds debug_execution;
  Bounds memory;                               ///< bytes that the events take while they are recorded
  uint32_t branches = 0, loops = 0;            ///< jumps and loops that depend on data
  bool dynamic_shapes = false;                 ///< `least` of the debug buffer is without values whose shape varies
  bool cut = false;                            ///< longer than can be followed
  std::vector<std::string> unknown_delegates;  ///< whose events are not counted: backends
};

/// Errors: NotFound (no such method).
Status predict_trace(const ProgramFile& file, const PredictOptions& options, Prediction* out);

}  // namespace et::inspector
