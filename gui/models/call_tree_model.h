// The call tree of the Python code: a row for each line that is on a stack, with the lines that it calls below it. A
// chain of lines that each do nothing but call the next one is one row.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gui/core/document.h"
#include "gui/core/jobs.h"
#include "inspector/analysis/ops/frame_tree.h"

namespace et::gui {

struct CallRow {
  int32_t first = 0;  ///< index into CostTree::nodes
  int32_t node = 0;   ///< the last one of the chain; the same as `first` for a single line
  int32_t level = 0;
  bool can_open = false, open = false;
};

/// An op of a node with the part of its time that is charged there.
struct CallOp {
  uint32_t op = 0;    ///< index into TraceData::shown.ops
  int32_t link = -1;  ///< into TraceData::shown.nodes, of its largest part; -1 for none
  int32_t leaf = 0;   ///< index into CostTree::nodes, of its largest part
  double time = 0, largest = 0;
};

class CallTreeModel {
 public:
  using Tree = inspector::CostTree;
  using Node = inspector::CostNode;

  /// Reads again when the trace or the scope changed.
  void refresh(const Document& document, Jobs& jobs);
  void set(std::shared_ptr<const Tree> tree, std::shared_ptr<const TraceData> data);
  const Tree* tree() const { return tree_.get(); }
  const TraceData* data() const { return data_.get(); }
  const Node& node(int32_t index) const { return tree_->nodes[static_cast<size_t>(index)]; }
  bool reading() const { return reading_; }
  const std::string& error() const { return error_; }

  void set_scope(inspector::FrameScope scope) { scope_ = scope; }
  inspector::FrameScope scope() const { return scope_; }
  void fold_chains(bool yes);
  bool folds_chains() const { return fold_; }

  /// In the order in which they are shown. The same vector until something changes.
  const std::vector<CallRow>& rows();
  void toggle(const CallRow& row);
  void open_all(bool open);
  /// Opens what is around a node; its row, -1 when there is none.
  int64_t reveal(int32_t node);

  double total() const { return tree_ == nullptr || tree_->nodes.empty() ? 0 : tree_->nodes[0].total; }
  /// What shares are of: the whole, or without a noise that would make them say little (inspector::share_basis()).
  double base() const { return base_; }
  double share(int32_t node) const { return base_ > 0 ? this->node(node).total / base_ : 0; }
  /// The noise, where shares are of the rest.
  bool is_left_out(int32_t node) const;
  /// Time of its own operators; the whole of what is no line.
  double own(int32_t node) const;
  /// "self.model › self.encoder › layer_module" of a chain, what a single line does.
  std::string label(const CallRow& row) const;
  /// "self.query(…)" of a single line, where there is no room for all of it.
  std::string short_label(const CallRow& row) const;
  /// A line of code that is not of an installed package.
  bool is_mine(int32_t node) const {
    return static_cast<size_t>(node) < mine_.size() && mine_[static_cast<size_t>(node)];
  }
  /// Most of its time is there by links that are not sure.
  bool is_uncertain(int32_t node) const;
  /// "model.encoder.layer.*", with "(no module)" left out.
  std::string module(int32_t node) const { return this->node(node).path; }
  /// What a tooltip says: each line of a chain with its function, file and text, then what can be done about it.
  std::vector<std::string> details(const CallRow& row) const;

  /// Of a node with all that is inside, the costliest first; a call and its kernel are one. CostNode::ops of them are
  /// ops, the others what is around these.
  std::vector<CallOp> ops(int32_t node) const;
  /// The costliest node of that line, -1 for none.
  int32_t find(const std::string& file, int64_t line) const;
  /// The frame with the most time of its own, -1 for none.
  int32_t costliest_line() const;
  /// What its lines cost, by file: with the frames that are chosen. nullptr without a trace.
  const std::shared_ptr<const inspector::SourceCost>& lines() const { return lines_; }
  /// What is known of a file's lines here, for files that have no time of their own.
  inspector::SourceFileCost file_cost(const std::string& file) const;

  /// Lines, functions, files, modules and operators that contain the text, whatever its case; "" for none.
  void search(const std::string& text);
  const std::string& query() const { return query_; }
  const std::vector<int32_t>& found() const { return found_; }
  bool is_found(const CallRow& row) const;
  /// Of a closed row: something below it is found.
  bool hides_found(const CallRow& row) const {
    return !row.open && static_cast<size_t>(row.node) < above_.size() && above_[static_cast<size_t>(row.node)];
  }
  /// The match after (1) or before (-1) the last one, in circles; -1 without any.
  int32_t next_found(int direction);
  std::string csv() const;

 private:
  int32_t end_of_chain(int32_t node) const;
  bool opens(int32_t node) const;
  void add_rows(int32_t parent, int32_t level);
  void open_what_costs();
  void find_mine();
  void find_uncertain();

  std::shared_ptr<const Tree> tree_;
  std::shared_ptr<const TraceData> data_;
  std::shared_ptr<const inspector::SourceCost> lines_;
  inspector::FrameScope scope_ = inspector::FrameScope::Model, asked_scope_ = inspector::FrameScope::Model;
  bool fold_ = true, reading_ = false, fresh_ = false;
  std::string error_;
  std::set<int32_t> open_;
  std::vector<bool> mine_;         // by node
  std::vector<double> uncertain_;  // time by uncertain links, by node
  double base_ = 0;
  std::vector<CallRow> rows_;
  std::string query_;
  std::vector<int32_t> found_;
  std::vector<bool> matches_, above_;  // by node: found; with something found below it
  size_t found_at_ = 0;
  uint64_t version_ = 0;
  JobHandle job_;
};

}  // namespace et::gui
