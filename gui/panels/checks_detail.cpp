// A run of a check: its verdict in words, its outputs with their errors, where the error begins.
#include <imgui.h>

#include "gui/panels/checks_panel.h"
#include "gui/widgets/cells.h"
#include "inspector/report/check_report.h"

namespace et::gui {
namespace {

using inspector::CheckOutputRow;
using inspector::CheckPoint;

void draw_verdict(const CheckPoint& p) {
  color_square(verdict_color(p));
  ImGui::SameLine();
  std::string text = inspector::time_text(p.started);
  if (!p.label.empty()) text += " · " + p.label;
  if (!p.host.empty()) text += " · " + p.host;
  text += " · " + inspector::verdict_text(p);
  if (p.program_changed) text += " · program changed";
  if (p.trace_id) text += " · trace #" + std::to_string(*p.trace_id);
  ImGui::TextUnformatted(inspector::printable(text).c_str());
  ImGui::PushTextWrapPos();
  if (!p.reason.empty()) text_colored(theme().muted, inspector::printable(p.reason));
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
  float width;
  bool right;
  const char* help;
  std::string (*text)(const CheckOutputRow&);
};

std::string count_text(const std::optional<int64_t>& n) { return n ? inspector::format_count(*n) : std::string(); }

constexpr OutputColumn kOutputColumns[] = {
    {"Output", 90, false, nullptr,
     [](const CheckOutputRow& o) { return std::to_string(o.output) + (o.name.empty() ? "" : " " + o.name); }},
    {"Verdict", 84, false, nullptr,
     [](const CheckOutputRow& o) { return o.passed         ? std::string("passed")
                                          : o.kind.empty() ? "failed"
                                                           : o.kind; }},
    {"Dtype", 60, false, nullptr, [](const CheckOutputRow& o) { return o.dtype; }},
    {"Shape", 100, false, nullptr, [](const CheckOutputRow& o) { return o.shape; }},
    {"Largest error at", 240, false, "Index, error, actual and expected value.", worst_place},
    {"Relative", 74, true, "Largest relative error.",
     [](const CheckOutputRow& o) { return inspector::format_error(o.max_rel_error); }},
    {"Mean", 74, true, "Mean absolute error.",
     [](const CheckOutputRow& o) { return inspector::format_error(o.mean_abs_error); }},
    {"SNR (dB)", 74, true, "Signal to noise ratio.",
     [](const CheckOutputRow& o) { return inspector::format_decibels(o.snr_db); }},
    {"Cosine", 74, true, "Cosine similarity.",
     [](const CheckOutputRow& o) { return inspector::format_error(o.cosine_similarity); }},
    {"Mismatches", 64, true, "Elements outside the tolerance.",
     [](const CheckOutputRow& o) { return count_text(o.outside); }},
    {"Elements", 64, true, "Elements compared.", [](const CheckOutputRow& o) { return count_text(o.elements); }},
    {"Tolerance", 170, false, "atol + rtol × |expected|",
     [](const CheckOutputRow& o) {
       return o.atol && o.rtol ? inspector::format_error(o.atol) + " + " + inspector::format_error(o.rtol) + " ×|want|"
                               : std::string();
     }},
    {"Source", 160, false, "Where the tolerance comes from.", [](const CheckOutputRow& o) { return o.tolerance_from; }},
};

void draw_outputs(const std::vector<CheckOutputRow>& outputs) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable("##outputs", std::size(kOutputColumns), kFlags)) return;
  ImGui::TableSetupScrollFreeze(1, 1);
  for (const OutputColumn& c : kOutputColumns)
    ImGui::TableSetupColumn(c.title, ImGuiTableColumnFlags_WidthFixed, scaled(c.width));
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (const OutputColumn& c : kOutputColumns) {
    ImGui::TableNextColumn();
    header_cell(c.title, c.right, c.help);
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(outputs.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const CheckOutputRow& o = outputs[static_cast<size_t>(i)];
      ImGui::TableNextRow();
      for (size_t c = 0; c < std::size(kOutputColumns); ++c) {
        ImGui::TableNextColumn();
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
  const CheckPoint& p = *model.point();
  draw_verdict(p);
  const CheckDetail& detail = model.detail();
  for (size_t i = 0; i < detail.explanations.size(); ++i)
    draw_explanation(context, detail.explanations[i], static_cast<int>(i));
  if (!detail.outputs.empty()) draw_outputs(detail.outputs);
}

}  // namespace et::gui
