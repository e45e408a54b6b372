// Memory: the arenas that the program plans, which tensor is where and when, and what is live at the peak.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "gui/panels/memory_tables.h"
#include "gui/panels/panel.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "imgui_internal.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

using inspector::format_bytes;
using inspector::PlanArena;

class MemoryPanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    model_.refresh(context.document);
    const TraceData* data = context.document.data();
    if (data == nullptr) {
      return draw_empty("No trace is open", "Open a trace together with its program (.pte) to see its memory plan.");
    }
    if (!model_.error().empty()) return draw_empty("Cannot read the memory plan", model_.error().c_str());
    if (model_.plan().empty() && model_.plan().runtime.empty()) {
      if (model_.loading()) return draw_empty("reading…", "");
      return draw_empty("No memory plan: the trace has no program",
                        "Open it together with its program: drop all files at once, or run et-inspect gui etdump.etdp "
                        "--pte model.pte.");
    }
    if (!model_.has_plan()) {
      text_colored(theme().muted,
                   model_.plan().empty()
                       ? "The trace has no program (--pte): only its run-time high-water marks are known."
                       : "The program has no memory plan.");
      if (const SummaryClick click = draw_memory_summary(model_, context.document); click.delegate >= 0)
        lead_to_delegate(context, click);
      return;
    }
    draw_head();
    follow_selection(context.document);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float side = std::clamp(room.x * 0.46F, scaled(280), scaled(860));
    const bool beside = room.x > scaled(760);
    const ImVec2 size = beside ? ImVec2{room.x - side - ImGui::GetStyle().ItemSpacing.x, room.y}
                               : ImVec2{room.x, std::max(room.y * 0.55F, scaled(160))};
    draw_plan(context, size);
    if (beside) ImGui::SameLine();
    if (ImGui::BeginChild("##side", beside ? ImVec2{side, room.y} : ImVec2{})) draw_side(context);
    ImGui::EndChild();
  }

  std::string csv() const override { return model_.csv(); }
  bool draw_on(Canvas& canvas) override {
    if (!model_.has_plan()) return false;
    MemoryDrawing drawing;
    drawing.colors = colors_;
    draw_memory(canvas, model_, {}, drawing);
    return true;
  }
  void commands(CommandList* list) override {
    list->push_back({"Memory: show the whole arena", 0, [this] { model_.fit(); }, model_.has_plan()});
    list->push_back({"Memory: go to the peak", 0, [this] { model_.choose_instruction({}); }, model_.has_plan()});
  }
  void* model() override { return &model_; }
  std::vector<std::pair<std::string, std::string>> settings() const override {
    return {{"colors", std::to_string(static_cast<int>(colors_))}};
  }
  void restore(const std::string& key, const std::string& value) override {
    if (key == "colors" && (value == "0" || value == "1" || value == "2"))
      colors_ = static_cast<MemoryColors>(value[0] - '0');
  }

 private:
  static std::string arena_name(const PlanArena& a) {
    return inspector::printable(a.method) + ", memory " + std::to_string(a.memory_id) +
           (a.device == "cpu" ? "" : " (" + a.device + ")") + ": " + format_bytes(a.bytes);
  }

  void draw_head() {
    const auto& arenas = model_.plan().arenas;
    const PlanArena& a = *model_.arena();
    const float room = ImGui::GetContentRegionAvail().x;
    const std::string name = arena_name(a);
    const float whole = text_width(name) + ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().FramePadding.x;
    ImGui::SetNextItemWidth(std::min(room, std::max(whole, std::min(scaled(290), room * 0.4F))));
    if (ImGui::BeginCombo("##arena", name.c_str())) {
      for (size_t i = 0; i < arenas.size(); ++i) {
        const std::string label = arena_name(arenas[i]) + "##" + std::to_string(i);
        if (ImGui::Selectable(label.c_str(), static_cast<int>(i) == model_.arena_index())) {
          model_.show_arena(static_cast<int>(i));
        }
      }
      ImGui::EndCombo();
    }
    flow(scaled(130));
    ImGui::SetNextItemWidth(scaled(130));
    int colors = static_cast<int>(colors_);
    if (ImGui::Combo("##colors", &colors, "Colour: dtype\0Colour: size\0Colour: role\0")) {
      colors_ = static_cast<MemoryColors>(colors);
    }
    flow_button("Fit");
    if (ImGui::Button("Fit")) model_.fit();
    item_tooltip(
        "Show the whole arena. Wheel: zoom instructions; Ctrl+wheel: zoom bytes; drag: pan. After a click, left and "
        "right arrow: to the next instruction; up and down: to the next of the listed tensors.");
    draw_color_legend();
    const std::string facts =
        "Peak: " + format_bytes(a.peak) + " of tensors alive at once, " + model_.moment_text(a.peak_at) +
        ". The arena has " + bytes_beside(a.bytes, a.peak) +
        (a.lost() > 0 ? ": " + inspector::format_share(a.lost()) + " of it is unused even then." : ".");
    const bool same_line = ImGui::GetContentRegionAvail().x > text_width(facts) + ImGui::GetItemRectMax().x;
    if (same_line) ImGui::SameLine();
    ImGui::PushTextWrapPos(0);
    text_colored(theme().text, inspector::printable(facts));
    ImGui::PopTextWrapPos();
    item_tooltip(
        "The peak is the maximum in use at any instruction: no plan with these lifetimes can need less. Whatever the "
        "arena has beyond it is unused even at the peak: gaps between tensors that the planner could not fill, and "
        "alignment.");
    draw_total(a.method);
    if (const std::string beside = memory_beside(model_.plan(), a.method); !beside.empty()) {
      ImGui::PushTextWrapPos(0);
      text_colored(theme().muted, inspector::printable("Beside the arena: " + beside));
      ImGui::PopTextWrapPos();
      item_tooltip(
          "What a backend allocates for itself while it loads (packed weights, work space) is in no file: only the "
          "process's memory shows it.");
    }
    if (model_.plan().methods[a.method_index].jumps) {
      text_colored(theme().warning,
                   "This method has jumps: instructions may repeat or be skipped. Lifetimes follow program order.");
    }
  }

  /// Of sizes the ends of the scale; of types and roles those that there are.
  void draw_color_legend() {
    const PlanArena& a = *model_.arena();
    const int64_t largest = largest_bytes(a);
    const auto entry = [](ImU32 color, const std::string& text) {
      flow(ImGui::GetTextLineHeight() + text_width(text) + scaled(8));
      ImGui::AlignTextToFramePadding();
      color_square(color);
      ImGui::SameLine(0, scaled(4));
      text_colored(theme().muted, text);
    };
    if (colors_ == MemoryColors::Size) {
      inspector::PlanTensor of;
      for (const int64_t bytes : {int64_t{0}, largest / 2, largest}) {
        of.bytes = bytes;
        entry(tensor_color(of, largest, colors_), bytes == 0 ? "small" : format_bytes(bytes));
      }
      return;
    }
    std::map<std::string, ImU32> names;
    constexpr size_t kMost = 6;
    for (const inspector::PlanTensor& t : a.tensors) {
      if (names.size() >= kMost) break;
      names.emplace(colors_ == MemoryColors::Role ? std::string(inspector::role_name(t.role)) : t.dtype,
                    tensor_color(t, largest, colors_));
    }
    for (const auto& [name, color] : names) entry(color, name);
  }

  void draw_total(const std::string& method) const {
    const inspector::MemoryTotal total = inspector::memory_total(model_.plan(), method);
    std::string text = inspector::memory_total_text(total);
    text[0] = 'I';
    ImGui::PushTextWrapPos(0);
    text_colored(theme().text, inspector::printable(text) + ".");
    ImGui::PopTextWrapPos();
    if (!total.unknown.empty())
      item_tooltip(
          "What a backend allocates for itself while it loads and runs (packed weights, work space) is in no file: "
          "only "
          "the process's memory shows it.");
  }

  void draw_plan(PanelContext& context, ImVec2 size) {
    const ImVec2 min = ImGui::GetCursorScreenPos(), max = {min.x + size.x, min.y + size.y};
    if (size.x < scaled(120) || size.y < scaled(80)) {
      ImGui::Dummy(size);
      return;
    }
    ImGui::InvisibleButton("##plan", size, ImGuiButtonFlags_EnableNav);
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
    const MemoryAreas areas = memory_areas(min, max);
    const float width = areas.plan_max.x - areas.plan_min.x, height = areas.plan_max.y - areas.plan_min.y;
    const std::vector<MemoryRect>& rects = model_.layout(width, height);
    const ImVec2 corner = areas.plan_min;
    const BoxWalk keys(
        {.boxes =
             [&] {
               std::vector<WalkBox> out;
               for (const MemoryRect& r : rects)
                 out.push_back(
                     {r.tensor,
                      {std::max(corner.x + r.x0, corner.x), std::max(corner.y + r.y0, corner.y)},
                      {std::min(corner.x + r.x1, areas.plan_max.x), std::min(corner.y + r.y1, areas.plan_max.y)}});
               return out;
             },
         .key_at = [&](ImVec2 p) { return model_.hit(p.x - corner.x, p.y - corner.y); },
         .begins_at = [&](int64_t tensor) { return tensor == model_.selected(); },
         .pushed = [&](ImGuiDir dir) { push(dir); }});
    if (!keys) use_arrows(context);
    MemoryDrawing drawing = {.colors = colors_};
    drawing.unit = context.document.data()->unit();
    drawing.begins = &model_.begins(*context.document.data());
    const ImGuiIO& io = ImGui::GetIO();
    const ImVec2 at = {io.MousePos.x - areas.plan_min.x, io.MousePos.y - areas.plan_min.y};
    const bool inside =
        ImGui::IsItemHovered() && at.x >= 0 && at.x < width && io.MousePos.y >= areas.curve_min.y && at.y < height;
    if (inside) {
      drawing.cursor = model_.instruction_at(at.x, width);
      drawing.hovered = at.y >= 0 ? model_.hit(at.x, at.y) : -1;
    }
    navigate(inside, at, width, height);
    if (ImGui::IsItemDeactivated() && !dragged_ && inside) click(context, drawing);
    if (!ImGui::IsItemActive()) dragged_ = false;
    ScreenCanvas canvas(ImGui::GetWindowDrawList(), min, max);
    draw_memory(canvas, model_, model_.highlighted(context.document), drawing);
    if (inside && !dragged_ && ImGui::IsItemHovered()) tooltip(drawing);
    if (inside && drawing.hovered >= 0 && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {
      model_.select_tensor(drawing.hovered);
      ImGui::OpenPopup("##tensor_menu");
    }
    if (ImGui::BeginPopup("##tensor_menu")) {
      const Selection target = model_.target(*context.document.data(), model_.selected());
      if (target.empty()) text_colored(theme().muted, "No op or node is linked to this tensor");
      for (const auto& [label, panel] :
           {std::pair{"Show in timeline", "timeline"}, {"Show in graph", "graph"}, {"Show source line", "source"}}) {
        if (!target.empty() && ImGui::MenuItem(label)) context.document.select(target, panel);
      }
      ImGui::EndPopup();
    }
  }

  /// After a click the drawing has the arrows: ImGui would take them to what is beside it.
  void use_arrows(PanelContext& context) {
    const ImGuiID id = ImGui::GetItemID();
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    if (g.NavId != id || g.NavCursorVisible || !ImGui::IsWindowFocused()) return;
    const auto pressed = [&](ImGuiKey key) {
      ImGui::SetKeyOwner(key, id);
      return ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, id);
    };
    const int along = (pressed(ImGuiKey_RightArrow) ? 1 : 0) - (pressed(ImGuiKey_LeftArrow) ? 1 : 0);
    const int down = (pressed(ImGuiKey_DownArrow) ? 1 : 0) - (pressed(ImGuiKey_UpArrow) ? 1 : 0);
    if (along != 0) model_.step_instruction(along);
    if (down == 0) return;
    if (const int32_t tensor = model_.next_listed(down); tensor >= 0) {
      model_.select_tensor(tensor);
      lead(context, tensor, false);
    }
  }

  // At the edge of what is seen the walk goes on behind it.
  void push(ImGuiDir dir) {
    constexpr double kPart = 0.25;
    model_.pan(dir == ImGuiDir_Left    ? -kPart
               : dir == ImGuiDir_Right ? kPart
                                       : 0,
               dir == ImGuiDir_Down ? -kPart
               : dir == ImGuiDir_Up ? kPart
                                    : 0);
  }

  void navigate(bool inside, ImVec2 at, float width, float height) {
    const ImGuiIO& io = ImGui::GetIO();
    constexpr float kStep = 0.85F;
    if (inside && io.MouseWheel != 0) {
      const double factor = std::pow(kStep, io.MouseWheel);
      const double x = at.x / width, y = 1 - std::clamp(at.y / height, 0.0F, 1.0F);
      if (io.KeyShift) {
        model_.pan(-0.1 * io.MouseWheel, 0);
      } else {
        model_.zoom(x, y, io.KeyCtrl ? 1 : factor, io.KeyCtrl ? factor : 1);
      }
    }
    if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, scaled(4))) {
      dragged_ = true;
      model_.pan(-io.MouseDelta.x / width, io.MouseDelta.y / height);
    }
  }

  void click(PanelContext& context, const MemoryDrawing& drawing) {
    model_.choose_instruction(drawing.cursor);
    model_.select_tensor(drawing.hovered);
    if (drawing.hovered >= 0) lead(context, drawing.hovered, false);
  }

  /// `away`: to the node that makes it, of which the graph shows most; without a graph to its op.
  void lead(PanelContext& context, int32_t tensor, bool away) {
    Selection target = model_.target(*context.document.data(), tensor);
    if (target.empty() && away) context.notices.say("No op or node is linked to this tensor");
    if (target.empty()) return;
    // What was clicked stays where it is.
    own_click_ = !target.same(context.document.selection());
    const bool graph = !target.nodes.empty() && !context.document.data()->graphs.empty();
    context.document.select(std::move(target), !away ? "" : graph ? "graph" : "timeline");
  }

  void lead_to_delegate(PanelContext& context, const SummaryClick& click) {
    Selection target = model_.target_of_delegate(*context.document.data(), static_cast<size_t>(click.delegate));
    if (target.empty()) return context.notices.say("No call of this delegate is known");
    context.document.select(std::move(target), click.twice ? "delegation" : "");
  }

  void tooltip(const MemoryDrawing& drawing) {
    const PlanArena& a = *model_.arena();
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(scaled(460));
    text_colored(theme().muted, inspector::printable(model_.instruction_text(drawing.cursor)) + " · " +
                                    format_bytes(a.used_at(drawing.cursor)) + " in use");
    if (drawing.hovered >= 0) {
      ImGui::Separator();
      describe_tensor(model_, a.tensors[static_cast<size_t>(drawing.hovered)]);
    }
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }

  void draw_side(PanelContext& context) {
    if (!ImGui::BeginTabBar("##tabs")) return;
    if (ImGui::BeginTabItem("Live tensors")) {
      const PlanArena& a = *model_.arena();
      draw_search();
      ImGui::AlignTextToFramePadding();
      const std::string at = (model_.at_peak() ? "peak, " : "") + model_.instruction_text(model_.instruction());
      if (!model_.at_peak()) {
        if (ImGui::SmallButton("Go to peak")) model_.choose_instruction({});
        ImGui::SameLine();
      }
      const auto count = static_cast<int64_t>(model_.alive().size());
      if (model_.searches()) {
        const FoundMost most = model_.found_most();
        text_fitting(inspector::format_count(count) + " of " + inspector::format_count(std::ssize(a.tensors)) +
                     (count > 1 ? " tensors found; at once at most " + format_bytes(most.bytes) + ", " +
                                      model_.moment_text(most.at)
                                : std::string(" tensors found")));
      } else {
        text_fitting(inspector::format_count(count) + (count == 1 ? " tensor, " : " tensors, ") +
                     format_bytes(a.used_at(model_.instruction())) + " at " + at);
      }
      if (model_.at_peak() && !model_.searches()) draw_peak_facts();
      bool twice = false;
      const bool reveal = std::exchange(listed_, model_.selected()) != model_.selected();
      if (const int32_t tensor = draw_alive_table(model_, colors_, reveal, &twice); tensor >= 0) {
        model_.select_tensor(tensor);
        lead(context, tensor, twice);
      }
      ImGui::EndTabItem();
    }
    if (ImGui::BeginTabItem("Summary")) {
      if (ImGui::BeginChild("##summary")) {
        heading("Arenas");
        if (const int arena = draw_arena_table(model_); arena >= 0) model_.show_arena(arena);
        if (const SummaryClick click = draw_memory_summary(model_, context.document); click.delegate >= 0)
          lead_to_delegate(context, click);
      }
      ImGui::EndChild();
      ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
  }

  /// What was selected elsewhere is in the list: that of the instruction which writes it.
  void follow_selection(const Document& document) {
    if (std::exchange(selection_seen_, document.selection_version()) == document.selection_version()) return;
    if (std::exchange(own_click_, false)) return;
    const std::vector<int32_t>& chosen = model_.highlighted(document);
    if (std::find(chosen.begin(), chosen.end(), model_.selected()) == chosen.end()) model_.select_tensor(-1);
    const PlanArena& a = *model_.arena();
    int32_t largest = -1;
    for (const int32_t tensor : chosen) {
      const inspector::PlanTensor& t = a.tensors[static_cast<size_t>(tensor)];
      if (t.first <= model_.instruction() && model_.instruction() <= t.last) return;
      if (largest < 0 || t.bytes > a.tensors[static_cast<size_t>(largest)].bytes) largest = tensor;
    }
    if (largest >= 0) model_.choose_instruction(a.tensors[static_cast<size_t>(largest)].producer);
  }

  void draw_peak_facts() const {
    const std::vector<std::string> facts = model_.peak_facts();
    if (!facts.empty()) heading("What holds the peak, and what would lower it");
    ImGui::PushTextWrapPos();
    for (const std::string& fact : facts) {
      ImGui::Bullet();
      text_colored(theme().text, inspector::printable(fact));
    }
    ImGui::PopTextWrapPos();
  }

  void draw_search() {
    ImGui::SetNextItemWidth(std::min(scaled(260), ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight()));
    take_search_focus();
    if (ImGui::InputTextWithHint("##search", "Search: shape, dtype, node, module, line", &search_))
      model_.search(search_);
    if (search_.empty()) return;
    ImGui::SameLine(0, scaled(2));
    if (ImGui::Button("×##clear")) {
      search_.clear();
      model_.search(search_);
    }
    item_tooltip("Clear the search");
  }

  MemoryModel model_;
  std::string search_;
  MemoryColors colors_ = MemoryColors::Size;
  uint64_t selection_seen_ = 0;
  int32_t listed_ = -1;  ///< selected when the list was drawn last
  bool dragged_ = false, own_click_ = false;
};

}  // namespace

extern const PanelSpec k_memory_panel;
const PanelSpec k_memory_panel = {
    .id = "memory",
    .title = "Memory",
    .summary = "The memory plan: what is live at the peak, and what fragmentation costs",
    .key = ImGuiKey_8,
    .make = [] { return std::unique_ptr<Panel>(new MemoryPanel); },
};

}  // namespace et::gui
