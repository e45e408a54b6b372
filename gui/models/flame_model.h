// The icicle: a tree of costs as boxes, each as wide as its time, below the box that contains it. A chain of nodes of
// one kind, each with all the time of the one above, is one box. Boxes narrower than a pixel are merged with their
// neighbours, so that there are never more than a few thousand.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/selection.h"
#include "gui/core/trace_data.h"
#include "gui/models/flame_repeats.h"
#include "inspector/analysis/ops/module_tree.h"

namespace et::inspector {
struct TraceDiff;
}

namespace et::gui {

struct FlameBox {
  int32_t node = 0;  ///< index into CostTree::nodes: the innermost of a chain; of merged boxes the first
  int32_t row = 0;   ///< 0: the root
  float x0 = 0, x1 = 0;
  int32_t merged = 0;  ///< number of siblings in this box when it stands for several, else 0
  double total = 0;    ///< of all of them
  int32_t first = 0;   ///< the outermost of a chain; the same as `node` for a single one
  int32_t inside = 0;  ///< of merged boxes: where their nodes begin in FlameModel::merged()
};

/// All that a tree spends in one operator, wherever it is: a colour of the flame graph, and a row below it.
struct FlameType {
  std::string name;  ///< "aten.linear", "Transpose"
  double time = 0;
  int64_t count = 0;             ///< ops, however many boxes they have; without a trace boxes
  double change = 0;             ///< of a comparison: time now less what the same work took before
  double sure_change = 0;        ///< of that what is more than the samples scatter, and no replacement
  double replaced = 0;           ///< of the time: what stands where the other tree has something else
  std::set<std::string> others;  ///< what that is, or did its work; of what is gone, what has come for it
  bool gone = false;             ///< only the other tree has it
};

/// Which ops of two traces do the same work, whatever runs it, as Compare pairs them, and where their change is more
/// than noise: only that has the colours of slower and faster.
struct FlameWork {
  using Groups = std::map<uint32_t, int32_t>;  ///< by op, an index into the trace's table
  Groups open, other;
  std::vector<bool> sure;                ///< by group
  std::set<std::string> sure_variation;  ///< methods
  bool is_sure(int32_t group) const { return group >= 0 && sure[static_cast<size_t>(group)]; }
};
/// `after`: the open trace is the later one.
FlameWork flame_work(const inspector::TraceDiff& diff, bool after);

/// What a box has taken the place of: the other tree has something else there, or its work elsewhere.
struct FlameReplaced {
  int32_t node = 0;                 ///< the outermost box of what has come
  std::string names;                ///< "aten.gelu", "aten.gelu, aten.mul"
  double time = 0;                  ///< of these, in the other tree
  bool alone = false;               ///< one for one: the two times may be held beside each other
  int64_t others = 0;               ///< else: boxes that stand there with this one
  bool elsewhere = false;           ///< the same work, which is at another place of the other tree
  std::set<std::string> operators;  ///< of it what is no container
};

class FlameModel {
 public:
  using Tree = inspector::CostTree;
  using Node = inspector::CostNode;

  /// `data`: what the tree's ops refer to; may be null in tests of layouts.
  void set(std::shared_ptr<const Tree> tree, std::shared_ptr<const TraceData> data);
  const Tree* tree() const { return tree_.get(); }
  /// What executions take beyond the usual times of their ops, where that is left out, as all panels' shares leave it
  /// out (inspector::share_basis()): of this tree, or of the other one, the machine was disturbed. In the tree's unit.
  double left_out() const { return left_out_; }
  double left_out_before() const { return left_out_before_; }
  bool leaves_out_variation() const { return left_out_ != 0 || left_out_before_ != 0; }
  /// Modules that are one thing repeated as one box: "layer.{0..11} ×12".
  void merge_repeats(bool yes);
  bool merges_repeats() const { return merge_; }
  bool has_repeats() const { return has_repeats_; }
  const TraceData* data() const { return data_.get(); }
  const Node& node(int32_t index) const { return tree_->nodes[static_cast<size_t>(index)]; }

  /// Shows a node over the whole width, as the first row.
  void zoom(int32_t node);
  int32_t zoomed() const { return zoom_; }
  /// From the root to the node.
  std::vector<int32_t> path_to(int32_t node) const;
  /// The same with a step for each chain: where it begins and ends.
  std::vector<std::pair<int32_t, int32_t>> steps_to(int32_t node) const;
  /// The innermost node of the chain that goes on at a node; itself when none does.
  int32_t end_of_chain(int32_t node) const;
  /// Children by cost, or as they ran: by the middle of their time in an execution.
  void order_by_cost(bool yes);
  bool ordered_by_cost() const { return by_cost_; }

  /// Nodes whose name, type or path contains the text, whatever its case; "" for none. In a tree without modules the
  /// ops of a module are found by it, too.
  void search(const std::string& text);
  const std::string& query() const { return query_; }
  const std::vector<int32_t>& found() const { return found_; }
  bool is_found(int32_t node) const { return !matches_.empty() && matches_[static_cast<size_t>(node)]; }
  double found_total() const { return found_total_; }  ///< time of what was found, none of it twice
  size_t found_boxes() const { return found_boxes_; }  ///< that are in no other of them
  /// Nothing was found, though a module is called so: boxes of this tree stand for ops of several modules.
  bool is_module_without_box() const;
  /// What to zoom to for a node to be seen in what is around it: the outermost box in which it is `least` pixels wide,
  /// the zoom as it is where that will do, at the innermost the box around it.
  int32_t context_of(int32_t node, float width, float least) const;
  /// The match after (1) or before (-1) the one that was returned last, in circles; -1 without any.
  int32_t next_found(int direction);

  /// By row, then x. The same vector until something of the above or the width changes.
  const std::vector<FlameBox>& boxes(float width);
  int32_t rows() const { return rows_; }
  const FlameBox* hit(float x, int32_t row) const;
  /// The nodes of a box that stands for several; itself of any other.
  std::vector<int32_t> nodes_of(const FlameBox& box) const;

  /// Operators of the whole tree, the most expensive first; without what changed.
  const std::vector<FlameType>& types() const { return types_; }
  /// Its place in types(); -1 of what contains others.
  int32_t type_of(int32_t node) const { return type_of_[static_cast<size_t>(node)]; }
  /// What a node contains, equal names together, the most expensive first.
  std::vector<FlameType> inside(int32_t node) const;
  /// From a node down to where its time first divides: what is worth a look without a choice.
  int32_t first_division(int32_t node) const;

  /// A graph node whose time is in good part an even share of ops that several nodes have in common.
  bool is_estimate(int32_t node) const;
  /// Something in the tree is of that kind, as modules are not without an ETRecord.
  bool has(inspector::CostKind kind) const;
  double root_total() const { return tree_ == nullptr || tree_->nodes.empty() ? 0 : tree_->nodes[0].total; }
  std::string label(int32_t node) const;
  /// "encoder.layer", "self.model › self.encoder" of a chain.
  std::string label(int32_t first, int32_t last) const;
  /// "share of all", … as label and value, for tooltips.
  std::vector<std::pair<std::string, std::string>> facts(int32_t node) const;
  /// Of a box that stands for several: how many, their sum, the range, and what they are.
  std::vector<std::pair<std::string, std::string>> merged_facts(const FlameBox& box) const;
  /// The node that shows the selected op, graph node or module best, -1 for none.
  int32_t find(const Selection& selection) const;
  bool is_selected(int32_t node, const Selection& selection) const;
  /// Of a box that stands for several modules or nodes: how many of them are selected, and of how many.
  std::pair<int64_t, int64_t> selected_members(int32_t node, const Selection& selection) const;
  /// What a click selects.
  Selection selection_of(int32_t node) const;
  std::string csv() const;

  /// Another trace's tree of the same kind, to colour by what changed; null for none.
  /// `work`: what of the two is the same, and what of the change is no noise; nullptr: names tell, and all is sure.
  void compare(std::shared_ptr<const Tree> before, std::shared_ptr<const FlameWork> work = nullptr);
  bool compares() const { return before_ != nullptr; }
  /// Time of places that only the other tree has, with nothing in their stead: in no box.
  double lost() const { return lost_; }
  /// Time now less time before, of what has the same name at the same place, or does the same work there under another
  /// name; all of it where nothing of that was there. Of several that are alike the first is held against the first,
  /// where they are as many, else each against its part.
  double change(int32_t node) const { return change_.empty() ? 0 : change_[static_cast<size_t>(node)]; }
  /// Whether so much of a time has the colour of slower or faster, in boxes and tables alike.
  static bool shows_change(double time, double sure_change);
  /// Of change() what the comparison is sure of. It adds up: however boxes are grouped, or merged, a whole has the
  /// same.
  double sure_change(int32_t node) const { return sure_change_.empty() ? 0 : sure_change_[static_cast<size_t>(node)]; }
  /// What of a change has a colour: as far as what is sure goes, and nothing where that goes the other way.
  static double colored(double change, double sure_change);
  /// Of what does work that something of another name did: these names, "aten.addmm, aten.permute_copy"; "" of all
  /// else.
  std::string did_its_work(int32_t node) const;
  /// Of what stands where the other tree has something that does other work, and of all inside of it; nullptr of all
  /// else.
  const FlameReplaced* replaced(int32_t node) const;
  bool replaces_any() const { return !replacements_.empty(); }
  /// Operators of what is zoomed into, the most expensive first; of a comparison those that the other tree alone has,
  /// too. What does the work of another is a row with it, as is one that stands everywhere for one other, which is
  /// nowhere else: their change is the difference.
  const std::vector<FlameType>& types_in_view();

 private:
  /// A part of the time of an operator's box.
  struct Piece {
    int32_t node = 0, group = -1;
    uint32_t op = 0;
    double time = 0;
    bool is_op = false;
  };
  struct TypeSums;
  void apply();
  void leave_out_variation();
  void find_before(const std::vector<size_t>& was, const std::vector<size_t>& place);
  std::vector<double> sure_times(const Tree& tree, FlameWork::Groups FlameWork::*of) const;
  void find_roots(const std::vector<size_t>& was, const std::vector<size_t>& place);
  void find_same_work(const std::vector<size_t>& was, const std::vector<size_t>& place);
  void keep_names(int32_t node, const std::set<std::string>& names);
  void take_work(std::vector<double>* was, std::vector<double>* sure, std::vector<double>* same);
  void find_moved();
  void find_replaced(const std::vector<size_t>& was, const std::vector<size_t>& place);
  void name_replaced(const std::vector<int32_t>& gone, int32_t fresh);
  void find_lost();
  bool is_gone_for_good(int32_t before) const;
  static std::string replaced_name(const Node& node);
  int32_t group_of(const FlameWork::Groups& groups, uint32_t op) const;
  std::vector<Piece> pieces(const Tree& tree, FlameWork::Groups FlameWork::*of) const;
  std::vector<FlameType> types_in(int32_t scope) const;
  void add_types_now(int32_t scope, TypeSums* sums) const;
  void add_types_before(int32_t scope, TypeSums* sums) const;
  static std::vector<FlameType> finish_types(TypeSums* sums);
  static std::string type_name(const Node& node);
  Selection selection_of_members(int32_t node) const;
  bool is_selected(const Node& node, const Selection& selection) const;
  void find_changes();
  void find_types();
  std::string module_label(int32_t node) const;
  std::string repeated(int32_t first, int32_t last) const;
  void lay_out_children(const FlameBox& box, std::vector<FlameBox>* todo);
  void lay_out(float width);

  std::shared_ptr<const Tree> read_, read_before_;    // as they were read
  std::shared_ptr<const Tree> whole_, whole_before_;  // without the variation, if that is left out
  std::shared_ptr<const Tree> tree_, before_;         // with repeated modules merged, if that is wanted
  std::shared_ptr<const RepeatsMerged> merged_tree_;
  double left_out_ = 0, left_out_before_ = 0;
  bool merge_ = false, has_repeats_ = false;
  std::shared_ptr<const FlameWork> work_;
  std::vector<double> change_, sure_change_;
  std::vector<std::vector<std::pair<int32_t, double>>> before_of_;  // by node: of the same place, and what part is its
  std::vector<int32_t> fresh_root_,
      gone_root_;  // by node, of the other tree: the outermost that the other lacks, or -1
  std::vector<double> taken_, sure_left_, moved_away_;  // by node of the other tree that is gone: of its time
  std::map<int32_t, std::set<std::string>> did_its_work_;
  std::vector<bool> same_work_;  // by node
  std::vector<FlameReplaced> replacements_;
  std::vector<int32_t> replaced_;                           // by node, into replacements_; -1 without
  std::vector<bool> replaced_before_, paired_before_;       // by node of the other tree; the second: one for one
  std::map<int32_t, std::set<std::string>> other_of_gone_;  // by node of the other tree: what has come for it
  std::map<int32_t, std::vector<std::pair<int32_t, double>>> gone_inside_;  // by node: what was in it, and what part
  double lost_ = 0;
  std::shared_ptr<const TraceData> data_;
  int32_t zoom_ = 0;
  bool by_cost_ = false;
  std::string query_;
  std::vector<int32_t> found_;
  std::vector<bool> matches_;
  double found_total_ = 0;
  size_t found_boxes_ = 0;
  size_t found_at_ = 0;
  std::vector<FlameBox> boxes_;
  std::vector<int32_t> merged_, type_of_;
  std::vector<FlameType> types_, types_in_view_;
  int32_t view_ = -1;  // that types_in_view_ is of
  int32_t rows_ = 0;
  float width_ = -1;
};

}  // namespace et::gui
