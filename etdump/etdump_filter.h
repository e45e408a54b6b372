// ETDumpFilter: which intermediate values of delegates are kept. Says what it keeps and what it drops, so that no one
// has to know what "true" means:
//   - nothing set: everything is kept;
//   - as soon as something of a kind (name or id) is included, only that of this kind is kept;
//   - what is excluded is dropped, included or not.
// Names are matched whole by patterns: `*` any characters, `?` one, `[a-z]` `[!a-z]` one of (not of) these, `\` takes
// the next literally. Needs no heap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/core/event_tracer.h"

namespace et::etdump {

class ETDumpFilter : public EventTracerFilterBase {
 public:
  static constexpr size_t kMaxPatterns = 16;
  static constexpr size_t kMaxPattern = 95;
  static constexpr size_t kMaxRanges = 16;

  // OutOfResources: too many, or too long; InvalidArgument: an empty pattern, an open bracket, an empty range.
  Error include(std::string_view pattern) { return add(pattern, true); }
  Error exclude(std::string_view pattern) { return add(pattern, false); }
  /// Ids in [begin, end).
  Error include_ids(DelegateDebugIntId begin, DelegateDebugIntId end) { return add(begin, end, true); }
  Error exclude_ids(DelegateDebugIntId begin, DelegateDebugIntId end) { return add(begin, end, false); }
  void clear() { patterns_ = ranges_ = 0; }

  bool keeps(std::string_view name) const;
  bool keeps(DelegateDebugIntId id) const;
  /// True: dropped. InvalidArgument: not exactly one of the two is given.
  Result<bool> filter(const char* name, DelegateDebugIntId delegate_debug_index) override;

 private:
  struct Pattern {
    uint8_t length;
    bool include;
    char text[kMaxPattern];
  };
  struct Range {
    DelegateDebugIntId begin, end;
    bool include;
  };
  Error add(std::string_view pattern, bool include);
  Error add(DelegateDebugIntId begin, DelegateDebugIntId end, bool include);

  size_t patterns_ = 0, ranges_ = 0;
  Pattern pattern_[kMaxPatterns];
  Range range_[kMaxRanges];
};

/// The whole of `name` matches `pattern`, which is well formed.
bool glob_matches(std::string_view pattern, std::string_view name);

}  // namespace et::etdump
