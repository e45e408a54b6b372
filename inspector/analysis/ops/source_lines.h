// What Python lines cost: time of all executions, by file and line. The times of all lines and the time that leads to
// no line add up to the total of the executions. Where nothing was executed (no dump), the lines of the graph's nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspector/store/store.h"
#include "base/status.h"

namespace et::inspector {

struct SourceLine {
  int64_t line = 0;
  std::string function;
  std::string code;                   ///< as the record has it
  double ns = 0;                      ///< time of the ops that the line itself made
  double inclusive_ns = 0;            ///< and of those made in functions that it called
  int64_t ops = 0;                    ///< ops that `ns` comes from
  int64_t nodes = 0;                  ///< without times: graph nodes that the line made
  std::vector<std::string> op_types;  ///< operators of its nodes, the costliest first
};

struct SourceFileCost {
  std::string file;  ///< as the record has it
  double ns = 0;
  std::vector<SourceLine> lines;  ///< by line
};

struct SourceCost {
  std::string unit = "ns";
  std::vector<SourceFileCost> files;  ///< the costliest first
  double no_line_ns = 0;              ///< framework events, unattributed time, ops without a link
  double total_ns = 0;                ///< of all executions
  bool timed = true;                  ///< false: nothing was executed, all times are 0
};

/// Errors: NotFound (no such trace), InvalidExternalData (damaged store).
Status load_source_cost(const Store& store, int64_t trace_id, SourceCost* out);

}  // namespace et::inspector
