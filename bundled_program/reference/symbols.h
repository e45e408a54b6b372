// Sizes of a graph that are known only while it runs: symbols ("s77", "u12") with their values, and expressions of
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "etrecord/graph.h"

namespace et::reference {

class Symbols {
 public:
  /// The value of "2*s0 + 1"; nothing when a symbol in it has no value, it is no integer, or it cannot be read.
  std::optional<int64_t> value(std::string_view expression) const;
  std::optional<int64_t> value(const etrecord::Dim& dim) const;
  /// Gives a dimension that is a symbol without value its value. False: the dimension has another one.
  bool bind(const etrecord::Dim& dim, int64_t value);

 private:
  std::unordered_map<std::string, int64_t> values_;
};

/// "s77", "u0", "zuf3": a symbol alone.
bool is_symbol(std::string_view expression);

}  // namespace et::reference
