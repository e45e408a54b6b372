#include "inspector/analysis/gap/renamed_nodes.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "inspector/analysis/diff/node_match.h"
#include "inspector/analysis/gap/dequantised.h"

namespace et::inspector {
namespace {

std::map<int64_t, const NodeFacts*> facts_of(const OpTable& table) {
  std::map<int64_t, const NodeFacts*> out;
  for (const OpNode& n : table.nodes) out.emplace(n.node->id, n.node);
  return out;
}

/// One word for operators that lowerings put in place of each other: "linear" of aten.addmm.default.
std::string family_of(const std::string& op) {
  const size_t begin = op.find('.'), end = op.rfind('.');
  std::string name = begin == std::string::npos || begin == end ? op : op.substr(begin + 1, end - begin - 1);
  for (const std::string_view tail : {"_copy", "_with_indices"}) {
    if (name.ends_with(tail)) name.resize(name.size() - tail.size());
  }
  return name == "addmm" || name == "mm" ? "linear" : name;
}

std::string alike_key(const NodeFacts& node) {
  return family_of(node.op) + "\n" + node.module_path + "\n" + short_place(node);
}

/// By operator, module and line: how many nodes there are.
std::map<std::string, int64_t> count_alike(const std::map<int64_t, const NodeFacts*>& nodes) {
  std::map<std::string, int64_t> out;
  for (const auto& [id, node] : nodes) ++out[alike_key(*node)];
  return out;
}

std::map<int64_t, std::string> shapes_of(const Store& store, int64_t trace_id) {
  Statement s = store.query("SELECT node_id, coalesce(shape, '') FROM nodes WHERE trace_id = ? AND graph = 'edge'");
  s.bind_all(trace_id);
  std::map<int64_t, std::string> out;
  while (s.step()) out.emplace(s.integer(0), s.str(1));
  return out;
}

/// Sizes other than 1; none where one is not known.
std::optional<std::vector<int64_t>> sizes_of(std::string_view shape) {
  std::vector<int64_t> out;
  while (true) {
    const size_t begin = shape.find_first_not_of("[], ");
    if (begin == std::string_view::npos) return out;
    const std::string_view word = shape.substr(begin, shape.find_first_of(",]", begin) - begin);
    shape.remove_prefix(begin + word.size());
    int64_t size = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    if (size != 1) out.push_back(size);
  }
}

/// Whether a node of the one shape may be one of the other: lowerings add dimensions of 1, and a linear layer merges
/// all but the last.
bool shapes_may_agree(const std::string& a, const std::string& b, bool linear) {
  const auto ours = sizes_of(a), theirs = sizes_of(b);
  if (a.empty() || b.empty() || !ours || !theirs || *ours == *theirs) return true;
  const auto elements = [](const std::vector<int64_t>& v) {
    double n = 1;  // only compared
    for (const int64_t size : v) n *= static_cast<double>(size);
    return n;
  };
  return linear && !ours->empty() && !theirs->empty() && ours->back() == theirs->back() &&
         elements(*ours) == elements(*theirs);
}

}  // namespace

Status rename_nodes(const Store& a, int64_t a_id, const Store& b, int64_t b_id, GapSide* run, GapSide* reference) {
  OpTable ours, theirs;
  Status status = load_op_table(a, a_id, {}, &ours);
  if (status.ok()) status = load_op_table(b, b_id, {}, &theirs);
  if (!status.ok() || !ours.has_links() || !theirs.has_links()) return status;
  const std::map<int64_t, const NodeFacts*> our_nodes = facts_of(ours), their_nodes = facts_of(theirs);
  std::map<std::string, std::string> renamed;
  std::set<std::string> in_both, in_both_there;
  const std::map<std::string, int64_t> alike_here = count_alike(our_nodes), alike_there = count_alike(their_nodes);
  const std::map<int64_t, std::string> our_shapes = shapes_of(a, a_id), their_shapes = shapes_of(b, b_id);
  for (const NodeMatch& m : match_nodes(ours, theirs)) {
    const NodeFacts &here = *our_nodes.at(m.a), &there = *their_nodes.at(m.b);
    // Of nodes that only share a line none is the other, unless it is the same operator in another form.
    if (m.via == NodeMatchVia::Place && family_of(here.op) != family_of(there.op)) continue;
    const auto our_shape = our_shapes.find(m.a), their_shape = their_shapes.find(m.b);
    if (our_shape != our_shapes.end() && their_shape != their_shapes.end() &&
        !shapes_may_agree(our_shape->second, their_shape->second, family_of(here.op) == "linear")) {
      continue;
    }
    renamed.emplace(there.name, here.name);
    const auto here_too = alike_here.find(alike_key(here)), there_too = alike_there.find(alike_key(there));
    if (here_too != alike_here.end() && there_too != alike_there.end() && here_too->second != there_too->second)
      reference->unsure.insert(here.name);
    in_both.insert(here.name);
    in_both_there.insert(there.name);
  }
  status = dequantise(a, a_id, in_both, run);
  if (status.ok()) status = dequantise(b, b_id, in_both_there, reference);
  if (!status.ok()) return status;
  for (LoggedValue& v : reference->values) {
    const auto node = renamed.find(v.node);
    v.node = node == renamed.end() ? "" : node->second;
    for (NodeResult& other : v.others) {
      const auto it = renamed.find(other.node);
      other.node = it == renamed.end() ? "" : it->second;
    }
    std::erase_if(v.others, [](const NodeResult& r) { return r.node.empty(); });
  }
  return {};
}

}  // namespace et::inspector
