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
void FlameModel::find_replaced(const std::vector<size_t>& was, const std::vector<size_t>& place,
                               const std::vector<bool>& here) {
  struct Swapped {
    std::vector<int32_t> gone, fresh;
  };
  const auto family = [](const CostNode& n) { return n.kind == CostKind::Call ? 0 : static_cast<int>(n.kind); };
  const auto alike = [](const CostNode& a, const CostNode& b) { return a.children.empty() == b.children.empty(); };
  const auto is_model = [](const CostNode& n) {
    return n.kind != CostKind::Outside && n.kind != CostKind::Unattributed && n.total > 0;
  };
  std::map<std::pair<size_t, int>, Swapped> swapped;  // by the place that they are in
  std::vector<bool> there(here.size());
  for (const size_t at : was) there[at] = true;
  std::vector<int32_t> node_at(here.size(), -1);
  for (size_t i = place.size(); i-- > 0;) node_at[place[i]] = static_cast<int32_t>(i);
  for (size_t i = 1; i < was.size(); ++i) {
    const size_t in = was[static_cast<size_t>(before_->nodes[i].parent)];
    if (here[was[i]] || !here[in]) continue;
    gone_inside_[node_at[in]].push_back(static_cast<int32_t>(i));
    if (is_model(before_->nodes[i])) swapped[{in, family(before_->nodes[i])}].gone.push_back(static_cast<int32_t>(i));
  }
  for (size_t i = 1; i < place.size(); ++i) {
    const size_t in = place[static_cast<size_t>(tree_->nodes[i].parent)];
    if (!there[place[i]] && there[in] && is_model(tree_->nodes[i]))
      swapped[{in, family(tree_->nodes[i])}].fresh.push_back(static_cast<int32_t>(i));
  }
  replaced_.assign(place.size(), -1);
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
        r.time += node_before(at).total;
      }
      for (const std::string& name : names) r.names += (r.names.empty() ? "" : ", ") + name;
      replaced_[static_cast<size_t>(both.fresh[i])] = static_cast<int32_t>(replacements_.size());
      replacements_.push_back(std::move(r));
      name_replaced_types(gone, both.fresh[i]);
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
void FlameModel::name_replaced_types(const std::vector<int32_t>& gone, int32_t fresh) {
  if (type_of(fresh) < 0) return;
  FlameType& now = types_[static_cast<size_t>(type_of(fresh))];
  const auto find = [this](const std::string& name) {
    const auto at =
        std::find_if(gone_types_.begin(), gone_types_.end(), [&](const FlameType& t) { return t.name == name; });
    return at == gone_types_.end() ? nullptr : &*at;
  };
  for (const int32_t g : gone) {
    const CostNode& old = before_->nodes[static_cast<size_t>(g)];
    if (!old.children.empty()) continue;
    now.others.insert(type_name(old));
    if (FlameType* const was = find(type_name(old)); was != nullptr) was->others.insert(now.name);
  }
}

void FlameModel::add_compared_types() {
  compared_types_ = types_;
  const auto only = [](const FlameType& type, double time) {
    return type.others.size() == 1 && type.replaced >= time * (1 - 1e-9);
  };
  for (const FlameType& gone : gone_types_) {
    const auto now = std::find_if(compared_types_.begin(), compared_types_.end(), [&](const FlameType& t) {
      return !t.gone && t.change >= t.time && only(t, t.time) && t.others.contains(gone.name) &&
             gone.others.contains(t.name);
    });
    if (now != compared_types_.end() && only(gone, -gone.change)) {
      now->change += gone.change;
    } else {
      compared_types_.push_back(gone);
    }
  }
  const auto larger = [](const FlameType& t) { return std::max(t.time, t.time - t.change); };
  std::stable_sort(compared_types_.begin(), compared_types_.end(),
                   [&](const FlameType& a, const FlameType& b) { return larger(a) > larger(b); });
}

/// Rows of equal names are one; what the other tree had there as well stands with them.
std::vector<FlameType> FlameModel::inside(int32_t index) const {
  std::map<std::string, FlameType> names;
  const int32_t whole = end_of_chain(index);
  for (const int32_t c : node(whole).children) {
    FlameType& t = names[label(c, end_of_chain(c))];
    t.time += node(c).total;
    ++t.count;
    const FlameReplaced* const r = replaced(c);
    t.change += r != nullptr && r->alone && r->node == c ? node(c).total - r->time : change(c);
    if (r == nullptr) {
      t.sure_change += sure_change(c);
      continue;
    }
    t.replaced += node(c).total;
    t.others.insert(r->names);
  }
  if (const auto gone = gone_inside_.find(whole); gone != gone_inside_.end()) {
    for (const int32_t g : gone->second) {
      const CostNode& old = before_->nodes[static_cast<size_t>(g)];
      const std::string name = replaced_name(old);
      if (paired_before_[static_cast<size_t>(g)] || !(old.total > 0)) continue;  // with what stands for it
      FlameType& t = names["\x01" + name];                                       // beside one of the name that is there
      t.gone = true;
      t.change -= old.total;
      if (replaced_before_[static_cast<size_t>(g)])
        t.replaced += old.total;
      else if (!old.children.empty() || is_sure(old, &FlameSure::other))
        t.sure_change -= old.total;
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
