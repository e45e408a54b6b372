// What the times of a report are: on which executions, and whether of one of them or of all. Parts add up to the whole
// on every basis (inspector/match/execution_basis.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace et::inspector {

/// Range: the sum in a span of time, of no option of a command (OpTableOptions::range).
enum class BasisKind : uint8_t { WarmMedian, Mean, Total, Cold, P99, Execution, Range };

struct Basis {
  BasisKind kind = BasisKind::WarmMedian;
  int64_t execution = 0;  ///< of Execution: number among the executions of a method, from 0
  std::string span = {};  ///< of Range: "executions #3 to #7 of forward"; "" when it has no name

  bool operator==(const Basis&) const = default;
  /// Times are sums over executions, not of one.
  bool is_sum() const { return kind == BasisKind::Total || kind == BasisKind::Range; }
  /// As parse_basis takes it: "warm", "mean", "total", "cold", "p99", "#4".
  std::string name() const;
  /// For people: "warm median per execution", "sum of all executions", "execution #4".
  std::string text() const;
  /// What shares are of: "the warm median", "all executions", "execution #4".
  std::string whole() const;
};

/// What an op costs on the warm median, in a sentence about it.
#define ET_USUAL_TIME "the usual time in a warm execution: the mean of the middle half of its times"

/// Errors: InvalidArgument, naming those there are.
Status parse_basis(std::string_view text, Basis* out);

}  // namespace et::inspector
