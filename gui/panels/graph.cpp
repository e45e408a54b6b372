// Graph: the lowered graph with its modules, delegates and control flow, coloured by cost. Its model: GraphViewModel.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/panels/graph_panel.h"
#include "gui/widgets/cells.h"
#include "inspector/analysis/graph/fold_layout.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::GraphLayout;
using inspector::LayoutPoint;
using inspector::LayoutRect;

namespace {

constexpr float kLegibleZoom = 0.94F;  // on a display of 96 dpi: small letters are 11 pixels high
constexpr float kViewMargin = 12;
constexpr float kSeenMargin = 8;  // pixels
constexpr float kMapGap = 4;      // points
float legible_zoom() { return kLegibleZoom * scaled(1); }
// Groups are closed until the whole can be read at the first; what does not become smaller is shown whole down to this.
float least_zoom() { return 0.75F * scaled(1); }

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

void GraphPanel::ask_for_layout(PanelContext& context, ImVec2 room) {
  if (model_.scene().version == asked_) return;
  asked_ = model_.scene().version;
  laying_out_ = true;
  const float zoom = legible_zoom();
  job_ = context.jobs.submit<GraphLayout>(
      [input = model_.scene().input, wide = room.x / zoom, high = room.y / zoom](const Cancel&) {
        return inspector::fold_layout(input, inspector::layout_graph(input), wide, high);
      },
      [this, version = asked_](GraphLayout layout) {
        laying_out_ = false;
        take_layout(std::move(layout), version);
      });
}

void GraphPanel::show_graph(std::shared_ptr<const TraceData> data, size_t index) {
  model_.set(std::move(data), index);
  model_.search(query_);
  fit_ = Fit::Opening;
  tried_brief_ = false;
  seen_selection_ = 0;
  anchor_ = -1;
}

void GraphPanel::take_layout(GraphLayout layout, uint64_t version) {
  LayoutRect before, after;
  const bool anchored = anchor_ >= 0 && group_rect(anchor_, &before);
  model_.set_layout(std::move(layout), version);
  marks_ = 0;
  if (anchored && group_rect(anchor_, &after)) {
    model_.camera.x += after.min.x - before.min.x;
    model_.camera.y += after.min.y - before.min.y;
    if (model_.groups()[static_cast<size_t>(anchor_)].open) opened_ = anchor_;
  }
  anchor_ = -1;
}

bool GraphPanel::group_rect(int32_t group, LayoutRect* out) const {
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

void GraphPanel::jump(PanelContext& context, int32_t node) {
  if (node < 0) return;
  model_.reveal(node);
  context.document.select(select_node(*model_.data(), model_.graph()->nodes[static_cast<size_t>(node)].name));
  fit_ = Fit::Selection;
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
  const ImVec2 whole = {all.x, all.y - legend}, map = GraphMinimap::size(model_, whole);
  const ImVec2 beside_map = {all.x, all.y - std::max(map.y + scaled(kMapGap), legend)};
  const bool has_map = GraphMinimap::is_needed(model_, whole);
  const ImVec2 room = has_map ? beside_map : whole;
  const bool pressed = ImGui::InvisibleButton("##canvas", {std::max(1.0F, room.x), std::max(1.0F, room.y)},
                                              ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                                                  ImGuiButtonFlags_MouseButtonMiddle | ImGuiButtonFlags_EnableNav);
  follow_selection(context);
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
  move_camera(whole, beside_map);
  const BoxWalk keys = walk(origin, room);
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
  view_ = {room.x, room.y};
  if (hovered && ImGui::IsKeyChordPressed(ImGuiKey_F)) fit_ = Fit::All;
  if (ImGui::IsWindowFocused() && !keys && !map_.walked()) move_by_keys(context);
  const GraphViewModel::Hit hit = hovered && !dragging
                                      ? model_.hit(model_.camera.to_graph(mouse), scaled(4) / model_.camera.zoom)
                                      : GraphViewModel::Hit();
  const GraphPainter painter{model_, model_.camera, coloring(), selected_, found_, hit.box, hit.cluster, hit.link};
  ScreenCanvas canvas(ImGui::GetWindowDrawList(), origin, {origin.x + room.x, origin.y + room.y});
  canvas.push_clip(canvas.min(), canvas.max());
  painter.draw(canvas, origin);
  if (laying_out_) canvas.text({origin.x + 8, origin.y + 6}, theme().muted, "laying out…", 0, Anchor::Left);
  canvas.pop_clip();
  if (hovered && !dragging) {
    if ((pressed || keys) && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !dragged_)
      click(context, painter, hit, mouse);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) double_click(context, hit);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) menu_ = hit;
    if (hit.box >= 0 && !ImGui::IsPopupOpen("##menu")) draw_tooltip(hit.box);
    if (hit.link >= 0 && !ImGui::IsPopupOpen("##menu")) draw_link_tooltip(hit.link);
  }
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left) && !ImGui::IsMouseDown(ImGuiMouseButton_Middle)) dragged_ = false;
  draw_menu(context);
  const float below = origin.y + room.y;
  if (legend > 0)
    draw_graph_legend(canvas, painter, {origin.x, below}, {all.x - (has_map ? map.x : 0), origin.y + all.y - below});
  if (has_map)
    map_.draw(canvas, painter, &model_.camera, {origin.x + all.x - map.x, below + scaled(kMapGap)}, map, room);
}

float GraphPanel::zoom_of_whole(ImVec2 room) const {
  GraphCamera camera;
  camera.fit({{0, 0}, {model_.layout().width, model_.layout().height}}, room.x, room.y, scaled(1));
  return camera.zoom;
}

// Groups close until the whole can be read. Where that is not enough boxes say less, if that is enough.
bool GraphPanel::make_smaller(ImVec2 room) {
  const float zoom = zoom_of_whole(room);
  if (zoom >= legible_zoom()) return false;
  if (!model_.brief() && model_.open_less()) return true;
  if (zoom >= least_zoom()) return false;
  const bool more = model_.brief() || !std::exchange(tried_brief_, true);
  if (more) model_.set_brief(!model_.brief());
  return more;
}

void GraphPanel::move_camera(ImVec2 whole, ImVec2 room) {
  if (!model_.has_layout()) return;
  if (fit_ == Fit::All || fit_ == Fit::First || fit_ == Fit::Opening) {
    const LayoutRect all = {{0, 0}, {model_.layout().width, model_.layout().height}};
    model_.camera.fit(all, whole.x, whole.y, 1.2F * scaled(1));
    if (fit_ != Fit::All && model_.camera.zoom < least_zoom()) show_legibly(room);
    if (fit_ == Fit::Opening) seen_selection_ = 0;  // groups that were closed to fit may hold what is selected
    fit_ = Fit::None;
    follow_ = follow_ && !selected_.empty();
  }
  LayoutRect rect;
  if (const int32_t opened = std::exchange(opened_, -1); opened >= 0 && group_rect(opened, &rect))
    show_whole(rect, room);
  if (fit_ == Fit::Selection) {
    fit_ = Fit::None;
    if (model_.bounds(selected_, &rect)) {
      model_.camera.fit(rect, room.x, room.y, scaled(1));
      keep_in_view(room);
    }
  } else if (fit_ == Fit::Found) {
    fit_ = Fit::None;
    show_found(room);
  } else if (follow_ && model_.bounds(selected_, &rect)) {
    const LayoutPoint a = model_.camera.to_screen(rect.min), b = model_.camera.to_screen(rect.max);
    // A box is seen as a whole; of many boxes a part will do.
    const bool fits = b.x - a.x < room.x - 2 * kSeenMargin && b.y - a.y < room.y - 2 * kSeenMargin;
    const bool inside =
        a.x > kSeenMargin && a.y > kSeenMargin && b.x < room.x - kSeenMargin && b.y < room.y - kSeenMargin;
    const bool seen = fits ? inside : b.x > 20 && b.y > 20 && a.x < room.x - 20 && a.y < room.y - 20;
    if (!seen) {
      model_.camera.center({(rect.min.x + rect.max.x) / 2, (rect.min.y + rect.max.y) / 2}, room.x, room.y);
      keep_in_view(room);
    }
  }
  follow_ = false;
}

// What costs most, with as much around it as there is room for.
void GraphPanel::show_legibly(ImVec2 room) {
  GraphCamera& camera = model_.camera;
  camera.zoom = legible_zoom();
  const LayoutPoint begin =
      model_.best_view(std::max(0, model_.longest_box()), room.x / camera.zoom, room.y / camera.zoom, kViewMargin);
  camera.x = begin.x;
  camera.y = begin.y;
}

// What was opened is seen from its beginning, and as a whole where there is room.
void GraphPanel::show_whole(const LayoutRect& rect, ImVec2 room) {
  GraphCamera& camera = model_.camera;
  const auto moved = [](float at, float low, float high, float seen) {
    low -= kViewMargin, high += kViewMargin;
    return high - low > seen ? low : std::clamp(at, high - seen, low);
  };
  camera.x = moved(camera.x, rect.min.x, rect.max.x, room.x / camera.zoom);
  camera.y = moved(camera.y, rect.min.y, rect.max.y, room.y / camera.zoom);
}

// No more emptiness around the graph than needed.
void GraphPanel::keep_in_view(ImVec2 room) {
  GraphCamera& camera = model_.camera;
  const auto keep_in = [](float at, float size, float seen) {
    if (size + 2 * kViewMargin <= seen) return (size - seen) / 2;
    return std::clamp(at, -kViewMargin, size + kViewMargin - seen);
  };
  camera.x = keep_in(camera.x, model_.layout().width, room.x / camera.zoom);
  camera.y = keep_in(camera.y, model_.layout().height, room.y / camera.zoom);
}

void GraphPanel::show_found(ImVec2 room) {
  LayoutRect rect;
  if (!model_.bounds(found_, &rect)) return;
  constexpr float kRecognised = 0.45F;
  model_.camera.fit(rect, room.x, room.y, scaled(1));
  if (model_.camera.zoom >= kRecognised * scaled(1)) return keep_in_view(room);
  const auto first = static_cast<size_t>(std::find(found_.begin(), found_.end(), true) - found_.begin());
  const LayoutRect& box = model_.layout().boxes[first];
  model_.camera.zoom = legible_zoom();
  model_.camera.center({(box.min.x + box.max.x) / 2, (box.min.y + box.max.y) / 2}, room.x, room.y);
  keep_in_view(room);
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
  return {};
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
