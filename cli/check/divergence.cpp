#include "cli/check/divergence.h"

#include <algorithm>
#include <map>

#include "cli/check/compare_values.h"
#include "inspector/analysis/gap/value_match.h"
#include "inspector/analysis/ops/value_layout.h"

namespace et::cli {
namespace {

using inspector::LoggedValue;

class Comparer {
 public:
  Comparer(const std::vector<LoggedValue>& values, const std::vector<LoggedValue>& reference, const Closeness& close)
      : values_(values), reference_(reference), close_(close) {
    for (size_t i = 0; i < reference.size(); ++i) by_bytes_[reference[i].data.size()].push_back(i);
  }

  /// `wide`: looks for a value that agrees beyond the matches, too.
  std::optional<ValuePair> pair(size_t value, const std::vector<size_t>& matches, bool wide) const {
    std::optional<ValuePair> first;
    for (const size_t r : matches) {
      const std::optional<ValuePair> p = compared(value, r);
      if (!p) continue;
      if (p->agrees) return linked_to(*p, first);
      if (!first) first = p;
    }
    if (!first || !wide || values_[value].data.size() < kTelling) return first;
    const auto same_size = by_bytes_.find(values_[value].data.size());
    if (same_size == by_bytes_.end()) return first;
    for (const size_t r : same_size->second) {
      const std::optional<ValuePair> p = compared(value, r);
      if (p && p->agrees) return linked_to(*p, first);
    }
    return first;
  }

 private:
  // Fewer bytes may be equal by chance.
  static constexpr size_t kTelling = 16;

  static ValuePair linked_to(ValuePair p, const std::optional<ValuePair>& first) {
    if (first) p.linked = first->reference;
    return p;
  }
  std::optional<ValuePair> compared(size_t value, size_t r) const {
    if (inspector::quantised_in_its_own_way(values_[value], reference_[r])) return std::nullopt;
    const std::optional<bundled::Comparison> figures = compare_values(values_[value], reference_[r], close_.tolerance);
    if (!figures) return std::nullopt;
    return ValuePair{value, r, *figures, close_.agrees(values_[value], *figures), r};
  }

  const std::vector<LoggedValue>& values_;
  const std::vector<LoggedValue>& reference_;
  const Closeness& close_;
  std::map<size_t, std::vector<size_t>> by_bytes_;
};

}  // namespace

bool Closeness::agrees(const LoggedValue& value, const bundled::Comparison& c) const {
  if (c.passed()) return true;
  if (c.nan_mismatch > 0 || c.inf_mismatch > 0) return false;
  if (value.dtype == "int8" || value.dtype == "uint8") return c.max_abs_error <= 1;
  return inspector::is_floating_name(value.dtype) && c.snr_db() >= snr_limit;
}

Divergence compare_runs(const std::vector<LoggedValue>& values, const std::vector<LoggedValue>& reference,
                        const Closeness& close) {
  Divergence out;
  const inspector::MatchedValues matched = inspector::match_values(values, reference);
  const bool same = matched.same_program;
  out.matched_by = matched.by;
  const Comparer comparer(values, reference, close);
  for (size_t i = 0; i < values.size(); ++i) {
    const std::optional<ValuePair> p = comparer.pair(i, matched.matches[i], !same && !out.first);
    if (!p) {
      ++out.unmatched;
      continue;
    }
    if (!p->agrees && !out.first) out.first = out.pairs.size();
    out.pairs.push_back(*p);
  }
  return out;
}

std::vector<size_t> suspects(const Divergence& d, const std::vector<LoggedValue>& values,
                             const std::vector<LoggedValue>& local, const Closeness& close) {
  const auto locally_wrong = [&](const ValuePair& p) {
    if (p.linked >= local.size()) return true;
    const std::optional<bundled::Comparison> c = compare_values(values[p.value], local[p.linked], close.tolerance);
    return !c || !close.agrees(values[p.value], *c);
  };
  std::vector<size_t> out;
  const size_t first = *d.first;
  if (locally_wrong(d.pairs[first])) out.push_back(first);
  // The first is right for what it was fed: what fed it agreed with another value by chance, or had no counterpart.
  for (size_t i = first; i-- > 0;) {
    if (d.pairs[i].elsewhere() && locally_wrong(d.pairs[i])) out.push_back(i);
  }
  for (size_t i = first + 1; i < d.pairs.size(); ++i) {
    if (!d.pairs[i].agrees && locally_wrong(d.pairs[i])) out.push_back(i);
  }
  return out;
}

}  // namespace et::cli
