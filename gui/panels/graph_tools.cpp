// The graph's tool bar with its search, context menu and tooltip.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>

#include "gui/models/frame_text.h"
#include "gui/panels/graph_panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr std::array<const char*, 4> kGroupings = {"Delegates, then modules", "Modules", "Delegates", "No groups"};
constexpr std::array<const char*, 3> kColorings = {"Colour: cost", "Colour: delegate", "Colour: type"};

}  // namespace

void GraphPanel::draw_toolbar(PanelContext& context) {
  const TraceData& data = *context.document.data();
  if (data.graphs.size() > 1) {
    ImGui::SetNextItemWidth(scaled(120));
    const std::string& method = model_.graph()->method;
    if (ImGui::BeginCombo("##method", method.empty() ? "(method unknown)" : inspector::printable(method).c_str())) {
      for (size_t i = 0; i < data.graphs.size(); ++i) {
        const std::string label = inspector::printable(data.graphs[i].method) + "##" + std::to_string(i);
        if (ImGui::Selectable(label.c_str(), i == model_.graph_index())) show_graph(context.document.shared_data(), i);
      }
      ImGui::EndCombo();
    }
    item_tooltip("Method");
    ImGui::SameLine();
  }
  int grouping = static_cast<int>(model_.grouping());
  ImGui::SetNextItemWidth(scaled(185));
  if (ImGui::Combo("##grouping", &grouping, kGroupings.data(), static_cast<int>(kGroupings.size()))) {
    model_.set_grouping(static_cast<GraphGrouping>(grouping));
    fit_ = Fit::First;
  }
  item_tooltip("How nodes are grouped");
  flow(scaled(135));
  ImGui::SetNextItemWidth(scaled(135));
  ImGui::Combo("##color", &coloring_, kColorings.data(), static_cast<int>(kColorings.size()));
  flow_button("Expand all");
  if (ImGui::Button("Expand all")) open(true);
  flow_button("Collapse all");
  if (ImGui::Button("Collapse all")) open(false);
  flow_button("Fit");
  if (ImGui::Button("Fit")) fit_ = Fit::All;
  item_tooltip("The whole graph (F)");
  flow_button("Fit selection");
  ImGui::BeginDisabled(context.document.selection().empty());
  if (ImGui::Button("Fit selection")) fit_ = Fit::Selection;
  ImGui::EndDisabled();
  flow(scaled(150));
  draw_search(context);
  flow_button(side_open_ ? "Hide details" : "Details");
  if (ImGui::Button(side_open_ ? "Hide details" : "Details")) side_open_ = !side_open_;
}

bool GraphPanel::fills_view(int32_t group) const {
  constexpr float kMostOfIt = 0.6F;
  const GraphScene& scene = model_.drawn();
  const auto& layout = model_.layout();
  const auto covers = [&](const inspector::LayoutRect& r) {
    const inspector::LayoutPoint a = model_.camera.to_screen(r.min), b = model_.camera.to_screen(r.max);
    const float wide = std::min(b.x, view_.x) - std::max(a.x, 0.0F),
                high = std::min(b.y, view_.y) - std::max(a.y, 0.0F);
    return wide > 0 && high > 0 && wide * high > kMostOfIt * view_.x * view_.y;
  };
  for (size_t c = 0; c < scene.clusters.size() && c < layout.clusters.size(); ++c) {
    if (scene.clusters[c] == group && covers(layout.clusters[c])) return true;
  }
  for (const auto& [cluster, piece] : layout.pieces) {
    if (scene.clusters[static_cast<size_t>(cluster)] == group && covers(piece)) return true;
  }
  return false;
}

void GraphPanel::draw_crumbs(PanelContext& context) {
  const GraphScene& scene = model_.drawn();
  const auto first = std::find(selected_.begin(), selected_.end(), true);
  // Until the view is drawn, it may be the selection of an earlier scene.
  const bool current = selected_.size() == scene.boxes.size();
  const bool any = first != selected_.end() && current;
  // Of several the one whose details stand beside, or what they have in common.
  const Selection& selection = context.document.selection();
  const bool one = selection.kind != Selection::Kind::Module && selection.kind != Selection::Kind::Part;
  int32_t box = any && one ? model_.box_of(model_.find_node(selection.node)) : -1;
  if (any && std::count(selected_.begin(), selected_.end(), true) == 1)
    box = static_cast<int32_t>(first - selected_.begin());
  int32_t group = box >= 0 ? model_.group_around(box) : any ? model_.group_around(selected_) : -1;
  if (!any && !scene.boxes.empty()) {
    const inspector::LayoutPoint middle = model_.camera.to_graph({view_.x / 2, view_.y / 2});
    const GraphViewModel::Hit hit = model_.hit(middle);
    group = hit.box >= 0 ? model_.group_around(hit.box)
                         : (hit.cluster < 0 ? -1 : scene.clusters[static_cast<size_t>(hit.cluster)]);
    // Only what fills the view is where one is: of a view of the whole graph the middle says nothing.
    while (group >= 0 && !fills_view(group)) group = model_.groups()[static_cast<size_t>(group)].parent;
  }
  const std::string& method = model_.graph()->method;
  std::vector<std::pair<int32_t, std::string>> steps = {{-1, method.empty() ? "(method unknown)" : method}};
  for (const int32_t g : model_.path_to(group)) steps.emplace_back(g, model_.groups()[static_cast<size_t>(g)].label);
  std::string last;
  if (box >= 0 && scene.boxes[static_cast<size_t>(box)].kind == GraphBox::Kind::Node)
    last = inspector::printable(scene.boxes[static_cast<size_t>(box)].title);
  // Where there is no room for all, the innermost are shown.
  const auto width_of = [&](size_t i) { return text_width(inspector::printable(steps[i].second)) + scaled(30); };
  float room = ImGui::GetContentRegionAvail().x - text_width(last) - scaled(30);
  size_t begin = steps.size();
  while (begin > 0 && (room -= width_of(begin - 1)) > 0) --begin;
  begin = std::min(begin, steps.size() - 1);
  if (begin > 0) {
    text_colored(theme().faint, "…");
    ImGui::SameLine(0, scaled(4));
  }
  for (size_t i = begin; i < steps.size(); ++i) {
    if (i > begin) {
      ImGui::SameLine(0, scaled(4));
      text_colored(theme().faint, "›");
      ImGui::SameLine(0, scaled(4));
    }
    if (ImGui::SmallButton((inspector::printable(steps[i].second) + "##crumb" + std::to_string(i)).c_str())) {
      if (steps[i].first < 0) fit_ = Fit::All;
      if (steps[i].first >= 0) frame_group(context, steps[i].first);
    }
    item_tooltip("Show all of it");
  }
  if (last.empty()) return;
  ImGui::SameLine(0, scaled(4));
  text_colored(theme().faint, "›");
  ImGui::SameLine(0, scaled(4));
  text_fitting(last);
}

void GraphPanel::frame_group(PanelContext& context, int32_t group) {
  inspector::LayoutRect rect;
  if (group_rect(group, &rect)) {
    for (const auto& [cluster, piece] : model_.layout().pieces) {
      if (model_.drawn().clusters[static_cast<size_t>(cluster)] != group) continue;
      rect.max = {std::max(rect.max.x, piece.max.x), std::max(rect.max.y, piece.max.y)};
      rect.min.y = std::min(rect.min.y, piece.min.y);
    }
    model_.camera.fit(rect, view_.x, view_.y, scaled(1));
  }
  const GraphGroup& g = model_.groups()[static_cast<size_t>(group)];
  if (g.kind != GraphGroup::Kind::Module) return;
  own_click_ = true;
  context.document.select(select_module(*model_.data(), g.path));
}

void GraphPanel::move_by_keys(PanelContext& context) {
  using Toward = GraphViewModel::Toward;
  const ImGuiID id = ImGui::GetID("##canvas");
  for (const auto& [key, step] : {std::pair{ImGuiKey_UpArrow, Toward::Producer},
                                  {ImGuiKey_DownArrow, Toward::Consumer},
                                  {ImGuiKey_LeftArrow, Toward::Left},
                                  {ImGuiKey_RightArrow, Toward::Right}}) {
    ImGui::SetKeyOwner(key, id);
    if (!ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, id) || !model_.has_layout()) continue;
    const auto count = static_cast<int32_t>(model_.drawn().boxes.size());
    const bool kept = cursor_ >= 0 && cursor_ < count && selected_[static_cast<size_t>(cursor_)];
    const auto first = std::find(selected_.begin(), selected_.end(), true);
    const bool any = first != selected_.end();
    const int32_t from = kept ? cursor_ : any ? static_cast<int32_t>(first - selected_.begin()) : -1;
    cursor_ = from < 0 ? model_.costliest_box() : model_.neighbour(from, step);
    GraphViewModel::Hit hit;
    hit.box = cursor_;
    if (Selection s = selection_of(hit); !s.empty()) context.document.select(std::move(s));
  }
}

// Along the links, with a click that selects only where Enter is pressed.
BoxWalk GraphPanel::walk(ImVec2 origin, ImVec2 room) {
  constexpr int64_t kCluster = int64_t{1} << 32;
  const auto on_screen = [this, origin](int64_t key, const inspector::LayoutRect& r) {
    const inspector::LayoutPoint a = model_.camera.to_screen(r.min), b = model_.camera.to_screen(r.max);
    return WalkBox{key, {origin.x + a.x, origin.y + a.y}, {origin.x + b.x, origin.y + b.y}};
  };
  const auto boxes = [this, on_screen] {
    std::vector<WalkBox> out;
    if (!model_.has_layout()) return out;
    const inspector::GraphLayout& layout = model_.layout();
    for (size_t i = 0; i < layout.clusters.size(); ++i)
      out.push_back(on_screen(kCluster + static_cast<int64_t>(i), layout.clusters[i]));
    for (size_t i = 0; i < layout.boxes.size(); ++i) out.push_back(on_screen(static_cast<int64_t>(i), layout.boxes[i]));
    return out;
  };
  const auto key_at = [this, origin](ImVec2 p) -> int64_t {
    const GraphViewModel::Hit hit = model_.hit(model_.camera.to_graph({p.x - origin.x, p.y - origin.y}), 0);
    return hit.box >= 0 ? hit.box : hit.cluster >= 0 ? kCluster + hit.cluster : -1;
  };
  const auto next = [this](int64_t key, ImGuiDir dir) -> int64_t {
    using Toward = GraphViewModel::Toward;
    if (key >= kCluster) return -1;
    const Toward toward = dir == ImGuiDir_Up     ? Toward::Producer
                          : dir == ImGuiDir_Down ? Toward::Consumer
                          : dir == ImGuiDir_Left ? Toward::Left
                                                 : Toward::Right;
    const int32_t to = model_.neighbour(static_cast<int32_t>(key), toward);
    return to == key ? -1 : to;
  };
  const bool any = std::find(selected_.begin(), selected_.end(), true) != selected_.end();
  const auto begins_at = [this, any](int64_t key) {
    if (key >= kCluster) return false;
    return any ? selected_[static_cast<size_t>(key)] : key == model_.costliest_box();
  };
  const auto reveal = [this, origin, room](const WalkBox& box) {
    const ImVec2 middle = {(box.min.x + box.max.x) / 2 - origin.x, (box.min.y + box.max.y) / 2 - origin.y};
    const float margin = scaled(20);
    if (middle.x > margin && middle.y > margin && middle.x < room.x - margin && middle.y < room.y - margin) return;
    model_.camera.center(model_.camera.to_graph({middle.x, middle.y}), room.x, room.y);
  };
  return BoxWalk({.boxes = boxes, .key_at = key_at, .next = next, .begins_at = begins_at, .reveal = reveal});
}

void GraphPanel::open(bool all) {
  if (all) {
    model_.open_all();
  } else {
    model_.close_all();
  }
  fit_ = Fit::First;
}

void GraphPanel::draw_search(PanelContext& context) {
  ImGui::SetNextItemWidth(scaled(150));
  take_search_focus();
  const bool changed = ImGui::InputTextWithHint("##search", "Search", &query_);
  const bool enter = ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Enter, false);
  if (changed) {
    model_.search(query_);
    marks_ = 0;
    if (!model_.found().empty()) fit_ = Fit::Found;
  }
  if (enter) jump(context, model_.next_found(1));
  if (query_.empty()) return;
  flow(ImGui::GetFrameHeight() * 2 + scaled(90));
  ImGui::BeginDisabled(model_.found().empty());
  if (ImGui::ArrowButton("##previous", ImGuiDir_Left)) jump(context, model_.next_found(-1));
  ImGui::SameLine(0, scaled(2));
  if (ImGui::ArrowButton("##next", ImGuiDir_Right)) jump(context, model_.next_found(1));
  ImGui::EndDisabled();
  ImGui::SameLine();
  const auto count = static_cast<int64_t>(model_.found().size());
  text_colored(theme().muted, count == 0 ? "no matches" : inspector::format_count(count) + " found");
}

void GraphPanel::draw_menu(PanelContext& context) {
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
                                     {"Show source line", "source"},
                                     {"Show in flame graph", "flame"}}) {
    if (ImGui::MenuItem(title, nullptr, false, !s.empty())) context.document.select(s, panel);
  }
  ImGui::Separator();
  if (ImGui::MenuItem("Expand all")) open(true);
  if (ImGui::MenuItem("Collapse all")) open(false);
  if (ImGui::MenuItem("Fit", "F")) fit_ = Fit::All;
  ImGui::EndPopup();
}

void GraphPanel::draw_link_tooltip(int32_t index) const {
  const GraphLink& link = model_.drawn().links[static_cast<size_t>(index)];
  const auto title = [&](int32_t box) {
    return inspector::printable(model_.drawn().boxes[static_cast<size_t>(box)].title);
  };
  if (!ImGui::BeginTooltip()) return;
  // A link of many values names the first of them.
  constexpr int kMostLines = 12;
  size_t end = 0;
  int lines = 0;
  while (end != std::string::npos && lines < kMostLines) {
    end = link.values.find('\n', end + (lines > 0 ? 1 : 0));
    ++lines;
  }
  ImGui::TextUnformatted(link.values.substr(0, end).c_str());
  if (end != std::string::npos) text_colored(theme().muted, "and more, " + std::to_string(link.count) + " in all");
  text_colored(theme().muted, "from " + title(link.from) + " to " + title(link.to));
  ImGui::EndTooltip();
}

void GraphPanel::draw_tooltip(int32_t index) const {
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
    if (!n.shape.empty()) facts.emplace_back("produces", n.dtype + " " + n.shape);
    if (!n.module_path.empty()) facts.emplace_back("module", n.module_path);
    if (!n.file.empty()) facts.emplace_back("source", n.file + (n.line > 0 ? ":" + std::to_string(n.line) : ""));
    if (!n.code.empty()) facts.emplace_back("code", n.code);
    facts.emplace_back("runs in", box.backend.empty() ? "the runtime" : box.backend);
    if (n.instruction) facts.emplace_back("instruction", std::to_string(*n.instruction));
  } else if (!box.name.empty()) {
    facts.emplace_back(box.kind == GraphBox::Kind::Group ? "contains" : "is", box.name);
    if (!box.backend.empty()) facts.emplace_back("runs in", box.backend);
  }
  if (box.ns > 0) {
    facts.emplace_back("time", inspector::format_duration_with_unit(box.ns, model_.graph()->unit) +
                                   (total > 0 ? ", " + inspector::format_share(box.ns / total) : ""));
    if (box.kind == GraphBox::Kind::Node) {
      const inspector::GraphNode& n = model_.graph()->nodes[static_cast<size_t>(box.index)];
      if (n.is_estimate()) facts.emplace_back("estimate", estimate_text(n.shared_by));
    }
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
  if (box.kind == GraphBox::Kind::Group) text_colored(theme().muted, "Double-click to expand");
  ImGui::EndTooltip();
}

}  // namespace et::gui
