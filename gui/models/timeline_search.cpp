// What a text finds in a timeline, and the rows of a range.
#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <utility>

#include "gui/core/text.h"
#include "gui/models/overview_model.h"
#include "gui/models/timeline_model.h"
#include "inspector/match/type_family.h"

namespace et::gui {
namespace {

/// What is searched instead of names.
const std::array<std::string, 5> kSearchFields = {"line:", "module:", "node:", "backend:", "type:"};

bool has(std::string_view where, const std::string& wanted) { return lower(where).find(wanted) != std::string::npos; }

/// What a delegate's call has inside is in no name of its own.
std::string names_of(const TraceData& data, const inspector::OpEntry& op) {
  std::string out = op.name + "\n" + op_title(data.table, op);
  if (op.op_types.size() == 1) out += "\n" + op.op_types.front();
  return out;
}

/// Words of which some name the op and others what it comes from: "gelu mlp".
bool has_words_of_both(const TraceData& data, const inspector::OpEntry& op, const std::string& words) {
  std::string all = names_of(data, op);
  for (const inspector::OpNode* const link : data.table.own_nodes(op)) {
    const inspector::NodeFacts& node = *link->node;
    all += "\n" + node.name + "\n" + node.module_path + "\n" + source_place(node);
  }
  return has_all_words(all, words);
}

/// Ops by what they come from. Many share a node: each is looked at once.
class NodeSearch {
 public:
  NodeSearch(std::string field, std::string wanted) : field_(std::move(field)), wanted_(std::move(wanted)) {}

  bool finds(const TraceData& data, const inspector::OpEntry& op) {
    if (field_ == "backend:") return has(op.backend.value_or(""), wanted_);
    if (field_ == "type:") return !op.is_wrapper() && is_of_type(data, op);
    for (const inspector::OpNode* const link : data.table.own_nodes(op)) {
      const inspector::NodeFacts* node = link->node;
      const auto [known, is_new] = known_.emplace(node, false);
      if (is_new) known->second = fits(*node);
      if (known->second) return true;
    }
    return false;
  }

 private:
  /// The type of one of its nodes, whole or without namespace and overload; without nodes that of its title.
  bool is_of_type(const TraceData& data, const inspector::OpEntry& op) const {
    const bool whole = wanted_.starts_with("aten.") && std::count(wanted_.begin(), wanted_.end(), '.') > 1;
    const auto is_it = [&](const std::string& type) {
      return whole ? lower(type) == wanted_ : inspector::type_key(type) == inspector::type_key(wanted_);
    };
    for (size_t n = op.first_node; n < op.first_node + op.nodes; ++n) {
      if (data.table.nodes[n].weight > 0 && is_it(data.table.nodes[n].node->op)) return true;
    }
    return is_it(op_title(data.table, op));
  }

  bool fits(const inspector::NodeFacts& node) const {
    if (field_ == "node:") return has(node.name, wanted_);
    if (field_ == "line:") return has(source_place(node), wanted_) || has(node.code, wanted_);
    return node.has_module && (has(node.module_path, wanted_) || has(node.module_type, wanted_));
  }

  std::string field_, wanted_;
  std::unordered_map<const inspector::NodeFacts*, bool> known_;
};

}  // namespace

TimelineSearch search_timeline(const TraceData& data, const std::string& text) {
  TimelineSearch out;
  out.text = text;
  const std::string words = lower(text);
  const std::string* field = nullptr;
  std::string wanted = words;
  for (const std::string& f : kSearchFields) {
    if (!words.starts_with(f)) continue;
    field = &f;
    wanted = words.substr(f.size());
    wanted.erase(0, wanted.find_first_not_of(' '));
  }
  out.hit.resize(data.table.ops.size());
  if (field != nullptr && wanted.empty()) return out;
  std::set<int64_t> distinct;
  NodeSearch nodes(field == nullptr ? std::string() : *field, wanted);
  // A call stands out with its kernel, which alone is counted and stepped to.
  std::vector<bool> called(data.table.ops.size());
  const auto find = [&](const auto& fits) {
    for (size_t i = 0; i < data.table.ops.size(); ++i) {
      const inspector::OpEntry& op = data.table.ops[i];
      if (op.count == 0 || !fits(op)) continue;
      out.hit[i] = true;
      if (op.parent && data.table.ops[*op.parent].is_wrapper()) called[*op.parent] = true;
    }
  };
  find([&](const inspector::OpEntry& op) {
    return field == nullptr ? has_all_words(names_of(data, op), wanted) : nodes.finds(data, op);
  });
  // Of a word that names no op, a module may be meant.
  if (field == nullptr && std::none_of(out.hit.begin(), out.hit.end(), [](bool hit) { return hit; })) {
    TimelineSearch modules = search_timeline(data, "module:" + text);
    modules.text = text;
    modules.by_module = !modules.ops.empty();
    if (modules.by_module || !is_several_words(text)) return modules;
    find([&](const inspector::OpEntry& op) { return !op.is_wrapper() && has_words_of_both(data, op, wanted); });
  }
  for (size_t i = 0; i < data.table.ops.size(); ++i) {
    const inspector::OpEntry& op = data.table.ops[i];
    if (!out.hit[i] || called[i]) continue;
    out.ops.push_back(static_cast<int32_t>(i));
    // The same op of several blocks (a cold run) is one, as in all tables.
    const auto shown = data.shown.find(op.id);
    distinct.insert(shown ? static_cast<int64_t>(*shown) : -static_cast<int64_t>(i) - 1);
    (op.on_trace_clock() ? out.samples : out.apart) += op.count;
  }
  out.distinct = static_cast<int64_t>(distinct.size());
  return out;
}

std::string TimelineModel::range_csv() const {
  return range_rows() == nullptr ? std::string() : range_csv_of(*data_, *range_rows(), statistics_->outside);
}

const RangeTable* TimelineModel::range_rows() const {
  if (!statistics_ || data_ == nullptr) return nullptr;
  if (!range_table_ || range_table_of_ != data_) {
    range_table_ = range_table(*data_, *statistics_);
    range_table_of_ = data_;
  }
  return &*range_table_;
}

}  // namespace et::gui
