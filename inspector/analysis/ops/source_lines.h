// What Python lines cost, by file and line, on the basis of the op table: the times of all lines, the time that belongs
// to no line and the variation add up to what the executions cost. Where nothing was executed (no ETDump), the lines of
// the graph's nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/line_rule.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct SourceLine {
  int64_t line = 0;
  std::string function;
  std::string code;                   ///< as the ETRecord has it
  double ns = 0;                      ///< time of the ops that the line itself made
  double inclusive_ns = 0;            ///< and of those made in functions that it called
  int64_t ops = 0;                    ///< ops that `ns` comes from (op_count.h)
  int64_t nodes = 0;                  ///< without times: graph nodes that the line made
  std::vector<std::string> op_types;  ///< operators of its nodes, the costliest first
};

struct SourceFileCost {
  std::string file;   ///< as the ETRecord has it
  std::string owner;  ///< whose code it is, as `source_files.owner`
  double ns = 0;
  std::vector<SourceLine> lines;  ///< by line
};

struct SourceCost {
  std::string unit = "ns";
  Basis basis;
  ShownLines shown;                   ///< which frame of a node its line is
  std::vector<SourceFileCost> files;  ///< the costliest first
  double variation_ns = 0;            ///< OpBlock::variation of the executions
  double no_line_ns = 0;              ///< framework events, unattributed time, ops without a link
  double total_ns = 0;                ///< of the executions, on the basis
  double base_ns = 0;                 ///< what shares in the window are of: share_basis()
  bool timed = true;                  ///< false: nothing was executed, all times are 0
};

/// Errors: InvalidExternalData (damaged store).
Status load_source_cost(const Store& store, const OpTable& table, SourceCost* out);

/// A part of an op's self time that a line is charged with. Links that are charged with nothing are there as well, with
/// 0 ns: the line belongs to the op, but another line has its time.
struct LineCharge {
  int64_t op_id = 0;
  std::string_view file;  ///< as the ETRecord has it; "" and line 0: no line. Valid during the call
  int64_t line = 0;
  double ns = 0;
  double confidence = 0;  ///< of the surest link
};
/// Calls `take` for each op and line of the executions, op by op. For each line the charges add up to SourceLine::ns.
void for_each_line_charge(const OpTable& table, const std::function<void(const LineCharge&)>& take);

}  // namespace et::inspector
