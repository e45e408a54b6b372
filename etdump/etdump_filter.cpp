#include "etdump/etdump_filter.h"

#include <cstring>

#include "runtime/platform/log.h"

namespace et::etdump {
namespace {

// Length of the element at the start of `p` (not `*`), 0 when it is not complete.
size_t element_length(std::string_view p) {
  if (p[0] == '\\') return p.size() < 2 ? 0 : 2;
  if (p[0] != '[') return 1;
  size_t i = p.size() > 1 && (p[1] == '!' || p[1] == '^') ? 2 : 1;
  // A bracket at the start of the set stands for itself.
  for (const size_t first = i; i < p.size(); ++i) {
    if (p[i] == ']' && i != first) return i + 1;
    if (p[i] == '\\') ++i;
  }
  return 0;
}

bool element_matches(std::string_view e, char c) {
  if (e[0] == '?') return true;
  if (e[0] == '\\') return e[1] == c;
  if (e[0] != '[') return e[0] == c;
  std::string_view set = e.substr(1, e.size() - 2);
  const bool negated = !set.empty() && (set[0] == '!' || set[0] == '^');
  if (negated) set.remove_prefix(1);
  bool found = false;
  const auto at = [](char x) { return static_cast<unsigned char>(x); };
  for (size_t i = 0; i < set.size(); ++i) {
    if (set[i] == '\\' && i + 1 < set.size()) ++i;
    const char low = set[i];
    char high = low;
    if (i + 2 < set.size() && set[i + 1] == '-') {
      i += 2;
      if (set[i] == '\\' && i + 1 < set.size()) ++i;
      high = set[i];
    }
    found = found || (at(c) >= at(low) && at(c) <= at(high));
  }
  return found != negated;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view name) {
  size_t p = 0;
  size_t n = 0;
  // Where to go on when what follows the last star does not fit.
  size_t star = std::string_view::npos;
  size_t star_name = 0;
  while (n < name.size() || p < pattern.size()) {
    if (p < pattern.size()) {
      if (pattern[p] == '*') {
        star = ++p;
        star_name = n;
        continue;
      }
      const size_t length = element_length(pattern.substr(p));
      if (n < name.size() && length != 0 && element_matches(pattern.substr(p, length), name[n])) {
        p += length;
        ++n;
        continue;
      }
    }
    if (star == std::string_view::npos || star_name == name.size()) return false;
    p = star;
    n = ++star_name;
  }
  return true;
}

Error ETDumpFilter::add(std::string_view pattern, bool include) {
  ET_CHECK_OR_RETURN_ERROR(patterns_ < kMaxPatterns, OutOfResources, "filter: more than %zu patterns", kMaxPatterns);
  ET_CHECK_OR_RETURN_ERROR(pattern.size() <= kMaxPattern, OutOfResources,
                           "filter: pattern of %zu bytes exceeds the limit of %zu", pattern.size(), kMaxPattern);
  bool whole = !pattern.empty();
  for (size_t i = 0; whole && i < pattern.size();) {
    const size_t length = element_length(pattern.substr(i));
    whole = length != 0;
    i += length;
  }
  ET_CHECK_OR_RETURN_ERROR(whole, InvalidArgument, "filter: invalid pattern \"%.*s\"", static_cast<int>(pattern.size()),
                           pattern.data());
  Pattern& to = pattern_[patterns_++];
  to.include = include;
  to.length = static_cast<uint8_t>(pattern.size());
  std::memcpy(to.text, pattern.data(), pattern.size());
  return Error::Ok;
}

Error ETDumpFilter::add(DelegateDebugIntId begin, DelegateDebugIntId end, bool include) {
  ET_CHECK_OR_RETURN_ERROR(begin < end, InvalidArgument, "filter: empty range of ids [%d, %d)", static_cast<int>(begin),
                           static_cast<int>(end));
  ET_CHECK_OR_RETURN_ERROR(ranges_ < kMaxRanges, OutOfResources, "filter: more than %zu ranges", kMaxRanges);
  range_[ranges_++] = {begin, end, include};
  return Error::Ok;
}

bool ETDumpFilter::keeps(std::string_view name) const {
  bool any_include = false;
  bool included = false;
  for (size_t i = 0; i < patterns_; ++i) {
    const Pattern& p = pattern_[i];
    any_include = any_include || p.include;
    if (!glob_matches({p.text, p.length}, name)) continue;
    if (!p.include) return false;
    included = true;
  }
  return included || !any_include;
}

bool ETDumpFilter::keeps(DelegateDebugIntId id) const {
  bool any_include = false;
  bool included = false;
  for (size_t i = 0; i < ranges_; ++i) {
    const Range& r = range_[i];
    any_include = any_include || r.include;
    if (id < r.begin || id >= r.end) continue;
    if (!r.include) return false;
    included = true;
  }
  return included || !any_include;
}

Result<bool> ETDumpFilter::filter(const char* name, DelegateDebugIntId delegate_debug_index) {
  const bool has_id = delegate_debug_index != kUnsetDelegateDebugIntId;
  ET_CHECK_OR_RETURN_ERROR((name != nullptr) != has_id, InvalidArgument,
                           "filter: exactly one of name and delegate_debug_index must be given");
  return !(name != nullptr ? keeps(std::string_view(name)) : keeps(delegate_debug_index));
}

}  // namespace et::etdump
