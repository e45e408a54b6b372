// Mouse and keys of the timeline.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "gui/panels/timeline_panel.h"
#include "imgui_internal.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr double kWheelZoom = 0.8, kKeyZoomPerSecond = 4, kKeyPanPerSecond = 1.2, kWheelPan = 0.12;
constexpr float kClickPixels = 4;  // a button that moved less was clicked, not dragged

}  // namespace

std::vector<int32_t> TimelinePanel::chosen_ops(const PanelContext& context) const {
  return context.document.selection().ops;
}

void TimelinePanel::choose_op(PanelContext& context, int32_t op, const char* panel) {
  const TraceData& data = *context.document.data();
  ours_ = true;
  context.document.select(select_op(data, data.table.ops[static_cast<size_t>(op)].id), panel);
}

void TimelinePanel::use_strip(PanelContext& context, ImVec2 a, ImVec2 b) {
  const ImGuiIO& io = ImGui::GetIO();
  strip_hover_ = -1;
  if (!ImGui::IsItemHovered() || b.x <= a.x) return;
  const double width = b.x - a.x, span = strip_.to - strip_.from, at = (io.MousePos.x - a.x) / width;
  if (io.MouseWheelH != 0 || (io.KeyShift && io.MouseWheel != 0)) {
    pan_strip(-span * kWheelPan * static_cast<double>(io.MouseWheel + io.MouseWheelH));
  } else if (io.MouseWheel != 0) {
    zoom_strip(std::pow(kWheelZoom, static_cast<double>(io.MouseWheel)), at);
  }
  const auto pressed = [&](std::initializer_list<ImGuiKey> keys) {
    return strip_walked_ &&
           std::any_of(keys.begin(), keys.end(), [](ImGuiKey key) { return ImGui::IsKeyPressed(key); });
  };
  if (pressed({ImGuiKey_Equal, ImGuiKey_KeypadAdd})) zoom_strip(kWheelZoom, at);
  if (pressed({ImGuiKey_Minus, ImGuiKey_KeypadSubtract})) zoom_strip(1 / kWheelZoom, at);
  strip_hover_ = painter_.hit_strip(*model_, strip_, io.MousePos.x - a.x, width);
  if (strip_hover_ < 0) return;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    choose_execution(context, static_cast<size_t>(strip_hover_));
  }
  draw_execution_tooltip(*model_, strip_hover_);
}

void TimelinePanel::zoom_strip(double factor, double at) {
  const double count = static_cast<double>(model_->executions().size()), span = strip_.to - strip_.from;
  const double after = std::clamp(span * factor, std::min(8.0, count), count);
  const double from = std::clamp(strip_.from + at * (span - after), 0.0, std::max(count - after, 0.0));
  strip_ = {from, from + after};
  strip_whole_ = after >= count;
}

void TimelinePanel::pan_strip(double executions) {
  const double count = static_cast<double>(model_->executions().size()), span = strip_.to - strip_.from;
  const double from = std::clamp(strip_.from + executions, 0.0, std::max(count - span, 0.0));
  strip_ = {from, from + span};
}

void TimelinePanel::use_wheel(ImVec2 a, ImVec2 b) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!ImGui::IsItemHovered() || b.x <= a.x) return;
  if (io.MouseWheelH != 0 || (io.KeyShift && io.MouseWheel != 0)) {
    model_->view.pan(-kWheelPan * static_cast<double>(io.MouseWheelH != 0 ? io.MouseWheelH : io.MouseWheel));
  } else if (io.KeyAlt && io.MouseWheel != 0) {
    scroll_ -= io.MouseWheel * painter_.row_height() * 2;
  } else if (io.MouseWheel != 0) {
    model_->view.zoom(std::pow(kWheelZoom, static_cast<double>(io.MouseWheel)),
                      static_cast<double>((io.MousePos.x - a.x) / (b.x - a.x)));
  }
}

void TimelinePanel::use_rows(PanelContext& context, ImVec2 a, ImVec2 b) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool hovered = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
  use_wheel(a, b);
  const auto time_at_mouse = [&] { return model_->view.time_at(io.MousePos.x - a.x, static_cast<double>(width_)); };
  const bool left = ImGui::IsMouseDown(ImGuiMouseButton_Left), right = ImGui::IsMouseDown(ImGuiMouseButton_Right);
  if (ImGui::IsItemActivated() && (right || io.KeyShift)) range_from_ = time_at_mouse();
  const bool far = ImGui::IsMouseDragging(left ? ImGuiMouseButton_Left : ImGuiMouseButton_Right, scaled(kClickPixels));
  if (active && far && (right || (left && (io.KeyShift || dragging_range_)))) {
    dragging_range_ = true;
    model_->select_range(range_from_, time_at_mouse());
  } else if (active && !dragging_range_ && !right && far) {
    model_->view.pan(static_cast<double>(-io.MouseDelta.x / width_));
    scroll_ -= io.MouseDelta.y;
  }
  const bool ended = dragging_range_ && !left && !right;
  hover_ = hovered && !(active && far)
               ? painter_.hit(*model_, io.MousePos.x - a.x, io.MousePos.y - a.y + scroll_, static_cast<double>(width_))
               : TimelineHover();
  if (!ended && !dragging_range_ && hovered) click(context);
  if (ended) {
    dragging_range_ = false;
    choose_range(context);
    side_.show_range();
  }
  if (hovered && !active && !ImGui::IsPopupOpen("##slice_menu")) {
    if (hover_.execution >= 0) {
      draw_execution_tooltip(*model_, hover_.execution);
    } else if (hover_.module >= 0 && hover_.module < static_cast<int32_t>(model_->module_spans().size())) {
      draw_module_tooltip(*model_, model_->module_spans()[static_cast<size_t>(hover_.module)]);
    } else if (hover_.slice != nullptr) {
      draw_slice_tooltip(*model_, hover_);
    } else if (hover_.gap >= 0 && hover_.gap < static_cast<int32_t>(model_->gaps().size())) {
      draw_gap_tooltip(*model_, model_->gaps()[static_cast<size_t>(hover_.gap)]);
    } else if (hover_.call_gap >= 0 && hover_.call_gap < static_cast<int32_t>(model_->call_gaps().size())) {
      draw_call_gap_tooltip(*model_, model_->call_gaps()[static_cast<size_t>(hover_.call_gap)]);
    }
  }
}

void TimelinePanel::click(PanelContext& context) {
  const auto was_clicked = [](ImGuiMouseButton button) {
    return ImGui::IsMouseReleased(button) && ImGui::IsItemDeactivated() &&
           ImGui::GetIO().MouseDragMaxDistanceSqr[button] < scaled(kClickPixels) * scaled(kClickPixels);
  };
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    if (hover_.slice != nullptr && !hover_.ghost) {
      model_->view.show(model_->begin_of(*hover_.slice), model_->end_of(*hover_.slice), 0.2);
    }
    return;
  }
  if (was_clicked(ImGuiMouseButton_Left)) {
    if (hover_.execution >= 0) {
      choose_execution(context, static_cast<size_t>(hover_.execution));
    } else if (hover_.module >= 0 && hover_.module < static_cast<int32_t>(model_->module_spans().size())) {
      const int32_t module = model_->module_spans()[static_cast<size_t>(hover_.module)].module;
      ours_ = true;
      context.document.select(
          select_module(*context.document.data(), model_->modules().names()[static_cast<size_t>(module)].path));
    } else if (hover_.slice != nullptr) {
      if (hover_.slice->count == 1 && !hover_.ghost)
        model_->go_to(hover_.slice->op, hover_.slice->sample, *hover_.slice);
      side_.show_slice();
      choose_op(context, hover_.slice->op, "");
    } else if (!context.document.selection().empty()) {
      ours_ = true;
      model_->leave();
      context.document.select({});
    }
  }
  if (was_clicked(ImGuiMouseButton_Right)) {
    const double time =
        model_->view.time_at(ImGui::GetMousePos().x - ImGui::GetItemRectMin().x, static_cast<double>(width_));
    const bool in_range = model_->has_range() && time >= model_->range_begin() && time <= model_->range_end();
    menu_op_ = hover_.slice != nullptr ? hover_.slice->op : -1;
    if (hover_.slice != nullptr) menu_slice_ = *hover_.slice;
    menu_range_ = in_range;
    if (menu_op_ >= 0 || in_range) ImGui::OpenPopup("##slice_menu");
  }
}

// The range is what is selected, in every panel, until something else is.
void TimelinePanel::choose_range(PanelContext& context) {
  if (!model_->has_range()) return;
  const TraceData& data = *context.document.data();
  ours_ = true;
  context.document.select(select_range(data, model_->range_start_tick(), model_->range_end_tick()));
}

void TimelinePanel::forget_range(PanelContext& context) {
  model_->clear_range();
  context.document.restrict_to(std::nullopt);
  if (context.document.selection().kind != Selection::Kind::Range) return;
  ours_ = true;
  context.document.select({});
}

void TimelinePanel::bookmark_range(PanelContext& context) {
  choose_range(context);
  context.command = kBookmarkCommand;
}

void TimelinePanel::draw_range_menu(PanelContext& context) {
  const double length = model_->range_end() - model_->range_begin();
  ImGui::TextDisabled("range of %s", inspector::format_duration_with_unit(length, model_->data()->unit()).c_str());
  ImGui::Separator();
  if (ImGui::MenuItem("Bookmark the range", "Ctrl+B")) bookmark_range(context);
  if (ImGui::MenuItem("Zoom to the range")) model_->view.show(model_->range_begin(), model_->range_end(), 0);
  if (ImGui::MenuItem("Clear the range", "Esc")) forget_range(context);
}

void TimelinePanel::draw_menu(PanelContext& context) {
  if (!ImGui::IsPopupOpen("##slice_menu")) return;
  // The drawing has its parts without a gap; a menu's keys stand apart from its entries.
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {scaled(8), scaled(4)});
  draw_open_menu(context);
  ImGui::PopStyleVar();
}

void TimelinePanel::draw_open_menu(PanelContext& context) {
  if (!ImGui::BeginPopup("##slice_menu")) return;
  if (menu_range_ && model_->has_range()) {
    draw_range_menu(context);
    if (menu_op_ < 0) return ImGui::EndPopup();
    ImGui::Spacing();
  }
  if (menu_op_ < 0 || menu_op_ >= static_cast<int32_t>(model_->data()->table.ops.size())) {
    ImGui::CloseCurrentPopup();
    return ImGui::EndPopup();
  }
  const std::string label = slice_label(*model_->data(), menu_op_);
  ImGui::TextDisabled("%s", label.c_str());
  ImGui::Separator();
  static constexpr std::array<std::pair<const char*, const char*>, 3> kPlaces = {
      {{"operators", "Show in operators"}, {"graph", "Show in graph"}, {"source", "Show source line"}}};
  for (const auto& [panel, title] : kPlaces) {
    if (find_panel(panel) != nullptr && ImGui::MenuItem(title)) choose_op(context, menu_op_, panel);
  }
  if (ImGui::MenuItem("Zoom to slice", "double-click")) {
    model_->view.show(model_->begin_of(menu_slice_), model_->end_of(menu_slice_), 0.2);
  }
  if (ImGui::MenuItem("Measure as range")) {
    model_->select_range(model_->begin_of(menu_slice_), model_->end_of(menu_slice_));
    choose_range(context);
  }
  if (ImGui::MenuItem("Next slice of this op", "N")) {
    choose_op(context, menu_op_, "");
    model_->step({menu_op_}, true);
  }
  if (ImGui::MenuItem("Copy name")) {
    const inspector::OpTable& table = model_->data()->table;
    ImGui::SetClipboardText(op_title(table, table.ops[static_cast<size_t>(menu_op_)]).c_str());
    context.notices.say("copied the name");
  }
  ImGui::EndPopup();
}

// They would move between the buttons otherwise; in the pane they still do.
bool TimelinePanel::own_arrows() {
  if (!ImGui::IsWindowFocused()) return false;
  const ImGuiID id = ImGui::GetID("##rows");
  for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow})
    ImGui::SetKeyOwner(key, id);
  return true;
}

void TimelinePanel::choose_execution(PanelContext& context, size_t execution) {
  chosen_run_ = model_->data()->runs[static_cast<size_t>(model_->executions().run(execution))].id;
  context.document.select_run(chosen_run_);
  model_->show_execution(execution);
  side_.show_execution();
}

// From the chosen one, else from the middle of the view.
void TimelinePanel::step_execution(PanelContext& context, int64_t by) {
  const ExecutionsModel& executions = model_->executions();
  if (executions.size() == 0) return;
  const double middle = (model_->view.wanted_begin() + model_->view.wanted_end()) / 2;
  int64_t at = executions.find(context.document.run());
  at = at >= 0 ? at + by : executions.at_time(model_->view.origin() + static_cast<int64_t>(middle));
  choose_execution(context,
                   static_cast<size_t>(std::clamp<int64_t>(at, 0, static_cast<int64_t>(executions.size()) - 1)));
}

// The slices of what is selected; without such the range, else the execution that was chosen.
void TimelinePanel::fit_selection(const PanelContext& context) {
  const std::vector<int32_t> ops = chosen_ops(context);
  const int64_t execution = model_->executions().find(context.document.run());
  if (!ops.empty()) {
    model_->fit(ops);
  } else if (model_->has_range()) {
    model_->view.show(model_->range_begin(), model_->range_end(), 0.05);
  } else if (execution >= 0) {
    model_->show_execution(static_cast<size_t>(execution));
  }
}

// While the walk has the arrows and Esc, the other keys stay.
void TimelinePanel::use_keys(PanelContext& context, bool walking) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) || io.WantTextInput || io.KeyCtrl || io.KeyAlt ||
      io.KeySuper)
    return;
  const double seconds = std::min(static_cast<double>(io.DeltaTime), 0.1);
  const auto held = [&](ImGuiKey key) {
    if (!ImGui::IsKeyDown(key)) return false;
    context.wants_frames = true;
    return true;
  };
  const auto any_held = [&](std::initializer_list<ImGuiKey> keys) {
    return std::any_of(keys.begin(), keys.end(), held);
  };
  const bool arrows = !walking && own_arrows();
  const auto arrow = [&](ImGuiKey key) { return arrows && held(key); };
  const auto signs = [&](std::initializer_list<ImGuiKey> keys) { return !strip_walked_ && any_held(keys); };
  if (held(ImGuiKey_W) || signs({ImGuiKey_Equal, ImGuiKey_KeypadAdd}) || arrow(ImGuiKey_UpArrow))
    model_->view.zoom(std::exp(-kKeyZoomPerSecond * seconds), 0.5);
  if (held(ImGuiKey_S) || signs({ImGuiKey_Minus, ImGuiKey_KeypadSubtract}) || arrow(ImGuiKey_DownArrow))
    model_->view.zoom(std::exp(kKeyZoomPerSecond * seconds), 0.5);
  if (held(ImGuiKey_A) || arrow(ImGuiKey_LeftArrow)) model_->view.pan(-kKeyPanPerSecond * seconds);
  if (held(ImGuiKey_D) || arrow(ImGuiKey_RightArrow)) model_->view.pan(kKeyPanPerSecond * seconds);
  if (ImGui::IsKeyChordPressed(ImGuiKey_F)) fit_selection(context);
  if (ImGui::IsKeyPressed(ImGuiKey_E, false)) model_->show_executions();
  if (ImGui::IsKeyPressed(ImGuiKey_Home, false)) model_->view.show_all();
  // Matches of a search, as in a browser; without one the slices of what is selected.
  const bool searches = !model_->found().ops.empty();
  const std::vector<int32_t> ops = searches ? model_->found().ops : chosen_ops(context);
  if (ImGui::IsKeyPressed(ImGuiKey_N)) searches ? step_search(true) : model_->step(ops, true);
  if (ImGui::IsKeyPressed(ImGuiKey_P)) searches ? step_search(false) : model_->step(ops, false);
  if (ImGui::IsKeyPressed(ImGuiKey_LeftBracket)) step_execution(context, -1);
  if (ImGui::IsKeyPressed(ImGuiKey_RightBracket)) step_execution(context, 1);
  // Esc that takes a ring away does no more.
  if (!walking && !walked_ && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) {
    if (filter_.empty()) forget_range(context);
    filter_.clear();
  }
}

}  // namespace et::gui
