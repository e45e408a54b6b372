// Flame graph: where the time goes, by the modules of the model, by the lines of its code or by ops. Its model:
// FlameModel.
#include "gui/models/flame_model.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "gui/panels/flame_boxes.h"
#include "gui/panels/flame_legends.h"
#include "gui/panels/flame_tables.h"
#include "gui/panels/panel.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "gui/widgets/sentence.h"
#include "inspector/analysis/diff/diff_text.h"
#include "inspector/analysis/ops/frame_tree.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::CostKind;
using inspector::CostTree;

constexpr std::array<const char*, 5> kShapes = {"By modules", "By frames", "By ops", "By ops, same names merged",
                                                "By backends and operators"};
constexpr std::array<const char*, 5> kShapeIds = {"modules", "frames", "ops", "merged_ops", "types"};
constexpr std::array<const char*, 4> kFlameColors = {"Colour: type", "Colour: backend", "Colour: cost",
                                                     "Colour: change"};
enum Shape { kModules, kFrames, kCalls, kMergedCalls, kTypes };
enum Coloring { kByType, kByPart, kByCost, kByChange };
constexpr float kTallest = 4;  // times the usual height: rows grow to fill the panel

class FlamePanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    refresh(context);
    refresh_comparison(context);
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
    draw_fallback(*context.document.data());
    draw_breadcrumb();
    const float room = ImGui::GetContentRegionAvail().y, spacing = ImGui::GetStyle().ItemSpacing.y;
    const float below = tables_.height(room, least_row_height() * static_cast<float>(std::max(model_.rows(), 1)));
    draw_area(context, below > 0 ? room - below - spacing : 0);
    const int sign = !model_.compares() ? 0 : shows_after() ? 1 : -1;
    if (below > 0 && tables_.draw(&model_, chosen_, below, sign)) {
      query_ = model_.query();
      hit_ = -1;
    }
  }

  std::string csv() const override { return model_.csv(); }
  bool draw_on(Canvas& canvas) override {
    if (model_.tree() == nullptr || !(model_.root_total() > 0)) return false;
    model_.boxes(canvas.max().x - canvas.min().x);
    row_height_ = row_height(canvas.max().y - canvas.min().y);
    draw_boxes(canvas, canvas.min(), canvas.max().x - canvas.min().x, Selection());
    return true;
  }
  void* model() override { return &model_; }
  void commands(CommandList* list) override {
    list->push_back({"Flame graph: show everything", 0, [this] { model_.zoom(0); }});
    list->push_back({kFlameChangeCommand, 0, [this] { coloring_ = kByChange; }, model_.compares()});
    for (int i = 0; i < static_cast<int>(kShapes.size()); ++i) {
      list->push_back({std::string("Flame graph: ") + kShapes[static_cast<size_t>(i)], 0, [this, i] { shape_ = i; }});
    }
  }
  std::vector<std::pair<std::string, std::string>> settings() const override {
    return {{"by", kShapeIds[static_cast<size_t>(shape_)]},
            {"color", std::to_string(coloring_ == kByChange ? plain_coloring_ : coloring_)},
            {"by_cost", model_.ordered_by_cost() ? "1" : "0"},
            {"merge_repeats", model_.merges_repeats() ? "1" : "0"}};
  }
  void restore(const std::string& key, const std::string& value) override {
    for (size_t i = 0; key == "by" && i < kShapeIds.size(); ++i) {
      if (value == kShapeIds[i]) shape_ = static_cast<int>(i);
    }
    const int number = value.size() == 1 ? value[0] - '0' : -1;
    if (number < 0 || number > 2) return;
    if (key == "color") coloring_ = number;
    if (key == "by_cost") model_.order_by_cost(number == 1);
    if (key == "merge_repeats") model_.merge_repeats(number == 1);
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
    data_ = data;
    if (data == nullptr) {
      open_tree_ = other_tree_ = shown_tree_ = nullptr;
      model_.compare(nullptr);
      model_.set(nullptr, nullptr);
      return;
    }
    if (other_trace) seen_selection_ = 0;
    const auto done = [this](Status status, CostTree tree) {
      if (!status.ok()) error_ = status.message();
      open_tree_ = std::make_shared<const CostTree>(std::move(tree));
      other_tree_ = nullptr;
      show_trees();
      chosen_ = hit_ = -1;
      reading_ = false;
      seen_selection_ = 0;
    };
    reading_ = true;
    if (shape_ == kModules || shape_ == kFrames) {
      job_ = context.jobs.query<CostTree>(
          document.store_path(),
          [data, frames = shape_ == kFrames](const inspector::Store& store, const Cancel&, CostTree* out) {
            Status status = frames ? inspector::frame_tree(store, data->shown, {}, out)
                                   : inspector::module_tree(store, data->shown, out);
            const CostKind wanted = frames ? CostKind::Frame : CostKind::Module;
            const bool any = std::any_of(out->nodes.begin(), out->nodes.end(),
                                         [&](const inspector::CostNode& n) { return n.kind == wanted; });
            if (status.ok() && !any) *out = inspector::type_tree(data->shown);
            return status;
          },
          done);
    } else {
      job_ = context.jobs.submit<CostTree>(
          [data, shape = shape_](const Cancel&) {
            return shape == kTypes ? inspector::type_tree(data->shown)
                                   : inspector::call_tree(data->shown, shape == kMergedCalls);
          },
          [done](CostTree tree) { done({}, std::move(tree)); });
    }
  }

  /// The other trace's tree of the same kind, while there is a comparison with all of the open one.
  void refresh_comparison(PanelContext& context) {
    const auto result = context.document.comparison().result();
    const bool fits = result != nullptr && result->same.empty() && open_tree_ != nullptr && !reading_ &&
                      result->open == context.document.shared_data();
    const CostTree* const tree = fits ? open_tree_.get() : nullptr;
    if (tree == compared_tree_ && (tree == nullptr || compared_ == result)) return;
    compared_tree_ = tree;
    compared_ = tree == nullptr ? nullptr : result;
    change_job_.reset();
    if (tree == nullptr) {
      other_tree_ = nullptr;
      by_other_ = false;
      show_trees();
      if (result == nullptr && coloring_ == kByChange) coloring_ = plain_coloring_;
      return;
    }
    change_job_ = context.jobs.query<CostTree>(
        result->source->store,
        [result, shape = read_shape_, modules = model_.has(CostKind::Module), frames = model_.has(CostKind::Frame)](
            const inspector::Store& store, const Cancel&, CostTree* out) {
          if (shape == kCalls || shape == kMergedCalls) {
            *out = inspector::call_tree(result->other, shape == kMergedCalls);
          } else if (shape == kModules && modules) {
            return inspector::module_tree(store, result->other, out);
          } else if (shape == kFrames && frames) {
            return inspector::frame_tree(store, result->other, {}, out);
          } else {
            *out = inspector::type_tree(result->other);
          }
          return Status();
        },
        [this](const Status& status, CostTree other) {
          if (!status.ok()) return;
          const bool fresh = !model_.compares() && coloring_ != kByChange;
          other_tree_ = std::make_shared<const CostTree>(std::move(other));
          show_trees();
          different_ = inspector::different_programs(compared_->diff);
          if (fresh && seen_comparison_ != compared_->source) coloring_ = kByChange;
          seen_comparison_ = compared_->source;
        });
  }

  /// Boxes are as wide as in the open trace, or in the other one: only so what is gone has boxes.
  void show_trees() {
    const bool other = by_other_ && other_tree_ != nullptr && compared_ != nullptr;
    const auto& shown = other ? other_tree_ : open_tree_;
    if (std::exchange(shown_tree_, shown) != shown) {
      model_.compare(nullptr);
      model_.set(shown, other ? nullptr : data_);
    }
    if (other_tree_ == nullptr || compared_ == nullptr) return model_.compare(nullptr);
    model_.compare(other ? open_tree_ : other_tree_,
                   std::make_shared<const FlameWork>(flame_work(compared_->diff, shows_after())));
  }

  /// What has boxes is the later one of the two.
  bool shows_after() const { return compared_ == nullptr || compared_->open_is_after != by_other_; }

  double change_of(int32_t node) const { return shows_after() ? model_.change(node) : -model_.change(node); }

  /// What of it is more than noise, as Compare says: the rest is grey.
  double sure_change_of(int32_t node) const {
    return shows_after() ? model_.sure_change(node) : -model_.sure_change(node);
  }
  double larger_of(int32_t node) const {
    return std::max(model_.node(node).total, model_.node(node).total - model_.change(node));
  }

  void draw_toolbar(PanelContext& context) {
    if (coloring_ != kByChange) plain_coloring_ = coloring_;
    ImGui::SetNextItemWidth(scaled(210));
    ImGui::Combo("##shape", &shape_, kShapes.data(), static_cast<int>(kShapes.size()));
    item_tooltip("What contains what: modules, lines of the Python stack, or enclosing ops");
    flow(scaled(150));
    ImGui::SetNextItemWidth(scaled(150));
    ImGui::Combo("##color", &coloring_, kFlameColors.data(), model_.compares() ? 4 : 3);
    if (model_.compares()) draw_widths();
    flow_button("Costliest first      ");
    bool by_cost = model_.ordered_by_cost();
    if (ImGui::Checkbox("Costliest first", &by_cost)) model_.order_by_cost(by_cost);
    item_tooltip("On: boxes side by side are ordered by cost. Off: as they run, by the middle of their time");
    if (model_.has_repeats()) {
      flow_button("Merge repeated      ");
      bool merge = model_.merges_repeats();
      if (ImGui::Checkbox("Merge repeated", &merge)) {
        model_.merge_repeats(merge);
        chosen_ = hit_ = -1;
      }
      item_tooltip(
          "Modules that are one thing repeated, as the layers of an encoder are, as one box: what each of them "
          "contains is added up");
    }
    flow(scaled(180));
    ImGui::SetNextItemWidth(scaled(180));
    draw_search(context);
    if (reading_) {
      flow(scaled(60));
      text_colored(theme().faint, "reading…");
    }
    if (coloring_ == kByPart) draw_legend();
    if (coloring_ == kByType && !tables_.shown()) draw_flame_type_legend(model_);
    if (coloring_ == kByCost) draw_flame_cost_legend();
    if (coloring_ == kByChange && model_.compares()) {
      const double lost = model_.lost();
      draw_flame_change_legend(shows_after(), model_.replaces_any(),
                               lost > 0 ? inspector::format_duration_with_unit(lost, model_.tree()->unit) : "");
    }
    draw_left_out();
    if (model_.compares() && !different_.empty()) {
      ImGui::PushTextWrapPos(0);
      text_colored(theme().warning, different_);
      ImGui::PopTextWrapPos();
    }
    if (const int64_t other = model_.tree()->other_clock_ops; other > 0) {
      const std::string text = inspector::format_count(other) + " ops on a separate clock are excluded";
      flow(ImGui::CalcTextSize(text.c_str()).x);
      text_colored(theme().warning, text);
    }
  }

  void draw_widths() {
    flow(scaled(140));
    ImGui::SetNextItemWidth(scaled(140));
    static constexpr std::array<const char*, 2> kWidths = {"Width: before", "Width: after"};
    int width = shows_after() ? 1 : 0;
    if (ImGui::Combo("##widths", &width, kWidths.data(), static_cast<int>(kWidths.size()))) {
      by_other_ = (width == 1) != compared_->open_is_after;
      show_trees();
      chosen_ = hit_ = -1;
    }
    item_tooltip("What is gone has boxes in the widths of before, what has come in those of after");
  }

  /// Of a comparison: of a trace alone the line on top says it.
  void draw_left_out() {
    if (!model_.compares() || !model_.leaves_out_variation()) return;
    const bool after = shows_after();
    const auto time = [&](double ticks) { return inspector::format_duration_with_unit(ticks, model_.tree()->unit); };
    const double before = after ? model_.left_out_before() : model_.left_out();
    const double now = after ? model_.left_out() : model_.left_out_before();
    ImGui::PushTextWrapPos(0);
    text_colored(theme().muted, "Noise, in no op's usual time, is left out of both: " + time(before) + " before, " +
                                    time(now) + " after");
    ImGui::PopTextWrapPos();
  }

  void draw_search(PanelContext& context) {
    if (search_field("Search", &query_)) {
      model_.search(query_);
      hit_ = -1;
    }
    const bool enter = ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Enter, false);
    if (enter) ImGui::SetKeyboardFocusHere(-1);
    if (query_.empty()) return;
    const auto found = static_cast<int64_t>(model_.found_boxes());
    const std::string text = found > 0 ? inspector::format_count(found) + " found, " +
                                             inspector::format_share(model_.found_total() / model_.root_total())
                             : model_.is_module_without_box() ? "no matches: boxes here stand for several modules"
                                                              : "no matches";
    flow(2 * ImGui::GetFrameHeight() + text_width(text) + scaled(20));
    ImGui::BeginDisabled(model_.found().empty());
    const bool back = enter && ImGui::GetIO().KeyShift;
    if (ImGui::ArrowButton("##previous", ImGuiDir_Left) || back) show(context, model_.next_found(-1));
    item_tooltip("Previous match (Shift+Enter)");
    ImGui::SameLine(0, scaled(2));
    if (ImGui::ArrowButton("##next", ImGuiDir_Right) || (enter && !back)) show(context, model_.next_found(1));
    item_tooltip("Next match (Enter)");
    ImGui::EndDisabled();
    ImGui::SameLine();
    text_colored(theme().muted, text);
  }

  // Why something else is shown than what was asked for.
  void draw_fallback(const TraceData& data) {
    const bool modules = read_shape_ == kModules && !model_.has(CostKind::Module);
    const bool frames = read_shape_ == kFrames && !model_.has(CostKind::Frame);
    if (reading_ || (!modules && !frames)) return;
    const std::string what = modules ? "modules" : "frames";
    const std::string why = data.has_etrecord()
                                ? "No op of the trace leads to the " + what + " of the ETRecord"
                                : (modules ? "Modules" : "Frames") +
                                      std::string(" need the ETRecord (etrecord.bin): open it together with the trace");
    ImGui::PushTextWrapPos(0);
    text_colored(theme().warning, why + ". Shown by backends and operators instead.");
    ImGui::PopTextWrapPos();
  }

  void draw_legend() {
    std::set<std::string> backends;
    bool kernels = false, control = false;
    // Of methods, not of ops: there may be very many of those.
    for (const inspector::PartRow& part : data_->parts) {
      if (part.part == inspector::Part::Delegate) backends.insert(part.backend);
      kernels = kernels || part.part == inspector::Part::Kernel;
      control = control || part.part == inspector::Part::Control;
    }
    std::vector<LegendEntry> entries;
    for (const std::string& b : backends) entries.push_back({backend_color(b), inspector::backend_title(b)});
    if (kernels) entries.push_back({theme().kernel, "kernels"});
    if (control) entries.push_back({theme().control, "control flow"});
    entries.push_back({theme().framework, "framework"});
    entries.push_back({theme().unattributed, "unattributed"});
    draw_legend_line(entries);
  }

  // From the root to what is zoomed into; each leads back. Without a zoom the first box says it all.
  void draw_breadcrumb() {
    if (model_.zoomed() == 0) return;
    const auto steps = model_.steps_to(model_.zoomed());
    for (size_t i = 0; i < steps.size(); ++i) {
      const auto [first, last] = steps[i];
      const std::string label = inspector::printable(model_.label(first, last));
      if (i + 1 == steps.size()) {
        const double total = model_.node(last).total;
        const std::string text = label + "   " + inspector::format_duration_with_unit(total, model_.tree()->unit) +
                                 ", " + inspector::format_share(total / model_.root_total());
        flow(text_width(text));
        text_fitting(text);  // beside small buttons, whose texts stand at their top
        continue;
      }
      if (i > 0) flow(text_width(label) + scaled(24));
      if (ImGui::SmallButton((label + "##crumb" + std::to_string(i)).c_str())) model_.zoom(first);
      ImGui::SameLine(0, scaled(4));
      text_colored(theme().faint, "›");
    }
  }

  static float least_row_height() { return std::round(ImGui::GetFontSize() + scaled(7)); }

  // Rows grow to use the height, and have room for a second line then.
  float row_height(float room) const {
    const float least = least_row_height();
    const float fitting = std::floor(room / static_cast<float>(std::max(model_.rows(), 1)));
    return std::clamp(fitting, least, std::round(least * kTallest));
  }

  void draw_area(PanelContext& context, float high) {
    if (!ImGui::BeginChild("##flame", {0, high}, ImGuiChildFlags_NavFlattened)) {
      ImGui::EndChild();
      return;
    }
    const float width = area_width_ = std::floor(ImGui::GetContentRegionAvail().x);
    model_.boxes(width);
    row_height_ = row_height(ImGui::GetContentRegionAvail().y);
    const float height = row_height_ * static_cast<float>(model_.rows());
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    follow_selection(context);
    ImGui::InvisibleButton("##area", {std::max(1.0F, width), std::max(1.0F, height)}, ImGuiButtonFlags_EnableNav);
    const BoxWalk keys({.boxes = [&] { return walk_boxes(origin, width); },
                        .begins_at =
                            [&](int64_t node) {
                              return model_.is_selected(static_cast<int32_t>(node), context.document.selection());
                            }});
    const bool hovered = ImGui::IsItemHovered();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const FlameBox* hit = nullptr;
    if (hovered || ImGui::IsPopupOpen("##menu")) {
      hit = model_.hit(mouse.x - origin.x, static_cast<int32_t>(std::floor((mouse.y - origin.y) / row_height_)));
    }
    hovered_ = hovered && hit != nullptr ? hit->node : -1;
    ScreenCanvas canvas(ImGui::GetWindowDrawList(), origin, {origin.x + width, origin.y + height});
    draw_boxes(canvas, origin, width, context.document.selection());
    if (hovered && hit != nullptr) {
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
        if (hit->merged == 0) chosen_ = hit->node;
        if (Selection s = model_.selection_of(hit->node); !s.empty() && hit->merged == 0) {
          seen_selection_ = 0;
          context.document.select(std::move(s));
          seen_selection_ = context.document.selection_version();
        }
      }
      if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
        model_.zoom(hit->merged > 0 ? model_.node(hit->node).parent : hit->node);
      if (ImGui::IsMouseClicked(ImGuiMouseButton_Right)) menu_node_ = hit->node;
      if (!ImGui::IsPopupOpen("##menu")) draw_tooltip(*hit, context.document.selection());
    }
    if (ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && ImGui::IsKeyPressed(ImGuiKey_Backspace, false)) {
      model_.zoom(std::max(0, model_.node(model_.zoomed()).parent));
    }
    draw_menu(context);
    ImGui::EndChild();
  }

  std::vector<WalkBox> walk_boxes(ImVec2 origin, float width) {
    std::vector<WalkBox> out;
    for (const FlameBox& box : model_.boxes(width)) {
      const float top = origin.y + row_height_ * static_cast<float>(box.row);
      out.push_back({box.node, {origin.x + box.x0, top}, {origin.x + box.x1, top + row_height_ - 1}});
    }
    return out;
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
    const bool hit = std::exchange(hit_arrives_, false);
    if (!hit && seen_selection_ == context.document.selection_version()) return;
    seen_selection_ = context.document.selection_version();
    if (hit) return bring_up(chosen_ = hit_);
    const int32_t found = model_.find(context.document.selection());
    if (found >= 0) chosen_ = found;  // the table below tells of it, too
    bring_up(found);
  }

  void bring_up(int32_t node) {
    if (node < 0) return;
    const std::vector<int32_t> path = model_.path_to(node);
    if (std::find(path.begin(), path.end(), model_.zoomed()) == path.end()) model_.zoom(0);
    const size_t above = model_.steps_to(model_.zoomed()).size(), down = model_.steps_to(node).size();
    const float top = row_height_ * static_cast<float>(down - std::min(above, down));
    const float seen = ImGui::GetScrollY(), room = ImGui::GetWindowHeight();
    if (top < seen || top + row_height_ > seen + room) ImGui::SetScrollY(std::max(0.0F, top - room / 2));
  }

  // A match in what is around it: zoomed into one after the other, at last there would be one box and nothing to read.
  void show(PanelContext& context, int32_t node) {
    if (node < 0) return;
    constexpr float kLegible = 120;
    model_.zoom(model_.context_of(node, area_width_, scaled(kLegible)));
    hit_ = node;
    hit_arrives_ = true;
    if (Selection s = model_.selection_of(node); !s.empty()) context.document.select(std::move(s));
  }

  ImU32 color_of(const FlameBox& box) const {
    const inspector::CostNode& n = model_.node(box.node);
    if (coloring_ == kByChange && model_.compares())
      return model_.replaced(box.node) != nullptr
                 ? theme().replaced
                 : flame_change_color(larger_of(box.node),
                                      FlameModel::colored(change_of(box.node), sure_change_of(box.node)));
    if (n.kind == CostKind::Unattributed) return theme().unattributed;
    if (n.kind == CostKind::Outside)
      return n.name == "(variation)"      ? theme().variation
             : n.name == "(unattributed)" ? theme().unattributed
                                          : theme().framework;
    if (coloring_ == kByCost) return cost_color(box.total / model_.root_total());
    if (n.kind == CostKind::Root || n.kind == CostKind::Method) return theme().grid;
    if (coloring_ == kByType) {
      if (const int32_t type = model_.type_of(box.node); type >= 0)
        return type_color(model_.types()[static_cast<size_t>(type)].name);
      return container_color(n);
    }
    if (n.mixed) return theme().grid;
    inspector::OpPart part;
    part.part = n.part;
    part.backend = n.backend;
    return part_color(part);
  }

  // What contains others steps back behind the operators, which have the colours of the legend.
  static ImU32 container_color(const inspector::CostNode& n) {
    const bool place = n.type.empty() && n.kind == CostKind::Frame;
    const ImVec4 own = ImGui::ColorConvertU32ToFloat4(name_color((place ? n.file : n.type.empty() ? n.name : n.type)));
    const ImVec4 ground = ImGui::ColorConvertU32ToFloat4(theme().grid);
    constexpr float kOwn = 0.12F;
    const auto mixed = [](float a, float b) { return a * kOwn + b * (1 - kOwn); };
    return ImGui::ColorConvertFloat4ToU32({mixed(own.x, ground.x), mixed(own.y, ground.y), mixed(own.z, ground.z), 1});
  }

  void draw_boxes(Canvas& canvas, ImVec2 origin, float width, const Selection& selection) {
    const float height = row_height_;
    const float clip_top = canvas.min().y, clip_bottom = canvas.max().y;
    std::vector<bool> inside = inside_of_selected(selection);
    for (const FlameBox& box : model_.boxes(width)) {
      const ImVec2 a = {origin.x + box.x0, origin.y + height * static_cast<float>(box.row)};
      if (a.y + height < clip_top || a.y > clip_bottom) continue;
      ImVec2 b = {origin.x + box.x1, a.y + height - 1};
      if (b.x - a.x > 3) b.x -= 1;
      ImU32 color = color_of(box);
      const bool dimmed = !model_.query().empty() && !in_chain(box, [&](int32_t n) { return model_.is_found(n); });
      if (dimmed) color = with_alpha(color, kSteppedBack);
      if (box.merged > 0) color = with_alpha(theme().faint, 0.5F);
      canvas.fill(a, b, color, b.x - a.x > 6 ? 2 : 0);
      if (box.merged == 0 && b.x - a.x > scaled(12))
        draw_box_text(canvas, box, a, b, dimmed ? quiet_text_on(color, theme().background) : text_on(color));
      const bool at_hit = hit_ >= 0 && in_chain(box, [&](int32_t n) { return n == hit_; });
      const bool found = !dimmed && !model_.query().empty() && box.merged == 0;
      // Matches are what is looked for: what is selected steps back behind them.
      if (found && b.x - a.x > scaled(5)) canvas.frame(a, b, theme().text, 1, 2);
      const Framed framed = box.merged > 0 ? Framed::No : frame_of(box, selection, &inside);
      if (at_hit || (framed == Framed::All && model_.query().empty())) {
        canvas.frame(a, b, theme().selection, 2, 2);
      } else if (framed != Framed::No) {
        canvas.frame(a, b, with_alpha(theme().selection, 0.6F), 1, 2);
      }
      if (box.node == hovered_) canvas.frame(a, b, theme().hover, 1, 2);
    }
  }

  enum class Framed : uint8_t { No, Part, All };

  /// By node, as far as it is known: it lies in a box that has the frame.
  std::vector<bool> inside_of_selected(const Selection& selection) const {
    std::vector<bool> out(model_.tree()->nodes.size());
    if (selection.empty()) return out;
    bool in = false;
    for (const int32_t at : model_.path_to(model_.zoomed())) {
      if (at == model_.zoomed()) break;
      in = in || is_all_selected(at, selection);
      out[static_cast<size_t>(at)] = in;
    }
    return out;
  }

  bool is_all_selected(int32_t node, const Selection& selection) const {
    const auto [selected, members] = model_.selected_members(node, selection);
    return selected > 0 && selected == members;
  }

  /// The outermost box of what is selected has the frame: all that is inside of it is selected, too.
  Framed frame_of(const FlameBox& box, const Selection& selection, std::vector<bool>* inside) const {
    if (selection.empty()) return Framed::No;
    const int32_t parent = model_.node(box.first).parent;
    const bool in = parent >= 0 && (*inside)[static_cast<size_t>(parent)];
    const bool all = in || in_chain(box, [&](int32_t n) { return is_all_selected(n, selection); });
    const bool part = !all && in_chain(box, [&](int32_t n) { return model_.is_selected(n, selection); });
    (*inside)[static_cast<size_t>(box.node)] = all || part;
    return in ? Framed::No : all ? Framed::All : part ? Framed::Part : Framed::No;
  }

  template <class Fits>
  bool in_chain(const FlameBox& box, Fits fits) const {
    for (int32_t at = box.node;; at = model_.node(at).parent) {
      if (fits(at)) return true;
      if (at == box.first) return false;
    }
  }

  // The name, and where there is room its time: beside it, or below.
  void draw_box_text(Canvas& canvas, const FlameBox& box, ImVec2 a, ImVec2 b, ImU32 color) const {
    std::string time = inspector::format_duration_with_unit(box.total, model_.tree()->unit);
    if (box.merged == 0 && model_.is_estimate(box.node)) time = "≈ " + time;
    if (const std::string change = shown_change(box); !change.empty()) {
      time += ", " + change;
    } else if (box.first == 0) {
      time += std::string(", ") + (model_.leaves_out_variation() ? inspector::share_basis_text(data_->shown.basis)
                                                                 : data_->shown.basis_text());
    } else if (b.x - a.x > scaled(90)) {
      time += ", " + inspector::format_share(box.total / model_.root_total());
    }
    flame_box_text(canvas, a, b, color, inspector::printable(model_.label(box.first, box.node)), time);
  }

  /// What stands in a box that is coloured by its change: how much it is, or what it stands for.
  std::string shown_change(const FlameBox& box) const {
    if (coloring_ != kByChange || !model_.compares() || box.merged > 0) return {};
    const inspector::TimeUnit unit = unit_of(box.total);
    if (const FlameReplaced* r = model_.replaced(box.node); r != nullptr) {
      if (!r->alone || r->node != box.first) return {};
      return (shows_after() ? "was " : "then ") + inspector::format_duration_named(r->time, unit);
    }
    // Grey ones, too: a change that is not sure is one all the same.
    const double change = change_of(box.node);
    return FlameModel::shows_change(larger_of(box.node), change) ? inspector::signed_duration(change, unit)
                                                                 : std::string();
  }

  void add_change_facts(const FlameBox& box, std::vector<std::pair<std::string, std::string>>* facts) const {
    const double now = model_.node(box.node).total;
    const bool after = shows_after();
    const inspector::TimeUnit unit = unit_of_tree();
    const auto add_change = [&](double change, double other) {
      const std::string part = inspector::percent_change(after ? other : now, after ? now : other);
      facts->emplace_back("change",
                          inspector::signed_duration(change, unit) + (part.empty() ? std::string() : ", " + part));
    };
    if (const FlameReplaced* r = model_.replaced(box.node); r != nullptr) {
      // Of what is inside nobody knows what it stands for.
      const bool itself = r->node >= box.first && r->node <= box.node;
      const std::string whole = itself ? "" : "inside of " + model_.label(r->node) + ", ";
      facts->emplace_back(after ? "in place of" : "replaced by",
                          whole + r->names + ", " + inspector::format_duration_named(r->time, unit) +
                              (r->elsewhere     ? ", at another place"
                               : r->others == 0 ? ""
                                                : ", with " + inspector::format_count(r->others) + " more there"));
      if (itself && r->alone) add_change(after ? now - r->time : r->time - now, r->time);
      return;
    }
    const double other = now - model_.change(box.node);
    const std::string did = model_.did_its_work(box.node);
    facts->emplace_back(after ? "before" : "after", inspector::format_duration_named(std::max(0.0, other), unit) +
                                                        (did.empty() ? did : ", in " + did));
    add_change(change_of(box.node), other);
    const double sure = sure_change_of(box.node);
    const double rest = change_of(box.node) - sure;
    if (change_of(box.node) != 0 && std::fabs(rest) > 0.5)
      facts->emplace_back("of it sure", sure == 0 ? "nothing: the samples scatter more, or it is too little to matter"
                                                  : inspector::signed_duration(sure, unit) + "; not sure, or little: " +
                                                        inspector::signed_duration(rest, unit));
  }

  void draw_tooltip(const FlameBox& box, const Selection& selection) {
    if (!ImGui::BeginTooltip()) return;
    if (box.merged > 0) {
      ImGui::PushFont(fonts().bold, 0);
      ImGui::TextUnformatted("Boxes too narrow to draw one by one");
      ImGui::PopFont();
      draw_facts(model_.merged_facts(box));
      text_colored(theme().muted, "Double-click to zoom in");
      ImGui::EndTooltip();
      return;
    }
    ImGui::PushFont(fonts().bold, 0);
    ImGui::TextUnformatted(inspector::printable(model_.label(box.first, box.node)).c_str());
    ImGui::PopFont();
    auto facts = model_.facts(box.node);
    if (model_.compares()) add_change_facts(box, &facts);
    const auto [chosen, members] = model_.selected_members(box.node, selection);
    if (chosen > 0 && chosen < members)
      facts.emplace_back("selected", inspector::format_count(chosen) + " of " + inspector::format_count(members));
    draw_facts(facts);
    if (!model_.node(box.node).children.empty()) text_colored(theme().muted, "Double-click to zoom in");
    ImGui::EndTooltip();
  }

  inspector::TimeUnit unit_of(double time) const {
    inspector::TimeUnit unit;
    (void)inspector::choose_unit("auto", model_.tree()->unit, time, &unit);
    return unit;
  }
  inspector::TimeUnit unit_of_tree() const { return unit_of(model_.root_total()); }

  static void draw_facts(const std::vector<std::pair<std::string, std::string>>& facts) {
    if (ImGui::BeginTable("##facts", 2, ImGuiTableFlags_SizingFixedFit)) {
      for (const auto& [label, value] : facts) {
        ImGui::TableNextColumn();
        text_colored(theme().muted, sentence(label));
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(inspector::printable(value).c_str());
      }
      ImGui::EndTable();
    }
  }

  FlameModel model_;
  std::shared_ptr<const TraceData> data_;
  std::shared_ptr<const CostTree> open_tree_, other_tree_, shown_tree_;
  bool by_other_ = false;  // boxes are those of the other trace
  FlameTables tables_;
  JobHandle job_, change_job_;
  std::shared_ptr<const ComparedTraces> compared_;     // that the model's changes are of, or will be
  std::shared_ptr<const OtherTrace> seen_comparison_;  // the colours followed it once
  const CostTree* compared_tree_ = nullptr;
  int plain_coloring_ = kByType;  // without a comparison
  uint64_t version_ = 0, seen_selection_ = 0;
  int shape_ = kModules, read_shape_ = -1, coloring_ = kByType;
  bool reading_ = false;
  float row_height_ = 20, area_width_ = 1000;
  std::string query_, error_;
  std::string different_;  // why the two are hardly to be compared; "" else
  int32_t hovered_ = -1, menu_node_ = -1, chosen_ = -1;
  int32_t hit_ = -1;  // match of the search that was gone to
  bool hit_arrives_ = false;
};

}  // namespace

extern const PanelSpec k_flame_panel;
const PanelSpec k_flame_panel = {
    .id = "flame",
    .title = "Flame graph",
    .summary = "Where the time goes, by module, line or op",
    .key = ImGuiKey_4,
    .make = [] { return std::unique_ptr<Panel>(new FlamePanel); },
};

}  // namespace et::gui
