// One tensor beside the reference's: its figures, how the values of both are spread, how large its errors are.
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "gui/panels/numerics_panel.h"
#include "gui/widgets/cells.h"
#include "inspector/report/gap_report.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::Distributions;
using inspector::figure_text;
using inspector::GapFigures;
using inspector::GapRow;
using inspector::LoggedValue;
using inspector::Spread;

constexpr ImPlotFlags kDetailPlot = ImPlotFlags_CanvasOnly | ImPlotFlags_NoInputs;
constexpr ImPlotAxisFlags kDetailAxis = ImPlotAxisFlags_NoHighlight | ImPlotAxisFlags_NoMenus;

std::string count_of(uint64_t n) { return inspector::format_count(static_cast<int64_t>(n)); }

/// Two numbers that look alike need more digits: as many as tell all of float32 apart, or of doubles.
std::pair<std::string, std::string> told_apart(double a, double b) {
  char got[40], want[40];
  for (const int digits : {3, 9, 17}) {
    std::snprintf(got, sizeof got, "%.*g", digits, a);
    std::snprintf(want, sizeof want, "%.*g", digits, b);
    if (std::strcmp(got, want) != 0) break;
  }
  if (!std::isfinite(a) || !std::isfinite(b)) return {figure_text(a), figure_text(b)};
  return {got, want};
}

void say(ImU32 color, const std::string& text) {
  ImGui::PushTextWrapPos(0);
  text_colored(color, inspector::printable(text));
  ImGui::PopTextWrapPos();
}

void draw_head(PanelContext& context, NumericsModel& model, size_t i) {
  const GapRow& row = model.row(i);
  const LoggedValue &got = model.value(i), &want = model.reference().values[row.reference];
  ImGui::PushFont(fonts().bold, 0);
  text_fitting(model.title(i));
  ImGui::PopFont();
  const char* why = row.role == inspector::GapRole::Adds       ? ": wrong for what it was fed, too"
                    : row.role == inspector::GapRole::PassesOn ? ": right for what it was fed"
                                                               : "";
  say(role_color(model.gap(), row), role_text(model.gap(), row) + std::string(why));
  if (!model.place(i).empty()) {
    if (ImGui::Button(fitting(model.place(i), ImGui::GetContentRegionAvail().x - scaled(20)).c_str()))
      model.choose(context.document, i, "source");
    item_tooltip("Show the line in Source" + (got.code.empty() ? "" : ":\n" + inspector::printable(got.code)));
  }
  if (!model.node(i).empty() && model.has_graph()) {
    const std::string label = fitting(model.node(i), ImGui::GetContentRegionAvail().x - scaled(20)) + "##node";
    if (!model.place(i).empty()) flow_button(label.c_str());
    if (ImGui::Button(label.c_str())) model.choose(context.document, i, "graph");
    item_tooltip("Show the node in Graph");
  }
  if (!row.module.empty()) text_fitting(row.module, theme().muted);
  const std::string a = type_text(got), b = type_text(want);
  say(theme().muted, a == b ? a : a + ", reference " + b);
  if (row.rearranged) say(theme().muted, "Its dimensions are in another order: compared in the nearest one.");
  if (row.nearest) say(theme().muted, "Which node it is was found by its values.");
  if (model.title(i) != got.name) say(theme().faint, "event " + got.name);
}

void draw_worst(const LoggedValue& got, const GapFigures& f) {
  const std::string special = inspector::special_text(f);
  if (!special.empty()) say(f.nan_mismatch + f.inf_mismatch > 0 ? theme().bad : theme().muted, special);
  if (f.exact()) return say(theme().good, "All " + count_of(f.elements) + " elements are equal.");
  const auto [a, b] = told_apart(f.got, f.want);
  const bool steps = got.dtype.starts_with("int") || got.dtype.starts_with("uint");
  say(theme().text,
      "Worst at " + inspector::element_place(got.shape, f.worst) + ": " + a + " instead of " + b +
          (steps ? ", " + inspector::plural(static_cast<int64_t>(f.max_abs), "step") + " of " + got.dtype : ""));
}

/// Both comparisons side by side: with the reference, and with what the op makes of this run's inputs.
void draw_figures(const GapRow& row) {
  const int columns = row.own ? 3 : 2;
  if (!ImGui::BeginTable("##figures", columns, ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_RowBg)) return;
  const auto cells = [&](const char* name, const std::string& value, const std::string& own) {
    ImGui::TableNextColumn();
    text_fitting(name, theme().muted);
    ImGui::TableNextColumn();
    text_right(value);
    if (!row.own) return;
    ImGui::TableNextColumn();
    text_right(own);
  };
  const GapFigures &f = row.figures, &o = row.own ? *row.own : row.figures;
  if (row.own) cells("", "reference", "own inputs");
  const auto real = [](double v) { return std::isnan(v) ? std::string("–") : figure_text(v); };
  cells("error (share)", real(f.relative()), real(o.relative()));
  cells("max error", real(f.max_abs), real(o.max_abs));
  cells("MSE", real(f.mse()), real(o.mse()));
  cells("L1 (mean)", real(f.mean_abs()), real(o.mean_abs()));
  cells("SNR (dB)", inspector::db_text(f), inspector::db_text(o));
  const auto cosine = [](double v) { return std::isnan(v) ? std::string("–") : inspector::format_real(v, 6); };
  cells("cosine", cosine(f.cosine()), cosine(o.cosine()));
  ImGui::EndTable();
}

void draw_spreads(const Distributions& d) {
  if (!ImGui::BeginTable("##spreads", 3, ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_RowBg)) return;
  const auto cells = [&](const char* name, const std::string& got, const std::string& want) {
    ImGui::TableNextColumn();
    text_fitting(name, theme().muted);
    ImGui::TableNextColumn();
    text_right(got);
    ImGui::TableNextColumn();
    text_right(want);
  };
  const Spread &g = d.got, &w = d.want;
  cells("", "run", "reference");
  const auto number = [&](const char* name, double Spread::*which) {
    cells(name, figure_text(g.*which), figure_text(w.*which));
  };
  number("least", &Spread::least);
  number("mean", &Spread::mean);
  number("most", &Spread::most);
  number("deviation", &Spread::deviation);
  const auto amount = [&](const char* name, uint64_t Spread::*which) {
    if (g.*which + w.*which > 0) cells(name, count_of(g.*which), count_of(w.*which));
  };
  amount("zeros", &Spread::zeros);
  amount("NaN", &Spread::nan);
  amount("infinite", &Spread::inf);
  ImGui::EndTable();
}

/// Counts at the ground and at the top, and half-way where there is room: in a low plot more numbers would cover each
/// other.
void mark_counts(uint64_t most, float tall, bool powers) {
  const float lines = (tall - 2 * ImGui::GetTextLineHeight()) / ImGui::GetTextLineHeight();
  std::vector<double> places;
  if (powers) {
    const int last = static_cast<int>(std::floor(std::log10(static_cast<double>(std::max<uint64_t>(most, 1)))));
    const int step =
        std::max(1, static_cast<int>(std::ceil(static_cast<float>(last + 1) / std::max(lines / 1.6F, 1.F))));
    for (int p = 0; p <= last; p += step) places.push_back(std::pow(10.0, p));
  } else {
    const auto top = static_cast<double>(most);
    places = {0, top};
    if (lines > 5 && most % 2 == 0) places = {0, top / 2, top};
  }
  std::vector<std::string> texts;
  for (const double place : places) texts.push_back(inspector::format_count(static_cast<int64_t>(place)));
  std::vector<const char*> labels;
  for (const std::string& text : texts) labels.push_back(text.c_str());
  ImPlot::SetupAxisTicks(ImAxis_Y1, places.data(), static_cast<int>(places.size()), labels.data());
}

/// Bars of both upon each other; the reference's have an outline, too, so that it is seen where they agree.
void draw_values(const Distributions& d, float tall, bool* log_counts) {
  ImGui::AlignTextToFramePadding();
  color_square(theme().kernel);
  ImGui::SameLine(0, scaled(4));
  text_colored(theme().muted, "values of the run");
  ImGui::SameLine(0, scaled(12));
  color_square(theme().warning);
  ImGui::SameLine(0, scaled(4));
  text_fitting("of the reference", theme().muted);
  if (!d.got.bins.empty()) {
    flow(scaled(110));
    ImGui::Checkbox("log counts", log_counts);
  }
  if (d.got.bins.empty()) return say(theme().muted, "Neither has a finite element.");
  if (!ImPlot::BeginPlot("##values", {-1, tall}, kDetailPlot)) return;
  uint64_t most = 1;
  for (const Spread* s : {&d.got, &d.want}) most = std::max(most, *std::max_element(s->bins.begin(), s->bins.end()));
  ImPlot::SetupAxes(nullptr, nullptr, kDetailAxis, kDetailAxis);
  // Where most values are 0, as behind a ReLU, the others are to be seen, too: a single one is above the ground.
  const double ground = *log_counts ? 0.5 : 0;
  const double top = static_cast<double>(most) * (*log_counts ? 1.5 : 1.06);
  ImPlot::SetupAxisScale(ImAxis_Y1, *log_counts ? ImPlotScale_Log10 : ImPlotScale_Linear);
  mark_counts(most, tall, *log_counts);
  ImPlot::SetupAxesLimits(d.low, d.high, ground, top, ImPlotCond_Always);
  ImPlot::SetupFinish();
  ImPlot::PushPlotClipRect();
  ImDrawList* const list = ImPlot::GetPlotDrawList();
  const size_t bins = d.got.bins.size();
  const auto edge = [&](size_t b) {
    const double part = static_cast<double>(b) / static_cast<double>(bins);
    return d.low * (1 - part) + d.high * part;
  };
  const auto height = [&](uint64_t n) { return std::max(static_cast<double>(n), ground); };
  ImVec2 last = ImPlot::PlotToPixels(d.low, ground);
  for (size_t b = 0; b < bins; ++b) {
    const ImVec2 got = ImPlot::PlotToPixels(edge(b), height(d.got.bins[b]));
    const ImVec2 want = ImPlot::PlotToPixels(edge(b), height(d.want.bins[b]));
    const ImVec2 base = ImPlot::PlotToPixels(edge(b + 1), ground);
    list->AddRectFilled(got, base, with_alpha(theme().kernel, 0.55F));
    list->AddRectFilled(want, base, with_alpha(theme().warning, 0.2F));
    list->AddLine(last, want, theme().warning, scaled(1.2F));
    last = {base.x, want.y};
    list->AddLine(want, last, theme().warning, scaled(1.2F));
  }
  list->AddLine(last, {last.x, ImPlot::PlotToPixels(d.low, ground).y}, theme().warning, scaled(1.2F));
  ImPlot::PopPlotClipRect();
  ImPlot::EndPlot();
}

int format_power(double value, char* out, int size, void*) {
  const bool whole = std::abs(value - std::round(value)) < 1e-6;
  if (size > 0) *out = 0;
  return whole ? std::snprintf(out, static_cast<size_t>(size), "1e%.0f", std::round(value) + 0.0) : 0;
}

/// How many elements are how far off, by powers of ten.
void draw_errors(const GapFigures& f, float tall) {
  text_fitting("|error| by powers of ten; " + count_of(f.equal) + " of " + count_of(f.elements) + " equal",
               theme().muted);
  size_t from = f.decades.size(), to = 0;
  uint64_t most = 0;
  for (size_t i = 0; i < f.decades.size(); ++i) {
    if (f.decades[i] == 0) continue;
    from = std::min(from, i);
    to = std::max(to, i + 1);
    most = std::max(most, f.decades[i]);
  }
  if (most == 0) return;
  if (!ImPlot::BeginPlot("##errors", {-1, tall}, kDetailPlot)) return;
  // Decade i is from 10^(kLeastDecade + i - 1) on.
  const auto power = [](size_t i) { return GapFigures::kLeastDecade + static_cast<double>(i) - 1; };
  ImPlot::SetupAxes(nullptr, nullptr, kDetailAxis, kDetailAxis);
  ImPlot::SetupAxisFormat(ImAxis_X1, format_power, nullptr);
  mark_counts(most, tall, false);
  ImPlot::SetupAxesLimits(power(from) - 0.5, std::max(power(to), power(from) + 3) + 0.5, 0,
                          static_cast<double>(most) * 1.06, ImPlotCond_Always);
  ImPlot::SetupFinish();
  ImPlot::PushPlotClipRect();
  for (size_t i = from; i < to; ++i) {
    const ImVec2 a = ImPlot::PlotToPixels(power(i) + 0.04, static_cast<double>(f.decades[i]));
    const ImVec2 b = ImPlot::PlotToPixels(power(i + 1) - 0.04, 0.0);
    ImPlot::GetPlotDrawList()->AddRectFilled(a, b, with_alpha(theme().bad, 0.6F));
  }
  ImPlot::PopPlotClipRect();
  ImPlot::EndPlot();
}

}  // namespace

void draw_numerics_detail(PanelContext& context, NumericsModel& model, bool* log_counts) {
  if (!model.chosen()) return text_colored(theme().muted, "Choose a tensor in the plot or in the table.");
  const size_t i = *model.chosen();
  // Both histograms are to be seen without scrolling.
  const float plot = std::clamp(ImGui::GetContentRegionAvail().y * 0.19F, scaled(72), scaled(130));
  draw_head(context, model, i);
  const GapRow& row = model.row(i);
  draw_worst(model.value(i), row.figures);
  if (!model.distribution_problem().empty()) say(theme().bad, model.distribution_problem());
  if (const Distributions* d = model.distributions()) draw_values(*d, plot, log_counts);
  if (!row.figures.exact()) {
    draw_errors(row.figures, plot);
    draw_figures(row);
  }
  ImGui::Spacing();
  if (const Distributions* d = model.distributions()) draw_spreads(*d);
}

}  // namespace et::gui
