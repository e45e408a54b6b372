// Sizes of a graph that are known only while it runs: symbols ("s77", "u12") with their values, and expressions of
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "etrecord/graph.h"

namespace et::reference {

class Symbols {
 public:
  /// The value of "2*s0 + 1"; nothing when a symbol in it has no value, it is no integer, or it cannot be read.
  std::optional<int64_t> value(std::string_view expression) const;
  std::optional<int64_t> value(const etrecord::Dim& dim) const;
  /// Learns that the dimension has this value: what a symbol without value is, alone or as the only one of an
  /// expression ("2*_h" is 720), now or once the others are known. False: the dimension has another value.
  bool bind(const etrecord::Dim& dim, int64_t value);

 private:
  bool solve(const std::string& expression, int64_t value);

  std::vector<std::pair<std::string, int64_t>> open_;  // with several unknown symbols
  std::unordered_map<std::string, int64_t> values_;
};

/// "s77", "u0", "_h": a symbol alone.
bool is_symbol(std::string_view expression);

}  // namespace et::reference
