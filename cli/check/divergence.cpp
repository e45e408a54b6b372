#include "cli/check/divergence.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "cli/check/value_layout.h"

namespace et::cli {
namespace {

using inspector::LoggedValue;

/// The place of a value in a program; the last number counts how often it was written (loops).
using Place = std::tuple<int64_t, int64_t, std::string, int64_t, int64_t, int64_t>;
using NodePlace = std::tuple<std::string, int64_t, int64_t>;

std::vector<Place> places(const std::vector<LoggedValue>& values) {
  std::map<Place, int64_t> seen;
  std::vector<Place> out;
  for (const LoggedValue& v : values) {
    Place p{v.chain, v.instruction, v.name, v.ordinal, v.item, 0};
    std::get<5>(p) = seen[p]++;
    out.push_back(std::move(p));
  }
  return out;
}

/// What a value may be in the reference, likeliest first.
using Matches = std::vector<std::vector<size_t>>;

Matches match_by_place(const std::vector<LoggedValue>& values, const std::vector<LoggedValue>& reference) {
  std::map<Place, size_t> known;
  const std::vector<Place> of_reference = places(reference);
  for (size_t i = 0; i < of_reference.size(); ++i) known.emplace(of_reference[i], i);
  Matches out;
  for (const Place& p : places(values)) {
    const auto it = known.find(p);
    out.push_back(it == known.end() ? std::vector<size_t>() : std::vector<size_t>{it->second});
  }
  return out;
}

Matches match_by_node(const std::vector<LoggedValue>& values, const std::vector<LoggedValue>& reference) {
  std::map<NodePlace, int64_t> seen;
  std::map<NodePlace, size_t> known;
  for (size_t i = 0; i < reference.size(); ++i) {
    if (reference[i].node.empty()) continue;
    NodePlace p{reference[i].node, reference[i].node_output, 0};
    std::get<2>(p) = seen[p]++;
    known.emplace(std::move(p), i);
  }
  seen.clear();
  Matches out;
  for (const LoggedValue& v : values) {
    std::vector<size_t>& list = out.emplace_back();
    if (v.node.empty()) continue;
    const int64_t visit = seen[{v.node, v.node_output, 0}]++;
    const auto add = [&](const std::string& node, int64_t output) {
      const auto it = known.find({node, output, visit});
      if (it != known.end()) list.push_back(it->second);
    };
    add(v.node, v.node_output);
    for (const inspector::NodeResult& other : v.others) add(other.node, other.output);
  }
  return out;
}

/// Values that are quantised by what they are just then: backends have scales and zero points of their own (one a row,
/// another zero), so that the integers say nothing.
bool quantised_in_its_own_way(const LoggedValue& value, const LoggedValue& reference) {
  if (value.backend.empty()) return false;
  for (const char* op : {".quantize_per_tensor.tensor", ".quantize_per_token.default", ".quantize_affine.default"}) {
    if (reference.name.find(op) != std::string::npos) return true;
  }
  return false;
}

size_t count(const Matches& matches) {
  return static_cast<size_t>(std::count_if(matches.begin(), matches.end(), [](const auto& m) { return !m.empty(); }));
}

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
    if (quantised_in_its_own_way(values_[value], reference_[r])) return std::nullopt;
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
  return is_floating_name(value.dtype) && c.snr_db() >= snr_limit;
}

Divergence compare_runs(const std::vector<LoggedValue>& values, const std::vector<LoggedValue>& reference,
                        const Closeness& close) {
  Divergence out;
  Matches matches = match_by_place(values, reference);
  const Matches by_node = match_by_node(values, reference);
  // The same names at nearly all instructions: the same program, as far as its operators go.
  const bool same = count(matches) * 10 >= std::max(values.size(), reference.size()) * 9;
  out.matched_by = "instruction";
  if (!same && count(by_node) > 0) {
    matches = by_node;
    out.matched_by = "graph node";
  }
  const Comparer comparer(values, reference, close);
  for (size_t i = 0; i < values.size(); ++i) {
    const std::optional<ValuePair> p = comparer.pair(i, matches[i], !same && !out.first);
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
