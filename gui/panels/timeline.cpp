// Timeline: every execution with the operators in it, as they happened. The frame of the panel; mouse and keys are in
// timeline_input.cpp, what is drawn in timeline_painter.cpp.
#include <imgui.h>

#include <algorithm>
#include <array>

#include "gui/models/overview_model.h"
#include "gui/panels/timeline_panel.h"
#include "gui/panels/timeline_pins.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/text/format.h"
#include "misc/cpp/imgui_stdlib.h"

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
constexpr float kRangeHeight = 190, kBarPitch = 28;  // points

/// "3 of 217 slices of 12 ops".
std::string search_text(const TimelineModel& model) {
  const TimelineSearch& found = model.found();
  if (found.ops.empty()) return "no op is named so";
  const bool at = model.at() && model.at_number() > 0 && found.hit[static_cast<size_t>(model.at()->op)];
  const auto counted = [](int64_t n, const char* one, const char* many) {
    return inspector::format_count(n) + " " + (n == 1 ? one : many);
  };
  return (at ? inspector::format_count(model.at_number()) + " of " : "") + counted(found.samples, "slice", "slices") +
         (found.apart > 0 ? " and " + inspector::format_count(found.apart) + " on clocks of their own" : "") + ", " +
         counted(static_cast<int64_t>(found.ops.size()), "op", "ops");
}

}  // namespace

void TimelinePanel::draw(PanelContext& context) {
  if (model_ == nullptr) model_ = std::make_unique<TimelineModel>(context.jobs);
  if (seen_version_ != context.document.trace_version()) painter_.forget();
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
    seen_version_ = context.document.trace_version();
    strip_whole_ = true;
    hover_ = {};
    followed_ = context.document.selection();
    chosen_run_ = context.document.run();
  }
  if (strip_whole_) {  // few executions stand side by side at the left
    const double fit = ImGui::GetContentRegionAvail().x / scaled(kBarPitch);
    strip_ = {0, std::max({static_cast<double>(model_->executions().size()), fit, 1.0})};
  }
  follow_selection(context);
  draw_toolbar(context);
  width_ = ImGui::GetContentRegionAvail().x;
  if (model_->view.glide(static_cast<double>(ImGui::GetIO().DeltaTime))) context.wants_frames = true;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, scaled(2)});
  draw_strip(context);
  draw_ruler(context);
  const float room = ImGui::GetContentRegionAvail().y;
  const float range = model_->has_range() ? std::min(scaled(kRangeHeight), room / 2) : 0;
  draw_rows(context, std::max(room - range, scaled(60)));
  ImGui::PopStyleVar();
  if (range > 0) draw_range(context);
  model_->update(static_cast<int>(width_), context.document.selection(), context.document.selection_version(),
                 context.document.run());
}

// What was chosen elsewhere is brought into view; what was chosen here is in view already.
void TimelinePanel::follow_selection(PanelContext& context) {
  const Document& document = context.document;
  if (document.run() != chosen_run_) {
    chosen_run_ = document.run();
    const int64_t execution = model_->executions().find(chosen_run_);
    if (execution >= 0) model_->show_execution(static_cast<size_t>(execution));
  }
  if (seen_selection_ != document.selection_version()) {
    seen_selection_ = document.selection_version();
    if (!document.selection().same(followed_)) {
      followed_ = document.selection();
      reveal_ = !ours_ && !followed_.ops.empty();
    }
    if (!ours_ && document.selection().kind == Selection::Kind::Range) show_range(document.selection());
    ours_ = false;
  }
  // Lifted in another panel: the range goes with it.
  if (restricted_ && !document.restriction() && !dragging_range_) model_->clear_range();
  restricted_ = document.restriction().has_value();
  if (!reveal_ || model_->reading()) return;
  reveal_ = false;
  const auto& slices = model_->window().slices;
  const bool seen = std::any_of(slices.begin(), slices.end(), [&](const inspector::WindowSlice& s) {
    return s.marked > 0 && model_->end_of(s) >= model_->view.begin() && model_->begin_of(s) <= model_->view.end();
  });
  if (!seen) model_->step(followed_.ops, true);
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
  ImGui::SameLine(0, scaled(12));
  const auto shown = std::find_if(kTimelineColors.begin(), kTimelineColors.end(),
                                  [&](const ColorName& c) { return c.colors == painter_.colors; });
  ImGui::SetNextItemWidth(scaled(135));
  if (ImGui::BeginCombo("##colors", shown->name)) {
    for (const ColorName& c : kTimelineColors) {
      if (ImGui::Selectable(c.name, c.colors == painter_.colors)) painter_.colors = c.colors;
      item_tooltip(c.help);
    }
    ImGui::EndCombo();
  }
  item_tooltip("Colour scheme");
  ImGui::SameLine();
  ImGui::Checkbox("Median##ghost", &model_->ghost_wanted);
  item_tooltip("Below the current execution, show the median one, aligned to the same start");
  ImGui::SameLine();
  if (ImGui::Button("Fit##fit")) model_->fit(chosen_ops(context));
  item_tooltip("Zoom to selection (F)");
  ImGui::SameLine();
  if (ImGui::Button("All##all")) model_->view.show_all();
  item_tooltip("Show the whole trace (Home)");
  ImGui::SameLine();
  if (ImGui::Button("Slowest##slowest") && !model_->executions().slowest().empty()) {
    const size_t slowest = model_->executions().slowest().front();
    chosen_run_ = model_->data()->runs[static_cast<size_t>(model_->executions().run(slowest))].id;
    context.document.select_run(chosen_run_);
    model_->show_execution(slowest);
  }
  item_tooltip("Zoom to the slowest execution");
  ImGui::SameLine();
  ImGui::TextDisabled("?");
  item_tooltip(
      "Wheel: zoom at the pointer. Drag, or Shift+wheel: pan\nRight-drag or Shift+drag: measure a range\nW S: zoom   A "
      "D: pan   N P: next and previous slice of the selected op\nF: zoom to selection   Home: whole trace   "
      "Double-click: zoom to a slice\nEsc: clear the range");
  ImGui::SameLine(0, scaled(12));
  ImGui::AlignTextToFramePadding();
  if (model_->reading()) {
    ImGui::TextDisabled("reading…");
  } else {
    const auto text = [&](double time) { return inspector::format_duration_with_unit(time, model_->data()->unit()); };
    const double span = model_->view.span(), extent = model_->view.extent();
    ImGui::TextDisabled("%s%s", (span < extent ? text(span) + " of " + text(extent) : "all " + text(extent)).c_str(),
                        model_->window().estimated ? ", too many samples to draw one by one: zoom in" : "");
  }
}

void TimelinePanel::draw_search() {
  if (std::exchange(focus_search_, false)) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(std::clamp(ImGui::GetContentRegionAvail().x - scaled(760), scaled(120), scaled(320)));
  take_search_focus();
  const bool enter = ImGui::InputTextWithHint("##search", "Search ops; line:, module:, node:, backend:", &filter_,
                                              ImGuiInputTextFlags_EnterReturnsTrue);
  if (enter) ImGui::SetKeyboardFocusHere(-1);
  model_->search(filter_);
  const auto& found = model_->found();
  ImGui::BeginDisabled(found.ops.empty());
  ImGui::SameLine(0, scaled(3));
  if (ImGui::ArrowButton("##before", ImGuiDir_Left)) model_->step(found.ops, false, true);
  item_tooltip("Previous match (Shift+Enter)");
  ImGui::SameLine(0, scaled(3));
  if (ImGui::ArrowButton("##next", ImGuiDir_Right) || (enter && !ImGui::GetIO().KeyShift))
    model_->step(found.ops, true, true);
  item_tooltip("Next match (Enter)");
  if (enter && ImGui::GetIO().KeyShift) model_->step(found.ops, false, true);
  ImGui::EndDisabled();
  if (filter_.empty()) return;
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  if (found.text != filter_) {
    ImGui::TextDisabled("searching…");
  } else {
    text_colored(found.ops.empty() ? theme().warning : theme().muted, search_text(*model_));
  }
}

void TimelinePanel::draw_strip(PanelContext& context) {
  const ImVec2 a = ImGui::GetCursorScreenPos(), b = {a.x + width_, a.y + painter_.strip_height()};
  ImGui::InvisibleButton("##strip", {std::max(width_, 1.0F), painter_.strip_height()});
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
  rows_height_ = painter_.lay_out(*model_);
  scroll_ = std::clamp(scroll_, 0.0F, std::max(rows_height_ - height, 0.0F));
  const ImVec2 a = ImGui::GetCursorScreenPos(), b = {a.x + width_, a.y + height};
  ImGui::SetNextItemAllowOverlap();
  ImGui::InvisibleButton(
      "##rows", {std::max(width_, 1.0F), std::max(height, 1.0F)},
      ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
  use_rows(context, a, b);
  use_keys(context);
  ScreenCanvas canvas(ImGui::GetWindowDrawList(), a, b);
  painter_.draw_rows(canvas, a, b, scroll_, *model_, context.document.run(), hover_);
  if (rows_height_ > height) {  // where the rows are in all of them
    const float tall = std::max(height * height / rows_height_, scaled(16));
    const float y = a.y + scroll_ / (rows_height_ - height) * (height - tall);
    canvas.fill({b.x - scaled(5), y}, {b.x - scaled(1), y + tall}, with_alpha(theme().text, 0.3F), 2);
  }
  draw_menu(context);
}

void TimelinePanel::draw_range(PanelContext& context) {
  const inspector::RangeStatistics* statistics = model_->range_statistics();
  const std::string& unit = model_->data()->unit();
  const double length = model_->range_end() - model_->range_begin();
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(fonts().bold);
  ImGui::TextUnformatted(("Range of " + inspector::format_duration_with_unit(length, unit)).c_str());
  ImGui::PopFont();
  if (statistics != nullptr && length > 0) {
    ImGui::SameLine();
    const double outside = static_cast<double>(statistics->outside);
    text_colored(theme().muted, inspector::format_duration_with_unit(outside, unit) + " (" +
                                    inspector::format_share(outside / length) + ") outside ops");
  }
  ImGui::SameLine();
  if (ImGui::SmallButton("Zoom##range")) model_->view.show(model_->range_begin(), model_->range_end(), 0);
  ImGui::SameLine();
  if (ImGui::SmallButton("Bookmark##range")) bookmark_range(context);
  item_tooltip("Bookmark the range in the store (Ctrl+B)");
  ImGui::SameLine();
  if (ImGui::SmallButton("×##range")) return forget_range(context);
  if (statistics == nullptr) {
    ImGui::TextDisabled("reading…");
    return;
  }
  if (!ImGui::BeginTable("##range_table", 5,
                         ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable |
                             ImGuiTableFlags_BordersInnerV)) {
    return;
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  const double largest = statistics->ops.empty() ? 0 : static_cast<double>(statistics->ops.front().total);
  inspector::TimeUnit shown;
  (void)inspector::choose_unit("auto", unit, std::max(largest, length / 100), &shown);
  const std::array<std::string, 5> titles = {"Op", "Count", "Total" + inspector::unit_heading(shown),
                                             "Self" + inspector::unit_heading(shown), "Self share"};
  for (size_t c = 0; c < titles.size(); ++c) {
    ImGui::TableSetupColumn(titles[c].c_str(),
                            c == 0 ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
                            c == 0 ? 0 : scaled(c == 4 ? 150 : 100));
  }
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t c = 0; c < titles.size(); ++c) {
    ImGui::TableSetColumnIndex(static_cast<int>(c));
    header_cell(titles[c].c_str(), c > 0 && c < 4);
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(statistics->ops.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const inspector::RangeOp& r = statistics->ops[static_cast<size_t>(i)];
      ImGui::PushID(i);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      if (ImGui::Selectable("##row", context.document.selection().has_op(r.op), ImGuiSelectableFlags_SpanAllColumns)) {
        choose_op(context, r.op, "");
      }
      ImGui::SameLine(0, 0);
      text_fitting(slice_label(*model_->data(), r.op));
      ImGui::TableNextColumn();
      text_right(inspector::format_count(r.count));
      ImGui::TableNextColumn();
      text_right(inspector::format_duration(static_cast<double>(r.total), shown));
      ImGui::TableNextColumn();
      text_right(inspector::format_duration(static_cast<double>(r.self), shown));
      ImGui::TableNextColumn();
      share_cell(length > 0 ? static_cast<double>(r.self) / length : 0, theme().kernel);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

bool TimelinePanel::draw_on(Canvas& canvas) {
  if (model_ == nullptr || !model_->ready()) return false;
  const ImVec2 a = canvas.min(), b = canvas.max();
  const float strip = a.y + painter_.strip_height(), ruler = strip + painter_.ruler_height();
  painter_.lay_out(*model_);
  painter_.draw_strip(canvas, a, {b.x, strip}, *model_, strip_, model_->executions().find(chosen_run_), -1);
  painter_.draw_ruler(canvas, {a.x, strip}, {b.x, ruler}, *model_);
  painter_.draw_rows(canvas, {a.x, ruler}, b, 0, *model_, chosen_run_, {});
  return true;
}

void TimelinePanel::commands(CommandList* list) {
  if (model_ == nullptr || !model_->ready()) return;
  list->push_back({"Timeline: the whole trace", 0, [this] { model_->view.show_all(); }});
  list->push_back({"Timeline: zoom to the slowest execution", 0, [this] {
                     const auto& slowest = model_->executions().slowest();
                     if (!slowest.empty()) model_->show_execution(slowest.front());
                   }});
  list->push_back({"Timeline: search", 0, [this] { focus_search_ = true; }});
  list->push_back({"Timeline: clear the range", 0, [this] { model_->clear_range(); }, model_->has_range()});
  for (const ColorName& c : kTimelineColors) {
    list->push_back({std::string("Timeline: colours by ") + c.name, 0, [this, c] { painter_.colors = c.colors; }});
  }
}

std::vector<std::pair<std::string, std::string>> TimelinePanel::settings() const {
  const auto shown = std::find_if(kTimelineColors.begin(), kTimelineColors.end(),
                                  [&](const ColorName& c) { return c.colors == painter_.colors; });
  return {{"colors", shown->key}};
}

void TimelinePanel::restore(const std::string& key, const std::string& value) {
  if (key != "colors") return;
  for (const ColorName& c : kTimelineColors) {
    if (value == c.key) painter_.colors = c.colors;
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
