#include "cli/check/divergence.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <tuple>

#include "runtime/module/host_tensor.h"

namespace et::cli {
namespace {

using inspector::LoggedValue;

bool is_floating(ScalarType t) {
  return t == ScalarType::Half || t == ScalarType::BFloat16 || t == ScalarType::Float || t == ScalarType::Double ||
         t == ScalarType::ComplexHalf || t == ScalarType::ComplexFloat || t == ScalarType::ComplexDouble;
}

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

std::vector<std::optional<NodePlace>> node_places(const std::vector<LoggedValue>& values) {
  std::map<NodePlace, int64_t> seen;
  std::vector<std::optional<NodePlace>> out;
  for (const LoggedValue& v : values) {
    if (v.node.empty()) {
      out.emplace_back();
      continue;
    }
    NodePlace p{v.node, v.node_output, 0};
    std::get<2>(p) = seen[p]++;
    out.emplace_back(std::move(p));
  }
  return out;
}

/// Index in the reference for each value.
using Matches = std::vector<std::optional<size_t>>;

Matches match_by_place(const std::vector<LoggedValue>& values, const std::vector<LoggedValue>& reference) {
  std::map<Place, size_t> known;
  const std::vector<Place> of_reference = places(reference);
  for (size_t i = 0; i < of_reference.size(); ++i) known.emplace(of_reference[i], i);
  Matches out;
  for (const Place& p : places(values)) {
    const auto it = known.find(p);
    out.push_back(it == known.end() ? std::nullopt : std::optional(it->second));
  }
  return out;
}

Matches match_by_node(const std::vector<LoggedValue>& values, const std::vector<LoggedValue>& reference) {
  std::map<NodePlace, size_t> known;
  const auto of_reference = node_places(reference);
  for (size_t i = 0; i < of_reference.size(); ++i) {
    if (of_reference[i]) known.emplace(*of_reference[i], i);
  }
  Matches out;
  for (const auto& p : node_places(values)) {
    const auto it = p ? known.find(*p) : known.end();
    out.push_back(it == known.end() ? std::nullopt : std::optional(it->second));
  }
  return out;
}

size_t count(const Matches& matches) {
  return static_cast<size_t>(
      std::count_if(matches.begin(), matches.end(), [](const auto& m) { return m.has_value(); }));
}

bool comparable(const LoggedValue& a, const LoggedValue& b) { return a.dtype == b.dtype && a.shape == b.shape; }

std::optional<bundled::Comparison> compare_pair(const LoggedValue& got, const LoggedValue& want,
                                                const bundled::Tolerance& tolerance) {
  ScalarType type{};
  if (!scalar_type_of(got.dtype, &type) || !comparable(got, want) || got.shape.size() > kTensorDimensionLimit) {
    return std::nullopt;
  }
  HostTensor tensor(type, got.shape);
  if (tensor.size() != got.data.size() || got.data.size() != want.data.size()) return std::nullopt;
  if (!got.data.empty()) std::memcpy(tensor.data(), got.data.data(), got.data.size());
  std::vector<uint8_t> dim_order(want.shape.size());
  std::iota(dim_order.begin(), dim_order.end(), uint8_t{0});
  const bundled::TensorValue expected{
      type, want.shape, dim_order, {reinterpret_cast<const uint8_t*>(want.data.data()), want.data.size()}};
  return bundled::compare(tensor.tensor(), expected, is_floating(type) ? tolerance : bundled::Tolerance{});
}

}  // namespace

Divergence compare_runs(const std::vector<LoggedValue>& values, const std::vector<LoggedValue>& reference,
                        const bundled::Tolerance& tolerance, double snr_limit) {
  Divergence out;
  std::optional<size_t> slight;
  Matches matches = match_by_place(values, reference);
  const Matches by_node = match_by_node(values, reference);
  // The same names at nearly all instructions: the same program, as far as its operators go.
  const bool same = count(matches) * 10 >= std::max(values.size(), reference.size()) * 9;
  out.matched_by = "instruction";
  if (!same && count(by_node) > 0) {
    matches = by_node;
    out.matched_by = "graph node";
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const std::optional<bundled::Comparison> figures =
        matches[i] ? compare_pair(values[i], reference[*matches[i]], tolerance) : std::nullopt;
    if (!figures) {
      ++out.unmatched;
      continue;
    }
    if (!figures->passed()) {
      std::optional<size_t>& first = figures->snr_db() > snr_limit ? slight : out.first;
      if (!first) first = out.pairs.size();
    }
    out.pairs.push_back({i, *matches[i], *figures});
  }
  if (!out.first) out.first = slight;
  return out;
}

}  // namespace et::cli
