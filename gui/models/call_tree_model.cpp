#include "gui/models/call_tree_model.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "gui/core/text.h"
#include "gui/core/window_words.h"
#include "gui/models/call_lines.h"
#include "gui/models/frame_text.h"
#include "inspector/analysis/ops/op_count.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/match/file_owners.h"
#include "inspector/text/csv_text.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::CostKind;

namespace {

constexpr double kWorthOpening = 0.1;  // of the whole
constexpr double kSure = 0.9;          // confidence of a link

/// What costs most first; what is no line last.
bool stands_before(const inspector::CostNode& a, const inspector::CostNode& b) {
  const bool line_a = a.kind != CostKind::Outside, line_b = b.kind != CostKind::Outside;
  return line_a != line_b ? line_a : a.total > b.total;
}

}  // namespace

void CallTreeModel::refresh(const Document& document, Jobs& jobs) {
  if (document.data() == nullptr) {
    set(nullptr, nullptr);
    version_ = 0;
    job_.reset();
    return;
  }
  if (version_ == document.version() && asked_scope_ == scope_) return;
  version_ = document.version();
  asked_scope_ = scope_;
  reading_ = true;
  const auto data = document.shared_data();
  job_ = jobs.query<Tree>(
      document.store_path(),
      [data, scope = scope_](const inspector::Store& store, const Cancel&, Tree* out) {
        return inspector::frame_tree(store, data->shown, {.scope = scope}, out);
      },
      [this, data](const Status& status, Tree tree) {
        error_ = status.ok() ? std::string() : status.message();
        set(std::make_shared<const Tree>(std::move(tree)), data);
        reading_ = false;
      });
}

void CallTreeModel::set(std::shared_ptr<const Tree> tree, std::shared_ptr<const TraceData> data) {
  tree_ = std::move(tree);
  data_ = std::move(data);
  if (tree_ != nullptr && tree_->nodes.empty()) tree_ = nullptr;
  lines_ = tree_ == nullptr || data_ == nullptr
               ? nullptr
               : std::make_shared<const inspector::SourceCost>(lines_of_calls(*tree_, *data_));
  find_mine();
  find_uncertain();
  base_ = tree_ == nullptr ? 0 : inspector::share_basis(inspector::execution_time(*tree_));
  open_what_costs();
  search(query_);
}

void CallTreeModel::find_uncertain() {
  uncertain_.clear();
  if (tree_ == nullptr || data_ == nullptr) return;
  uncertain_.resize(tree_->nodes.size());
  const auto& links = data_->shown.nodes;
  for (const inspector::CostCharge& c : tree_->charges) {
    if (c.link < 0 || static_cast<size_t>(c.link) >= links.size()) continue;
    if (links[static_cast<size_t>(c.link)].confidence >= kSure) continue;
    for (int32_t at = c.node; at >= 0; at = node(at).parent) uncertain_[static_cast<size_t>(at)] += c.time;
  }
}

bool CallTreeModel::is_left_out(int32_t at) const { return base_ != total() && inspector::is_variation(node(at)); }

bool CallTreeModel::is_uncertain(int32_t at) const {
  return static_cast<size_t>(at) < uncertain_.size() && node(at).total > 0 &&
         uncertain_[static_cast<size_t>(at)] > 0.5 * node(at).total;
}

void CallTreeModel::find_mine() {
  mine_.clear();
  if (tree_ == nullptr) return;
  inspector::FileOwners owners;
  for (const Node& n : tree_->nodes) {
    if (n.kind == CostKind::Frame) owners.learn(n.file.str());
  }
  std::map<std::string, bool> known;
  for (const Node& n : tree_->nodes) {
    bool mine = false;
    if (n.kind == CostKind::Frame) {
      const auto [at, is_new] = known.try_emplace(n.file.str(), false);
      if (is_new) at->second = owners.of(at->first) == inspector::FileOwner::User;
      mine = at->second;
    }
    mine_.push_back(mine);
  }
}

void CallTreeModel::open_what_costs() {
  open_.clear();
  fresh_ = false;
  if (tree_ == nullptr) return;
  for (size_t i = 0; i < tree_->nodes.size(); ++i) {
    const Node& n = tree_->nodes[i];
    // A line's own operators are a look further.
    const bool calls =
        std::any_of(n.children.begin(), n.children.end(), [&](int32_t c) { return node(c).kind != CostKind::Node; });
    if (calls && n.kind != CostKind::Outside && n.total >= kWorthOpening * base_) open_.insert(static_cast<int32_t>(i));
  }
}

void CallTreeModel::fold_chains(bool yes) {
  if (fold_ != yes) fresh_ = false;
  fold_ = yes;
}

int32_t CallTreeModel::end_of_chain(int32_t at) const {
  while (fold_) {
    const int32_t below = only_frame_below(*tree_, at);
    if (below < 0) break;
    at = below;
  }
  return at;
}

bool CallTreeModel::opens(int32_t at) const { return !node(at).children.empty(); }

void CallTreeModel::add_rows(int32_t parent, int32_t level) {
  std::vector<int32_t> children = node(parent).children;
  std::stable_sort(children.begin(), children.end(),
                   [&](int32_t a, int32_t b) { return stands_before(node(a), node(b)); });
  for (const int32_t c : children) {
    // What is no line and took no time, such as preparation at the first call, says nothing.
    if (node(c).kind == CostKind::Outside && node(c).total == 0) continue;
    const int32_t last = end_of_chain(c);
    const bool open = opens(last) && open_.contains(last);
    rows_.push_back({c, last, level, opens(last), open});
    if (open) add_rows(last, level + 1);
  }
}

const std::vector<CallRow>& CallTreeModel::rows() {
  if (fresh_) return rows_;
  fresh_ = true;
  rows_.clear();
  if (tree_ == nullptr) return rows_;
  // A single method needs no row: it is the whole.
  const std::vector<int32_t>& methods = node(0).children;
  const bool one = methods.size() == 1 && node(methods.front()).kind == CostKind::Method;
  add_rows(one ? methods.front() : 0, 0);
  return rows_;
}

void CallTreeModel::toggle(const CallRow& row) {
  if (!row.can_open) return;
  if (open_.erase(row.node) == 0) open_.insert(row.node);
  fresh_ = false;
}

void CallTreeModel::open_all(bool open) {
  open_.clear();
  fresh_ = false;
  for (size_t i = 0; open && tree_ != nullptr && i < tree_->nodes.size(); ++i) open_.insert(static_cast<int32_t>(i));
}

int64_t CallTreeModel::reveal(int32_t wanted) {
  if (tree_ == nullptr || wanted < 0 || static_cast<size_t>(wanted) >= tree_->nodes.size()) return -1;
  const int32_t last = end_of_chain(wanted);
  for (int32_t at = node(last).parent; at >= 0; at = node(at).parent) open_.insert(at);
  fresh_ = false;
  rows();
  const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const CallRow& r) { return r.node == last; });
  return row == rows_.end() ? -1 : row - rows_.begin();
}

double CallTreeModel::own(int32_t at) const {
  const Node& n = node(at);
  if (n.kind != CostKind::Frame) return n.total;
  double own = n.self;
  for (const int32_t c : n.children) own += node(c).kind == CostKind::Frame ? 0 : node(c).total;
  return own;
}

std::string CallTreeModel::label(const CallRow& row) const {
  const Node& n = node(row.node);
  if (n.kind == CostKind::Method) return n.name.empty() ? "(method unknown)" : n.name.str();
  if (n.kind == CostKind::Node) return inspector::operator_title(n.name);
  if (n.kind != CostKind::Frame) return n.name;
  if (row.first == row.node) {
    const std::string text = called_text(n.code);
    return text.empty() ? n.name + ", " + frame_place(n) : text;
  }
  std::string out;
  for (int32_t at = row.first;; at = only_frame_below(*tree_, at)) {
    const std::string call = costliest_call(*tree_, at);
    // Of several calls none is known to be the costly one: then the last line speaks for itself.
    const std::string code = node(at).code.str().substr(0, node(at).code.str().find('\n'));
    const bool several = std::count(code.begin(), code.end(), '(') > 1;
    const std::string text = several && at == row.node ? called_text(code) : called_name(code, node(at).name);
    out += (out.empty() ? "" : " › ") + (call.empty() ? text : call);
    if (at == row.node) return out;
  }
}

std::string CallTreeModel::short_label(const CallRow& row) const {
  const Node& n = node(row.node);
  if (n.kind != CostKind::Frame) return label(row);
  if (row.first != row.node) return without_arguments(label(row));
  // Without a call that is known to be the costly one, the line's text says more than its first call.
  std::string called = costliest_call(*tree_, row.node);
  const std::string& code = n.code.str();
  if (called.empty() && std::count(code.begin(), code.end(), '(') == 1) called = called_name(code, n.name);
  if (called.empty() || code.find(called + "(") == std::string::npos) return without_arguments(label(row));
  return called + "(…)";
}

std::vector<std::string> CallTreeModel::details(const CallRow& row) const {
  std::vector<std::string> out;
  const Node& last = node(row.node);
  if (last.kind != CostKind::Frame) {
    out.push_back(last.name);
    if (!last.note.empty()) out.push_back(in_window(last.note));
    return out;
  }
  for (int32_t at = row.first; at >= 0; at = only_frame_below(*tree_, at)) {
    const Node& n = node(at);
    out.push_back(n.name + ", " + frame_place(n) + ":  " + n.code.str().substr(0, n.code.str().find('\n')));
    if (at == row.node) break;
  }
  if (!last.type.empty()) out.push_back("class " + last.type);
  return out;
}

std::vector<CallOp> CallTreeModel::ops(int32_t at) const {
  std::vector<CallOp> out;
  if (tree_ == nullptr || at < 0) return out;
  const std::vector<bool> inside = nodes_below(*tree_, at);
  std::unordered_map<uint32_t, size_t> place;
  for (const inspector::CostCharge& c : tree_->charges) {
    if (!inside[static_cast<size_t>(c.node)]) continue;
    const uint32_t counted = data_ == nullptr ? c.op : inspector::counted_op(data_->shown, c.op).value_or(c.op);
    const auto [found, made] = place.emplace(counted, out.size());
    if (made) out.push_back({counted, c.link, c.node, 0, c.time});
    CallOp& op = out[found->second];
    op.time += c.time;
    if (c.time <= op.largest) continue;
    op.largest = c.time;
    op.link = c.link;
    op.leaf = c.node;
  }
  std::stable_sort(out.begin(), out.end(), [](const CallOp& a, const CallOp& b) { return a.time > b.time; });
  return out;
}

int32_t CallTreeModel::find(const std::string& file, int64_t line) const {
  int32_t best = -1;
  for (size_t i = 0; tree_ != nullptr && i < tree_->nodes.size(); ++i) {
    const Node& n = tree_->nodes[i];
    if (n.kind != CostKind::Frame || n.line != line || !(n.file == file)) continue;
    if (best < 0 || n.total > node(best).total) best = static_cast<int32_t>(i);
  }
  return best;
}

int32_t CallTreeModel::costliest_line() const {
  int32_t best = -1;
  for (size_t i = 0; tree_ != nullptr && i < tree_->nodes.size(); ++i) {
    const auto at = static_cast<int32_t>(i);
    if (tree_->nodes[i].kind == CostKind::Frame && (best < 0 || own(at) > own(best))) best = at;
  }
  return best;
}

inspector::SourceFileCost CallTreeModel::file_cost(const std::string& file) const {
  if (lines_ == nullptr) return {};
  const auto at =
      std::find_if(lines_->files.begin(), lines_->files.end(), [&](const auto& f) { return f.file == file; });
  return at == lines_->files.end() ? inspector::SourceFileCost() : *at;
}

void CallTreeModel::search(const std::string& text) {
  query_ = text;
  found_.clear();
  matches_.clear();
  above_.clear();
  fresh_ = false;
  if (tree_ == nullptr || text.empty()) return;
  matches_.resize(tree_->nodes.size());
  above_.resize(tree_->nodes.size());
  for (size_t i = 1; i < tree_->nodes.size(); ++i) {
    const Node& n = tree_->nodes[i];
    const bool frame = n.kind == CostKind::Frame;
    std::string all = n.name;
    if (frame) all += "\n" + n.code + "\n" + frame_place(n) + "\n" + n.path;
    if (!has_all_words(all, text)) continue;
    matches_[i] = true;
    found_.push_back(static_cast<int32_t>(i));
    for (int32_t at = n.parent; at > 0 && !above_[static_cast<size_t>(at)]; at = node(at).parent)
      above_[static_cast<size_t>(at)] = true;
  }
  found_at_ = found_.size();
}

bool CallTreeModel::is_found(const CallRow& row) const {
  if (matches_.empty()) return false;
  for (int32_t at = row.node;; at = node(at).parent) {
    if (matches_[static_cast<size_t>(at)]) return true;
    if (at == row.first) return false;
  }
}

int32_t CallTreeModel::next_found(int direction) { return step_found(found_, direction, &found_at_); }

std::string CallTreeModel::csv() const {
  if (tree_ == nullptr) return {};
  std::string out =
      "level,call,function,file,line,module,with_calls_" + tree_->unit + ",own_" + tree_->unit + ",share\n";
  std::vector<int32_t> levels(tree_->nodes.size());
  for (size_t i = 1; i < tree_->nodes.size(); ++i) {
    const Node& n = tree_->nodes[i];
    levels[i] = levels[static_cast<size_t>(n.parent)] + 1;
    const bool frame = n.kind == CostKind::Frame;
    const auto at = static_cast<int32_t>(i);
    out += std::to_string(levels[i]) + "," + inspector::csv_text(frame ? n.code.str() : n.name.str()) + "," +
           inspector::csv_text(frame ? n.name.str() : "") + "," + inspector::csv_text(n.file) + "," +
           (n.line > 0 ? std::to_string(n.line) : "") + "," + inspector::csv_text(n.path) + "," +
           inspector::format_double(n.total) + "," + inspector::format_double(own(at)) + "," +
           inspector::format_double(share(at)) + "\n";
  }
  return out;
}

}  // namespace et::gui
