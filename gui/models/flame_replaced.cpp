// Where two trees of costs have different things in one place: what has come stands for what is gone.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "gui/models/flame_model.h"
#include "gui/models/frame_text.h"

namespace et::gui {

using inspector::CostKind;
using inspector::CostNode;

const FlameReplaced* FlameModel::replaced(int32_t node) const {
  const int32_t at = replaced_.empty() ? -1 : replaced_[static_cast<size_t>(node)];
  return at < 0 ? nullptr : &replacements_[static_cast<size_t>(at)];
}

std::string FlameModel::replaced_name(const Node& n) {
  return n.kind == CostKind::Frame ? called_name(n.code, n.name) : type_name(n);
}

/// What is new in a module that has lost something of the kind is there instead of it: slower than nothing says
/// nothing.
void FlameModel::find_replaced(const std::vector<size_t>& was, const std::vector<size_t>& place) {
  struct Swapped {
    std::vector<int32_t> gone, fresh;
  };
  const auto family = [](const CostNode& n) { return n.kind == CostKind::Call ? 0 : static_cast<int>(n.kind); };
  const auto alike = [](const CostNode& a, const CostNode& b) { return a.children.empty() == b.children.empty(); };
  const auto is_model = [](const CostNode& n) {
    return n.kind != CostKind::Outside && n.kind != CostKind::Unattributed && n.total > 0;
  };
  std::map<std::pair<size_t, int>, Swapped> swapped;  // by the place that they are in
  for (size_t i = 0; i < place.size(); ++i) {
    for (const auto& [b, part] : before_of_[i]) {
      for (const int32_t c : before_->nodes[static_cast<size_t>(b)].children) {
        if (gone_root_[static_cast<size_t>(c)] == c) gone_inside_[static_cast<int32_t>(i)].emplace_back(c, part);
      }
    }
  }
  for (size_t i = 1; i < was.size(); ++i) {
    if (gone_root_[i] != static_cast<int32_t>(i)) continue;
    const size_t in = was[static_cast<size_t>(before_->nodes[i].parent)];
    // What the same work took is no other thing.
    if (is_model(before_->nodes[i]) && is_gone_for_good(static_cast<int32_t>(i)))
      swapped[{in, family(before_->nodes[i])}].gone.push_back(static_cast<int32_t>(i));
  }
  replaced_.resize(place.size(), -1);
  for (size_t i = 1; i < place.size(); ++i) {
    if (fresh_root_[i] != static_cast<int32_t>(i) || same_work_[i] || replaced_[i] >= 0) continue;
    const size_t in = place[static_cast<size_t>(tree_->nodes[i].parent)];
    if (is_model(tree_->nodes[i])) swapped[{in, family(tree_->nodes[i])}].fresh.push_back(static_cast<int32_t>(i));
  }
  replaced_before_.assign(was.size(), false);
  paired_before_.assign(was.size(), false);
  const auto node_before = [&](int32_t at) -> const CostNode& { return before_->nodes[static_cast<size_t>(at)]; };
  for (auto& [in, both] : swapped) {
    if (both.gone.empty() || both.fresh.empty()) continue;
    std::stable_sort(both.gone.begin(), both.gone.end(),
                     [&](int32_t a, int32_t b) { return node_before(a).middle < node_before(b).middle; });
    std::stable_sort(both.fresh.begin(), both.fresh.end(),
                     [&](int32_t a, int32_t b) { return node(a).middle < node(b).middle; });
    for (const int32_t gone : both.gone) replaced_before_[static_cast<size_t>(gone)] = true;
    const bool pairs = both.gone.size() == both.fresh.size();
    for (size_t i = 0; i < both.fresh.size(); ++i) {
      const std::vector<int32_t> gone =
          pairs ? std::vector<int32_t>{both.gone[i]} : std::vector<int32_t>(both.gone.begin(), both.gone.end());
      FlameReplaced r;
      r.node = both.fresh[i];
      r.alone = pairs && alike(node(both.fresh[i]), node_before(both.gone[i]));
      if (r.alone) paired_before_[static_cast<size_t>(both.gone[i])] = true;
      r.others = pairs ? 0 : std::ssize(both.fresh) - 1;
      std::set<std::string> names;
      for (const int32_t at : gone) {
        names.insert(replaced_name(node_before(at)));
        r.time += node_before(at).total - taken_[static_cast<size_t>(at)];
        if (node_before(at).children.empty()) r.operators.insert(type_name(node_before(at)));
      }
      for (const std::string& name : names) r.names += (r.names.empty() ? "" : ", ") + name;
      replaced_[static_cast<size_t>(both.fresh[i])] = static_cast<int32_t>(replacements_.size());
      replacements_.push_back(std::move(r));
      name_replaced(gone, both.fresh[i]);
    }
  }
  for (size_t i = 1; i < replaced_.size(); ++i) {
    if (replaced_[i] < 0) replaced_[i] = replaced_[static_cast<size_t>(tree_->nodes[i].parent)];
  }
  for (size_t i = 1; i < was.size(); ++i) {
    if (replaced_before_[static_cast<size_t>(before_->nodes[i].parent)]) replaced_before_[i] = true;
  }
}

/// Operators know their others; of modules and lines it is not known which op stands for which.
void FlameModel::name_replaced(const std::vector<int32_t>& gone, int32_t fresh) {
  if (type_of(fresh) < 0) return;
  for (const int32_t g : gone) {
    if (before_->nodes[static_cast<size_t>(g)].children.empty()) other_of_gone_[g].insert(type_name(node(fresh)));
  }
}

/// Rows of equal names are one; what the other tree had there as well stands with them.
std::vector<FlameType> FlameModel::inside(int32_t index) const {
  std::map<std::string, FlameType> names;
  const int32_t whole = end_of_chain(index);
  for (const int32_t c : node(whole).children) {
    FlameType& t = names[label(c, end_of_chain(c))];
    t.time += node(c).total;
    t.count += data_ == nullptr ? 1 : node(c).ops;
    const FlameReplaced* const r = replaced(c);
    t.change += r != nullptr && r->alone && r->node == c ? node(c).total - r->time : change(c);
    if (const std::string did = did_its_work(c); !did.empty()) t.others.insert(did);
    if (r == nullptr) {
      t.sure_change += sure_change(c);
      continue;
    }
    t.replaced += node(c).total;
    t.others.insert(r->names);
  }
  if (const auto gone = gone_inside_.find(whole); gone != gone_inside_.end()) {
    for (const auto& [g, part] : gone->second) {
      const auto at = static_cast<size_t>(g);
      const CostNode& old = before_->nodes[at];
      const double left = part * (old.total - taken_[at]);  // the rest is in what does its work
      const std::string name = replaced_name(old);
      if (paired_before_[at] || !(left > 1e-9 * part * old.total)) continue;  // with what stands for it
      FlameType& t = names["\x01" + name];                                    // beside one of the name that is there
      t.gone = true;
      t.change -= left;
      if (replaced_before_[at] || part * moved_away_[at] > left / 2)
        t.replaced += left;
      else
        t.sure_change -= part * sure_left_[at];
    }
  }
  std::vector<FlameType> out;
  for (auto& [name, type] : names) {
    type.name = type.gone ? name.substr(1) : name;
    out.push_back(std::move(type));
  }
  std::stable_sort(out.begin(), out.end(), [](const FlameType& a, const FlameType& b) {
    return std::max(a.time, a.time - a.change) > std::max(b.time, b.time - b.change);
  });
  return out;
}

}  // namespace et::gui
