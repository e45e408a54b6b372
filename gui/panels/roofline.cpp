// Roofline: how close each op comes to what the machine could do. Its model: RooflineModel.
#include <imgui.h>
#include <imgui_internal.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gui/core/shared_advice.h"
#include "gui/models/roofline_model.h"
#include "gui/panels/store_query.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/sentence.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr ImGuiTableFlags kRooflineTable =
    ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Sortable;
constexpr float kOpWidth = 150, kTextWidth = 130, kNumberWidth = 76, kReferenceWidth = 225;  // of the op: at least
constexpr float kBoundWidth = 112;
constexpr double kLargePoint = 0.01;  // of the time: no name may stand on it

/// Where there is no room for all, these step back first.
constexpr RooflineColumn kLeastWanted[] = {RooflineColumn::Intensity, RooflineColumn::Bytes,  RooflineColumn::Flops,
                                           RooflineColumn::Gbytes,    RooflineColumn::Bound,  RooflineColumn::Reference,
                                           RooflineColumn::Line,      RooflineColumn::Gflops, RooflineColumn::Module,
                                           RooflineColumn::Share,     RooflineColumn::Win};

float width_of(RooflineColumn column) {
  if (column == RooflineColumn::Op) return kOpWidth;
  if (column == RooflineColumn::Reference) return kReferenceWidth;
  if (column == RooflineColumn::Bound) return kBoundWidth;
  return column == RooflineColumn::Line || column == RooflineColumn::Module ? kTextWidth
                                                                            : kNumberWidth;  // a method, too
}

std::vector<bool> roofline_columns(float room, bool roofs, bool methods) {
  std::vector<float> widths;
  for (size_t i = 0; i < kRooflineColumns; ++i) {
    const auto column = static_cast<RooflineColumn>(i);
    const bool is_none = needs_roofs(column) ? !roofs : column == RooflineColumn::Method && !methods;
    widths.push_back(is_none ? 0 : scaled(width_of(column)));
  }
  std::vector<size_t> step_back;
  for (const RooflineColumn column : kLeastWanted) step_back.push_back(static_cast<size_t>(column));
  return columns_that_fit(widths, step_back, room);
}

ImU32 bound_color(inspector::Bound bound) {
  switch (bound) {
    case inspector::Bound::Compute:
      return theme().kernel;
    case inspector::Bound::Memory:
      return theme().warning;
    case inspector::Bound::Overhead:
      return theme().unattributed;
    case inspector::Bound::Neither:
      return theme().slower;
    case inspector::Bound::Unknown:
      break;
  }
  return theme().muted;
}

struct LoadedRoofline {
  inspector::Roofline roofline;
  std::optional<inspector::SeenPeaks> rates;  ///< of the whole trace, where a range is shown
  std::optional<inspector::MachinePeaks> machine;
  std::string hint;
  std::vector<inspector::Advice> advice;
};

Status load_roofline(const inspector::Store& store, const std::shared_ptr<const TraceData>& data,
                     const inspector::DimValues& dims, LoadedRoofline* out) {
  inspector::MachinePeaks peaks;
  bool found = false;
  // A file of peaks that is damaged leaves the rates without roofs, and says why.
  const Status status = inspector::find_host_machine({data->facts.cpu.value_or(""), data->facts.threads.value_or(1)},
                                                     &peaks, &found, &out->hint);
  if (!status.ok()) out->hint = status.message();
  if (status.ok() && found) out->machine = peaks;
  // What cannot be found is left out: the roofline stands for itself.
  out->advice = shared_advice(store, data)->advice;
  if (data->whole != nullptr && !out->machine) {
    inspector::Roofline whole;
    if (inspector::calm_roofline(store, data->whole->shown, nullptr, dims, &whole).ok())
      out->rates = inspector::best_rates(whole);
  }
  return inspector::calm_roofline(store, data->shown, out->machine ? &*out->machine : nullptr, dims, &out->roofline);
}

class RooflinePanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    refresh(context);
    if (query_.draw_instead(context.document, "Cannot compute the roofline")) return;
    if (context.document.data() != nullptr && !context.document.data()->has_etdump()) return draw_needs_etdump();
    if (!model_.roofline().has_graph)
      return draw_empty("Operations and bytes are counted from shapes", "Open the ETRecord together with the ETDump.");
    if (model_.roofline().rows.empty()) return draw_empty("Nothing ran", "The trace has no execution with ops.");
    draw_summary();
    draw_dims();
    ImGui::Spacing();
    const float room = ImGui::GetContentRegionAvail().y;
    if (!model_.points().empty() && room > scaled(300)) draw_plot(context, plot_height(room));
    draw_table(context);
  }
  std::string csv() const override { return model_.csv(); }
  std::string markdown() const override { return model_.markdown(); }
  void* model() override { return &model_; }

 private:
  void refresh(PanelContext& context) {
    if (!query_.due(context.document)) return;
    if (query_.other_document()) dims_.clear();
    model_ = {};
    order_.clear();
    open_.clear();
    const auto data = context.document.shared_data();
    if (data == nullptr) return;
    fresh_ = true;
    query_.start<LoadedRoofline>(
        context,
        [data, dims = known_dims()](const inspector::Store& store, LoadedRoofline* out) {
          return load_roofline(store, data, dims, out);
        },
        [this, data](LoadedRoofline loaded) {
          model_.set(std::move(loaded.roofline), std::move(loaded.machine), std::move(loaded.hint), data, loaded.advice,
                     std::move(loaded.rates));
          if (!model_.has_roofs() && needs_roofs(sort_)) sort_ = RooflineColumn::Time;
          order_ = model_.order_of_groups(sort_, descending_);
          for (const std::string& symbol : model_.roofline().symbols) dims_.try_emplace(symbol, 0);
        });
  }

  /// Half of the room, and what the table leaves of the rest.
  float plot_height(float room) const {
    const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    const float legend = 3 * ImGui::GetTextLineHeightWithSpacing();
    const float table = row * static_cast<float>(model_.groups().size() + 4) + legend;
    return std::clamp(room - table, room * 0.5F, room * 0.68F);
  }

  /// The answer, and folded below it what it rests on.
  void draw_summary() const {
    const std::string headline = model_.headline();
    ImGui::PushTextWrapPos(0);
    text_colored(theme().text, headline);
    const auto lines = model_.summary();
    for (const std::string& line : lines) {
      if (line.starts_with("!")) text_colored(theme().warning, inspector::printable(line));
    }
    // What the picture does not have, and what its times do not.
    for (const std::string& line : {model_.without_points(), model_.roofline().left_out, model_.findings_text()}) {
      if (!line.empty()) text_colored(theme().muted, inspector::printable(line) + ".");
    }
    if (headline.empty() || ImGui::TreeNodeEx("What it rests on", ImGuiTreeNodeFlags_NoTreePushOnOpen)) {
      for (const std::string& line : lines) {
        if (!line.starts_with("!")) text_colored(theme().muted, inspector::printable(line));
      }
      if (!model_.machine()) draw_hint();
    }
    ImGui::PopTextWrapPos();
  }

  /// How to know the peaks. Where the trace's own best stand in for them nothing is missing.
  void draw_hint() const {
    const std::string& hint = model_.hint();
    const size_t run = model_.seen() ? hint.find("run 'et-run") : std::string::npos;
    if (run == std::string::npos) return text_colored(theme().warning, sentence(inspector::printable(hint)) + ".");
    text_colored(theme().muted, "For its true peaks " + inspector::printable(hint.substr(run)) + ".");
  }

  inspector::DimValues known_dims() const {
    inspector::DimValues out;
    for (const auto& [symbol, value] : dims_) {
      if (value > 0) out[symbol] = value;
    }
    return out;
  }

  /// Dynamic shapes have symbols in the record; what they were is in no file.
  void draw_dims() {
    if (dims_.empty()) return;
    ImGui::AlignTextToFramePadding();
    text_colored(theme().warning, "Sizes of dynamic shapes:");
    for (auto& [symbol, value] : dims_) {
      ImGui::SameLine();
      ImGui::SetNextItemWidth(scaled(90));
      ImGui::InputInt(inspector::printable(symbol).c_str(), &value, 0);
      if (ImGui::IsItemDeactivatedAfterEdit()) query_.again();
      item_tooltip("What this dimension was in the run, as in the program's inputs");
    }
  }

  bool is_selected(const PanelContext& context, size_t row) const {
    const Selection& chosen = context.document.selection();
    const auto& ops = model_.roofline().rows[row].ops;
    return std::any_of(ops.begin(), ops.end(), [&](uint32_t op) {
      const int32_t index = model_.data()->index_of(model_.data()->shown.ops[op]);
      return index >= 0 && chosen.has_op(index);
    });
  }

  /// Not measured as a peak: the machine can do that much, and perhaps more.
  static void dashed_line(ImDrawList* list, ImVec2 a, ImVec2 b) {
    const float length = std::hypot(b.x - a.x, b.y - a.y), dash = scaled(6);
    for (float at = 0; at < length; at += 2 * dash) {
      const float from = at / length, to = std::min(at + dash, length) / length;
      list->AddLine({a.x + (b.x - a.x) * from, a.y + (b.y - a.y) * from},
                    {a.x + (b.x - a.x) * to, a.y + (b.y - a.y) * to}, theme().text, scaled(1.5F));
    }
  }

  /// Where the points are that stand out.
  std::vector<ImVec4> large_points() const {
    std::vector<ImVec4> out;
    for (const RooflinePoint& point : model_.points()) {
      if (point.share < kLargePoint) continue;
      const ImVec2 at = ImPlot::PlotToPixels(point.intensity, point.gflops);
      const float r = radius_of(point) * 0.7F;  // a square inside of it
      out.emplace_back(at.x - r, at.y - r, at.x + r, at.y + r);
    }
    return out;
  }

  void draw_roofs() {
    roof_names_.clear();
    for (const RoofLine& roof : model_.other_roofs()) {
      ImPlot::GetPlotDrawList()->AddLine(ImPlot::PlotToPixels(roof.from, roof.gflops_from),
                                         ImPlot::PlotToPixels(roof.to, roof.gflops_to),
                                         with_alpha(theme().text, 0.25F));
    }
    for (const RoofLine& roof : model_.roofs()) {
      const ImVec2 a = ImPlot::PlotToPixels(roof.from, roof.gflops_from);
      const ImVec2 b = ImPlot::PlotToPixels(roof.to, roof.gflops_to);
      ImDrawList* const list = ImPlot::GetPlotDrawList();
      if (model_.machine())
        list->AddLine(a, b, theme().text, scaled(1.5F));
      else
        dashed_line(list, a, b);
      // The name stands on the line: at its right end, or where it rises left of it.
      const ImVec2 size = ImGui::CalcTextSize(roof.name.c_str());
      const bool rises = roof.gflops_to > roof.gflops_from;
      const float left = std::max(a.x, ImPlot::GetPlotPos().x);
      const float right = std::min(b.x, ImPlot::GetPlotPos().x + ImPlot::GetPlotSize().x);
      float x = 0, y = 0;
      // Roofs lie close together: each name where neither another one nor a large point is.
      const std::vector<ImVec4> points = large_points();
      for (const float place : {rises ? 0.7F : 1.0F, rises ? 0.45F : 0.7F, rises ? 0.2F : 0.4F}) {
        const float at = left + (right - left) * place;
        x = std::max(rises ? left : ImPlot::GetPlotPos().x, at - size.x - scaled(6));
        const float part = b.x > a.x ? (at - a.x) / (b.x - a.x) : 0;
        y = std::max(a.y + (b.y - a.y) * part - size.y - scaled(2), ImPlot::GetPlotPos().y + scaled(1));
        const auto is_on = [&](const ImVec4& t) { return x < t.z && t.x < x + size.x && y < t.w && t.y < y + size.y; };
        if (std::none_of(roof_names_.begin(), roof_names_.end(), is_on) &&
            std::none_of(points.begin(), points.end(), is_on))
          break;
      }
      roof_names_.emplace_back(x, y, x + size.x, y + size.y);
    }
  }

  /// Above the points and their bars, which would cross them.
  void draw_roof_names() const {
    ImDrawList* const list = ImPlot::GetPlotDrawList();
    for (size_t i = 0; i < roof_names_.size(); ++i) {
      const ImVec4& at = roof_names_[i];
      list->AddRectFilled({at.x - scaled(2), at.y}, {at.z + scaled(2), at.w}, with_alpha(theme().surface, 0.9F));
      list->AddText({at.x, at.y}, theme().muted, tr(model_.roofs()[i].name).data());
    }
  }

  /// How far up the op could go: caches make the roof of a small working set higher than that of a large one.
  /// `chosen`: also of one that takes little time.
  void draw_own_roof(ImDrawList* list, const RooflinePoint& point, ImVec2 at, float radius, bool chosen) const {
    const inspector::RooflineRow& row = model_.roofline().rows[point.row];
    if ((point.share < kNotablePoint && !chosen) || !(row.roof_ns > 0)) return;
    const float top = ImPlot::PlotToPixels(point.intensity, point.gflops * row.ns / row.roof_ns).y;
    if (top > at.y - radius - scaled(2)) return;
    const ImU32 color = with_alpha(bound_color(row.bound), 0.8F);
    list->AddLine({at.x, at.y - radius}, {at.x, top}, with_alpha(bound_color(row.bound), 0.35F));
    list->AddLine({at.x - scaled(4), top}, {at.x + scaled(4), top}, color, scaled(1.5F));
  }

  void point_tooltip(const RooflinePoint& point) const {
    ImGui::BeginTooltip();
    describe(point.row);
    ImGui::EndTooltip();
  }

  void describe(size_t row) const {
    ImGui::TextUnformatted(inspector::printable(model_.cell(row, RooflineColumn::Op)).c_str());
    for (const RooflineColumn c :
         {RooflineColumn::Method, RooflineColumn::Module, RooflineColumn::Line, RooflineColumn::Time,
          RooflineColumn::Share, RooflineColumn::Gflops, RooflineColumn::Gbytes, RooflineColumn::Intensity,
          RooflineColumn::Efficiency, RooflineColumn::Reference, RooflineColumn::Bound, RooflineColumn::Win}) {
      if (c == RooflineColumn::Method && !model_.has_methods()) continue;
      const std::string value = model_.cell(row, c);
      if (!value.empty())
        text_colored(theme().muted, std::string(roofline_column_title(c)) + ": " + inspector::printable(value));
    }
  }

  void draw_plot(PanelContext& context, float height) {
    const float width = ImGui::GetContentRegionAvail().x;
    const ImGuiID stop = walk_stop("##points", {-1, height});
    if (!ImPlot::BeginPlot("##roofline", {-1, height}, ImPlotFlags_CanvasOnly)) return;
    ImPlot::SetupAxes(tr("operations a byte (FLOP/B)").data(),
                      tr(model_.integers() ? "GFLOP/s, GOP/s of int8" : "GFLOP/s").data(), ImPlotAxisFlags_NoHighlight,
                      ImPlotAxisFlags_NoHighlight);
    ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
    ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
    // Above the highest roof stands its name.
    const double name = (ImGui::GetTextLineHeight() + scaled(10)) / std::max(height - scaled(50), scaled(50));
    const double top = model_.most_gflops() * std::pow(model_.most_gflops() / model_.least_gflops(), name);
    // The largest points are those that are looked for: none is cut at an edge.
    std::vector<std::pair<double, double>> high, left, right;
    for (const RooflinePoint& point : model_.points()) {
      high.emplace_back(point.gflops, radius_of(point));
      left.emplace_back(point.intensity, radius_of(point));
      right.emplace_back(1 / point.intensity, radius_of(point));
    }
    const double inside = std::max(height - scaled(50), scaled(50));
    const double across = std::max(width - scaled(70), scaled(50));
    const double low = low_end_for(high, model_.least_gflops(), top, inside);
    const double from = low_end_for(left, model_.least_intensity(), model_.most_intensity(), across);
    const double to = 1 / low_end_for(right, 1 / model_.most_intensity(), 1 / from, across);
    ImPlot::SetupAxesLimits(from, to, low, top, std::exchange(fresh_, false) ? ImPlotCond_Always : ImPlotCond_Once);
    ImPlot::SetupFinish();
    const BoxWalk keys({.boxes = [this] { return walk_boxes(); },
                        .begins_at = [&](int64_t row) { return is_selected(context, static_cast<size_t>(row)); }},
                       stop);
    ImPlot::PushPlotClipRect();
    draw_roofs();
    const RooflinePoint* const under = draw_points(context);
    draw_roof_names();
    draw_labels();
    ImPlot::PopPlotClipRect();
    if (under != nullptr && (keys || ImPlot::IsPlotHovered())) {
      point_tooltip(*under);
      if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && ImGui::GetIO().MouseDragMaxDistanceSqr[0] < 9)
        choose_point(context, under->row);
    }
    ImPlot::EndPlot();
    legend();
  }

  /// Its row comes into view, from inside of its group, too.
  void choose_point(PanelContext& context, size_t row) {
    context.document.select(model_.selection_of(row), "");
    scroll_to_ = row;
    for (size_t g = 0; g < model_.groups().size(); ++g) {
      const auto& rows = model_.groups()[g].rows;
      if (rows.size() > 1 && std::find(rows.begin(), rows.end(), row) != rows.end()) open_.insert(g);
    }
  }

  /// What it is limited by, or where no roof is known, what kind of operator it is.
  ImU32 color_of(size_t row) const {
    const inspector::RooflineRow& r = model_.roofline().rows[row];
    // What is held against nothing has no colour of a limit.
    if (model_.has_roofs() && r.bound == inspector::Bound::Unknown && !(r.roof_ns > 0)) return theme().grid;
    return model_.has_roofs() || r.op.empty() ? bound_color(r.bound) : type_color(r.op);
  }

  /// As its column says what limits it.
  ImU32 color_of_group(size_t group) const {
    const auto& rows = model_.groups()[group].rows;
    const inspector::Bound bound = model_.group_bound(group);
    const auto like =
        std::find_if(rows.begin(), rows.end(), [&](size_t row) { return model_.roofline().rows[row].bound == bound; });
    return color_of(like == rows.end() ? rows.front() : *like);
  }

  /// Its area is its share of the time.
  static float radius_of(const RooflinePoint& point) {
    return scaled(3 + 22 * std::sqrt(static_cast<float>(std::clamp(point.share, 0.0, 1.0))));
  }

  std::vector<WalkBox> walk_boxes() const {
    std::vector<WalkBox> out;
    for (const RooflinePoint& point : model_.points()) {
      const ImVec2 at = ImPlot::PlotToPixels(point.intensity, point.gflops);
      const float r = radius_of(point);
      out.push_back({static_cast<int64_t>(point.row), {at.x - r, at.y - r}, {at.x + r, at.y + r}});
    }
    return out;
  }

  /// The one under the mouse; nullptr for none.
  const RooflinePoint* draw_points(const PanelContext& context) const {
    ImDrawList* const list = ImPlot::GetPlotDrawList();
    const ImVec2 mouse = ImGui::GetMousePos();
    const RooflinePoint* under = nullptr;
    float nearest = 1e9F;
    for (const RooflinePoint& point : model_.points()) {
      const ImVec2 at = ImPlot::PlotToPixels(point.intensity, point.gflops);
      const float radius = radius_of(point);
      list->AddCircleFilled(at, radius, with_alpha(color_of(point.row), 0.55F));
      list->AddCircle(at, radius, theme().surface);
      const bool selected = is_selected(context, point.row);
      draw_own_roof(list, point, at, radius, selected);
      if (selected) list->AddCircle(at, radius + scaled(2), theme().selection, 0, scaled(2));
      const float away = std::hypot(mouse.x - at.x, mouse.y - at.y) - radius;
      if (away < std::min(nearest, scaled(4))) nearest = away, under = &point;
    }
    if (under != nullptr) {
      const ImVec2 at = ImPlot::PlotToPixels(under->intensity, under->gflops);
      draw_own_roof(list, *under, at, radius_of(*under), true);
      list->AddCircle(at, radius_of(*under) + scaled(1.5F), theme().hover, 0, scaled(1.5F));
    }
    return under;
  }

  /// Each type's name once, at one of its points: the types that take the most time first, where they cover neither
  /// each other nor a roof's name.
  void draw_labels() const {
    std::vector<ImVec4> taken = roof_names_;
    // Large points as well: a name upon one would be taken for its own.
    const std::vector<ImVec4> points = large_points();
    taken.insert(taken.end(), points.begin(), points.end());
    for (const RooflineLabel& label : model_.labels()) {
      for (const size_t point : label.points) {
        if (draw_label(label.text, model_.points()[point], &taken)) break;
      }
    }
  }

  /// Something stands between a point at `from` and its name.
  static bool is_crossed(ImVec2 begin, ImVec2 end, ImVec2 from, const std::vector<ImVec4>& taken) {
    constexpr int kSteps = 24;
    return std::any_of(taken.begin(), taken.end(), [&](const ImVec4& t) {
      if (t.x <= from.x && from.x <= t.z && t.y <= from.y && from.y <= t.w)
        return false;  // its own point, or one on it
      for (int i = 0; i <= kSteps; ++i) {
        const float part = static_cast<float>(i) / kSteps;
        const ImVec2 p = {begin.x + (end.x - begin.x) * part, begin.y + (end.y - begin.y) * part};
        if (p.x > t.x && p.x < t.z && p.y > t.y && p.y < t.w) return true;
      }
      return false;
    });
  }

  bool draw_label(const std::string& name, const RooflinePoint& point, std::vector<ImVec4>* taken) const {
    ImDrawList* const list = ImPlot::GetPlotDrawList();
    const ImVec2 from = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
    const ImVec2 at = ImPlot::PlotToPixels(point.intensity, point.gflops);
    const ImVec2 text = ImGui::CalcTextSize(name.c_str());
    const float off = radius_of(point) + scaled(3);
    // Right of it, else left, below or above; where all of these are taken, further away.
    for (const float far : {0.0F, text.y, 2 * text.y}) {
      const ImVec2 places[] = {{at.x + off, at.y - text.y / 2 - far}, {at.x - off - text.x, at.y - text.y / 2 - far},
                               {at.x + off, at.y - text.y / 2 + far}, {at.x - off - text.x, at.y - text.y / 2 + far},
                               {at.x - text.x / 2, at.y + off + far}, {at.x - text.x / 2, at.y - off - text.y - far}};
      for (const ImVec2 a : places) {
        const ImVec4 box = {a.x, a.y, a.x + text.x, a.y + text.y};
        const bool inside = a.x >= from.x && a.y >= from.y && box.z <= from.x + size.x && box.w <= from.y + size.y;
        const bool free = std::none_of(taken->begin(), taken->end(), [&](const ImVec4& t) {
          return box.x < t.z && t.x < box.z && box.y < t.w && t.y < box.w;
        });
        if (!inside || !free) continue;
        // What does not stand right beside its point is led to it by a line, past all else.
        const ImVec2 end = {std::clamp(at.x, box.x, box.z), std::clamp(at.y, box.y + scaled(2), box.w - scaled(2))};
        const float length = std::hypot(end.x - at.x, end.y - at.y), edge = radius_of(point);
        const bool leads = far > 0 || (end.x == at.x && length > edge);
        const ImVec2 begin = {at.x + (end.x - at.x) * edge / std::max(length, 1.0F),
                              at.y + (end.y - at.y) * edge / std::max(length, 1.0F)};
        if (leads && is_crossed(begin, end, at, *taken)) continue;
        if (leads && length > edge) list->AddLine(begin, end, with_alpha(theme().text, 0.7F));
        // A roof that runs through it does not cross it out.
        list->AddRectFilled({box.x, box.y + scaled(2)}, {box.z, box.w - scaled(2)}, with_alpha(theme().surface, 0.75F));
        list->AddText(a, theme().text, name.c_str());
        taken->push_back(box);
        return true;
      }
    }
    return false;
  }

  void legend() const {
    using inspector::Bound;
    if (model_.has_roofs()) {
      constexpr std::pair<Bound, const char*> kBounds[] = {{Bound::Compute, "limited by compute"},
                                                           {Bound::Memory, "by memory"},
                                                           {Bound::Neither, "by neither: far below both"},
                                                           {Bound::Overhead, "by the overhead of its call"},
                                                           {Bound::Unknown, "roof not known"}};
      bool first = true;
      for (const auto& [limit, name] : kBounds) {
        const Bound bound = limit;
        const bool any = std::any_of(model_.points().begin(), model_.points().end(), [&](const RooflinePoint& p) {
          return model_.roofline().rows[p.row].bound == bound;
        });
        if (!any) continue;
        if (!first) flow(text_width(name) + ImGui::GetTextLineHeight());
        first = false;
        color_square(bound_color(bound));
        ImGui::SameLine(0, scaled(4));
        const bool seen = bound == Bound::Unknown && model_.seen().has_value();
        text_colored(theme().muted,
                     seen ? "a quarter of the best of this trace or more: what limits it is not known" : name);
      }
    }
    constexpr const char* kWithRoofs =
        "Each point is an op; its area is its share of the time. The bar above those of 1% and more, and above a "
        "chosen "
        "one, ends at the roof of its own working set.";
    constexpr const char* kWithSeen =
        "Each point is an op; its area is its share of the time. The bar above those of 1% and more, and above a "
        "chosen "
        "one, ends at what it is held against. Dashed: the best rates of this trace.";
    constexpr const char* kWithout =
        "Each point is an op, in the colour of its type; its area is its share of the time.";
    ImGui::PushTextWrapPos(0);
    text_colored(theme().muted, model_.machine() ? kWithRoofs : model_.has_roofs() ? kWithSeen : kWithout);
    if (!model_.other_roofs().empty())
      text_colored(theme().muted, "Pale lines, the roofs of working sets of other sizes: " + model_.other_rates());
    ImGui::PopTextWrapPos();
  }

  void draw_table(PanelContext& context) {
    const bool roofs = model_.has_roofs();
    const auto shown = roofline_columns(ImGui::GetContentRegionAvail().x, roofs, model_.has_methods());
    std::string id = "##rows";  // which columns there are is part of the name: widths belong to them
    for (const bool on : shown) id += on ? '1' : '0';
    if (!ImGui::BeginTable(id.c_str(), static_cast<int>(kRooflineColumns), kRooflineTable)) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    for (size_t i = 0; i < kRooflineColumns; ++i) {
      const auto column = static_cast<RooflineColumn>(i);
      const bool op = column == RooflineColumn::Op;
      ImGuiTableColumnFlags flags = op ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed;
      if (!shown[i]) flags |= ImGuiTableColumnFlags_Disabled;
      if (is_number(column)) flags |= ImGuiTableColumnFlags_PreferSortDescending;
      if (column == (roofs ? RooflineColumn::Win : RooflineColumn::Time)) flags |= ImGuiTableColumnFlags_DefaultSort;
      ImGui::TableSetupColumn(roofline_column_title(column), flags, op ? 1 : scaled(width_of(column)),
                              static_cast<ImGuiID>(i));
    }
    if (ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs(); specs != nullptr && specs->SpecsDirty) {
      if (specs->SpecsCount > 0) {
        sort_ = static_cast<RooflineColumn>(specs->Specs[0].ColumnUserID);
        descending_ = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
        order_ = model_.order_of_groups(sort_, descending_);
      }
      specs->SpecsDirty = false;
    }
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (size_t i = 0; i < kRooflineColumns; ++i) {
      const auto column = static_cast<RooflineColumn>(i);
      if (ImGui::TableSetColumnIndex(static_cast<int>(i)))
        header_cell(roofline_column_title(column), is_number(column),
                    roofline_column_help(column, model_.machine().has_value()));
    }
    for (const size_t group : order_) {
      draw_group(context, group);
      if (model_.groups()[group].rows.size() < 2 || !open_.contains(group)) continue;
      for (const size_t row : model_.order_in(group, sort_, descending_)) draw_row(context, row, true);
    }
    for (const RooflineModel::Sum& sum : model_.sums()) draw_sum(sum);
    ImGui::EndTable();
  }

  void draw_sum(const RooflineModel::Sum& sum) const {
    const double all = model_.roofline().total_ns;
    ImGui::TableNextRow();
    const auto cell = [](RooflineColumn column, const std::string& text, bool right) {
      if (!ImGui::TableSetColumnIndex(static_cast<int>(column))) return;
      right ? text_right(text, theme().muted) : text_fitting(text, theme().muted);
    };
    cell(RooflineColumn::Op, sum.name, false);
    cell(RooflineColumn::Time, inspector::format_duration_with_unit(sum.ns, "ns"), true);
    cell(RooflineColumn::Share, inspector::format_share(all > 0 ? sum.ns / all : 0), true);
  }

  bool is_group_selected(const PanelContext& context, size_t group) const {
    const auto& rows = model_.groups()[group].rows;
    return std::any_of(rows.begin(), rows.end(), [&](size_t row) { return is_selected(context, row); });
  }

  /// Ops of one name are one row, which opens.
  void draw_group(PanelContext& context, size_t group) {
    const RooflineGroup& g = model_.groups()[group];
    if (g.rows.size() == 1) return draw_row(context, g.rows.front(), false);
    ImGui::TableNextRow();
    ImGui::PushID("group");
    ImGui::PushID(static_cast<int>(group));
    if (is_group_selected(context, group)) mark_row();
    const bool chosen =
        row_cells([&](RooflineColumn c) { return model_.group_cell(group, c); }, color_of_group(group),
                  open_.contains(group) ? ImGuiDir_Down : ImGuiDir_Right, 0,
                  [&] {
                    if (!g.finding.empty())
                      item_tooltip("Findings: " + model_.group_cell(group, RooflineColumn::Op) + g.finding);
                  });
    ImGui::PopID();
    ImGui::PopID();
    if (!chosen) return;
    if (!open_.insert(group).second) open_.erase(group);
    context.document.select(model_.selection_of_group(group), "");
  }

  void draw_row(PanelContext& context, size_t row, bool inside) {
    ImGui::TableNextRow();
    ImGui::PushID("op");
    ImGui::PushID(static_cast<int>(row));
    if (is_selected(context, row)) mark_row();
    if (scroll_to_ == row) {
      ImGui::SetScrollHereY();
      scroll_to_.reset();
    }
    const bool chosen = row_cells([&](RooflineColumn c) { return model_.cell(row, c); }, color_of(row), ImGuiDir_None,
                                  inside ? 0.8F : 0,
                                  [&] {
                                    if (!begin_item_tooltip()) return;
                                    describe(row);
                                    end_item_tooltip();
                                  });
    const bool twice = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    if (chosen) context.document.select(model_.selection_of(row), twice ? "source" : "");
    ImGui::PopID();
    ImGui::PopID();
  }

  /// True when the row was clicked.
  template <class Text, class Tooltip>
  static bool row_cells(const Text& text_of, ImU32 color, ImGuiDir arrow, float indent, const Tooltip& tooltip) {
    bool clicked = false;
    for (size_t i = 0; i < kRooflineColumns; ++i) {
      const auto column = static_cast<RooflineColumn>(i);
      if (!ImGui::TableSetColumnIndex(static_cast<int>(i)) && i > 0) continue;
      // As titles: a small "compute" may be somebody's name.
      const std::string text = column == RooflineColumn::Bound ? sentence(text_of(column)) : text_of(column);
      if (i == 0) {
        const ImVec2 at = ImGui::GetCursorPos();
        clicked = ImGui::Selectable("##row", false,
                                    ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick);
        tooltip();
        const float line = ImGui::GetTextLineHeight();
        ImGui::SetCursorPos(at);
        if (arrow != ImGuiDir_None)
          ImGui::RenderArrow(ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), theme().muted, arrow, 0.8F);
        ImGui::SetCursorPosX(at.x + line * (1 + indent));
        color_square(color);
        ImGui::SameLine(0, scaled(4));
        text_fitting(text);
      } else if (is_number(column)) {
        text_right(text);
      } else if (column == RooflineColumn::Reference) {
        draw_reference(text);
      } else {
        text_fitting(text);
      }
    }
    return clicked;
  }

  /// The rate is what is read; the op that reached it steps back.
  static void draw_reference(const std::string& text) {
    const size_t name = text.find(" (");
    const float room = ImGui::GetContentRegionAvail().x;
    if (name == std::string::npos || text_width(text) <= room) return text_fitting(text);
    const std::string rate = text.substr(0, name + 2);
    text_fitting(rate + fitting(text.substr(name + 2, text.size() - name - 3), room - text_width(rate + ")")) + ")");
  }

  RooflineModel model_;
  StoreQuery query_;
  bool fresh_ = true, descending_ = true;
  std::map<std::string, int> dims_;  // by symbol; 0: not known
  RooflineColumn sort_ = RooflineColumn::Win;
  std::vector<size_t> order_;        // of groups
  std::optional<size_t> scroll_to_;  // row
  std::set<size_t> open_;            // groups whose rows are seen
  std::vector<ImVec4> roof_names_;   // where they stand: left, top, right, bottom
};

}  // namespace

extern const PanelSpec k_roofline_panel;
const PanelSpec k_roofline_panel = {
    .id = "roofline",
    .title = "Roofline",
    .summary = "How close each op comes to what the machine could do",
    .key = ImGuiKey_None,
    .make = [] { return std::unique_ptr<Panel>(new RooflinePanel); },
};

}  // namespace et::gui
