// --group-by frame: the lines of a frame tree as rows.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inspector/analysis/ops/frame_tree.h"
#include "inspector/analysis/ops/op_count.h"

namespace et::inspector {
namespace {

using FrameKey = std::pair<std::string, int64_t>;  // file, line

/// Rows of the frames, and for each leaf the row of its innermost one.
class FrameRows {
 public:
  explicit FrameRows(const CostTree& tree) : tree_(tree), rows_of_(tree.nodes.size(), nullptr) {}

  /// Parents stand before their children, so each node's row is known when its children are looked at.
  void fill() {
    for (size_t i = 1; i < tree_.nodes.size(); ++i) {
      const CostNode& n = tree_.nodes[i];
      rows_of_[i] = rows_of_[static_cast<size_t>(n.parent)];
      if (n.kind == CostKind::Frame) {
        rows_of_[i] = &row_of(n);
        if (!is_inside_itself(n)) rows_of_[i]->inner += n.total;
      } else if (n.kind == CostKind::Outside && tree_.nodes[static_cast<size_t>(n.parent)].kind == CostKind::Outside) {
        GroupRow& row = none_[n.name];
        row.none = true;
        row.key = "(no line) " + n.name;
        row.detail = n.note;
        row.inner += n.total;
        rows_of_[i] = &row;
      }
    }
  }

  void charge(const OpTable& table) {
    std::map<GroupRow*, std::set<uint32_t>> ops;
    for (const CostCharge& c : tree_.charges) {
      GroupRow* const row = rows_of_[static_cast<size_t>(c.node)];
      if (row == nullptr) continue;
      row->self += c.time;
      ops[row].insert(c.op);
    }
    for (auto& [row, charged] : ops) {
      std::set<uint32_t> ran;  // a call and its kernel did once
      for (const uint32_t op : charged) ran.insert(counted_op(table, op).value_or(op));
      for (const uint32_t op : ran) row->samples += table.ops[op].count;
      row->ops = count_ops(table, std::vector<uint32_t>(charged.begin(), charged.end()));
    }
  }

  std::vector<GroupRow> take() {
    std::vector<GroupRow> out;
    for (auto& [key, row] : frames_) out.push_back(std::move(row));
    for (auto& [key, row] : none_) out.push_back(std::move(row));
    return out;
  }

 private:
  GroupRow& row_of(const CostNode& n) {
    const auto [at, made] = frames_.try_emplace({n.file.str(), n.line});
    GroupRow& row = at->second;
    if (made) {
      row.key = n.line > 0 ? n.file + ":" + std::to_string(n.line) : n.file.str();
      row.detail = n.code;
      row.function = n.name;
      row.module = n.path;
    } else if (row.module != n.path) {
      row.module.clear();
    }
    return row;
  }

  // The line is on the stack above as well.
  bool is_inside_itself(const CostNode& n) const {
    for (int32_t at = n.parent; at >= 0; at = tree_.nodes[static_cast<size_t>(at)].parent) {
      const CostNode& above = tree_.nodes[static_cast<size_t>(at)];
      if (above.kind == CostKind::Frame && above.line == n.line && above.file == n.file) return true;
    }
    return false;
  }

  const CostTree& tree_;
  std::map<FrameKey, GroupRow> frames_;
  std::map<std::string, GroupRow> none_;
  std::vector<GroupRow*> rows_of_;  // by node
};

}  // namespace

Status load_groups(const Store& store, const OpTable& table, GroupBy by, const Filter& filter, const PathMaps& maps,
                   GroupTable* out) {
  GroupTable groups = group_costs(table, by, filter);
  if (by == GroupBy::Frame) {
    CostTree tree;
    Status status = frame_tree(store, table, {scope_of_rule(table.lines.rule), maps, &filter}, &tree);
    if (!status.ok()) return status;
    FrameRows rows(tree);
    rows.fill();
    rows.charge(table);
    groups.rows = rows.take();
    for (GroupRow& row : groups.rows) {
      row.share = groups.total > 0 ? row.self / groups.total : 0;
      // Sums in another order differ by rounding.
      if (std::fabs(row.inner - row.self) <= 1e-9 * groups.total) row.inner = row.self;
    }
    std::stable_sort(groups.rows.begin(), groups.rows.end(), [](const GroupRow& a, const GroupRow& b) {
      return a.self != b.self ? a.self > b.self : a.inner > b.inner;
    });
  }
  *out = std::move(groups);
  return {};
}

}  // namespace et::inspector
