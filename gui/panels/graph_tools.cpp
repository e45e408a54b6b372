// The graph's tool bar with its search, context menu and tooltip.
#include <imgui.h>

#include <algorithm>
#include <array>

#include "gui/models/frame_text.h"
#include "gui/panels/graph_panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/analysis/ops/op_title.h"
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
  ImGui::BeginDisabled(std::find(selected_.begin(), selected_.end(), true) == selected_.end());
  if (ImGui::Button("Fit selection")) fit_ = Fit::Selection;
  ImGui::EndDisabled();
  item_tooltip("What is selected, as large as there is room for");
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
  const bool changed = search_field("Search", &query_);
  const bool enter = ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Enter, false);
  if (!ImGui::IsItemActive()) item_tooltip("Operator, node, module, class, line (model.py:12), dtype, shape, delegate");
  if (changed) set_query(query_);
  if (enter) jump(context, model_.next_found(1));
  if (query_.empty()) return;
  ImGui::SameLine(0, scaled(2));
  if (ImGui::Button("×##clear")) return set_query("");
  item_tooltip("Clear the search");
  flow(ImGui::GetFrameHeight() * 2 + scaled(90));
  ImGui::BeginDisabled(model_.found().empty());
  if (ImGui::ArrowButton("##previous", ImGuiDir_Left)) jump(context, model_.next_found(-1));
  ImGui::SameLine(0, scaled(2));
  if (ImGui::ArrowButton("##next", ImGuiDir_Right)) jump(context, model_.next_found(1));
  ImGui::EndDisabled();
  ImGui::SameLine();
  const std::string count = inspector::format_count(static_cast<int64_t>(model_.found().size()));
  const size_t place = model_.found_place();
  text_colored(theme().muted, model_.found().empty() ? "no matches"
                              : place == 0           ? count + " found"
                                                     : std::to_string(place) + " of " + count);
}

void GraphPanel::set_query(const std::string& text) {
  query_ = text;
  model_.search(query_);
  marks_ = 0;
  if (!model_.found().empty()) fit_ = Fit::Found;
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
    const bool timed = box.kind == GraphBox::Kind::Group && box.ns > 0;
    if (timed) facts.emplace_back("most time in", inspector::operator_title(box.type));
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
