// Graph: the lowered graph with its modules, delegates and control flow, coloured by cost. Its model: GraphViewModel.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/graph_panel.h"
#include "gui/widgets/cells.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::GraphLayout;
using inspector::LayoutPoint;
using inspector::LayoutRect;

namespace {

constexpr float kMapGap = 6;  // points, to the edges of the view

}  // namespace

void GraphPanel::draw(PanelContext& context) {
  refresh(context);
  const TraceData* data = context.document.data();
  if (data == nullptr) {
    return draw_empty("No trace is open",
                      "Open a store, or drop an ETDump here together with its ETRecord and program.");
  }
  if (model_.graph() == nullptr) {
    return draw_empty(
        "No graph",
        data->has_etrecord()
            ? "No graph in the ETRecord could be read, or it is another model's; see the import diagnostics."
            : "Graphs come from the ETRecord: open it together with these files (export with generate_etrecord=True).");
  }
  draw_toolbar(context);
  draw_crumbs(context);
  const float side = side_open_ ? std::min(scaled(340), ImGui::GetContentRegionAvail().x * 0.37F) : 0;
  const float width = ImGui::GetContentRegionAvail().x - side - (side > 0 ? ImGui::GetStyle().ItemSpacing.x : 0);
  if (ImGui::BeginChild("##view", {width, 0}, ImGuiChildFlags_Borders,
                        ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse)) {
    // What was chosen at the side is walked from here.
    if (side_.takes_went()) ImGui::SetWindowFocus();
    draw_view(context);
  }
  ImGui::EndChild();
  if (!side_open_) return;
  ImGui::SameLine();
  if (ImGui::BeginChild("##side", {0, 0})) side_.draw(context, model_);
  ImGui::EndChild();
}

bool GraphPanel::draw_on(Canvas& canvas) {
  if (model_.drawn().boxes.empty()) return false;
  GraphCamera camera;
  const ImVec2 a = canvas.min(), b = canvas.max();
  camera.fit({{0, 0}, {model_.layout().width, model_.layout().height}}, b.x - a.x, b.y - a.y, 2);
  const std::vector<bool> none(model_.drawn().boxes.size()), nothing;
  GraphPainter{model_, camera, coloring(), none, nothing}.draw(canvas, a);
  return true;
}

void GraphPanel::commands(CommandList* list) {
  list->push_back({"Graph: expand all", 0, [this] { model_.open_all(); }});
  list->push_back({"Graph: collapse all", 0, [this] { model_.close_all(); }});
  list->push_back({"Graph: fit to window", 0, [this] { fit_ = Fit::All; }});
  list->push_back({"Graph: fit to selection", 0, [this] { fit_ = Fit::Selection; }});
}

std::vector<std::pair<std::string, std::string>> GraphPanel::settings() const {
  return {{"color", std::to_string(coloring_)}, {"side", side_open_ ? "1" : "0"}};
}

void GraphPanel::restore(const std::string& key, const std::string& value) {
  if (value.size() != 1 || value[0] < '0' || value[0] > '2') return;
  if (key == "color") coloring_ = value[0] - '0';
  if (key == "side") side_open_ = value == "1";
}

void GraphPanel::refresh(PanelContext& context) {
  Document& document = context.document;
  if (version_ != document.version()) {
    version_ = document.version();
    // Another basis, or a range, of the same trace: the same method.
    const bool same = trace_version_ == document.trace_version();
    trace_version_ = document.trace_version();
    const auto data = document.shared_data();
    show_graph(data, same ? model_.graph_index() : data == nullptr ? 0 : costliest_graph(*data));
  }
}

void GraphPanel::show_graph(std::shared_ptr<const TraceData> data, size_t index) {
  model_.set(std::move(data), index);
  model_.search(query_);
  fit_ = Fit::Opening;
  tried_brief_ = false;
  seen_selection_ = 0;
  anchor_ = -1;
}

void GraphPanel::jump(PanelContext& context, int32_t node) {
  if (node < 0) return;
  model_.reveal(node);
  context.document.select(select_node(*model_.data(), model_.graph()->nodes[static_cast<size_t>(node)].name));
  fit_ = Fit::Jump;
}

void GraphPanel::follow_selection(PanelContext& context) {
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
  // An op or a node is to be seen; a line or a module of many nodes is where it is.
  constexpr size_t kFew = 4;
  const std::vector<std::string>& nodes = context.document.selection().nodes;
  for (size_t i = 0; nodes.size() <= kFew && i < nodes.size(); ++i) model_.reveal(model_.find_node(nodes[i]));
  follow_ = true;
}

void GraphPanel::draw_view(PanelContext& context) {
  const ImVec2 origin = ImGui::GetCursorScreenPos(), all = ImGui::GetContentRegionAvail();
  const float legend_high = graph_legend_height(model_, coloring(), all.x),
              legend = all.y > 7 * legend_high ? legend_high : 0;
  // Legend and map lie over the graph; what is shown on purpose is above them.
  const ImVec2 whole = {all.x, all.y - legend};
  const bool has_map = GraphMinimap::is_needed(model_, whole);
  const ImVec2 map = has_map ? GraphMinimap::size(model_, whole) : ImVec2();
  const ImVec2 clear = {all.x, all.y - std::max(has_map ? map.y + 2 * scaled(kMapGap) : 0, legend)};
  ImGui::SetNextItemAllowOverlap();
  const bool pressed = ImGui::InvisibleButton("##canvas", {std::max(1.0F, all.x), std::max(1.0F, all.y)},
                                              ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                                                  ImGuiButtonFlags_MouseButtonMiddle | ImGuiButtonFlags_EnableNav);
  follow_selection(context);
  if (const ImVec2 before = std::exchange(size_, all); before.x > 0 && (before.x != all.x || before.y != all.y))
    resize(before, all);
  fold_anew(whole);
  ask_for_layout(context, whole);
  if (fit_ == Fit::Opening && model_.has_layout() && make_smaller(whole)) ask_for_layout(context, whole);
  if (model_.drawn().boxes.empty() || (fit_ == Fit::Opening && !model_.has_layout())) {
    ImGui::SetCursorScreenPos({origin.x + 8, origin.y + 6});
    text_colored(theme().muted, "Laying out…");
    return;
  }
  if (marks_ != seen_selection_ + 1) {
    marks_ = seen_selection_ + 1;
    selected_ = model_.selected(context.document.selection());
    found_ = query_.empty() ? std::vector<bool>() : model_.found_boxes();
  }
  move_camera(whole, clear);
  const BoxWalk keys = walk(origin, clear);
  const bool hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
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
  view_ = {clear.x, clear.y};
  if (hovered && ImGui::IsKeyChordPressed(ImGuiKey_F)) fit_ = Fit::All;
  if (ImGui::IsWindowFocused()) {
    if (!keys && !map_.walked()) move_by_keys(context);
    open_by_keys();
  }
  const GraphViewModel::Hit hit = hovered && !dragging
                                      ? model_.hit(model_.camera.to_graph(mouse), scaled(4) / model_.camera.zoom)
                                      : GraphViewModel::Hit();
  const GraphPainter painter{model_, model_.camera, coloring(), selected_, found_, hit.box, hit.cluster, hit.link};
  ScreenCanvas canvas(ImGui::GetWindowDrawList(), origin, {origin.x + all.x, origin.y + all.y});
  canvas.push_clip(canvas.min(), canvas.max());
  painter.draw(canvas, origin);
  if (laying_out_) canvas.text({origin.x + 8, origin.y + 6}, theme().muted, "laying out…", 0, Anchor::Left);
  canvas.pop_clip();
  if (hovered && !dragging) take_mouse(context, painter, hit, mouse, pressed || keys);
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) && !ImGui::IsMouseDown(ImGuiMouseButton_Middle)) dragged_ = false;
  draw_menu(context);
  draw_overlays(canvas, painter, origin, all, map, legend);
}

void GraphPanel::take_mouse(PanelContext& context, const GraphPainter& painter, const GraphViewModel::Hit& hit,
                            LayoutPoint mouse, bool clicked) {
  if (clicked && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !dragged_) click(context, painter, hit, mouse);
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) double_click(context, hit);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) menu_ = hit;
  if (ImGui::IsPopupOpen("##menu") || !wants_tooltip(context, hit)) return;
  if (hit.box >= 0) draw_tooltip(hit.box);
  if (hit.link >= 0) draw_link_tooltip(hit.link);
}

// Not beside keys, nor of what the details beside it say already; and not of what the mouse only passes.
bool GraphPanel::wants_tooltip(PanelContext& context, const GraphViewModel::Hit& hit) {
  constexpr double kDelay = 0.25;  // seconds
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0) keys_moved_ = false;
  const double now = ImGui::GetTime();
  if (std::exchange(pointed_, hit.box) != hit.box) pointed_since_ = now;
  if (keys_moved_) return false;
  if (hit.box < 0) return true;
  const bool told = side_open_ && selected_[static_cast<size_t>(hit.box)] &&
                    std::count(selected_.begin(), selected_.end(), true) == 1;
  if (told) return false;
  if (now - pointed_since_ >= kDelay) return true;
  context.wants_frames = true;
  return false;
}

void GraphPanel::draw_overlays(Canvas& canvas, const GraphPainter& painter, ImVec2 origin, ImVec2 size, ImVec2 map,
                               float legend) {
  const float gap = scaled(kMapGap), beside = map.x > 0 ? map.x + 2 * gap : 0;
  if (legend > 0) draw_graph_legend(canvas, painter, {origin.x, origin.y + size.y - legend}, {size.x - beside, legend});
  if (map.x > 0) {
    const ImVec2 at = {origin.x + size.x - map.x - gap, origin.y + size.y - map.y - gap};
    map_.draw(canvas, painter, &model_.camera, at, map, size);
  }
}

void GraphPanel::toggle(int32_t group) {
  anchor_ = group;
  model_.set_open(group, !model_.groups()[static_cast<size_t>(group)].open);
}

Selection GraphPanel::selection_of(const GraphViewModel::Hit& hit) const {
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
  // Of no module and no delegate: its nodes.
  std::vector<Selection> parts;
  for (const int32_t n : model_.members_of(group))
    parts.push_back(select_node(data, model_.graph()->nodes[static_cast<size_t>(n)].name));
  return select_several(std::move(parts), g.detail.empty() ? g.label : g.label + ", " + g.detail);
}

int32_t GraphPanel::group_of(const GraphViewModel::Hit& hit) const {
  if (hit.box >= 0) {
    const GraphBox& box = model_.drawn().boxes[static_cast<size_t>(hit.box)];
    return box.kind == GraphBox::Kind::Group ? box.index : -1;
  }
  return hit.cluster < 0 ? -1 : model_.drawn().clusters[static_cast<size_t>(hit.cluster)];
}

void GraphPanel::click(PanelContext& context, const GraphPainter& painter, const GraphViewModel::Hit& hit,
                       LayoutPoint mouse) {
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

void GraphPanel::double_click(PanelContext& context, const GraphViewModel::Hit& hit) {
  if (hit.box < 0) return;
  const GraphBox& box = model_.drawn().boxes[static_cast<size_t>(hit.box)];
  if (box.kind == GraphBox::Kind::Group) return toggle(box.index);
  if (const Selection s = selection_of(hit); !s.empty()) context.document.select(s, "timeline");
}

extern const PanelSpec k_graph_panel;
const PanelSpec k_graph_panel = {
    .id = "graph",
    .title = "Graph",
    .summary = "The lowered graph with modules, delegates and costs",
    .key = ImGuiKey_5,
    .make = [] { return std::unique_ptr<Panel>(new GraphPanel); },
};

}  // namespace et::gui
