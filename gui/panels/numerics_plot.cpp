// The error along the graph, in the order of execution: where it begins, which ops add to it.
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "gui/panels/numerics_panel.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/cells.h"
#include "inspector/report/gap_report.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

using Kind = NumericsPoint::Kind;

/// Rows have whole numbers.
int format_order(double value, char* out, int size, void*) {
  const bool whole = std::abs(value - std::round(value)) < 1e-6;
  if (size > 0) *out = 0;
  return whole ? std::snprintf(out, static_cast<size_t>(size), "%.0f", std::round(value) + 0.0) : 0;
}

class NumericsPlot {
 public:
  NumericsPlot(PanelContext& context, NumericsModel& model, ImGuiID stop)
      : context_(context), model_(model), stop_(stop), list_(ImPlot::GetPlotDrawList()) {
    corner_ = ImPlot::GetPlotPos();
    end_ = {corner_.x + ImPlot::GetPlotSize().x, corner_.y + ImPlot::GetPlotSize().y};
    const auto& points = model.points();
    const double pixels = points.size() < 2 ? 20
                                            : static_cast<double>(ImPlot::PlotToPixels(1, model.most()).x) -
                                                  static_cast<double>(ImPlot::PlotToPixels(0, model.most()).x);
    radius_ = std::clamp(static_cast<float>(pixels) * 0.4F, scaled(1.5F), scaled(4));
  }

  void draw() {
    ImPlot::PushPlotClipRect();
    draw_first_line();
    draw_chosen();
    draw_tolerance();
    draw_line();
    for (const NumericsPoint& p : model_.points()) draw_point(p);
    ImPlot::PopPlotClipRect();
    draw_first_label();
    draw_tolerance_label();
    const BoxWalk keys({.boxes = [this] { return walk_boxes(); },
                        .begins_at = [this](int64_t row) { return model_.chosen() == static_cast<size_t>(row); }},
                       stop_);
    if (!keys && !ImPlot::IsPlotHovered()) return;
    const NumericsPoint* const under = nearest();
    if (under == nullptr) return;
    list_->AddCircle(place(*under), radius_ + scaled(3), theme().hover, 0, scaled(1.5F));
    tooltip(*under);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      model_.choose(context_.document, under->row, "source");
      chosen_ = true;
    } else if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && ImGui::GetIO().MouseDragMaxDistanceSqr[0] < 9) {
      model_.choose(context_.document, under->row);
      chosen_ = true;
    }
  }
  bool was_chosen() const { return chosen_; }

 private:
  std::vector<WalkBox> walk_boxes() const {
    std::vector<WalkBox> out;
    const float r = radius_ + scaled(1);
    for (const NumericsPoint& p : model_.points()) {
      const ImVec2 at = place(p);
      out.push_back({static_cast<int64_t>(p.row), {at.x - r, at.y - r}, {at.x + r, at.y + r}});
    }
    return out;
  }

  /// What has no number stands at the edge where its number would be: exact ones at the good, broken ones at the bad.
  ImVec2 place(const NumericsPoint& p) const {
    const double x = static_cast<double>(p.row);
    if (p.kind == Kind::Number) return ImPlot::PlotToPixels(x, p.value);
    const bool good_is_up = model_.metric == NumericsMetric::Snr;
    const float inset = radius_ + scaled(3);
    const float y = (p.kind == Kind::Exact) == good_is_up ? corner_.y + inset : end_.y - inset;
    return {ImPlot::PlotToPixels(x, model_.most()).x, y};
  }

  void draw_first_line() const {
    if (!model_.gap().first) return;
    const float x = ImPlot::PlotToPixels(static_cast<double>(*model_.gap().first), model_.most()).x;
    list_->AddLine({x, corner_.y}, {x, end_.y}, with_alpha(verdict_color(model_), 0.8F), scaled(1.5F));
  }

  void draw_first_label() const {
    if (!model_.gap().first) return;
    const float x = ImPlot::PlotToPixels(static_cast<double>(*model_.gap().first), model_.most()).x;
    if (x < corner_.x || x > end_.x) return;
    const std::string text = fitting(model_.first_text(), end_.x - corner_.x - scaled(12));
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    const bool on_the_left = x + scaled(10) + size.x > end_.x;
    const float beside = on_the_left ? x - size.x - scaled(4) : x + scaled(4);
    const float left = std::clamp(beside, corner_.x + scaled(4), end_.x - size.x - scaled(6));
    const bool marks = std::any_of(model_.points().begin(), model_.points().end(), [&](const NumericsPoint& p) {
      return p.kind != Kind::Number && (p.kind == Kind::Exact) == (model_.metric == NumericsMetric::Snr);
    });
    const ImVec2 at = {left, corner_.y + (marks ? scaled(14) : scaled(3))};  // below what stands at the edge
    list_->AddRectFilled({at.x - scaled(2), at.y}, {at.x + size.x + scaled(2), at.y + size.y},
                         with_alpha(theme().surface, 0.85F));
    list_->AddText(at, verdict_color(model_), tr(text).data());
  }

  void draw_chosen() const {
    if (!model_.chosen()) return;
    const float x = ImPlot::PlotToPixels(static_cast<double>(*model_.chosen()), model_.most()).x;
    const float half = std::max(radius_ + scaled(2), scaled(4));
    list_->AddRectFilled({x - half, corner_.y}, {x + half, end_.y}, with_alpha(theme().selection, 0.25F));
  }

  /// Up to where an error is rounding: a dash for each row.
  void draw_tolerance() const {
    constexpr double kHalf = 0.4;
    for (size_t i = 0; i < model_.gap().rows.size(); ++i) {
      const std::optional<double> tolerance = model_.tolerance_at(i);
      if (!tolerance) continue;
      const ImVec2 a = ImPlot::PlotToPixels(static_cast<double>(i) - kHalf, *tolerance);
      const ImVec2 b = ImPlot::PlotToPixels(static_cast<double>(i) + kHalf, *tolerance);
      list_->AddLine({a.x, a.y}, {std::max(b.x, a.x + 1), a.y}, with_alpha(theme().text, 0.75F), scaled(1.5F));
    }
  }

  /// Above the dashes, at the edge that the name of the first divergence leaves free.
  void draw_tolerance_label() const {
    const size_t rows = model_.gap().rows.size();
    const bool at_the_right = model_.gap().first.value_or(rows) * 2 < rows;
    // Of the highest dashes, above which there are none.
    std::optional<size_t> of;
    bool differ = false;
    for (size_t i = 0; i < rows; ++i) {
      const std::optional<double> tolerance = model_.tolerance_at(i);
      if (!tolerance) continue;
      differ = differ || (of && *tolerance != *model_.tolerance_at(*of));
      if (!of || *tolerance > *model_.tolerance_at(*of)) of = i;
    }
    if (!of) return;
    const std::string text = (differ ? "tolerance: up to " : "tolerance: ") + model_.tolerance_text(*of);
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    const float x = at_the_right ? end_.x - size.x - scaled(6) : corner_.x + scaled(6);
    const float y = ImPlot::PlotToPixels(0, *model_.tolerance_at(*of)).y;
    if (y < corner_.y || y > end_.y) return;
    const float above = y - size.y - scaled(3);
    const ImVec2 at = {x, above < corner_.y ? y + scaled(3) : above};
    list_->AddRectFilled({at.x - scaled(2), at.y}, {at.x + size.x + scaled(2), at.y + size.y},
                         with_alpha(theme().surface, 0.85F));
    list_->AddText(at, theme().muted, tr(text).data());
  }

  void draw_line() const {
    const NumericsPoint* last = nullptr;
    for (const NumericsPoint& p : model_.points()) {
      if (p.kind != Kind::Number) continue;
      if (last != nullptr) list_->AddLine(place(*last), place(p), with_alpha(theme().muted, 0.45F), scaled(1));
      last = &p;
    }
  }

  void draw_point(const NumericsPoint& p) const {
    const ImVec2 at = place(p);
    if (at.x < corner_.x - radius_ || at.x > end_.x + radius_) return;
    const ImU32 color = role_color(model_.gap(), model_.row(p.row));
    if (p.kind == Kind::Broken) {
      const float r = radius_ + scaled(1);
      list_->AddLine({at.x - r, at.y - r}, {at.x + r, at.y + r}, theme().bad, scaled(2));
      list_->AddLine({at.x - r, at.y + r}, {at.x + r, at.y - r}, theme().bad, scaled(2));
      return;
    }
    if (p.kind == Kind::Exact) {
      list_->AddCircle(at, radius_, with_alpha(theme().muted, 0.8F));
      return;
    }
    if (p.own) {
      const float y = ImPlot::PlotToPixels(static_cast<double>(p.row), *p.own).y, r = radius_ + scaled(1);
      list_->AddLine({at.x, at.y}, {at.x, y}, with_alpha(color, 0.3F), scaled(1));
      list_->AddLine({at.x - r, y}, {at.x + r, y}, color, scaled(2));
    }
    list_->AddCircleFilled(at, radius_, color);
  }

  /// The point of the column that the mouse is in, or near it.
  const NumericsPoint* nearest() const {
    const float x = ImGui::GetMousePos().x;
    const NumericsPoint* found = nullptr;
    float least = std::max(scaled(12), 2 * radius_);
    for (const NumericsPoint& p : model_.points()) {
      const float away = std::abs(place(p).x - x);
      if (away < least) least = away, found = &p;
    }
    return found;
  }

  void tooltip(const NumericsPoint& p) const {
    ImGui::BeginTooltip();
    const inspector::GapRow& row = model_.row(p.row);
    ImGui::TextUnformatted(inspector::printable(model_.title(p.row)).c_str());
    text_colored(role_color(model_.gap(), row), role_text(model_.gap(), row));
    using C = NumericsColumn;
    for (const C c : {C::Node, C::Line, C::Error, C::MaxAbs, C::Mse, C::L1, C::Snr, C::Cosine, C::Own, C::Special}) {
      const std::string text = model_.cell(p.row, c);
      if (!text.empty()) text_colored(theme().muted, std::string(column_title(c)) + ": " + inspector::printable(text));
    }
    if (const std::string tolerance = model_.tolerance_text(p.row); !tolerance.empty())
      text_colored(theme().muted, "tolerance: " + tolerance);
    ImGui::EndTooltip();
  }

  PanelContext& context_;
  NumericsModel& model_;
  ImGuiID stop_;
  ImDrawList* list_;
  ImVec2 corner_, end_;
  float radius_ = 3;
  bool chosen_ = false;
};

void draw_legend(const NumericsModel& model) {
  const auto& rows = model.gap().rows;
  bool first = true;
  const auto mark = [&](ImU32 color, const char* text) {
    const bool any =
        std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return role_color(model.gap(), row) == color; });
    if (!any) return;
    if (!std::exchange(first, false)) ImGui::SameLine(0, scaled(14));
    color_square(color);
    ImGui::SameLine(0, scaled(4));
    text_colored(theme().muted, text);
  };
  const bool has_own = model.gap().has_own;
  mark(theme().good, "within rounding");
  mark(theme().bad, "adds error");
  mark(theme().warning, has_own                 ? "passes it on"
                        : model.gap().quantised ? "differs by quantisation, perhaps"
                                                : "diverges");
  mark(theme().unattributed, model.gap().inputs == inspector::GapInputs::Same ? "not known" : "other inputs");
  if (!first) ImGui::SameLine(0, scaled(14));
  std::string rest = "in the order of execution · circle at the edge: exact · ×: NaN or infinite";
  const auto has_tolerance = [&] {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (model.tolerance_at(i)) return true;
    }
    return false;
  };
  if (has_tolerance()) rest = "dash: tolerance · " + rest;
  if (has_own) rest = "bar: what the op adds by itself · " + rest;
  text_fitting(rest, theme().faint);
}

/// Room at the edges, as a share of the plot: for the name of the first divergence and for what has no number.
struct PlotRoom {
  double top = 0.05, bottom = 0.05;
};

PlotRoom room_of(NumericsModel& model, float height) {
  const float mark = scaled(14);
  float top = scaled(6), bottom = scaled(6);
  for (const NumericsPoint& p : model.points()) {
    if (p.kind == Kind::Number) continue;
    const bool up = (p.kind == Kind::Exact) == (model.metric == NumericsMetric::Snr);
    float& edge = up ? top : bottom;
    edge = std::max(edge, mark);
  }
  if (model.gap().first) top += ImGui::GetTextLineHeight() + scaled(6);
  const auto part = [&](float pixels) { return std::min(static_cast<double>(pixels / std::max(height, 1.0F)), 0.4); };
  return {part(top), part(bottom)};
}

/// From the least to the most of the numbers, with room around them.
std::pair<double, double> limits_of(const NumericsModel& model, PlotRoom room) {
  const bool powers = is_logarithmic(model.metric);
  const double low = powers ? std::log10(model.least()) : model.least();
  const double high = powers ? std::log10(model.most()) : model.most();
  const double span = (high - low) / (1 - room.top - room.bottom);
  const double from = low - span * room.bottom, to = high + span * room.top;
  if (!powers) return {from, to};
  return {std::pow(10, std::max(from, -300.0)), std::pow(10, std::min(to, 300.0))};
}

}  // namespace

void draw_numerics_plot(PanelContext& context, NumericsModel& model, bool fresh, ImVec2 size) {
  const size_t rows = model.points().size();
  const float height = size.y - ImGui::GetTextLineHeightWithSpacing();
  const ImGuiID stop = walk_stop("##points", {size.x, height});
  if (ImPlot::BeginPlot("##numerics", {size.x, height}, ImPlotFlags_CanvasOnly)) {
    constexpr ImPlotAxisFlags kFlags = ImPlotAxisFlags_NoHighlight | ImPlotAxisFlags_NoMenus;
    // Written upwards, the name of the axis needs its length.
    const char* const name = metric_help(model.metric);
    const bool has_room = height - 3 * ImGui::GetTextLineHeight() > ImGui::CalcTextSize(name).x;
    ImPlot::SetupAxes(nullptr, has_room ? tr(name).data() : nullptr, kFlags, kFlags);
    ImPlot::SetupAxisFormat(ImAxis_X1, format_order, nullptr);
    ImPlot::SetupAxisScale(ImAxis_Y1, is_logarithmic(model.metric) ? ImPlotScale_Log10 : ImPlotScale_Linear);
    const auto [least, most] = limits_of(model, room_of(model, height - 2 * ImGui::GetTextLineHeight()));
    ImPlot::SetupAxesLimits(-0.7, std::max(static_cast<double>(rows) - 0.3, 0.7), least, most,
                            fresh ? ImPlotCond_Always : ImPlotCond_Once);
    ImPlot::SetupFinish();
    NumericsPlot(context, model, stop).draw();
    ImPlot::EndPlot();
  }
  draw_legend(model);
}

}  // namespace et::gui
