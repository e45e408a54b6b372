#include "gui/panels/overview_drawing.h"

#include <algorithm>
#include <array>

#include "gui/panels/overview_tables.h"
#include "gui/widgets/drawn_table.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::format_count;
using inspector::format_share;

/// Draws from top to bottom.
class Page {
 public:
  Page(Canvas& canvas, const TraceData& data, const Overview& overview)
      : canvas_(canvas),
        data_(data),
        overview_(overview),
        left_(canvas.min().x + scaled(14)),
        width_(canvas.max().x - canvas.min().x - scaled(28)),
        y_(canvas.min().y + scaled(14)) {}

  void draw() {
    std::string name;
    for (const OverviewMethod& m : overview_.methods)
      if (m.known) name += (name.empty() ? "" : ", ") + m.name;
    for (const OverviewExport& m : overview_.exports) name += (name.empty() ? "" : ", ") + m.name;
    text(name.empty() ? "Trace #" + std::to_string(data_.trace_id()) : name, theme().text, 1.6F);
    files();
    overview_.exports.empty() ? methods() : exports();
    if (overview_.total <= 0) return;
    heading("Where the time goes");
    (void)draw_stacked_bar(canvas_, {left_, y_}, {left_ + width_, y_ + drawn_row_height() * 2.4F},
                           parts_of_bar(overview_.parts));
    y_ += drawn_row_height() * 2.8F;
    parts();
    heading("What costs most");
    const float top = y_, gap = scaled(24), each = (width_ - 2 * gap) / 3;
    costs("Operators", overview_.ops, left_, top, each);
    costs("Python lines", overview_.lines, left_ + each + gap, top, each);
    costs("Modules, with all inside", overview_.modules, left_ + 2 * (each + gap), top, each);
  }

 private:
  void text(const std::string& what, ImU32 color, float factor) {
    const float size = ImGui::GetFontSize() * factor;
    canvas_.text({left_, y_}, color, inspector::printable(what), size);
    y_ += size * 1.35F;
  }
  void heading(const char* what) {
    y_ += scaled(12);
    text(what, theme().text, 1.15F);
  }
  std::string time(double ticks) const { return inspector::format_duration(ticks, overview_.unit); }
  void table(const std::vector<DrawnColumn>& columns, const std::vector<DrawnRow>& rows) {
    y_ = draw_table(canvas_, {left_, y_}, width_, canvas_.max().y, columns, rows) + scaled(4);
  }

  void files() {
    std::string line;
    for (const OverviewFact& fact : overview_.files) {
      if (fact.value != "none") line += (line.empty() ? "" : "  ·  ") + fact.value;
    }
    text(line, theme().muted, 1);
    y_ += scaled(8);
  }

  void methods() {
    const std::string unit = inspector::unit_heading(overview_.unit);
    std::vector<DrawnRow> rows;
    const auto optional = [&](const auto& v) { return v ? time(static_cast<double>(*v)) : std::string("–"); };
    for (const OverviewMethod& m : overview_.methods) {
      rows.push_back({{.text = m.known ? m.name : "not known"},
                      {.text = format_count(m.executions)},
                      {.text = optional(m.cold)},
                      {.text = optional(m.warm_median)},
                      {.text = optional(m.warm_mean)},
                      {.text = time(static_cast<double>(m.total))}});
    }
    table({{"Method", 200},
           {"Executions", 110, true},
           {"Cold" + unit, 110, true},
           {"Warm median" + unit, 150, true},
           {"Mean" + unit, 110, true},
           {"Total" + unit, 110, true}},
          rows);
    if (!overview_.not_run.empty())
      text("Not run in this trace: " + inspector::joined(overview_.not_run, ", "), theme().muted, 1);
  }

  void exports() {
    std::vector<DrawnRow> rows;
    const auto count = [](const std::optional<int64_t>& n) { return DrawnCell{.text = n ? format_count(*n) : "–"}; };
    for (const OverviewExport& m : overview_.exports) {
      rows.push_back({{.text = m.name}, count(m.instructions), count(m.nodes), count(m.delegated), count(m.delegates)});
    }
    table({{"Method", 200},
           {"Instructions", 110, true},
           {"Graph nodes", 110, true},
           {"Delegated", 110, true},
           {"Delegates", 110, true}},
          rows);
  }

  void parts() {
    std::vector<DrawnRow> rows;
    for (const OverviewPart& part : overview_.parts) {
      if (!part.is_worth_a_row()) continue;
      const ImU32 color = part_color(part);
      rows.push_back({{.text = part.name, .square = color},
                      {.text = time(part.time)},
                      {.text = format_share(part.share), .share = part.share, .bar = color},
                      {.text = part.calls > 0 ? inspector::format_real(part.calls, 0) : ""}});
    }
    table({{"Part", 300},
           {"Time" + inspector::unit_heading(overview_.unit), 120, true},
           {"Share", 150, true},
           {"Calls", 90, true}},
          rows);
  }

  void costs(const char* what, const std::vector<OverviewCost>& costs, float x, float y, float width) {
    std::vector<DrawnRow> rows;
    for (const OverviewCost& cost : costs) {
      rows.push_back({{.text = std::string(static_cast<size_t>(cost.depth) * 2, ' ') +
                               (cost.name.empty() ? cost.title : cost.name)},
                      {.text = format_share(cost.share), .share = cost.share, .bar = theme().kernel}});
    }
    y_ = std::max(y_, draw_table(canvas_, {x, y}, width, canvas_.max().y, {{what, 260}, {"Share", 80, true}}, rows));
  }

  Canvas& canvas_;
  const TraceData& data_;
  const Overview& overview_;
  float left_, width_, y_;
};

}  // namespace

void draw_overview(Canvas& canvas, const TraceData& data, const Overview& overview) {
  Page(canvas, data, overview).draw();
}

}  // namespace et::gui
