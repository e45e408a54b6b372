// What a trace is and what it cost in the large: its facts, its diagnostics, the parts its time falls into, what has no
// link.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct DiagnosticRow {
  std::string id, severity, message, help;
  int64_t count = 0;
};

struct MethodRow {
  std::string name;
  std::optional<int64_t> inputs, outputs, instructions;
  int64_t executions = 0, total = 0;
  std::optional<int64_t> cold;                // first execution
  std::optional<double> warm_mean, warm_p50;  // NULL when its executions are spread over several blocks (p50 only)
};

/// A trace may have half a million of them with a handful of reasons: texts are kept once, in TraceFacts::texts.
struct UnlinkedRow {
  size_t op = 0;  // index in OpTable::ops
  Text reason;
};

struct TraceFacts {
  int64_t id = 0, events = 0, executions = 0;
  std::optional<std::string> name, dump_path, record_path, program_path, debug_buffer_path;
  std::optional<std::string> producer, host, cpu, os, build, clock, program_sha256;
  std::optional<int64_t> dump_bytes, execute_total, threads, lost_events;
  std::optional<double> event_overhead_ns;
  std::string unit;
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<DiagnosticRow> diagnostics;  // errors first, then data loss, then the rest
  std::vector<MethodRow> methods;          // in the program's order
  std::vector<UnlinkedRow> unlinked;       // by the op's id
  std::shared_ptr<TextPool> texts;         // of `unlinked`

  bool data_loss() const;
};

/// Errors: as load_op_table.
Status load_summary(const Store& store, const OpTable& table, TraceFacts* out);

/// A part of the executions' time of one method: a backend, the kernels, control flow, the framework.
struct PartRow {
  std::optional<std::string> method;
  Part part = Part::Framework;
  std::string backend;    // of Delegate
  int64_t calls = 0;      // delegate calls, or samples of kernels and control: in all executions
  double calls_each = 0;  // the same in an execution
  int64_t ops = 0;        // different ops (op_count.h)
  double total = 0;       // ticks, on the basis of the table
  double inner = 0;       // of Delegate and Kernel: inside the calls' events
  double overhead = 0;    // of Delegate and Kernel: of the calls, explained by no inner event
  double share = 0;       // of the method's executions
};
/// Executions only. The totals of a method's rows add up to the time of its executions.
std::vector<PartRow> cost_parts(const OpTable& table);
/// "XnnpackBackend", "kernels", "control flow", "framework".
std::string part_name(const PartRow& row);

}  // namespace et::inspector
