// The graph as it is drawn: modules, delegates' parts and bodies of control flow as groups that open and close, boxes
// for what is visible, links between boxes, and which of them a click hits. The layout is made elsewhere (it takes
// time) and handed in.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/core/selection.h"
#include "gui/core/trace_data.h"
#include "inspector/analysis/graph/graph_layout.h"

namespace et::gui {

enum class GraphGrouping : uint8_t { Both, Modules, Delegates, None };

struct GraphGroup {
  /// Small: nodes of one module that cost next to nothing, together. Break: what runs between two delegates' calls, or
  /// before the first or after the last.
  enum class Kind : uint8_t { Module, Part, Body, Small, Break };
  Kind kind = Kind::Module;
  std::string label;   ///< "blocks.0", "lowered_module_0", "submodule_1"
  std::string detail;  ///< class of a module, backend of a part, of a break the module that all of it is in
  std::string path;    ///< of a module, or of the one that all of a break is in
  int32_t call = 0;    ///< of a module that is called several times: which call, from 1
  int32_t parent = -1;
  int32_t part = -1;                   ///< of Part: index into GraphModel::parts
  std::vector<int32_t> groups, nodes;  ///< directly inside
  int64_t node_count = 0;              ///< with all that is inside
  int64_t shown_nodes = 0;             ///< of them, those that NodeCounts counts; for people
  double ns = 0;                       ///< of a part its call's time, else that of its nodes
  bool open = false;
};

struct GraphBox {
  enum class Kind : uint8_t { Node, Group, Input, Output };
  Kind kind = Kind::Node;
  int32_t index = 0;        ///< of the node or group; of an input its number
  int32_t group = -1;       ///< innermost open group around it
  std::string title, name;  ///< operator and where it is in the group around it; label and detail of a group
  std::string output;       ///< of a node: "float32 [1, 50, 192]", its first result; "" without a tensor
  std::string fused;        ///< of a node without a time: "in aten.sigmoid"
  std::string backend;      ///< when all of it is delegated to one
  std::string type;         ///< operator; of a closed group the one with the most time in it, else of the most nodes
  double ns = 0;
};

struct GraphLink {
  int32_t from = 0, to = 0;  ///< boxes
  std::string label;         ///< "float32 [1, 8]", or how many values
  std::string values;        ///< their names with dtypes and shapes, a line each
  int32_t count = 0;
  bool control = false;  ///< from a control flow operator to a body
};

struct GraphScene {
  uint64_t version = 0;
  std::vector<GraphBox> boxes;
  std::vector<int32_t> clusters;  ///< open groups, outer ones first
  std::vector<GraphLink> links;
  inspector::LayoutInput input;  ///< boxes, clusters and links in the same order
};

/// What the side shows of a node.
struct GraphNodeDetails {
  std::vector<std::pair<std::string, std::string>> facts, arguments, results;
  std::vector<std::string> argument_nodes;  ///< of arguments: the node that makes it, "" for none
  struct Op {
    int32_t op = 0;  ///< index into OpTable::ops
    std::string name, via;
    double confidence = 0, weight = 0, time = 0;  ///< time: self time of all executions that is charged to the node
    bool loading = false;                         ///< runs while the program is loaded
  };
  std::vector<Op> ops;
};

/// An execution of the graph's method, in ticks; they add up to its total.
struct GraphTimes {
  double linked = 0;
  double not_linked = 0;  ///< of the ops that Overview lists as not linked
  double framework = 0, unattributed = 0;
  double variation = 0;  ///< noise, in no op
};

/// Where on the screen the graph lies.
struct GraphCamera {
  float zoom = 1, x = 0, y = 0;  ///< (x, y): the graph's point at the left upper corner
  inspector::LayoutPoint to_screen(inspector::LayoutPoint p) const { return {(p.x - x) * zoom, (p.y - y) * zoom}; }
  inspector::LayoutPoint to_graph(inspector::LayoutPoint p) const { return {p.x / zoom + x, p.y / zoom + y}; }
  /// Zooms and leaves what is at this point of the screen where it is.
  void zoom_at(float factor, inspector::LayoutPoint screen);
  void fit(const inspector::LayoutRect& rect, float width, float height, float largest_zoom = 1.2F);
  void center(inspector::LayoutPoint p, float width, float height);
};

/// Index of the graph to open first: of the method that takes the most time, of those whose nodes have times.
size_t costliest_graph(const TraceData& data);

class GraphViewModel {
 public:
  /// Boxes that are shown at first, about.
  static constexpr size_t kFirstBoxes = 60;
  /// Fewer say nothing of the structure.
  static constexpr size_t kFewestBoxes = 6;
  /// In the graph's own units, which are pixels at a zoom of 1 on a display of 96 dpi: letters and lines of boxes.
  static constexpr float kText = 14, kSmallText = 12, kLine = 17;

  void set(std::shared_ptr<const TraceData> data, size_t graph);
  const inspector::GraphModel* graph() const { return graph_; }
  const TraceData* data() const { return data_.get(); }
  size_t graph_index() const { return graph_index_; }

  void set_grouping(GraphGrouping grouping);
  GraphGrouping grouping() const { return grouping_; }
  const std::vector<GraphGroup>& groups() const { return groups_; }
  void set_open(int32_t group, bool open);
  void open_all();
  void close_all();
  void open_some();  ///< as at first
  /// Opens less than open_some() did last; false, and nothing is changed, when too little would be left to be seen.
  bool open_less();
  /// Opens all groups around a node.
  void reveal(int32_t node);
  /// Boxes of nodes do not say what they produce, and stand closer together: for little room.
  void set_brief(bool brief);
  bool brief() const { return brief_; }

  const GraphScene& scene() const { return scene_; }
  /// Taken when it belongs to the scene of that version, else dropped.
  void set_layout(inspector::GraphLayout layout, uint64_t version);
  bool has_layout() const { return layout_version_ == scene_.version && !scene_.boxes.empty(); }
  /// The last one that was set; it belongs to drawn(), which is an older scene while a new layout is made.
  const inspector::GraphLayout& layout() const { return layout_; }
  const GraphScene& drawn() const { return drawn_; }

  struct Hit {
    int32_t box = -1;      ///< of drawn()
    int32_t cluster = -1;  ///< innermost cluster of drawn(), when no box is there
    int32_t link = -1;     ///< the nearest within `reach`, when no box is there
  };
  Hit hit(inspector::LayoutPoint at, float reach = 0) const;
  /// Box of drawn() that shows the node: its own, or that of a closed group around it; -1 when it is not there.
  int32_t box_of(int32_t node) const;
  int32_t find_node(const std::string& name) const;
  /// By box of drawn(): something in it belongs to the selection.
  std::vector<bool> selected(const Selection& selection) const;
  /// Nodes in a group, with all that is inside.
  std::vector<int32_t> members_of(int32_t group) const;
  /// Around all boxes that are selected; false when none is.
  bool bounds(const std::vector<bool>& boxes, inspector::LayoutRect* out) const;

  /// Nodes with all words of the text in what boxes and details say: operator, name, module, class, line
  /// ("model.py:12"), dtype and shape, delegate; or in a break whose name begins with it.
  void search(const std::string& text);
  const std::vector<int32_t>& found() const { return found_; }
  int32_t next_found(int direction);  ///< node, -1 without any
  /// Of those found the one that next_found() went to last, from 1; 0 before it was called.
  size_t found_place() const { return found_at_ < found_.size() ? found_at_ + 1 : 0; }
  std::vector<bool> found_boxes() const;

  GraphCamera camera;

  double hottest() const { return hottest_; }  ///< time of the costliest node, of groups of drawn() if none costs
  /// Colours go by the share of the execution, from the first to the last of these by the logarithm, so that nodes and
  /// whole groups can be told apart. Whatever is open, a share has one colour.
  static constexpr double kLeastShare = 0.001, kMostShare = 0.3;
  /// Place on that scale, 0 to 1.
  double cost_level(double ns) const;
  /// Where a node is in the model, without what all nodes have in common: "layers.0.attention.query"; "" for none.
  std::string place_of(int32_t node) const;
  /// What tells a node from all others of its operator: where it is in the model, and where that is not enough or not
  /// known its line, "model.py:12", and its name.
  struct Place {
    std::string module, rest;
  };
  Place place_apart(int32_t node) const;
  /// "model.py:12" of a node, and its name where no line is known.
  std::string line_or_name(int32_t node) const;
  /// "in aten.sigmoid" of a node without a time of its own that a fused op does with others; "" of all others.
  std::string fused_into(int32_t node) const;
  /// Groups around a group, outermost first, itself the last; of -1 none.
  std::vector<int32_t> path_to(int32_t group) const;
  /// Of a piece of a cluster of drawn() in a further column what is written above it: "layers › layers.1, continued";
  /// "" for a piece that has another one inside, which says it.
  std::string continued(int32_t cluster, const inspector::LayoutRect& piece) const;
  /// Innermost group around all boxes of drawn() that are marked; -1 for none.
  int32_t group_around(const std::vector<bool>& boxes) const;
  /// Innermost group around what a box of drawn() shows; -1 for none.
  int32_t group_around(int32_t box) const;
  enum class Toward : uint8_t { Producer, Consumer, Left, Right };
  /// From a box of drawn() to the nearest that it reads from or is read by, or beside it; itself where there is none.
  int32_t neighbour(int32_t box, Toward toward) const;
  int32_t costliest_node() const;  ///< -1 when none has a time
  /// The same, but of those that noise tells apart, as nodes of repeated layers, the first.
  int32_t first_costliest_node() const;
  /// Of drawn(): the costliest node, or the closed group around it; without times of nodes the costliest group; -1
  /// without boxes.
  int32_t costliest_box() const;
  /// Of drawn(): the box with the most time, closed groups among them; -1 when none has any.
  int32_t longest_box() const;
  /// Where a view of that size begins, in units of the graph, which has that box, and beside it as many others as can
  /// be seen whole, rather those that cost much. `margin`: around the graph.
  inspector::LayoutPoint best_view(int32_t box, float wide, float high, float margin) const;
  GraphNodeDetails details(int32_t node) const;
  const GraphTimes& times() const { return times_; }
  std::string csv() const;

 private:
  void count_alike();
  void add_times();
  void find_fused();
  void add_ops(const inspector::GraphNode& node, GraphNodeDetails* details) const;
  void build_groups();
  void simplify();
  void name_breaks();
  bool is_in_break_called(int32_t node, const std::string& text) const;
  void group_small_ops();
  void add_small_ops(int32_t parent, const std::vector<int32_t>& set);
  void build_scene();
  void open_up_to(size_t most);
  std::vector<bool> open_groups() const;
  void set_open_groups(const std::vector<bool>& open);
  /// Of all groups and of the nodes outside of them.
  double whole_time() const;
  /// One closed group has most of the time.
  bool hides_most() const;
  void open_along_cost(size_t most, size_t count);
  void open_one_by_one(const std::vector<int32_t>& level, size_t most, size_t count);
  void open_around_costliest(size_t most);
  size_t visible_count() const;

  std::shared_ptr<const TraceData> data_;
  const inspector::GraphModel* graph_ = nullptr;
  size_t graph_index_ = 0;
  GraphGrouping grouping_ = GraphGrouping::Both;
  std::vector<GraphGroup> groups_;
  std::vector<int32_t> group_of_node_;        ///< innermost, -1 for none
  std::vector<int32_t> roots_;                ///< groups in no other
  std::map<std::string, std::string> fused_;  ///< by node: what has its time
  bool brief_ = false;
  size_t first_boxes_ = kFirstBoxes;  ///< for how many boxes open_some() opened
  GraphScene scene_, drawn_;
  std::vector<int32_t> drawn_box_of_node_, box_of_node_;
  inspector::GraphLayout layout_;
  uint64_t layout_version_ = 0;
  GraphTimes times_;
  double hottest_ = 0;
  std::map<std::string, int32_t> alike_;  ///< nodes by operator and module, and by operator, module and line
  std::string common_;                    ///< modules that all nodes lie in, with the dot behind it
  std::vector<int32_t> found_;
  size_t found_at_ = 0;
};

/// A point of the cubic curve with these four control points.
inspector::LayoutPoint curve_point(const inspector::LayoutPoint* controls, float t);
/// How sure a link is: "exact", "by order: 6 in 10".
std::string link_in_words(std::string_view via, double confidence);
/// "float32 [1, 8]".
std::string tensor_text(const inspector::GraphValue& value);

}  // namespace et::gui
