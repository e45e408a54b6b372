// Graph: the lowered graph with its modules, delegates and control flow, coloured by cost. Its model: GraphViewModel.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/models/graph_model.h"
#include "gui/panels/graph_painter.h"
#include "gui/panels/graph_side.h"
#include "gui/panels/panel.h"
#include "gui/widgets/cells.h"
#include "inspector/report/format.h"

namespace et::gui {
namespace {

using inspector::GraphLayout;
using inspector::LayoutPoint;
using inspector::LayoutRect;

constexpr float kLegibleZoom = 0.45F;
constexpr std::array<const char*, 4> kGroupings = {"Delegates, then modules", "Modules", "Delegates", "No groups"};
constexpr std::array<const char*, 3> kColorings = {"Color: cost", "Color: delegate", "Color: type"};

class GraphPanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    refresh(context);
    const TraceData* data = context.document.data();
    if (data == nullptr) {
      return draw_empty("No trace is open",
                        "Open a store, or drop an ETDump here together with its ETRecord and program.");
    }
    if (model_.graph() == nullptr) {
      return draw_empty("No graph", data->has_record()
                                        ? "The ETRecord holds no graph that could be read; see its diagnostics."
                                        : "Graphs come from the ETRecord: open it together with these files "
                                          "(generate_etrecord=True when the model is exported).");
    }
    draw_toolbar(context);
    const float side = side_open_ ? std::min(scaled(340), ImGui::GetContentRegionAvail().x * 0.45F) : 0;
    const float width = ImGui::GetContentRegionAvail().x - side - (side > 0 ? ImGui::GetStyle().ItemSpacing.x : 0);
    if (ImGui::BeginChild("##view", {width, 0}, ImGuiChildFlags_Borders,
                          ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
      draw_view(context);
    }
    ImGui::EndChild();
    if (!side_open_) return;
    ImGui::SameLine();
    if (ImGui::BeginChild("##side", {0, 0})) side_.draw(context, model_);
    ImGui::EndChild();
  }

  std::string csv() const override { return model_.csv(); }
  bool draw_on(Canvas& canvas) override {
    if (model_.drawn().boxes.empty()) return false;
    GraphCamera camera;
    const ImVec2 a = canvas.min(), b = canvas.max();
    camera.fit({{0, 0}, {model_.layout().width, model_.layout().height}}, b.x - a.x, b.y - a.y, 2);
    const std::vector<bool> none(model_.drawn().boxes.size()), nothing;
    GraphPainter{model_, camera, coloring(), none, nothing}.draw(canvas, a);
    return true;
  }
  void* model() override { return &model_; }
  void commands(CommandList* list) override {
    list->push_back({"Graph: expand all", 0, [this] { model_.open_all(); }});
    list->push_back({"Graph: collapse all", 0, [this] { model_.close_all(); }});
    list->push_back({"Graph: fit to window", 0, [this] { fit_ = Fit::All; }});
    list->push_back({"Graph: fit to selection", 0, [this] { fit_ = Fit::Selection; }});
  }
  std::vector<std::pair<std::string, std::string>> settings() const override {
    return {{"color", std::to_string(coloring_)}, {"side", side_open_ ? "1" : "0"}};
  }
  void restore(const std::string& key, const std::string& value) override {
    if (value.size() != 1 || value[0] < '0' || value[0] > '2') return;
    if (key == "color") coloring_ = value[0] - '0';
    if (key == "side") side_open_ = value == "1";
  }

 private:
  enum class Fit : uint8_t { None, All, Selection };

  GraphColoring coloring() const { return static_cast<GraphColoring>(coloring_); }

  void refresh(PanelContext& context) {
    Document& document = context.document;
    if (version_ != document.version()) {
      version_ = document.version();
      show_graph(document.shared_data(), 0);
    }
    if (model_.graph() == nullptr || model_.scene().version == asked_) return;
    asked_ = model_.scene().version;
    laying_out_ = true;
    job_ = context.jobs.submit<GraphLayout>(
        [input = model_.scene().input](const Cancel&) { return inspector::layout_graph(input); },
        [this, version = asked_](GraphLayout layout) {
          laying_out_ = false;
          take_layout(std::move(layout), version);
        });
  }

  void show_graph(std::shared_ptr<const TraceData> data, size_t index) {
    model_.set(std::move(data), index);
    model_.search(query_);
    fit_ = Fit::All;
    seen_selection_ = 0;
    anchor_ = -1;
  }

  // What was opened or closed stays where it was.
  void take_layout(GraphLayout layout, uint64_t version) {
    LayoutRect before, after;
    const bool anchored = anchor_ >= 0 && group_rect(anchor_, &before);
    model_.set_layout(std::move(layout), version);
    marks_ = 0;
    if (anchored && group_rect(anchor_, &after)) {
      model_.camera.x += after.min.x - before.min.x;
      model_.camera.y += after.min.y - before.min.y;
    }
    anchor_ = -1;
  }

  bool group_rect(int32_t group, LayoutRect* out) const {
    const GraphScene& s = model_.drawn();
    for (size_t i = 0; i < s.clusters.size(); ++i) {
      if (s.clusters[i] == group) return *out = model_.layout().clusters[i], true;
    }
    for (size_t i = 0; i < s.boxes.size(); ++i) {
      if (s.boxes[i].kind == GraphBox::Kind::Group && s.boxes[i].index == group) {
        return *out = model_.layout().boxes[i], true;
      }
    }
    return false;
  }

  void draw_toolbar(PanelContext& context) {
    const TraceData& data = *context.document.data();
    if (data.graphs.size() > 1) {
      ImGui::SetNextItemWidth(scaled(120));
      const std::string& method = model_.graph()->method;
      if (ImGui::BeginCombo("##method", method.empty() ? "(method unknown)" : inspector::printable(method).c_str())) {
        for (size_t i = 0; i < data.graphs.size(); ++i) {
          const std::string label = inspector::printable(data.graphs[i].method) + "##" + std::to_string(i);
          if (ImGui::Selectable(label.c_str(), i == model_.graph_index()))
            show_graph(context.document.shared_data(), i);
        }
        ImGui::EndCombo();
      }
      item_tooltip("Method");
      ImGui::SameLine();
    }
    int grouping = static_cast<int>(model_.grouping());
    ImGui::SetNextItemWidth(scaled(165));
    if (ImGui::Combo("##grouping", &grouping, kGroupings.data(), static_cast<int>(kGroupings.size()))) {
      model_.set_grouping(static_cast<GraphGrouping>(grouping));
      fit_ = Fit::All;
    }
    item_tooltip("What encloses nodes");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(scaled(125));
    ImGui::Combo("##color", &coloring_, kColorings.data(), static_cast<int>(kColorings.size()));
    ImGui::SameLine();
    if (ImGui::Button("Expand all")) open(true);
    ImGui::SameLine();
    if (ImGui::Button("Collapse all")) open(false);
    ImGui::SameLine();
    if (ImGui::Button("Fit")) fit_ = Fit::All;
    item_tooltip("The whole graph (F)");
    ImGui::SameLine();
    ImGui::BeginDisabled(context.document.selection().empty());
    if (ImGui::Button("Fit selection")) fit_ = Fit::Selection;
    ImGui::EndDisabled();
    ImGui::SameLine();
    draw_search(context);
    ImGui::SameLine();
    if (ImGui::Button(side_open_ ? "Hide details" : "Details")) side_open_ = !side_open_;
    if (!inspector::has_graphviz()) {
      text_colored(theme().warning,
                   "Built without Graphviz: a plain layout is shown. Install libgraphviz-dev and build again.");
    }
  }

  void open(bool all) {
    if (all) {
      model_.open_all();
    } else {
      model_.close_all();
    }
    fit_ = Fit::All;
  }

  void draw_search(PanelContext& context) {
    ImGui::SetNextItemWidth(scaled(150));
    const bool changed = ImGui::InputTextWithHint("##search", "Search", &query_);
    const bool enter = ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Enter, false);
    if (changed) {
      model_.search(query_);
      marks_ = 0;
    }
    if (enter) jump(context, model_.next_found(1));
    if (query_.empty()) return;
    ImGui::SameLine();
    ImGui::BeginDisabled(model_.found().empty());
    if (ImGui::ArrowButton("##previous", ImGuiDir_Left)) jump(context, model_.next_found(-1));
    ImGui::SameLine(0, scaled(2));
    if (ImGui::ArrowButton("##next", ImGuiDir_Right)) jump(context, model_.next_found(1));
    ImGui::EndDisabled();
    ImGui::SameLine();
    const auto count = static_cast<int64_t>(model_.found().size());
    text_colored(theme().muted, count == 0 ? "nothing found" : inspector::format_count(count) + " found");
  }

  void jump(PanelContext& context, int32_t node) {
    if (node < 0) return;
    model_.reveal(node);
    context.document.select(select_node(*model_.data(), model_.graph()->nodes[static_cast<size_t>(node)].name));
    fit_ = Fit::Selection;
  }

  // A selection of another method shows that method's graph.
  void follow_selection(PanelContext& context) {
    if (seen_selection_ == context.document.selection_version()) return;
    seen_selection_ = context.document.selection_version();
    marks_ = 0;
    if (context.document.selection().empty() || own_click_) {
      own_click_ = false;
      return;
    }
    const std::string& method = context.document.selection().method;
    const auto& graphs = context.document.data()->graphs;
    for (size_t i = 0; i < graphs.size(); ++i) {
      if (method.empty() || graphs[i].method != method || i == model_.graph_index()) continue;
      show_graph(context.document.shared_data(), i);
      seen_selection_ = context.document.selection_version();
      break;
    }
    follow_ = true;
  }

  void draw_view(PanelContext& context) {
    const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    const bool pressed = ImGui::InvisibleButton(
        "##canvas", {std::max(1.0F, room.x), std::max(1.0F, room.y)},
        ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
    const bool hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
    follow_selection(context);
    if (model_.drawn().boxes.empty()) {
      ImGui::SetCursorScreenPos({origin.x + 8, origin.y + 6});
      text_colored(theme().muted, "Laying out…");
      return;
    }
    if (marks_ != seen_selection_ + 1) {
      marks_ = seen_selection_ + 1;
      selected_ = model_.selected(context.document.selection());
      found_ = query_.empty() ? std::vector<bool>() : model_.found_boxes();
    }
    move_camera(room);
    const ImGuiIO& io = ImGui::GetIO();
    const LayoutPoint mouse = {io.MousePos.x - origin.x, io.MousePos.y - origin.y};
    if (hovered && io.MouseWheel != 0) model_.camera.zoom_at(std::pow(1.2F, io.MouseWheel), mouse);
    const bool dragging = active && (ImGui::IsMouseDragging(ImGuiMouseButton_Left, 4) ||
                                     ImGui::IsMouseDragging(ImGuiMouseButton_Middle, 1));
    if (dragging) {
      model_.camera.x -= io.MouseDelta.x / model_.camera.zoom;
      model_.camera.y -= io.MouseDelta.y / model_.camera.zoom;
      dragged_ = true;
    }
    if (hovered && ImGui::IsKeyPressed(ImGuiKey_F, false)) fit_ = Fit::All;
    const GraphViewModel::Hit hit =
        hovered && !dragging ? model_.hit(model_.camera.to_graph(mouse)) : GraphViewModel::Hit();
    const GraphPainter painter{model_, model_.camera, coloring(), selected_, found_, hit.box, hit.cluster};
    ScreenCanvas canvas(ImGui::GetWindowDrawList(), origin, {origin.x + room.x, origin.y + room.y});
    canvas.push_clip(canvas.min(), canvas.max());
    painter.draw(canvas, origin);
    if (laying_out_) canvas.text({origin.x + 8, origin.y + 6}, theme().muted, "laying out…", 0);
    canvas.pop_clip();
    if (hovered && !dragging) {
      if (pressed && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !dragged_) click(context, painter, hit, mouse);
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) double_click(context, hit);
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) menu_ = hit;
      if (hit.box >= 0 && !ImGui::IsPopupOpen("##menu")) draw_tooltip(hit.box);
    }
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) && !ImGui::IsMouseDown(ImGuiMouseButton_Middle)) dragged_ = false;
    draw_menu(context);
  }

  void move_camera(ImVec2 room) {
    if (!model_.has_layout()) return;
    if (fit_ == Fit::All) {
      const LayoutRect all = {{0, 0}, {model_.layout().width, model_.layout().height}};
      model_.camera.fit(all, room.x, room.y);
      // A tall graph that would be illegible is shown from its top.
      if (model_.camera.zoom < kLegibleZoom) {
        model_.camera.zoom = kLegibleZoom;
        model_.camera.center({all.max.x / 2, 0}, room.x, room.y);
        model_.camera.y = -12;
      }
      fit_ = Fit::None;
      follow_ = follow_ && !selected_.empty();
    }
    LayoutRect rect;
    if (fit_ == Fit::Selection) {
      fit_ = Fit::None;
      if (model_.bounds(selected_, &rect)) model_.camera.fit(rect, room.x, room.y, 1);
    } else if (follow_ && model_.bounds(selected_, &rect)) {
      const LayoutPoint a = model_.camera.to_screen(rect.min), b = model_.camera.to_screen(rect.max);
      const bool seen = b.x > 20 && b.y > 20 && a.x < room.x - 20 && a.y < room.y - 20;
      if (!seen) {
        model_.camera.center({(rect.min.x + rect.max.x) / 2, (rect.min.y + rect.max.y) / 2}, room.x, room.y);
      }
    }
    follow_ = false;
  }

  void toggle(int32_t group) {
    anchor_ = group;
    model_.set_open(group, !model_.groups()[static_cast<size_t>(group)].open);
  }

  Selection selection_of(const GraphViewModel::Hit& hit) const {
    const TraceData& data = *model_.data();
    if (hit.box >= 0 && model_.drawn().boxes[static_cast<size_t>(hit.box)].kind == GraphBox::Kind::Node) {
      const auto index = static_cast<size_t>(model_.drawn().boxes[static_cast<size_t>(hit.box)].index);
      return select_node(data, model_.graph()->nodes[index].name);
    }
    const int32_t group = group_of(hit);
    if (group < 0) return {};
    const GraphGroup& g = model_.groups()[static_cast<size_t>(group)];
    if (g.kind == GraphGroup::Kind::Module) return select_module(data, g.path);
    if (g.kind == GraphGroup::Kind::Part) {
      return select_part(data, model_.graph()->method, model_.graph()->parts[static_cast<size_t>(g.part)].instruction);
    }
    return {};
  }

  int32_t group_of(const GraphViewModel::Hit& hit) const {
    if (hit.box >= 0) {
      const GraphBox& box = model_.drawn().boxes[static_cast<size_t>(hit.box)];
      return box.kind == GraphBox::Kind::Group ? box.index : -1;
    }
    return hit.cluster < 0 ? -1 : model_.drawn().clusters[static_cast<size_t>(hit.cluster)];
  }

  void click(PanelContext& context, const GraphPainter& painter, const GraphViewModel::Hit& hit, LayoutPoint mouse) {
    const int32_t group = group_of(hit);
    if (group >= 0) {
      const LayoutRect toggle_rect =
          hit.box >= 0 ? painter.toggle_of_box(hit.box) : painter.toggle_of_cluster(hit.cluster);
      if (toggle_rect.contains(mouse)) return toggle(group);
    }
    const Selection s = selection_of(hit);
    if (s.empty() || s.same(context.document.selection())) return;
    own_click_ = true;
    context.document.select(s);
  }

  void double_click(PanelContext& context, const GraphViewModel::Hit& hit) {
    if (hit.box < 0) return;
    const GraphBox& box = model_.drawn().boxes[static_cast<size_t>(hit.box)];
    if (box.kind == GraphBox::Kind::Group) return toggle(box.index);
    if (const Selection s = selection_of(hit); !s.empty()) context.document.select(s, "timeline");
  }

  void draw_menu(PanelContext& context) {
    if (!ImGui::BeginPopupContextItem("##menu")) return;
    const bool current = menu_.box < static_cast<int32_t>(model_.drawn().boxes.size()) &&
                         menu_.cluster < static_cast<int32_t>(model_.drawn().clusters.size());
    const int32_t group = current ? group_of(menu_) : -1;
    if (group >= 0) {
      const bool is_open = model_.groups()[static_cast<size_t>(group)].open;
      if (ImGui::MenuItem(is_open ? "Collapse" : "Expand")) toggle(group);
      ImGui::Separator();
    }
    const Selection s = current ? selection_of(menu_) : Selection();
    if (ImGui::MenuItem("Select", nullptr, false, !s.empty())) context.document.select(s);
    for (const auto& [title, panel] : {std::pair{"Show in timeline", "timeline"},
                                       {"Show in operators", "operators"},
                                       {"Show in source", "source"},
                                       {"Show in flame graph", "flame"}}) {
      if (ImGui::MenuItem(title, nullptr, false, !s.empty())) context.document.select(s, panel);
    }
    ImGui::Separator();
    if (ImGui::MenuItem("Expand all")) open(true);
    if (ImGui::MenuItem("Collapse all")) open(false);
    if (ImGui::MenuItem("Fit", "F")) fit_ = Fit::All;
    ImGui::EndPopup();
  }

  void draw_tooltip(int32_t index) const {
    const GraphBox& box = model_.drawn().boxes[static_cast<size_t>(index)];
    if (!ImGui::BeginTooltip()) return;
    ImGui::PushFont(fonts().bold, 0);
    const std::string& title =
        box.kind == GraphBox::Kind::Node ? model_.graph()->nodes[static_cast<size_t>(box.index)].op : box.title;
    ImGui::TextUnformatted(inspector::printable(title).c_str());
    ImGui::PopFont();
    std::vector<std::pair<std::string, std::string>> facts;
    const double total = model_.graph()->total_ns;
    if (box.kind == GraphBox::Kind::Node) {
      const inspector::GraphNode& n = model_.graph()->nodes[static_cast<size_t>(box.index)];
      facts.emplace_back("node", n.name);
      if (!n.shape.empty()) facts.emplace_back("makes", n.dtype + " " + n.shape);
      if (!n.module_path.empty()) facts.emplace_back("module", n.module_path);
      if (!n.file.empty()) facts.emplace_back("source", n.file + (n.line > 0 ? ":" + std::to_string(n.line) : ""));
      if (!n.code.empty()) facts.emplace_back("code", n.code);
      facts.emplace_back("runs in", box.backend.empty() ? "the runtime" : box.backend);
      if (n.instruction) facts.emplace_back("instruction", std::to_string(*n.instruction));
    } else if (!box.name.empty()) {
      facts.emplace_back(box.kind == GraphBox::Kind::Group ? "holds" : "is", box.name);
      if (!box.backend.empty()) facts.emplace_back("runs in", box.backend);
    }
    if (box.ns > 0) {
      facts.emplace_back("time", inspector::format_duration_with_unit(box.ns, model_.graph()->unit) +
                                     (total > 0 ? ", " + inspector::format_share(box.ns / total) : ""));
    }
    if (ImGui::BeginTable("##facts", 2, ImGuiTableFlags_SizingFixedFit)) {
      for (const auto& [label, value] : facts) {
        ImGui::TableNextColumn();
        text_colored(theme().muted, label);
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(inspector::printable(value).c_str());
      }
      ImGui::EndTable();
    }
    if (box.kind == GraphBox::Kind::Group) text_colored(theme().muted, "Double click opens it");
    ImGui::EndTooltip();
  }

  GraphViewModel model_;
  GraphSide side_;
  JobHandle job_;
  uint64_t version_ = 0, asked_ = 0, seen_selection_ = 0;
  uint64_t marks_ = 0;  ///< selection version + 1 that selected_ and found_ are of, 0: none
  std::vector<bool> selected_, found_;
  bool laying_out_ = false, side_open_ = true, dragged_ = false, follow_ = false, own_click_ = false;
  Fit fit_ = Fit::All;
  int coloring_ = 0;
  int32_t anchor_ = -1;  ///< group that was toggled
  GraphViewModel::Hit menu_;
  std::string query_;
};

}  // namespace

extern const PanelSpec k_graph_panel;
const PanelSpec k_graph_panel = {
    .id = "graph",
    .title = "Graph",
    .summary = "The lowered graph with modules, delegates and costs",
    .key = ImGuiKey_5,
    .dock = Dock::Center,
    .make = [] { return std::unique_ptr<Panel>(new GraphPanel); },
};

}  // namespace et::gui
