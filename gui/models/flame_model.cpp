#include "gui/models/flame_model.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "gui/core/text.h"
#include "gui/models/frame_text.h"
#include "gui/models/module_pattern.h"
#include "gui/models/repeated_modules.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/text/csv_text.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::CostKind;
using inspector::CostNode;

namespace {

constexpr float kMinWidth = 1;  // pixels

std::string last_part(const std::string& type) { return type.substr(type.rfind('.') + 1); }

const char* kind_name(CostKind kind) {
  switch (kind) {
    case CostKind::Root:
      return "the whole";
    case CostKind::Method:
      return "method";
    case CostKind::Module:
      return "module";
    case CostKind::Node:
      return "graph node";
    case CostKind::Frame:
      return "line of Python code";
    case CostKind::Call:
      return "op";
    case CostKind::Group:
      return "group of ops";
    case CostKind::Unattributed:
      return "unattributed: covered by no inner event";
    case CostKind::Outside:
      break;
  }
  return "linked to no module";
}

}  // namespace

void FlameModel::set(std::shared_ptr<const Tree> tree, std::shared_ptr<const TraceData> data) {
  read_ = std::move(tree);
  data_ = std::move(data);
  has_repeats_ = read_ != nullptr && et::gui::has_repeats(*read_);
  apply();
}

void FlameModel::merge_repeats(bool yes) {
  if (std::exchange(merge_, yes) != yes) apply();
}

namespace {

/// Its texts are those of what it was read as.
struct Remainder {
  std::shared_ptr<const inspector::CostTree> whole;
  inspector::CostTree tree;
};

std::shared_ptr<const inspector::CostTree> less_variation(const std::shared_ptr<const inspector::CostTree>& whole,
                                                          double* left_out) {
  auto out = std::make_shared<Remainder>();
  out->whole = whole;
  out->tree.unit = whole->unit;
  out->tree.nodes = whole->nodes;
  out->tree.charges = whole->charges;
  out->tree.other_clock_ops = whole->other_clock_ops;
  std::vector<CostNode>& nodes = out->tree.nodes;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!inspector::is_variation(nodes[i])) continue;
    const double noise = nodes[i].total;
    *left_out += noise;
    nodes[i].self = 0;
    for (auto at = static_cast<int32_t>(i); at >= 0; at = nodes[static_cast<size_t>(at)].parent)
      nodes[static_cast<size_t>(at)].total -= noise;
  }
  return {out, &out->tree};
}

bool is_noisy(const std::shared_ptr<const inspector::CostTree>& tree) {
  if (tree == nullptr) return false;
  const inspector::ExecutionTime time = inspector::execution_time(*tree);
  return inspector::share_basis(time) != time.whole;
}

}  // namespace

/// Of both or of none: else the noise of one would be a change.
void FlameModel::leave_out_variation() {
  left_out_ = left_out_before_ = 0;
  whole_ = read_;
  whole_before_ = read_before_;
  if (!is_noisy(read_) && !is_noisy(read_before_)) return;
  if (read_ != nullptr) whole_ = less_variation(read_, &left_out_);
  if (read_before_ != nullptr) whole_before_ = less_variation(read_before_, &left_out_before_);
}

void FlameModel::apply() {
  const auto merged = [](const std::shared_ptr<const Tree>& tree, std::shared_ptr<const RepeatsMerged>* kept) {
    *kept = et::gui::merge_repeats(tree);
    return std::shared_ptr<const Tree>(*kept, &(*kept)->tree);
  };
  leave_out_variation();
  std::shared_ptr<const RepeatsMerged> other;
  merged_tree_ = nullptr;
  tree_ = whole_ != nullptr && merge_ ? merged(whole_, &merged_tree_) : whole_;
  before_ = whole_before_ != nullptr && merge_ ? merged(whole_before_, &other) : whole_before_;
  zoom_ = 0;
  width_ = -1;
  view_ = -1;
  search(query_);
  find_types();
  find_changes();
}

void FlameModel::zoom(int32_t node) {
  if (tree_ == nullptr || node < 0 || static_cast<size_t>(node) >= tree_->nodes.size()) return;
  zoom_ = node;
  width_ = -1;
}

std::vector<int32_t> FlameModel::path_to(int32_t at) const {
  std::vector<int32_t> out;
  for (; tree_ != nullptr && at >= 0; at = node(at).parent) out.push_back(at);
  std::reverse(out.begin(), out.end());
  return out;
}

int32_t FlameModel::end_of_chain(int32_t at) const {
  while (true) {
    const Node& n = node(at);
    if (n.children.size() != 1 || n.self != 0) return at;
    const CostKind below = node(n.children.front()).kind;
    const bool goes_on = (n.kind == CostKind::Root && below == CostKind::Method) ||
                         (n.kind == below && (below == CostKind::Module || below == CostKind::Frame));
    if (!goes_on) return at;
    at = n.children.front();
  }
}

std::vector<std::pair<int32_t, int32_t>> FlameModel::steps_to(int32_t wanted) const {
  std::vector<std::pair<int32_t, int32_t>> out;
  int32_t end = -1;
  for (const int32_t at : path_to(wanted)) {
    if (!out.empty() && out.back().second != at && end == end_of_chain(at)) {
      out.back().second = at;
    } else {
      out.emplace_back(at, at);
    }
    end = end_of_chain(at);
  }
  return out;
}

void FlameModel::order_by_cost(bool yes) {
  if (by_cost_ != yes) width_ = -1;
  by_cost_ = yes;
}

void FlameModel::search(const std::string& text) {
  query_ = text;
  found_.clear();
  matches_.clear();
  found_total_ = 0;
  found_boxes_ = 0;
  found_at_ = 0;
  if (tree_ == nullptr || text.empty()) return;
  // A word alone means what is called so; of several, one may be the module that it is in. Where no box is a module,
  // those of its ops are.
  const bool by_module = is_several_words(text) || !has(CostKind::Module);
  matches_.resize(tree_->nodes.size());
  std::vector<bool> below(tree_->nodes.size());  // lies in a match
  for (size_t i = 1; i < tree_->nodes.size(); ++i) {
    const Node& n = tree_->nodes[i];
    const auto parent = static_cast<size_t>(n.parent);
    below[i] = below[parent] || matches_[parent];
    std::string own = label(static_cast<int32_t>(i)) + "\n" + n.type.str();
    if (n.kind == CostKind::Node) own += "\n" + n.name.str();
    if (n.kind == CostKind::Module) own += "\n" + n.path.str();
    if (n.kind == CostKind::Frame) own += "\n" + n.code.str() + "\n" + frame_place(n);
    // Of several ops in one box the path is that of one of them.
    const bool of_one = (n.kind != CostKind::Call && n.kind != CostKind::Unattributed) || n.ops < 2;
    if (by_module && of_one) own += "\n" + n.path.str();
    const bool fits = has_all_words(own, text);
    if (!fits) continue;
    matches_[i] = true;
    found_.push_back(static_cast<int32_t>(i));
    // What lies in a match is counted with it.
    if (!below[i]) found_total_ += n.total, ++found_boxes_;
  }
  found_at_ = found_.size();
}

bool FlameModel::is_module_without_box() const {
  if (data_ == nullptr || query_.empty() || !found_.empty() || has(CostKind::Module)) return false;
  return std::any_of(data_->shown.facts.begin(), data_->shown.facts.end(), [&](const inspector::NodeFacts& node) {
    return node.has_module && has_all_words(node.module_path, query_);
  });
}

int32_t FlameModel::context_of(int32_t wanted, float width, float least) const {
  // From the node outwards: how much of each box around it it is. What is drawn adds up as lay_out_children() has it.
  double part = 1;
  int32_t out = std::max(node(wanted).parent, 0);
  for (int32_t at = wanted; node(at).parent >= 0; at = node(at).parent) {
    const Node& around = node(node(at).parent);
    double sum = 0;
    for (const int32_t c : around.children) sum += std::max(0.0, node(c).total);
    const double whole = std::max(sum, around.total);
    part *= whole > 0 ? std::max(0.0, node(at).total) / whole : 0;
    if (part * static_cast<double>(width) < static_cast<double>(least)) break;
    out = node(at).parent;
    if (out == zoom_) break;  // it is seen well where it is
  }
  return out;
}

int32_t FlameModel::next_found(int direction) { return step_found(found_, direction, &found_at_); }

const std::vector<FlameBox>& FlameModel::boxes(float width) {
  if (width != width_) lay_out(width);
  return boxes_;
}

void FlameModel::lay_out(float width) {
  width_ = width;
  boxes_.clear();
  merged_.clear();
  rows_ = 0;
  if (tree_ == nullptr || tree_->nodes.empty() || width < kMinWidth) return;
  const int32_t last = end_of_chain(zoom_);
  std::vector<FlameBox> todo = {{last, 0, 0, width, 0, node(last).total, zoom_}};
  boxes_ = todo;
  while (!todo.empty()) {
    const FlameBox open = todo.back();
    todo.pop_back();
    rows_ = std::max(rows_, open.row + 1);
    lay_out_children(open, &todo);
  }
  std::sort(boxes_.begin(), boxes_.end(),
            [](const FlameBox& a, const FlameBox& b) { return a.row != b.row ? a.row < b.row : a.x0 < b.x0; });
}

void FlameModel::lay_out_children(const FlameBox& open, std::vector<FlameBox>* todo) {
  const Node& n = node(open.node);
  std::vector<int32_t> children = n.children;
  if (by_cost_) {
    std::stable_sort(children.begin(), children.end(),
                     [&](int32_t a, int32_t b) { return node(a).total > node(b).total; });
  } else {
    // One op that the lowering moved to the front does not move all of its module there.
    std::stable_sort(children.begin(), children.end(),
                     [&](int32_t a, int32_t b) { return node(a).middle < node(b).middle; });
  }
  // What is no part of the model stands behind it.
  std::stable_partition(children.begin(), children.end(), [&](int32_t c) {
    return node(c).kind != CostKind::Outside && node(c).kind != CostKind::Unattributed;
  });
  // Rounded clocks let inner times add up to more than the whole, or to less than nothing: then all are drawn
  // smaller.
  double sum = 0;
  for (const int32_t c : children) sum += std::max(0.0, node(c).total);
  const double whole = std::max(sum, n.total);
  if (!(whole > 0)) return;
  double at = 0;
  FlameBox merged;
  const auto flush = [&] {
    if (merged.merged > 0) {
      if (merged.merged == 1) merged.merged = 0;
      boxes_.push_back(merged);
      rows_ = std::max(rows_, merged.row + 1);
    }
    merged = {};
  };
  for (const int32_t c : children) {
    const double total = node(c).total;
    if (!(total > 0)) continue;
    const auto span = static_cast<double>(open.x1 - open.x0);
    const auto x0 = static_cast<float>(open.x0 + span * at / whole);
    at += total;
    const auto x1 = static_cast<float>(open.x0 + span * at / whole);
    if (x1 - x0 >= kMinWidth) {
      flush();
      boxes_.push_back({end_of_chain(c), open.row + 1, x0, x1, 0, total, c});
      todo->push_back(boxes_.back());
      continue;
    }
    if (merged.merged == 0) merged = {c, open.row + 1, x0, x1, 0, 0, c, static_cast<int32_t>(merged_.size())};
    merged_.push_back(c);
    merged.x1 = x1;
    ++merged.merged;
    merged.total += total;
    if (merged.x1 - merged.x0 >= 2 * kMinWidth) flush();
  }
  flush();
}

std::vector<int32_t> FlameModel::nodes_of(const FlameBox& box) const {
  if (box.merged == 0) return {box.node};
  const auto first = merged_.begin() + box.inside;
  return {first, first + box.merged};
}

bool FlameModel::is_estimate(int32_t index) const {
  const Node& n = node(index);
  return n.shared_by > 1 && n.shared > inspector::kShareOfEstimate * n.total;
}

bool FlameModel::has(CostKind kind) const {
  return tree_ != nullptr &&
         std::any_of(tree_->nodes.begin(), tree_->nodes.end(), [&](const Node& n) { return n.kind == kind; });
}

std::string FlameModel::type_name(const Node& n) {
  const bool titled = n.kind == CostKind::Node && !n.type.empty();
  return std::string(inspector::type_of_event(titled ? inspector::operator_title(n.type) : n.name.str()));
}

void FlameModel::find_types() {
  types_.clear();
  type_of_.assign(tree_ == nullptr ? 0 : tree_->nodes.size(), -1);
  std::map<std::string, int32_t> places;
  for (size_t i = 0; i < type_of_.size(); ++i) {
    const Node& n = tree_->nodes[i];
    if ((n.kind != CostKind::Node && n.kind != CostKind::Call) || !n.children.empty()) continue;
    const std::string name = type_name(n);
    const auto [at, is_new] = places.try_emplace(name, static_cast<int32_t>(types_.size()));
    if (is_new) types_.emplace_back().name = name;
    type_of_[i] = at->second;
    types_[static_cast<size_t>(at->second)].time += n.total;
    ++types_[static_cast<size_t>(at->second)].count;
  }
  std::vector<int32_t> order(types_.size()), rank(types_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto time = [&](int32_t at) { return types_[static_cast<size_t>(at)].time; };
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return time(a) > time(b); });
  std::vector<FlameType> sorted;
  for (size_t i = 0; i < order.size(); ++i) {
    rank[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
    sorted.push_back(std::move(types_[static_cast<size_t>(order[i])]));
  }
  types_ = std::move(sorted);
  for (int32_t& t : type_of_) t = t < 0 ? t : rank[static_cast<size_t>(t)];
}

int32_t FlameModel::first_division(int32_t at) const {
  constexpr double kMostOfIt = 0.75;
  for (;;) {
    int32_t heavy = -1;
    for (const int32_t c : node(at).children) {
      if (node(c).total > kMostOfIt * node(at).total && !node(c).children.empty()) heavy = c;
    }
    if (heavy < 0) return at;
    at = heavy;
  }
}

std::vector<std::pair<std::string, std::string>> FlameModel::merged_facts(const FlameBox& box) const {
  const auto time = [&](double ticks) { return inspector::format_duration_with_unit(ticks, tree_->unit); };
  double least = 0, most = 0;
  std::map<std::string, int64_t> names;
  bool first = true;
  for (const int32_t n : nodes_of(box)) {
    const double total = node(n).total;
    least = first ? total : std::min(least, total);
    most = first ? total : std::max(most, total);
    first = false;
    ++names[label(n)];
  }
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [name, count] : names) order.emplace_back(-count, name);
  std::sort(order.begin(), order.end());
  constexpr size_t kMost = 4;
  std::string what;
  for (size_t i = 0; i < order.size() && i < kMost; ++i) {
    what += (i == 0 ? "" : ", ") + order[i].second;
    if (order[i].first < -1) what += " ×" + inspector::format_count(-order[i].first);
  }
  if (order.size() > kMost) what += ", and " + std::to_string(order.size() - kMost) + " more names";
  std::vector<std::pair<std::string, std::string>> out;
  out.emplace_back("boxes", inspector::format_count(box.merged));
  out.emplace_back("sum", time(box.total) + (root_total() > 0 ? ", " + inspector::format_share(box.total / root_total())
                                                              : std::string()));
  out.emplace_back("each",
                   time(least) + " to " + time(most) + ", mean " + time(box.total / std::max<double>(1, box.merged)));
  out.emplace_back("are", what);
  return out;
}

const FlameBox* FlameModel::hit(float x, int32_t row) const {
  auto at = std::upper_bound(
      boxes_.begin(), boxes_.end(), std::make_pair(row, x),
      [](const auto& p, const FlameBox& b) { return p.first != b.row ? p.first < b.row : p.second < b.x0; });
  if (at == boxes_.begin()) return nullptr;
  --at;
  return at->row == row && x < at->x1 ? &*at : nullptr;
}

/// A number alone says little: the third of a list is "blocks.2".
std::string FlameModel::module_label(int32_t index) const {
  const Node& n = node(index);
  if (n.path.empty()) return n.type.empty() ? "(model)" : last_part(n.type);
  std::string out;
  std::vector<std::string> parts = pattern_parts(n.path);
  for (bool number = true; number && !parts.empty(); parts.pop_back()) {
    number = parts.back().starts_with("{") || is_module_number(parts.back());
    out = parts.back() + (out.empty() ? "" : ".") + out;
  }
  return out;
}

/// " ×3" of modules that are one box, unless that is as many as the box around it says.
std::string FlameModel::repeated(int32_t first, int32_t last) const {
  if (merged_tree_ == nullptr || node(last).kind != CostKind::Module) return {};
  const auto members = [&](int32_t at) { return merged_tree_->members[static_cast<size_t>(at)].size(); };
  const int32_t parent = node(first).parent;
  const size_t here = members(last);
  if (here < 2) return {};
  const bool numbered = node(last).name.starts_with("{") || is_module_number(node(last).name);
  if (!numbered && parent >= 0 && members(parent) == here) return {};
  return " ×" + std::to_string(here);
}

std::string FlameModel::label(int32_t index) const {
  const Node& n = node(index);
  switch (n.kind) {
    case CostKind::Method:
      return n.name.empty() ? "(method unknown)" : n.name.str();
    case CostKind::Module:
      return module_label(index) + repeated(index, index);
    case CostKind::Frame:
      if (const std::string call = costliest_call(*tree_, index); !call.empty()) return call;
      return called_name(n.code, n.name);
    case CostKind::Node:
      return n.type.empty() ? n.name.str() : inspector::operator_title(n.type);
    default:
      return n.name;
  }
}

std::string FlameModel::label(int32_t first, int32_t last) const {
  // The whole of a single method is that method.
  if (node(first).kind == CostKind::Root) return label(last);
  std::string out;
  for (const int32_t at : path_to(last)) {
    if (at < first) continue;
    if (!out.empty()) {
      const bool in_model = node(at).kind == CostKind::Module && !node(node(at).parent).path.empty();
      out += in_model ? "." : " › ";
    }
    if (node(at).kind != CostKind::Module)
      out += label(at);
    else
      out += node(at).path.empty() || out.empty() ? module_label(at) : node(at).name.str();
  }
  return out + repeated(first, last);
}

std::vector<std::pair<std::string, std::string>> FlameModel::facts(int32_t index) const {
  const Node& n = node(index);
  const auto time = [&](double ticks) { return inspector::format_duration_with_unit(ticks, tree_->unit); };
  std::vector<std::pair<std::string, std::string>> out;
  const bool is_whole = n.kind == CostKind::Root && data_ != nullptr;
  out.emplace_back("is", is_whole ? data_->shown.basis.whole() : kind_name(n.kind));
  if (n.kind == CostKind::Frame) {
    out.emplace_back("line", frame_place(n));
    if (!n.code.empty()) out.emplace_back("code", n.code.str().substr(0, n.code.str().find('\n')));
    out.emplace_back("function", n.name);
  }
  if (!n.note.empty()) out.emplace_back("what to do", n.note);
  if (n.kind == CostKind::Module) out.emplace_back("module", n.path.empty() ? "the model" : n.path.str());
  if (n.kind != CostKind::Module && !n.path.empty()) out.emplace_back("in module", n.path);
  const bool has_class = n.kind == CostKind::Module || n.kind == CostKind::Frame;
  if (!n.type.empty()) out.emplace_back(has_class ? "class" : "type", n.type);
  if (!n.node.empty()) out.emplace_back("node", n.node);
  if (!n.method.empty()) out.emplace_back("method", n.method);
  if (n.mixed) {
    out.emplace_back("runs in", "several parts");
  } else if (n.part == inspector::Part::Delegate) {
    out.emplace_back("runs in", n.backend.empty() ? "a delegate" : n.backend.str());
  } else {
    out.emplace_back("runs in", n.part == inspector::Part::Kernel    ? "kernels"
                                : n.part == inspector::Part::Control ? "control flow"
                                                                     : "the framework");
  }
  const bool shared = is_estimate(index);
  out.emplace_back("time",
                   (shared ? "≈ " : "") + time(n.total) + (data_ == nullptr ? "" : ", " + data_->shown.basis.text()));
  if (shared) out.emplace_back("≈", estimate_text(n.shared_by));
  const double whole = root_total();
  if (whole > 0) out.emplace_back("share of all", inspector::format_share(n.total / whole));
  if (n.parent >= 0 && node(n.parent).total > 0) {
    out.emplace_back("share of " + label(n.parent), inspector::format_share(n.total / node(n.parent).total));
  }
  if (zoom_ != 0 && node(zoom_).total > 0 && zoom_ != n.parent && zoom_ != index) {
    out.emplace_back("share of " + label(zoom_), inspector::format_share(n.total / node(zoom_).total));
  }
  if (!n.children.empty())
    out.emplace_back("contains", inspector::format_count(static_cast<int64_t>(n.children.size())));
  out.emplace_back("samples", inspector::format_count(n.samples));
  if (merged_tree_ != nullptr) {
    const size_t members = merged_tree_->members[static_cast<size_t>(index)].size();
    if (members > 1)
      out.emplace_back("stands for", inspector::format_count(static_cast<int64_t>(members)) +
                                         (n.kind == CostKind::Module ? " modules" : " boxes") + ", " +
                                         time(n.total / static_cast<double>(members)) + " each on average");
  }
  if (index == 0 && left_out_ != 0)
    out.emplace_back("left out", time(left_out_) + ", in no op's usual time (variation)");
  if (data_ != nullptr && n.op >= 0 && static_cast<size_t>(n.op) < data_->shown.ops.size()) {
    const inspector::OpEntry& op = data_->shown.ops[static_cast<size_t>(n.op)];
    if (op.instruction_id) out.emplace_back("instruction", std::to_string(*op.instruction_id));
    if (const inspector::OpNode* main = data_->shown.main_node(op)) {
      if (const std::string place = source_place(*main->node); !place.empty()) out.emplace_back("source", place);
    }
  }
  return out;
}

std::string FlameModel::csv() const {
  if (tree_ == nullptr) return {};
  std::string out = "path,kind,type,self_" + tree_->unit + ",total_" + tree_->unit + ",share,samples\n";
  for (size_t i = 0; i < tree_->nodes.size(); ++i) {
    const Node& n = tree_->nodes[i];
    std::string path;
    for (const int32_t p : path_to(static_cast<int32_t>(i))) path += (path.empty() ? "" : "/") + label(p);
    out += inspector::csv_text(path) + "," + inspector::csv_text(kind_name(n.kind)) + "," +
           inspector::csv_text(n.type) + "," + inspector::format_double(n.self) + "," +
           inspector::format_double(n.total) + "," +
           inspector::format_double(root_total() > 0 ? n.total / root_total() : 0) + "," + std::to_string(n.samples) +
           "\n";
  }
  return out;
}

}  // namespace et::gui
