// The per-op rows of the main report: which ops make a row, in what order, and how they become tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inspector/analysis/ops/filter.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/text/table.h"

namespace et::inspector {

enum class SortKey : uint8_t { Cost, Order, Name, Count, Mean, P50, P99, Max, Total };
/// `text` "" gives `fallback`. Errors: InvalidArgument, naming those there are.
Status parse_sort_key(std::string_view text, SortKey fallback, SortKey* out);

/// Source paths as short as they can be while they stay different: /a/model.py -> model.py.
class PlaceNames {
 public:
  explicit PlaceNames(const OpTable& table);
  /// "model.py:12", "" without a file.
  std::string place(const NodeFacts& node) const;

 private:
  std::unordered_map<std::string, std::string> short_;
};

/// A row of a block's table: an op whose time is its own, or the part of enclosing ops that nothing inside explains.
struct CostLine {
  size_t op = 0;  // the op, or the first of those whose unattributed time was added up
  bool unattributed = false;
  int64_t ops = 1;
  double cost = 0;  // exclusive time on the table's basis
  int64_t count = 0, total = 0;
  std::optional<double> mean, p50, p99;  // of warm executions where there are some; not of unattributed time
  std::optional<double> max;
};

struct CostLines {
  std::vector<CostLine> lines;  // sorted
  double hidden = 0;            // cost of what the filter took out
  int64_t hidden_ops = 0;       // op_count.h
  bool hides = false;
  double variation = 0;    // OpBlock::variation
  double unexplained = 0;  // of the block's cost; 0 in a sound store
};

/// lines + hidden + variation + unexplained = the block's cost. Ops on another clock and ops without measurements are
/// not in it.
CostLines cost_lines(const OpTable& table, const OpBlock& block, const Filter& filter, SortKey sort);

/// Marks that were used in a table, to be explained below it.
struct Marks {
  bool whole_microseconds = false, inferred = false, layout = false, negative = false, rest = false, variation = false;
  int64_t partial = 0;  // rows of ops that some executions went without
  std::string partial_example = {};
};

/// The per-op table of one block, for people. `top` < 0: all rows. `narrow`: short labels.
Table block_table(const OpTable& table, const OpBlock& block, const CostLines& lines, const PlaceNames& places,
                  const TimeUnit& unit, int64_t top, bool narrow, Marks* marks);

/// Ops of a block on a clock of their own, for people: in no sum.
Table foreign_table(const OpTable& table, const Filter& filter, const PlaceNames& places);

/// Every op with every column, for programs.
Table full_table(const OpTable& table, const std::vector<size_t>& ops, const TimeUnit& unit);

/// Indices of the ops that fit the filter, in the order of `sort`; ops on a clock of their own come last when it is by
/// time.
std::vector<size_t> selected_ops(const OpTable& table, const Filter& filter, SortKey sort, int64_t top);

}  // namespace et::inspector
