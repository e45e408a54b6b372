// ETDumpFilter: which intermediate values of delegates are logged, by regular expressions of names and a range of ids.
#pragma once

#include <cstddef>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "executorch/runtime/core/event_tracer.h"
#include "executorch/runtime/core/result.h"

namespace executorch::etdump {

class ETDumpFilter : public ::executorch::runtime::EventTracerFilterBase {
 public:
  /// Matches whole names. InvalidArgument: no regular expression.
  ::et::Result<bool> add_regex(std::string_view pattern);
  /// Ids in [start, end). InvalidArgument: an empty range.
  ::et::Result<bool> set_debug_handle_range(size_t start, size_t end) {
    if (start >= end) return ::et::Error::InvalidArgument;
    start_ = start;
    end_ = end;
    return true;
  }
  /// True: a pattern matches, or the id is in the range; also where none was set. InvalidArgument: not exactly one
  /// given.
  ::et::Result<bool> filter(const char* name, ::executorch::runtime::DelegateDebugIntId delegate_debug_index) override;
  size_t get_n_regex() const { return patterns_.size(); }

 private:
  std::vector<std::regex> patterns_;
  size_t start_ = 0, end_ = 0;
};

}  // namespace executorch::etdump
