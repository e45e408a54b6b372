// Filters of logged values. The library of regular expressions reports errors by exceptions; none leaves this file.
#include "executorch/devtools/etdump/etdump_filter.h"

namespace executorch::etdump {

::et::Result<bool> ETDumpFilter::add_regex(std::string_view pattern) {
  try {
    patterns_.emplace_back(std::string(pattern));
  } catch (const std::regex_error&) {
    return ::et::Error::InvalidArgument;
  }
  return true;
}

::et::Result<bool> ETDumpFilter::filter(const char* name,
                                        ::executorch::runtime::DelegateDebugIntId delegate_debug_index) {
  const bool by_id = delegate_debug_index != ::et::kUnsetDelegateDebugIntId;
  if ((name != nullptr) == by_id) return ::et::Error::InvalidArgument;
  if (by_id) {
    const auto id = static_cast<size_t>(delegate_debug_index);
    return end_ == 0 || (delegate_debug_index >= 0 && id >= start_ && id < end_);
  }
  if (patterns_.empty()) return true;
  try {
    for (const std::regex& pattern : patterns_) {
      if (std::regex_match(name, pattern)) return true;
    }
  } catch (const std::regex_error&) {
    return ::et::Error::OutOfResources;  // too deep for this name
  }
  return false;
}

}  // namespace executorch::etdump
