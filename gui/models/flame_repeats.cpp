#include "gui/models/flame_repeats.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "gui/models/module_pattern.h"
#include "gui/models/repeated_modules.h"

namespace et::gui {
namespace {

using inspector::CostKind;
using inspector::CostNode;
using inspector::CostTree;

const CostNode& at(const CostTree& tree, int32_t node) { return tree.nodes[static_cast<size_t>(node)]; }

/// One of a list, by its class; "" of anything else. A list of plain operators is no repetition of a block.
std::string class_in_list(const CostTree& tree, int32_t node) {
  const CostNode& n = at(tree, node);
  if (n.kind != CostKind::Module || n.type.empty() || !is_module_number(n.name)) return {};
  const auto is_module = [&](int32_t c) { return at(tree, c).kind == CostKind::Module; };
  return std::any_of(n.children.begin(), n.children.end(), is_module) ? n.type.str() : std::string();
}

std::map<std::string, int> classes_in_list(const CostTree& tree, const CostNode& parent) {
  std::map<std::string, int> out;
  for (const int32_t c : parent.children) {
    if (const std::string of = class_in_list(tree, c); !of.empty()) ++out[of];
  }
  return out;
}

class RepeatMerger {
 public:
  explicit RepeatMerger(RepeatsMerged* out) : whole_(*out->whole), out_(*out) {}

  void run() {
    out_.tree.unit = whole_.unit;
    out_.tree.other_clock_ops = whole_.other_clock_ops;
    if (whole_.nodes.empty()) return;
    add({0}, -1);
    std::vector<int32_t> merged(whole_.nodes.size());
    for (size_t i = 0; i < out_.members.size(); ++i) {
      for (const int32_t member : out_.members[i]) merged[static_cast<size_t>(member)] = static_cast<int32_t>(i);
    }
    out_.tree.charges = whole_.charges;
    for (inspector::CostCharge& c : out_.tree.charges) c.node = merged[static_cast<size_t>(c.node)];
  }

 private:
  using Key = std::tuple<int, std::string, int>;

  int32_t add(const std::vector<int32_t>& members, int32_t parent) {
    const auto index = static_cast<int32_t>(out_.tree.nodes.size());
    out_.tree.nodes.push_back(sum_of(members));
    out_.tree.nodes.back().parent = parent;
    out_.members.push_back(members);
    std::vector<std::pair<Key, std::vector<int32_t>>> groups;
    for (const int32_t member : members) add_children(member, members.size() > 1, &groups);
    for (const auto& [key, children] : groups) {
      const int32_t child = add(children, index);
      out_.tree.nodes[static_cast<size_t>(index)].children.push_back(child);
    }
    return index;
  }

  /// What stands at the same place of its module: the second linear of each layer.
  void add_children(int32_t member, bool merged, std::vector<std::pair<Key, std::vector<int32_t>>>* groups) const {
    const std::map<std::string, int> listed = classes_in_list(whole_, at(whole_, member));
    std::map<std::pair<int, std::string>, int> seen;
    for (const int32_t c : at(whole_, member).children) {
      const CostNode& n = at(whole_, c);
      const std::string of = class_in_list(whole_, c);
      const auto list = listed.find(of);
      const bool repeated = list != listed.end() && list->second > 1;
      const bool operation = n.kind == CostKind::Node && !n.type.empty();
      const std::string name = repeated ? "#" + of : operation ? n.type.str() : n.name.str();
      int place = 0;
      if (!repeated) place = seen[{static_cast<int>(n.kind), name}]++;
      const Key key{static_cast<int>(n.kind), name, merged || repeated ? place : c};
      const auto known = std::find_if(groups->begin(), groups->end(), [&](const auto& g) { return g.first == key; });
      if (known == groups->end()) {
        groups->push_back({key, {c}});
      } else {
        known->second.push_back(c);
      }
    }
  }

  CostNode sum_of(const std::vector<int32_t>& members) {
    CostNode out = at(whole_, members.front());
    out.children.clear();
    if (members.size() == 1) return out;
    double middle = 0;
    std::vector<std::string> paths;
    out.ops = 0, out.samples = 0, out.self = 0, out.total = 0, out.shared = 0;
    for (const int32_t member : members) {
      const CostNode& n = at(whole_, member);
      out.ops += n.ops, out.samples += n.samples, out.self += n.self, out.total += n.total, out.shared += n.shared;
      out.shared_by = std::max(out.shared_by, n.shared_by);
      out.mixed = out.mixed || n.mixed || n.part != out.part || !(n.backend == out.backend);
      middle += n.middle;
      paths.push_back(n.path);
    }
    out.middle = middle / static_cast<double>(members.size());
    // The numbers that they have: not those of all that the boxes around them stand for.
    const std::string pattern = module_pattern(paths);
    out.path = keep(pattern);
    out.node = {};
    out.op = -1;
    if (out.kind == CostKind::Module && !pattern.empty()) out.name = keep(pattern_parts(pattern).back());
    return out;
  }

  inspector::Text keep(const std::string& text) { return inspector::Text(out_.tree.texts.keep(text)); }

  const CostTree& whole_;
  RepeatsMerged& out_;
};

}  // namespace

bool has_repeats(const CostTree& tree) {
  return std::any_of(tree.nodes.begin(), tree.nodes.end(), [&](const CostNode& n) {
    const auto listed = classes_in_list(tree, n);
    return std::any_of(listed.begin(), listed.end(), [](const auto& of) { return of.second > 1; });
  });
}

std::shared_ptr<const RepeatsMerged> merge_repeats(std::shared_ptr<const CostTree> whole) {
  auto out = std::make_shared<RepeatsMerged>();
  out->whole = std::move(whole);
  RepeatMerger(out.get()).run();
  return out;
}

}  // namespace et::gui
