#include "inspector/analysis/gap/value_match.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace et::inspector {
namespace {

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

ValueMatches match_by_place(const std::vector<LoggedValue>& values, const std::vector<LoggedValue>& reference) {
  std::map<Place, size_t> known;
  const std::vector<Place> of_reference = places(reference);
  for (size_t i = 0; i < of_reference.size(); ++i) known.emplace(of_reference[i], i);
  ValueMatches out;
  for (const Place& p : places(values)) {
    const auto it = known.find(p);
    out.push_back(it == known.end() ? std::vector<size_t>() : std::vector<size_t>{it->second});
  }
  return out;
}

ValueMatches match_by_node(const std::vector<LoggedValue>& values, const std::vector<LoggedValue>& reference,
                           bool unnamed) {
  // Several ops may claim a node: each trip of a loop is one of the same op.
  std::map<std::tuple<int64_t, std::string, int64_t>, int64_t> seen;
  std::map<NodePlace, size_t> known;
  for (size_t i = 0; i < reference.size(); ++i) {
    const LoggedValue& r = reference[i];
    if (!r.node.empty()) known.emplace(NodePlace{r.node, r.node_output, seen[{r.op_id, r.node, r.node_output}]++}, i);
  }
  seen.clear();
  ValueMatches out;
  for (const LoggedValue& v : values) {
    std::vector<size_t>& list = out.emplace_back();
    if (v.node.empty() && !unnamed) continue;
    const int64_t visit = seen[{v.op_id, v.node.empty() ? "#" + std::to_string(v.ordinal) : v.node, v.node_output}]++;
    const auto add = [&](const std::string& node, int64_t output) {
      const auto it = known.find({node, output, visit});
      if (it != known.end()) list.push_back(it->second);
    };
    if (!v.node.empty()) add(v.node, v.node_output);
    for (const NodeResult& other : v.others) add(other.node, other.output);
  }
  return out;
}

size_t count_matched(const ValueMatches& matches) {
  return static_cast<size_t>(std::count_if(matches.begin(), matches.end(), [](const auto& m) { return !m.empty(); }));
}

}  // namespace

bool quantised_in_its_own_way(const LoggedValue& value, const LoggedValue& reference) {
  if (value.backend.empty()) return false;
  for (const char* op : {".quantize_per_tensor.tensor", ".quantize_per_token.default", ".quantize_affine.default"}) {
    if (reference.name.find(op) != std::string::npos) return true;
  }
  return false;
}

MatchedValues match_values(const std::vector<LoggedValue>& values, const std::vector<LoggedValue>& reference,
                           bool unnamed) {
  MatchedValues out;
  out.matches = match_by_place(values, reference);
  ValueMatches by_node = match_by_node(values, reference, unnamed);
  out.same_program = count_matched(out.matches) * 10 >= std::max(values.size(), reference.size()) * 9;
  out.by = "instruction";
  if (!out.same_program && count_matched(by_node) > 0) {
    out.matches = std::move(by_node);
    out.by = "graph node";
  }
  return out;
}

}  // namespace et::inspector
