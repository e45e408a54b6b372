// Flame graph: where the time goes, by the modules of the model or by calls. Its model: FlameModel.
#include "gui/models/flame_model.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "gui/panels/panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "gui/widgets/sentence.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

using inspector::CostKind;
using inspector::CostTree;

constexpr std::array<const char*, 3> kShapes = {"Modules", "Calls", "Calls, same names merged"};
constexpr std::array<const char*, 3> kFlameColors = {"Colour: type", "Colour: backend", "Colour: cost"};
enum Shape { kModules, kCalls, kMergedCalls };
enum Coloring { kByType, kByPart, kByCost };

class FlamePanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    refresh(context);
    if (context.document.data() == nullptr) {
      return draw_empty("No trace is open",
                        "Open a store, or drop an ETDump here together with its ETRecord and program.");
    }
    if (!context.document.data()->has_etdump()) return draw_needs_etdump();
    if (!error_.empty()) return draw_empty("Cannot read the cost tree", error_.c_str());
    if (model_.tree() == nullptr) return draw_empty("Reading…", "");
    if (!(model_.root_total() > 0)) {
      return draw_empty("No time to show", "No execution in the trace has a duration above zero.");
    }
    draw_toolbar(context);
    draw_breadcrumb();
    draw_area(context);
  }

  std::string csv() const override { return model_.csv(); }
  bool draw_on(Canvas& canvas) override {
    if (model_.tree() == nullptr || !(model_.root_total() > 0)) return false;
    draw_boxes(canvas, canvas.min(), canvas.max().x - canvas.min().x, Selection());
    return true;
  }
  void* model() override { return &model_; }
  void commands(CommandList* list) override {
    list->push_back({"Flame graph: show everything", 0, [this] { model_.zoom(0); }});
    for (int i = 0; i < static_cast<int>(kShapes.size()); ++i) {
      list->push_back({std::string("Flame graph: ") + kShapes[static_cast<size_t>(i)], 0, [this, i] { shape_ = i; }});
    }
  }
  std::vector<std::pair<std::string, std::string>> settings() const override {
    return {{"shape", std::to_string(shape_)},
            {"color", std::to_string(coloring_)},
            {"by_cost", model_.ordered_by_cost() ? "1" : "0"}};
  }
  void restore(const std::string& key, const std::string& value) override {
    const int number = value.size() == 1 ? value[0] - '0' : -1;
    if (number < 0 || number > 2) return;
    if (key == "shape") shape_ = number;
    if (key == "color") coloring_ = number;
    if (key == "by_cost") model_.order_by_cost(number == 1);
  }

 private:
  void refresh(PanelContext& context) {
    Document& document = context.document;
    if (version_ == document.version() && read_shape_ == shape_) return;
    const bool other_trace = version_ != document.version();
    version_ = document.version();
    read_shape_ = shape_;
    error_.clear();
    const auto data = document.shared_data();
    if (data == nullptr) {
      model_.set(nullptr, nullptr);
      return;
    }
    if (other_trace) seen_selection_ = 0;
    const auto done = [this, data](Status status, CostTree tree) {
      if (!status.ok()) error_ = status.message();
      model_.set(std::make_shared<const CostTree>(std::move(tree)), data);
      reading_ = false;
      seen_selection_ = 0;
    };
    reading_ = true;
    if (shape_ == kModules) {
      job_ = context.jobs.query<CostTree>(
          document.store_path(),
          [data](const inspector::Store& store, const Cancel&, CostTree* out) {
            return inspector::module_tree(store, data->shown, out);
          },
          done);
    } else {
      job_ = context.jobs.submit<CostTree>(
          [data, merge = shape_ == kMergedCalls](const Cancel&) { return inspector::call_tree(data->shown, merge); },
          [done](CostTree tree) { done({}, std::move(tree)); });
    }
  }

  void draw_toolbar(PanelContext& context) {
    ImGui::SetNextItemWidth(scaled(150));
    ImGui::Combo("##shape", &shape_, kShapes.data(), static_cast<int>(kShapes.size()));
    item_tooltip("Hierarchy: by module, or by enclosing op");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(scaled(150));
    ImGui::Combo("##color", &coloring_, kFlameColors.data(), static_cast<int>(kFlameColors.size()));
    ImGui::SameLine();
    bool by_cost = model_.ordered_by_cost();
    if (ImGui::Checkbox("Costliest first", &by_cost)) model_.order_by_cost(by_cost);
    item_tooltip("Order of children: by time, or by first execution");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(scaled(180));
    take_search_focus();
    if (ImGui::InputTextWithHint("##search", "Search", &query_)) model_.search(query_);
    if (!query_.empty()) {
      ImGui::SameLine();
      ImGui::BeginDisabled(model_.found().empty());
      if (ImGui::ArrowButton("##previous", ImGuiDir_Left)) show(context, model_.next_found(-1));
      ImGui::SameLine(0, scaled(2));
      if (ImGui::ArrowButton("##next", ImGuiDir_Right)) show(context, model_.next_found(1));
      ImGui::EndDisabled();
      ImGui::SameLine();
      const auto found = static_cast<int64_t>(model_.found().size());
      text_colored(theme().muted, found == 0 ? "no matches"
                                             : inspector::format_count(found) + " found, " +
                                                   inspector::format_share(model_.found_total() / model_.root_total()));
    }
    if (reading_) {
      ImGui::SameLine();
      text_colored(theme().faint, "reading…");
    }
    if (coloring_ == kByPart) draw_legend();
    if (const int64_t other = model_.tree()->other_clock_ops; other > 0) {
      ImGui::SameLine();
      text_colored(theme().warning, inspector::format_count(other) + " ops on a separate clock are excluded");
    }
  }

  void draw_legend() {
    std::set<std::string> backends;
    bool kernels = false, control = false;
    // Of methods, not of ops: there may be very many of those.
    for (const inspector::PartRow& part : model_.data()->parts) {
      if (part.part == inspector::Part::Delegate) backends.insert(part.backend);
      kernels = kernels || part.part == inspector::Part::Kernel;
      control = control || part.part == inspector::Part::Control;
    }
    const auto entry = [](ImU32 color, std::string_view name) {
      ImGui::SameLine();
      color_square(color);
      ImGui::SameLine(0, scaled(4));
      text_colored(theme().muted, name);
    };
    for (const std::string& b : backends) entry(backend_color(b), b.empty() ? "unnamed backend" : b);
    if (kernels) entry(theme().kernel, "kernels");
    if (control) entry(theme().control, "control flow");
    entry(theme().framework, "framework");
    entry(theme().unattributed, "unattributed");
  }

  // From the root to what is zoomed into; each leads back.
  void draw_breadcrumb() {
    const std::vector<int32_t> path = model_.path_to(model_.zoomed());
    for (size_t i = 0; i < path.size(); ++i) {
      if (i > 0) {
        ImGui::SameLine(0, scaled(4));
        text_colored(theme().faint, "›");
        ImGui::SameLine(0, scaled(4));
      }
      const std::string label = inspector::printable(model_.label(path[i])) + "##crumb" + std::to_string(i);
      if (i + 1 == path.size()) {
        const double total = model_.node(path[i]).total;
        ImGui::AlignTextToFramePadding();
        const std::string text = inspector::printable(model_.label(path[i])) + "   " +
                                 inspector::format_duration_with_unit(total, model_.tree()->unit) +
                                 (i > 0 ? ", " + inspector::format_share(total / model_.root_total()) : "");
        ImGui::TextUnformatted(text.c_str());
      } else if (ImGui::SmallButton(label.c_str())) {
        model_.zoom(path[i]);
      }
    }
  }

  float row_height() const { return std::round(ImGui::GetFontSize() + scaled(7)); }

  void draw_area(PanelContext& context) {
    if (!ImGui::BeginChild("##flame", {0, 0}, ImGuiChildFlags_None, ImGuiWindowFlags_None)) {
      ImGui::EndChild();
      return;
    }
    const float width = std::floor(ImGui::GetContentRegionAvail().x);
    model_.boxes(width);
    const float height = row_height() * static_cast<float>(model_.rows());
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    follow_selection(context);
    ImGui::InvisibleButton("##area", {std::max(1.0F, width), std::max(1.0F, height)});
    const bool hovered = ImGui::IsItemHovered();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const FlameBox* hit = nullptr;
    if (hovered || ImGui::IsPopupOpen("##menu")) {
      hit = model_.hit(mouse.x - origin.x, static_cast<int32_t>(std::floor((mouse.y - origin.y) / row_height())));
    }
    hovered_ = hovered && hit != nullptr ? hit->node : -1;
    ScreenCanvas canvas(ImGui::GetWindowDrawList(), origin, {origin.x + width, origin.y + height});
    draw_boxes(canvas, origin, width, context.document.selection());
    if (hovered && hit != nullptr) {
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        if (Selection s = model_.selection_of(hit->node); !s.empty() && hit->merged == 0) {
          seen_selection_ = 0;
          context.document.select(std::move(s));
          seen_selection_ = context.document.selection_version();
        }
      }
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
        model_.zoom(hit->merged > 0 ? model_.node(hit->node).parent : hit->node);
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) menu_node_ = hit->node;
      if (!ImGui::IsPopupOpen("##menu")) draw_tooltip(*hit);
    }
    if (ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && ImGui::IsKeyPressed(ImGuiKey_Backspace, false)) {
      model_.zoom(std::max(0, model_.node(model_.zoomed()).parent));
    }
    draw_menu(context);
    ImGui::EndChild();
  }

  void draw_menu(PanelContext& context) {
    if (!ImGui::BeginPopupContextItem("##menu")) return;
    if (menu_node_ >= 0 && static_cast<size_t>(menu_node_) < model_.tree()->nodes.size()) {
      const Selection s = model_.selection_of(menu_node_);
      if (ImGui::MenuItem("Zoom in")) model_.zoom(menu_node_);
      if (ImGui::MenuItem("Zoom out", nullptr, false, model_.zoomed() != 0)) {
        model_.zoom(std::max(0, model_.node(model_.zoomed()).parent));
      }
      if (ImGui::MenuItem("Show everything", nullptr, false, model_.zoomed() != 0)) model_.zoom(0);
      ImGui::Separator();
      for (const auto& [title, panel] : {std::pair{"Show in timeline", "timeline"},
                                         {"Show in operators", "operators"},
                                         {"Show source line", "source"},
                                         {"Show in graph", "graph"}}) {
        if (ImGui::MenuItem(title, nullptr, false, !s.empty())) context.document.select(s, panel);
      }
    }
    ImGui::EndPopup();
  }

  // Something was selected elsewhere: leave a zoom that hides it, and scroll to it.
  void follow_selection(PanelContext& context) {
    if (seen_selection_ == context.document.selection_version()) return;
    seen_selection_ = context.document.selection_version();
    bring_up(model_.find(context.document.selection()));
  }

  void bring_up(int32_t node) {
    if (node < 0) return;
    const std::vector<int32_t> path = model_.path_to(node);
    if (std::find(path.begin(), path.end(), model_.zoomed()) == path.end()) model_.zoom(0);
    const float top = row_height() * static_cast<float>(path.size() - 1);
    const float seen = ImGui::GetScrollY(), room = ImGui::GetWindowHeight();
    if (top < seen || top + row_height() > seen + room) ImGui::SetScrollY(std::max(0.0F, top - room / 2));
  }

  void show(PanelContext& context, int32_t node) {
    if (node < 0) return;
    model_.zoom(model_.node(node).children.empty() ? std::max(0, model_.node(node).parent) : node);
    if (Selection s = model_.selection_of(node); !s.empty()) context.document.select(std::move(s));
  }

  ImU32 color_of(const FlameBox& box) const {
    const inspector::CostNode& n = model_.node(box.node);
    if (n.kind == CostKind::Unattributed) return theme().unattributed;
    if (n.kind == CostKind::Outside) return theme().framework;
    if (coloring_ == kByCost) return cost_color(box.total / model_.root_total());
    if (n.kind == CostKind::Root || n.kind == CostKind::Method) return theme().grid;
    if (coloring_ == kByType) return name_color((n.type.empty() ? n.name : n.type).str());
    if (n.mixed) return theme().grid;
    inspector::OpPart part;
    part.part = n.part;
    part.backend = n.backend;
    return part_color(part);
  }

  void draw_boxes(Canvas& canvas, ImVec2 origin, float width, const Selection& selection) {
    const float height = row_height();
    const size_t above = model_.path_to(model_.zoomed()).size() - 1;
    const float clip_top = canvas.min().y, clip_bottom = canvas.max().y;
    for (const FlameBox& box : model_.boxes(width)) {
      const ImVec2 a = {origin.x + box.x0, origin.y + height * static_cast<float>(box.row)};
      if (a.y + height < clip_top || a.y > clip_bottom) continue;
      ImVec2 b = {origin.x + box.x1, a.y + height - 1};
      if (b.x - a.x > 3) b.x -= 1;
      ImU32 color = color_of(box);
      if (static_cast<size_t>(box.row) < above) color = with_alpha(color, 0.45F);
      const bool dimmed = !model_.query().empty() && !model_.is_found(box.node);
      if (dimmed) color = with_alpha(color, 0.25F);
      if (box.merged > 0) color = with_alpha(theme().faint, 0.5F);
      canvas.fill(a, b, color, b.x - a.x > 6 ? 2 : 0);
      if (box.merged == 0 && b.x - a.x > 24) {
        const bool faded = dimmed || static_cast<size_t>(box.row) < above;
        text_in_box(canvas, a, b, faded ? theme().muted : text_on(color), text_of(box, b.x - a.x));
      }
      if (box.merged == 0 && model_.is_selected(box.node, selection)) canvas.frame(a, b, theme().selection, 2, 2);
      if (box.node == hovered_) canvas.frame(a, b, theme().hover, 1, 2);
    }
  }

  // The name, and where there is room its time.
  std::string text_of(const FlameBox& box, float room) const {
    const std::string label = inspector::printable(model_.label(box.node));
    if (room < scaled(90)) return label;
    const std::string more = "   " + inspector::format_duration_with_unit(box.total, model_.tree()->unit);
    return text_width(label + more) + 8 < room ? label + more : label;
  }

  void draw_tooltip(const FlameBox& box) {
    if (!ImGui::BeginTooltip()) return;
    if (box.merged > 0) {
      const std::string text = inspector::format_count(box.merged) + " narrow boxes, " +
                               inspector::format_duration_with_unit(box.total, model_.tree()->unit) + ", " +
                               inspector::format_share(box.total / model_.root_total());
      ImGui::TextUnformatted(text.c_str());
      text_colored(theme().muted, "Double-click to zoom in");
      ImGui::EndTooltip();
      return;
    }
    ImGui::PushFont(fonts().bold, 0);
    ImGui::TextUnformatted(inspector::printable(model_.label(box.node)).c_str());
    ImGui::PopFont();
    if (ImGui::BeginTable("##facts", 2, ImGuiTableFlags_SizingFixedFit)) {
      for (const auto& [label, value] : model_.facts(box.node)) {
        ImGui::TableNextColumn();
        text_colored(theme().muted, sentence(label));
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(inspector::printable(value).c_str());
      }
      ImGui::EndTable();
    }
    ImGui::EndTooltip();
  }

  FlameModel model_;
  JobHandle job_;
  uint64_t version_ = 0, seen_selection_ = 0;
  int shape_ = kModules, read_shape_ = -1, coloring_ = kByType;
  bool reading_ = false;
  std::string query_, error_;
  int32_t hovered_ = -1, menu_node_ = -1;
};

}  // namespace

extern const PanelSpec k_flame_panel;
const PanelSpec k_flame_panel = {
    .id = "flame",
    .title = "Flame graph",
    .summary = "Where the time goes, by module or by call",
    .key = ImGuiKey_4,
    .make = [] { return std::unique_ptr<Panel>(new FlamePanel); },
};

}  // namespace et::gui
