// Timeline: every execution with the operators in it, as they happened. The frame of the panel; mouse and keys are in
// timeline_input.cpp, what is drawn in timeline_painter.cpp.

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include "gui/models/overview_model.h"
#include "gui/panels/timeline_panel.h"
#include "gui/panels/timeline_pins.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

struct ColorName {
  TimelineColors colors;
  const char *name, *key, *help;
};
constexpr std::array<ColorName, 4> kTimelineColors = {{
    {TimelineColors::Type, "Colour: type", "type", "One colour per operator type"},
    {TimelineColors::Part, "Colour: backend", "part", "Delegates by backend, kernels, control flow, framework"},
    {TimelineColors::Module, "Colour: module", "module", "One colour per module of the Python model"},
    {TimelineColors::Cost, "Colour: cost", "cost", "Self time relative to the costliest op"},
}};
constexpr std::array<const char*, 3> kPaneKeys = {"below", "beside", "hidden"};
constexpr float kSplitter = 7, kColorsWidth = 150;  // points
// Below these sizes there is no room for a pane beside or below the drawing.
constexpr float kLeastBeside = 620, kLeastBelow = 250;

/// "3 of 217 slices of 12 ops".
std::string search_text(const TimelineModel& model) {
  const TimelineSearch& found = model.found();
  if (found.ops.empty()) return "no op or module is named so";
  const bool at = model.at() && model.at_number() > 0 && found.hit[static_cast<size_t>(model.at()->op)];
  const auto counted = [](int64_t n, const char* one, const char* many) {
    return inspector::format_count(n) + " " + (n == 1 ? one : many);
  };
  return (at ? inspector::format_count(model.at_number()) + " of " : "") + counted(found.samples, "slice", "slices") +
         (found.apart > 0 ? " and " + inspector::format_count(found.apart) + " on clocks of their own" : "") + ", " +
         counted(found.distinct, "op", "ops") + (found.by_module ? " of modules named so" : "");
}

}  // namespace

void TimelinePanel::draw(PanelContext& context) {
  if (model_ == nullptr) model_ = std::make_unique<TimelineModel>(context.jobs);
  if (seen_version_ != context.document.trace_version()) painter_.forget(), minimap_.forget();
  model_->show(context.document.shared_data(), context.document.trace_version());
  if (context.document.data() == nullptr) {
    return draw_empty("No trace is open",
                      "Open a store, or drop an ETDump here together with its ETRecord and program.");
  }
  if (!context.document.data()->has_etdump()) return draw_needs_etdump();
  if (!model_->status().ok()) return draw_empty("Cannot read the timeline", model_->status().message().c_str());
  if (!model_->ready()) return draw_empty("Reading the timeline…", "");
  if (model_->index().samples() == 0) {
    return draw_empty("The trace has no events", "Run the model with event tracing enabled, then write the ETDump.");
  }
  if (seen_version_ != context.document.trace_version()) {
    // What was chosen before this panel was ever drawn is new to it.
    const bool first = std::exchange(seen_version_, context.document.trace_version()) == kNeverSeen;
    strip_whole_ = true;
    hover_ = {};
    followed_ = first ? Selection() : context.document.selection();
    chosen_run_ = first ? 0 : context.document.run();
    basis_seen_ = false;
  }
  if (strip_whole_) strip_ = {0, std::max(static_cast<double>(model_->executions().size()), 1.0)};
  follow_basis(context);
  follow_search(context);
  follow_selection(context);
  if (std::exchange(forget_wanted_, false)) forget_range(context);
  if (std::exchange(range_wanted_, false)) {
    model_->select_range(model_->view.begin(), model_->view.end());
    choose_range(context);
    side_.show_range();
  }
  draw_toolbar(context);
  if (model_->view.glide(static_cast<double>(ImGui::GetIO().DeltaTime))) context.wants_frames = true;
  const ImVec2 from = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float split = scaled(kSplitter);
  const bool beside = pane_ == Pane::Beside && room.x > scaled(kLeastBeside);
  const bool below = pane_ != Pane::Hidden && !beside && room.y > scaled(kLeastBelow);
  const float part = std::clamp(pane_part_, 0.15F, 0.7F);
  width_ = beside ? std::floor(room.x * (1 - part)) - split : room.x;
  const float height = below ? std::floor(room.y * (1 - part)) - split : room.y;
  draw_drawing(context, height);
  if (beside || below) {
    const ImVec2 a = beside ? ImVec2{from.x + width_, from.y} : ImVec2{from.x, from.y + height};
    const ImVec2 b = beside ? ImVec2{a.x + split, from.y + room.y} : ImVec2{from.x + room.x, a.y + split};
    if (draw_splitter(a, b, beside)) {
      const ImVec2 mouse = ImGui::GetIO().MousePos;
      pane_part_ = beside ? 1 - (mouse.x - from.x) / room.x : 1 - (mouse.y - from.y) / room.y;
    }
    ImGui::SetCursorScreenPos(beside ? ImVec2{b.x, a.y} : ImVec2{a.x, b.y});
    draw_pane(context);
  }
  model_->update_execution(context.document.run());
  model_->update(static_cast<int>(width_), context.document.selection(), context.document.selection_version(),
                 context.document.run());
}

void TimelinePanel::draw_drawing(PanelContext& context, float height) {
  const float top = ImGui::GetCursorPosY();
  const ImVec2 from = ImGui::GetCursorScreenPos(), mouse = ImGui::GetIO().MousePos;
  const bool over = ImGui::IsWindowHovered() && mouse.x >= from.x && mouse.x < from.x + width_ &&
                    mouse.y >= from.y + TimelineMinimap::height() + regimes_height() + painter_.strip_height() &&
                    mouse.y < from.y + height;
  cursor_ = over ? mouse.x - from.x : -1;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, scaled(2)});
  draw_minimap();
  draw_regimes(context);
  draw_strip(context);
  draw_ruler(context);
  draw_rows(context, std::max(height - (ImGui::GetCursorPosY() - top), scaled(60)));
  ImGui::PopStyleVar();
}

bool TimelinePanel::draw_splitter(ImVec2 a, ImVec2 b, bool upright) {
  ImGui::SetCursorScreenPos(a);
  ImGui::InvisibleButton("##splitter", {std::max(b.x - a.x, 1.F), std::max(b.y - a.y, 1.F)});
  const bool active = ImGui::IsItemActive();
  if (active || ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  }
  const ImVec2 middle = {(a.x + b.x) / 2, (a.y + b.y) / 2};
  const ImVec2 from = upright ? ImVec2{middle.x, a.y} : ImVec2{a.x, middle.y};
  const ImVec2 to = upright ? ImVec2{middle.x, b.y} : ImVec2{b.x, middle.y};
  ImGui::GetWindowDrawList()->AddLine(from, to, active ? theme().text : theme().grid, scaled(active ? 2.F : 1.F));
  return active;
}

// The slice that was gone to, else the costliest op of the selection.
int32_t TimelinePanel::op_of_pane(const PanelContext& context) const {
  const std::vector<int32_t>& ops = context.document.selection().ops;
  if (model_->at()) {
    const int32_t at = model_->at()->op;
    const bool found = !model_->found().hit.empty() && model_->found().hit[static_cast<size_t>(at)];
    if (found || ops.empty() || context.document.selection().has_op(at)) return at;
  }
  int32_t best = -1;
  for (const int32_t op : ops) {
    if (best < 0 || model_->data()->usual_op(op).cost > model_->data()->usual_op(best).cost) best = op;
  }
  return best;
}

void TimelinePanel::draw_pane(PanelContext& context) {
  if (!ImGui::BeginChild("##details", ImGui::GetContentRegionAvail())) return ImGui::EndChild();
  const TimelineSideActions asked = side_.draw(context, model_.get(), op_of_pane(context));
  ImGui::EndChild();
  if (asked.choose_op) choose_op(context, asked.op, "");
  if (asked.step) model_->step({asked.op}, true, true);
  if (asked.run != 0) {
    context.document.select_run(chosen_run_ = asked.run);
    side_.show_execution();
  }
  if (asked.step_in_run) {
    const int64_t execution = model_->executions().find(asked.run);
    model_->leave();
    if (execution >= 0) model_->show_execution(static_cast<size_t>(execution));
    model_->step({asked.op}, true);
    side_.show_slice();
  }
  if (asked.range_of_run != 0) {
    const int64_t execution = model_->executions().find(asked.range_of_run);
    const Run& run =
        model_->data()->runs[static_cast<size_t>(model_->executions().run(static_cast<size_t>(execution)))];
    const auto begin = static_cast<double>(run.start - model_->view.origin());
    model_->select_range(begin, begin + static_cast<double>(run.duration));
    choose_range(context);
    side_.show_range();
  }
  if (asked.search) filter_ = *asked.search;
  if (asked.bookmark_range) bookmark_range(context);
  if (asked.forget_range) forget_range(context);
}

// A basis of one execution leads to that execution; one of many, away from it again. An execution that another panel
// led to since this one was last drawn is what the user wants to see.
void TimelinePanel::follow_basis(PanelContext& context) {
  const std::string basis = model_->data()->usual().basis.name();
  if (basis_seen_ && basis == basis_) return;
  const bool opened = !std::exchange(basis_seen_, true);
  basis_ = basis;
  const int64_t run = model_->run_of_basis(context.document.run()), before = std::exchange(basis_run_, run);
  if (context.document.run() != 0 && context.document.run() != chosen_run_) return;
  if (run != 0) {
    context.document.select_run(run);
    if (opened) chosen_run_ = run;  // the view is there already
  } else if (before != 0 && context.document.run() == before) {
    context.document.select_run(chosen_run_ = 0);
    model_->show_usual_execution();
  }
}

// What was chosen elsewhere is brought into view; what was chosen here is in view already.
void TimelinePanel::follow_selection(PanelContext& context) {
  Document& document = context.document;
  const bool wanted = document.take_wanted_run() != 0;
  if (wanted || document.run() != chosen_run_) {
    chosen_run_ = document.run();
    const int64_t execution = model_->executions().find(chosen_run_);
    if (execution >= 0) {
      model_->show_execution(static_cast<size_t>(execution));
      side_.show_execution();
    }
  }
  if (seen_selection_ != document.selection_version()) {
    seen_selection_ = document.selection_version();
    if (!document.selection().same(followed_)) {
      followed_ = document.selection();
      reveal_ = !ours_ && !followed_.ops.empty();
      if (!ours_ && followed_.empty()) model_->leave();  // nothing is framed where nothing is selected
    }
    if (!ours_ && document.selection().kind == Selection::Kind::Range) {
      show_range(document.selection());
      side_.show_range();
    }
    ours_ = false;
  }
  if (wanted) reveal_ = false;  // the execution is what was asked for, not an op that is selected as well
  // Lifted in another panel: the range goes with it.
  if (restricted_ && !document.restriction() && !dragging_range_) model_->clear_range();
  restricted_ = document.restriction().has_value();
  if (!reveal_ || !model_->has_marks(document.selection_version())) return;
  reveal_ = false;
  side_.show_slice();
  const auto& slices = model_->window().slices;
  bool seen = false;
  double widest = 0;  // pixels
  for (const inspector::WindowSlice& s : slices) {
    const double begin = model_->begin_of(s), end = model_->end_of(s);
    if (s.marked == 0 || end < model_->view.begin() || begin > model_->view.end()) continue;
    seen = true;
    widest = std::max(widest, (end - begin) / model_->view.span() * static_cast<double>(width_));
  }
  if (!seen) return model_->step(followed_.ops, true);
  // Whoever asked for one op does not look for slivers among all executions.
  constexpr float kLegible = 16;
  if (followed_.kind == Selection::Kind::Op && widest < static_cast<double>(scaled(kLegible)) &&
      ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows)) {
    model_->leave();
    model_->show_usual_execution();
    return model_->step(followed_.ops, true);
  }
  // One that can be seen is the one that the pane tells of.
  for (const inspector::WindowSlice& s : slices) {
    const bool inside = model_->begin_of(s) >= model_->view.begin() && model_->end_of(s) <= model_->view.end();
    if (s.count == 1 && s.marked == 1 && inside) return model_->go_to(s.op, s.sample, s);
  }
}

// A bookmark leads back to its range.
void TimelinePanel::show_range(const Selection& range) {
  const int64_t origin = model_->view.origin();
  const auto begin = static_cast<double>(range.start - origin), end = static_cast<double>(range.end - origin);
  model_->select_range(begin, end);
  model_->view.show(begin, end, 0.2);
}

void TimelinePanel::draw_toolbar(PanelContext& context) {
  draw_search();
  flow(scaled(kColorsWidth));
  const auto shown = std::find_if(kTimelineColors.begin(), kTimelineColors.end(),
                                  [&](const ColorName& c) { return c.colors == painter_.colors; });
  ImGui::SetNextItemWidth(scaled(kColorsWidth));
  if (ImGui::BeginCombo("##colors", shown->name)) {
    for (const ColorName& c : kTimelineColors) {
      if (ImGui::Selectable(c.name, c.colors == painter_.colors)) painter_.colors = c.colors;
      item_tooltip(c.help);
    }
    ImGui::EndCombo();
  }
  item_tooltip("Colour scheme");
  draw_view_buttons(context);
  draw_pane_button();
  draw_view_text();
}

void TimelinePanel::draw_view_buttons(PanelContext& context) {
  constexpr const char* kGhost = "Compare with median run";
  flow(ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + text_width(kGhost));
  ImGui::BeginDisabled(*model_->no_ghost() != 0);
  ImGui::Checkbox((std::string(kGhost) + "###ghost").c_str(), &model_->ghost_wanted);
  ImGui::EndDisabled();
  item_tooltip(std::string("Below the current execution, show the median one, aligned to the same start") +
               (*model_->no_ghost() == 0 ? "" : std::string(". ") + model_->no_ghost()));
  flow_button("Fit##fit");
  if (ImGui::Button("Fit##fit")) fit_selection(context);
  item_tooltip("Zoom to what is selected: op, range or execution (F)");
  flow_button("Executions##executions");
  if (ImGui::Button("Executions##executions")) model_->show_executions();
  item_tooltip("Show all executions, without loading (E)");
  flow_button("All##all");
  if (ImGui::Button("All##all")) model_->view.show_all();
  item_tooltip("Show the whole trace (Home)");
  flow_button("Slowest##slowest");
  if (ImGui::Button("Slowest##slowest") && !model_->executions().slowest().empty()) {
    choose_execution(context, model_->executions().slowest().front());
  }
  item_tooltip("Zoom to the slowest execution");
}

void TimelinePanel::draw_pane_button() {
  static constexpr std::array<const char*, 3> kPlaces = {"Details: below", "Details: beside", "Details: hidden"};
  const auto at = static_cast<size_t>(pane_);
  flow_button(kPlaces[1]);
  if (ImGui::Button((std::string(kPlaces[at]) + "###pane").c_str())) {
    pane_ = static_cast<Pane>((at + 1) % kPlaces.size());
  }
  item_tooltip("Where the details of the clicked slice are: below, beside, or hidden");
}

void TimelinePanel::draw_view_text() {
  flow(text_width("?"));
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("?");
  item_tooltip(
      "Wheel: zoom at the pointer. Drag, or Shift+wheel: pan\nRight-drag or Shift+drag: a range, which restricts the "
      "panels that rank\nW S, Up Down, + -: zoom   A D, Left Right: pan\nN P: next and previous match of the search, "
      "else slice of the selected op   [ ]: previous and next execution\nF: zoom to selection   E: all executions   "
      "Home: whole trace   Double-click: zoom to a slice\nEsc: clear the range\nOn top the whole trace: drag the view, "
      "or its edges");
  std::string text = "reading…";
  if (!model_->reading()) {
    text = model_->view_text() + (model_->window().estimated ? ", too many samples to draw one by one: zoom in" : "");
  }
  // What a search writes before it must not push it into a line of its own: the drawing would move under the mouse.
  if (filter_.empty() || !text_beside_) {
    const float row = ImGui::GetItemRectMin().y;
    flow(text_width(text));
    ImGui::AlignTextToFramePadding();
    text_beside_ = ImGui::GetCursorScreenPos().y <= row + scaled(2);
    ImGui::PushTextWrapPos(0);
    text_colored(theme().muted, text);
    ImGui::PopTextWrapPos();
  } else {
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    if (ImGui::GetContentRegionAvail().x > scaled(60)) {
      text_fitting(text, theme().muted);
    } else {
      ImGui::NewLine();
    }
  }
  draw_far_note();
  draw_methods();
}

/// Which slices have an orange edge.
void TimelinePanel::draw_far_note() {
  // The window that was read reaches beyond what is seen.
  std::vector<FarSlice> far = model_->far_slices();
  // And of a slice that is seen only to begin or end it is another execution that is spoken of.
  std::erase_if(far, [&](const FarSlice& f) {
    const double seen = std::min(f.end, model_->view.end()) - std::max(f.begin, model_->view.begin());
    return seen < (f.end - f.begin) / 2;
  });
  if (far.empty()) return;
  const auto text_of = [&](const FarSlice& f) {
    return inspector::printable(slice_label(*model_->data(), f.op)) + " " +
           inspector::format_real(f.times, f.times < 10 ? 1 : 0) + "×";
  };
  const size_t others = far.size() - 1;
  const std::string note = "orange edge: " + text_of(far.front()) + " its usual time" +
                           (others == 0 ? "" : ", and " + inspector::plural(static_cast<int64_t>(others), "more op"));
  flow(text_width(note));
  text_colored(theme().warning, note);
  constexpr size_t kMost = 20;
  std::string all = "Far from their usual time (p50) in what is seen:";
  for (size_t i = 0; i < std::min(far.size(), kMost); ++i) all += "\n" + text_of(far[i]);
  if (far.size() > kMost) all += "\nand " + std::to_string(far.size() - kMost) + " more";
  item_tooltip(all);
}

// Bars of the strip have the colours of their methods.
void TimelinePanel::draw_methods() {
  if (!model_->executions().several_blocks()) return;
  const TraceData& data = *model_->data();
  std::set<std::string> methods;
  for (size_t e = 0; e < model_->executions().size() && methods.size() < 8; ++e) {
    const Run& run = data.runs[static_cast<size_t>(model_->executions().run(e))];
    methods.insert(data.table.blocks[static_cast<size_t>(run.block)].method.value_or(""));
  }
  for (const std::string& method : methods) {
    const std::string name = method.empty() ? "(method unknown)" : inspector::printable(method);
    flow(text_width(name) + ImGui::GetTextLineHeight());
    color_square(name_color(method));
    ImGui::SameLine(0, scaled(4));
    text_colored(theme().muted, name);
  }
}

// What was gone to is chosen as soon as it is known, so that all panels speak of it; the details are of it.
void TimelinePanel::step_search(bool forward) {
  found_from_ = model_->steps();
  model_->step(model_->found().ops, forward, true);
}

void TimelinePanel::follow_search(PanelContext& context) {
  if (!found_from_ || !model_->at() || *found_from_ == model_->steps()) return;
  found_from_.reset();
  side_.show_slice();
  if (!context.document.selection().has_op(model_->at()->op)) choose_op(context, model_->at()->op, "");
}

void TimelinePanel::draw_search() {
  if (std::exchange(focus_search_, false)) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(std::clamp(ImGui::GetContentRegionAvail().x - scaled(760), scaled(200), scaled(320)));
  take_search_focus();
  const bool enter =
      ImGui::InputTextWithHint("##search", "Search ops, or line:…", &filter_, ImGuiInputTextFlags_EnterReturnsTrue);
  if (enter) ImGui::SetKeyboardFocusHere(-1);
  // As in a browser.
  if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) filter_.clear();
  if (!ImGui::IsItemActive())
    item_tooltip(
        "Finds ops by their name or operator type. line:model.py:12, module:encoder, node:bmm_3 or backend:xnnpack "
        "look "
        "for what is behind an op, type:addmm for all ops of one operator type.");
  if (!filter_.empty()) {
    ImGui::SameLine(0, scaled(2));
    if (ImGui::Button("×##clear")) filter_.clear();
    item_tooltip("End the search (Esc)");
  }
  model_->search(filter_);
  const auto& found = model_->found();
  ImGui::BeginDisabled(found.ops.empty());
  ImGui::SameLine(0, scaled(3));
  if (ImGui::ArrowButton("##before", ImGuiDir_Left)) step_search(false);
  item_tooltip("Previous match (Shift+Enter)");
  ImGui::SameLine(0, scaled(3));
  if (ImGui::ArrowButton("##next", ImGuiDir_Right) || (enter && !ImGui::GetIO().KeyShift)) step_search(true);
  item_tooltip("Next match (Enter)");
  if (enter && ImGui::GetIO().KeyShift) step_search(false);
  ImGui::EndDisabled();
  if (filter_.empty()) return;
  const std::string text = found.text == filter_ ? search_text(*model_) : "searching…";
  flow(text_width(text));
  ImGui::AlignTextToFramePadding();
  text_colored(found.text == filter_ && found.ops.empty() ? theme().warning : theme().muted, text);
}

void TimelinePanel::draw_minimap() {
  const ImVec2 a = ImGui::GetCursorScreenPos(), b = {a.x + width_, a.y + TimelineMinimap::height()};
  ImGui::InvisibleButton("##minimap", {std::max(width_, 1.0F), TimelineMinimap::height()},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_EnableNav);
  const BoxWalk keys = minimap_.walk(a, b, *model_);
  map_walked_ = static_cast<bool>(keys);
  if (keys) {
    minimap_.use_keys(a, b, model_.get());
  } else {
    minimap_.use(a, b, model_.get());
  }
  ScreenCanvas canvas(ImGui::GetWindowDrawList(), a, b);
  minimap_.draw(canvas, a, b, *model_);
}

void TimelinePanel::draw_strip(PanelContext& context) {
  const ImVec2 a = ImGui::GetCursorScreenPos(), b = {a.x + width_, a.y + painter_.strip_height()};
  ImGui::InvisibleButton("##strip", {std::max(width_, 1.0F), painter_.strip_height()},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_EnableNav);
  const BoxWalk keys = walk_strip(a, b);
  strip_walked_ = static_cast<bool>(keys);
  if (keys) strip_at_ = last_ring().key;
  use_strip(context, a, b);
  ScreenCanvas canvas(ImGui::GetWindowDrawList(), a, b);
  painter_.draw_strip(canvas, a, b, *model_, strip_, model_->executions().find(context.document.run()), strip_hover_);
}

void TimelinePanel::draw_ruler(PanelContext& context) {
  const ImVec2 a = ImGui::GetCursorScreenPos(), b = {a.x + width_, a.y + painter_.ruler_height()};
  ImGui::InvisibleButton("##ruler", {std::max(width_, 1.0F), painter_.ruler_height()});
  use_wheel(a, b);
  if (ImGui::IsItemActive()) model_->view.pan(static_cast<double>(-ImGui::GetIO().MouseDelta.x / width_));
  ScreenCanvas canvas(ImGui::GetWindowDrawList(), a, b);
  painter_.draw_ruler(canvas, a, b, *model_);
  if (cursor_ >= 0) painter_.draw_cursor_time(canvas, a, b, *model_, cursor_);
  const std::vector<NotePin>& pins = context.document.pins();
  const std::vector<PlacedPin> placed = place_pins(pins, *model_, width_);
  draw_pins(canvas, a, b, pins, placed);
  const int32_t pin = ImGui::IsItemHovered() ? pin_at(placed, ImGui::GetIO().MousePos.x - a.x) : -1;
  if (pin < 0) return;
  const NotePin noted = pins[static_cast<size_t>(pin)];
  item_tooltip(inspector::printable(noted.text));
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) context.document.select(noted.target);
}

void TimelinePanel::draw_rows(PanelContext& context, float height) {
  rows_height_ = painter_.lay_out(*model_, height);
  model_->lanes = painter_.lanes();
  scroll_ = std::clamp(scroll_, 0.0F, std::max(rows_height_ - height, 0.0F));
  const ImVec2 a = ImGui::GetCursorScreenPos(), b = {a.x + width_, a.y + height};
  ImGui::SetNextItemAllowOverlap();
  ImGui::InvisibleButton("##rows", {std::max(width_, 1.0F), std::max(height, 1.0F)},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                             ImGuiButtonFlags_MouseButtonMiddle | ImGuiButtonFlags_EnableNav);
  const BoxWalk keys = walk(a, b);
  use_rows(context, a, b);
  const bool walking = keys || strip_walked_ || map_walked_;
  use_keys(context, walking);
  walked_ = walking;
  ScreenCanvas canvas(ImGui::GetWindowDrawList(), a, b);
  painter_.draw_rows(canvas, a, b, scroll_, *model_, context.document.run(), hover_);
  if (cursor_ >= 0) canvas.line({a.x + cursor_, a.y}, {a.x + cursor_, b.y}, with_alpha(theme().text, 0.35F), scaled(1));
  if (rows_height_ > height) {  // where the rows are in all of them
    const float tall = std::max(height * height / rows_height_, scaled(16));
    const float y = a.y + scroll_ / (rows_height_ - height) * (height - tall);
    canvas.fill({b.x - scaled(5), y}, {b.x - scaled(1), y + tall}, with_alpha(theme().text, 0.3F), 2);
  }
  draw_menu(context);
}

bool TimelinePanel::draw_on(Canvas& canvas) {
  if (model_ == nullptr || !model_->ready()) return false;
  const ImVec2 a = canvas.min(), b = canvas.max();
  const float strip = a.y + painter_.strip_height(), ruler = strip + painter_.ruler_height();
  painter_.lay_out(*model_, b.y - ruler);
  painter_.draw_strip(canvas, a, {b.x, strip}, *model_, strip_, model_->executions().find(chosen_run_), -1);
  painter_.draw_ruler(canvas, {a.x, strip}, {b.x, ruler}, *model_);
  painter_.draw_rows(canvas, {a.x, ruler}, b, 0, *model_, chosen_run_, {});
  return true;
}

void TimelinePanel::commands(CommandList* list) {
  if (model_ == nullptr || !model_->ready()) return;
  list->push_back({"Timeline: the whole trace", 0, [this] { model_->view.show_all(); }});
  list->push_back({"Timeline: all executions", 0, [this] { model_->show_executions(); }});
  list->push_back({"Timeline: zoom to the slowest execution", 0, [this] {
                     const auto& slowest = model_->executions().slowest();
                     if (!slowest.empty()) model_->show_execution(slowest.front());
                   }});
  list->push_back({"Timeline: larger details", 0, [this] { pane_part_ = std::min(pane_part_ + 0.06F, 0.7F); }});
  list->push_back({"Timeline: smaller details", 0, [this] { pane_part_ = std::max(pane_part_ - 0.06F, 0.15F); }});
  list->push_back({"Timeline: search", 0, [this] { focus_search_ = true; }});
  list->push_back({"Timeline: what is seen as the range", 0, [this] { range_wanted_ = true; }});
  list->push_back({"Timeline: clear the range", 0, [this] { forget_wanted_ = true; }, model_->has_range()});
  for (const ColorName& c : kTimelineColors) {
    list->push_back({std::string("Timeline: colours by ") + c.name, 0, [this, c] { painter_.colors = c.colors; }});
  }
}

std::vector<std::pair<std::string, std::string>> TimelinePanel::settings() const {
  const auto shown = std::find_if(kTimelineColors.begin(), kTimelineColors.end(),
                                  [&](const ColorName& c) { return c.colors == painter_.colors; });
  return {{"colors", shown->key},
          {"details", kPaneKeys[static_cast<size_t>(pane_)]},
          {"details_part", std::to_string(std::lround(pane_part_ * 100))}};
}

void TimelinePanel::restore(const std::string& key, const std::string& value) {
  for (const ColorName& c : kTimelineColors) {
    if (key == "colors" && value == c.key) painter_.colors = c.colors;
  }
  for (size_t i = 0; i < kPaneKeys.size(); ++i) {
    if (key == "details" && value == kPaneKeys[i]) pane_ = static_cast<Pane>(i);
  }
  if (key == "details_part" && value.size() < 4) {
    const int percent = std::atoi(value.c_str());
    if (percent > 0 && percent < 100) pane_part_ = static_cast<float>(percent) / 100;
  }
}

extern const PanelSpec k_timeline_panel;
const PanelSpec k_timeline_panel = {
    .id = "timeline",
    .title = "Timeline",
    .summary = "What happened when: every execution and its operators",
    .key = ImGuiKey_2,
    .make = [] { return std::unique_ptr<Panel>(new TimelinePanel); },
};

}  // namespace et::gui
