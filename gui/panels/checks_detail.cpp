// A run of a check: its verdict in words, its outputs with their errors, where the error begins.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gui/panels/checks_panel.h"
#include "gui/widgets/cells.h"
#include "inspector/report/check_report.h"

namespace et::gui {
namespace {

using inspector::CheckOutputRow;
using inspector::CheckPoint;

/// The other panels show the open trace, which may be of another run.
void draw_trace(PanelContext& context, int64_t trace) {
  const TraceData* const open = context.document.data();
  const std::string name = "trace #" + std::to_string(trace);
  if (open != nullptr && open->trace_id() == trace) {
    flow(text_width(name + " (open)"));
    return text_colored(theme().muted, name + " (open)");
  }
  const std::string text = "Open " + name;
  flow_button(text.c_str());
  if (ImGui::SmallButton(text.c_str())) context.document.show_trace(trace);
  item_tooltip(open == nullptr
                   ? "The trace of this run"
                   : "The other panels show trace #" + std::to_string(open->trace_id()) + ", which is not of this run");
}

void draw_verdict(PanelContext& context, const ChecksModel& model) {
  const CheckPoint& p = *model.point();
  color_square(verdict_color(p));
  ImGui::SameLine();
  std::string text = inspector::time_text(p.started);
  if (!p.label.empty()) text += " · " + p.label;
  if (!p.host.empty()) text += " · " + p.host;
  text += " · " + inspector::verdict_text(p);
  if (p.program_changed) text += " · program changed";
  ImGui::TextUnformatted(inspector::printable(text).c_str());
  if (p.trace_id) draw_trace(context, *p.trace_id);
  ImGui::PushTextWrapPos();
  if (!p.reason.empty()) text_colored(theme().muted, inspector::printable(p.reason));
  if (const std::string time = measured_text(p, model.plot().unit); !time.empty()) {
    text_colored(theme().muted, time);
    if (p.trace_id && p.samples > 1)
      text_colored(theme().muted,
                   "Of whole calls, cold ones and what recording the trace costs included: the trace's warm median is "
                   "shorter.");
  }
  if (p.speed && !p.speed->text.empty()) {
    const std::string against = p.speed->against.empty() ? "" : " (against " + p.speed->against + ")";
    text_colored(p.speed->passed == false ? theme().bad : theme().muted,
                 "speed: " + inspector::printable(p.speed->text + against));
  }
  ImGui::PopTextWrapPos();
}

void draw_explanation(PanelContext& context, const inspector::CheckExplanationRow& e, int id) {
  ImGui::PushID(id);
  ImGui::PushTextWrapPos();
  text_colored(theme().warning, inspector::printable(e.text.empty() ? e.op : e.text));
  ImGui::PopTextWrapPos();
  const TraceData* data = context.document.data();
  // The node of the open trace: its op, line and cost are where the other panels show them.
  const Selection node = data == nullptr || e.node.empty() ? Selection() : select_node(*data, e.node);
  if (!node.empty() && ImGui::SmallButton("Show in graph")) context.document.select(node, "graph");
  ImGui::PopID();
}

struct OutputColumn {
  const char* title;
  bool right;
  const char* help;
  std::string (*text)(const CheckOutputRow&);
};

std::string count_text(const std::optional<int64_t>& n) { return n ? inspector::format_count(*n) : std::string(); }

constexpr OutputColumn kOutputColumns[] = {
    {"Output", false, nullptr,
     [](const CheckOutputRow& o) { return std::to_string(o.output) + (o.name.empty() ? "" : " " + o.name); }},
    {"Verdict", false, nullptr,
     [](const CheckOutputRow& o) { return o.passed         ? std::string("passed")
                                          : o.kind.empty() ? "failed"
                                                           : o.kind; }},
    {"Dtype", false, nullptr, [](const CheckOutputRow& o) { return o.dtype; }},
    {"Shape", false, nullptr, [](const CheckOutputRow& o) { return o.shape; }},
    {"Largest error at", false, "Index, error, actual and expected value.", worst_place},
    {"Relative", true, "Largest relative error.",
     [](const CheckOutputRow& o) { return inspector::format_error(o.max_rel_error); }},
    {"Mean", true, "Mean absolute error.",
     [](const CheckOutputRow& o) { return inspector::format_error(o.mean_abs_error); }},
    {"SNR (dB)", true, "Signal to noise ratio.",
     [](const CheckOutputRow& o) { return inspector::format_decibels(o.snr_db); }},
    {"Cosine", true, "Cosine similarity.",
     [](const CheckOutputRow& o) { return inspector::format_error(o.cosine_similarity); }},
    {"Mismatches", true, "Elements outside the tolerance.",
     [](const CheckOutputRow& o) { return count_text(o.outside); }},
    {"Elements", true, "Elements compared.", [](const CheckOutputRow& o) { return count_text(o.elements); }},
    {"Tolerance", false, "atol + rtol × |expected|",
     [](const CheckOutputRow& o) {
       return o.atol && o.rtol ? inspector::format_error(o.atol) + " + " + inspector::format_error(o.rtol) + " ×|want|"
                               : std::string();
     }},
    {"Tolerance from", false, "Where the tolerance comes from.",
     [](const CheckOutputRow& o) { return o.tolerance_from; }},
};

/// As wide as what stands in it, within limits; of very many outputs the first ones say how wide.
float natural_width(const OutputColumn& column, const std::vector<CheckOutputRow>& outputs) {
  constexpr size_t kLookedAt = 100;
  float width = text_width(column.title);
  for (size_t i = 0; i < std::min(outputs.size(), kLookedAt); ++i)
    width = std::max(width, text_width(inspector::printable(column.text(outputs[i]))));
  return std::min(width + scaled(4), scaled(360));
}

void draw_outputs(const std::vector<CheckOutputRow>& outputs) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_SizingFixedFit;
  // Columns with nothing in them, and where there is little room those that say least, are left out.
  std::vector<float> widths;
  for (const OutputColumn& c : kOutputColumns) {
    const bool filled = std::any_of(outputs.begin(), outputs.end(), [&](const auto& o) { return !c.text(o).empty(); });
    widths.push_back(filled ? natural_width(c, outputs) : 0);
  }
  constexpr size_t kStepBack[] = {12, 8, 6, 10, 5, 2, 11};
  const std::vector<bool> fits = columns_that_fit(widths, kStepBack, ImGui::GetContentRegionAvail().x);
  std::string id = "##outputs";  // which columns there are is part of the name: widths belong to them
  for (const bool on : fits) id += on ? '1' : '0';
  float sum = 0;  // and so are what stands in them
  for (const float width : widths) sum += width;
  id += std::to_string(std::lround(sum));
  if (!ImGui::BeginTable(id.c_str(), std::size(kOutputColumns), kFlags)) return;
  ImGui::TableSetupScrollFreeze(1, 1);
  for (size_t i = 0; i < std::size(kOutputColumns); ++i) {
    ImGui::TableSetupColumn(kOutputColumns[i].title,
                            ImGuiTableColumnFlags_WidthFixed | (fits[i] ? 0 : ImGuiTableColumnFlags_Disabled),
                            widths[i]);
  }
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const OutputColumn& c : kOutputColumns) {
    if (ImGui::TableNextColumn()) header_cell(c.title, c.right, c.help);
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(outputs.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const CheckOutputRow& o = outputs[static_cast<size_t>(i)];
      ImGui::TableNextRow();
      for (size_t c = 0; c < std::size(kOutputColumns); ++c) {
        if (!ImGui::TableNextColumn()) continue;
        const std::string text = inspector::printable(kOutputColumns[c].text(o));
        const ImU32 color = c == 1 ? (o.passed ? theme().good : theme().bad) : 0;
        if (kOutputColumns[c].right) {
          text_right(text, color);
        } else {
          text_fitting(text, color);
        }
        if (c == 1 && !o.reason.empty()) item_tooltip(inspector::printable(o.reason));
      }
    }
  }
  ImGui::EndTable();
}

}  // namespace

void draw_check_detail(PanelContext& context, const ChecksModel& model) {
  if (model.point() == nullptr) return;
  draw_verdict(context, model);
  const CheckDetail& detail = model.detail();
  for (size_t i = 0; i < detail.explanations.size(); ++i)
    draw_explanation(context, detail.explanations[i], static_cast<int>(i));
  if (!detail.outputs.empty()) draw_outputs(detail.outputs);
}

}  // namespace et::gui
