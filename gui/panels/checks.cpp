// Checks: every test case of et-check with its verdict now; the chosen one's history and outputs.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gui/core/text.h"
#include "gui/panels/checks_panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "inspector/report/check_report.h"

namespace et::gui {

ImU32 verdict_color(const inspector::CheckPoint& point) {
  if (!point.ok()) return theme().bad;
  return point.speed && !point.speed->passed ? theme().warning : theme().good;
}

namespace {

constexpr int kChangeColumn = 5;

using inspector::CheckPoint;
using inspector::CheckSeries;

constexpr const char* kHow =
    "et-check model.bpte --iterations 20 --store checks.db saves results in a store; a file of results is imported "
    "with et-inspect --checks results.json --store checks.db.";

/// What checks are, and how the open model gets some.
void draw_no_checks(const Document& document, bool too_old) {
  ImGui::Spacing();
  heading(too_old ? "This store predates checks" : "No checks yet");
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(
      "A check runs a model on test cases and compares its outputs with the expected ones, and its speed with that of "
      "earlier runs.");
  ImGui::Spacing();
  text_colored(theme().muted,
               "This panel then has a row a test case: pass or fail, the error of its outputs, its latency over all "
               "runs with what is noise and what is a change, and what the outputs were.");
  ImGui::Spacing();
  text_colored(
      theme().muted,
      "Test cases become part of a copy of the program; here one with random inputs, whose outputs of today are "
      "the expected ones. --case x.npy takes inputs of yours.");
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
  const TraceData* const data = document.data();
  const std::string program = data == nullptr ? "model.pte" : data->facts.program_path.value_or("model.pte");
  std::string bundle = base_name(program);
  bundle = bundle.substr(0, bundle.rfind('.')) + ".bpte";
  const std::string method = data == nullptr ? "" : data->method_option();
  draw_commands({"et-check bundle " + shell_word(program) + method + " --fill random --record -o " + shell_word(bundle),
                 "et-check " + shell_word(bundle) + " --iterations 20 --store checks.db",
                 "et-inspect-gui checks.db --panel checks"});
}

class ChecksPanel : public Panel {
 public:
  void draw(PanelContext& context) override {
    model_.refresh(context.document);
    if (context.document.store_path().empty()) return draw_empty("No store is open", kHow);
    if (!model_.error().empty()) {
      ImGui::PushTextWrapPos();
      text_colored(theme().bad, inspector::printable(model_.error()));
      ImGui::PopTextWrapPos();
    }
    if (model_.checks().empty()) {
      if (model_.busy()) return text_colored(theme().muted, "reading…");
      return draw_no_checks(context.document, model_.too_old());
    }
    draw_head();
    const float room = ImGui::GetContentRegionAvail().y, line = ImGui::GetTextLineHeightWithSpacing();
    const auto rows = static_cast<float>(model_.shown().size());
    draw_list(context, std::min((rows + 2) * line, room * 0.34F));
    if (model_.chosen() == nullptr) return;
    const bool fresh = drawn_ != model_.chosen()->key.text() || drawn_runs_ != model_.chosen()->points.size();
    drawn_ = model_.chosen()->key.text();
    drawn_runs_ = model_.chosen()->points.size();
    draw_title();
    const float below = ImGui::GetContentRegionAvail().y;
    draw_check_plots(context, model_, fresh, {-1, std::max(below * 0.52F, scaled(200))});
    if (ImGui::BeginChild("##detail")) draw_check_detail(context, model_);
    ImGui::EndChild();
  }

  std::string csv() const override { return model_.csv(); }
  void* model() override { return &model_; }

 private:
  void draw_head() {
    const size_t all = model_.checks().size(), failing = model_.failing();
    ImGui::AlignTextToFramePadding();
    text_colored(failing > 0 ? theme().bad : theme().good,
                 failing > 0 ? inspector::format_count(static_cast<int64_t>(failing)) + " of " +
                                   inspector::format_count(static_cast<int64_t>(all)) + " fail"
                             : "all " + inspector::format_count(static_cast<int64_t>(all)) + " pass");
    item_tooltip("Newest run of each check.");
    ImGui::SameLine();
    ImGui::Checkbox("Failed only", &model_.failed_only);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(std::max(ImGui::GetContentRegionAvail().x, scaled(60)));
    take_search_focus();
    ImGui::InputTextWithHint("##filter", "Filter: file, method, case, verdict", &model_.filter);
  }

  void draw_list(PanelContext& context, float height) {
    const auto& shown = model_.shown();
    if (shown.empty()) {
      if (ImGui::BeginChild("##none", {0, height})) draw_empty("No checks match", "Clear or relax the filter.");
      return ImGui::EndChild();
    }
    struct ColumnSpec {
      const char* title;
      float width;
      bool right;
      const char* help;
      float from = 0;  ///< narrower panels (points) are without it
    };
    choose_unit();
    labels_ = check_labels(model_.checks());
    const ColumnSpec kColumns[] = {
        {"Check", 0, false, nullptr},
        {"Verdict", 130, false, "In the newest run."},
        {"Error", 74, true, "Largest absolute error over all outputs."},
        {"SNR (dB)", 74, true, "Signal to noise ratio of the worst output.", 1100},
        {median_.c_str(), 104, true, "Median execution time."},
        {"Change", 110, true,
         "From the previous run on the same host; shown when the confidence intervals do not overlap."},
        {"Memory", 78, true, "Planned, method and temporary memory.", 1000},
        {"Runs", 50, true, "Runs in this store.", 880},
        {"Failed", 52, true, "Runs that failed."},
    };
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable |
                                       ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingFixedFit |
                                       ImGuiTableFlags_Hideable;
    const float room = ImGui::GetContentRegionAvail().x;
    if (!ImGui::BeginTable("##checks", std::size(kColumns), kFlags, {0, height})) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    for (const ColumnSpec& c : kColumns) {
      const bool rest = c.width == 0;
      ImGui::TableSetupColumn(c.title, rest ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
                              rest ? 1 : scaled(c.width));
    }
    for (size_t i = 0; i < std::size(kColumns); ++i)
      ImGui::TableSetColumnEnabled(static_cast<int>(i), room >= scaled(kColumns[i].from));
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (const ColumnSpec& c : kColumns) {
      if (ImGui::TableNextColumn()) header_cell(c.title, c.right, c.help);
    }
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(shown.size()));
    int32_t clicked = -1;
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const int32_t check = shown[static_cast<size_t>(i)];
        if (draw_row(model_.checks()[static_cast<size_t>(check)], check)) clicked = check;
      }
    }
    ImGui::EndTable();
    model_.choose(context.document, clicked);
  }

  bool draw_row(const CheckSeries& check, int32_t index) {
    const CheckPoint& now = check.now();
    ImGui::PushID(index);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool clicked = ImGui::Selectable("##check", index == model_.chosen_index(),
                                           ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap);
    // The cell of a change that there is none of says why, all over.
    const ImRect change = ImGui::TableGetCellBgRect(ImGui::GetCurrentTable(), kChangeColumn);
    const float mouse = ImGui::GetMousePos().x;  // the row is the item that is pointed at
    const NoChange none = now.change ? NoChange() : no_change(check);
    const bool why_none = !now.change && mouse >= change.Min.x && mouse < change.Max.x;
    if (why_none) {
      item_tooltip(none.reason);
    } else if (begin_item_tooltip()) {
      ImGui::TextUnformatted(inspector::printable(check.key.text()).c_str());
      text_colored(verdict_color(now), inspector::verdict_text(now));
      const std::string& why = now.passed && now.speed ? now.speed->text : now.reason;
      if (!why.empty()) text_colored(theme().muted, inspector::printable(why));
      if (!now.program.empty())
        text_colored(theme().muted, "program " + inspector::printable(now.program.substr(0, 12)));
      end_item_tooltip();
    }
    ImGui::SameLine(0, 0);
    color_square(verdict_color(now));
    ImGui::SameLine();
    // The row's tooltip has them in full.
    text_colored(theme().text, fitting(labels_[static_cast<size_t>(index)], ImGui::GetContentRegionAvail().x));
    ImGui::TableNextColumn();
    text_colored(verdict_color(now), fitting(inspector::verdict_text(now), ImGui::GetContentRegionAvail().x));
    const auto right = [](const std::string& text, ImU32 color = 0) {
      ImGui::TableNextColumn();
      if (!text.empty()) text_right(text, color);
    };
    right(inspector::format_error(now.max_abs_error));
    right(inspector::format_decibels(now.snr_db));
    const bool single = now.samples == 1;
    right(now.median_ns ? inspector::format_duration(*now.median_ns, unit_) : "", single ? theme().muted : 0);
    if (single) item_tooltip("One execution, cold unless others warmed it up: no median.");
    right(now.change ? inspector::format_change(*now.change) : none.word, !now.change             ? theme().muted
                                                                          : now.change->ratio > 1 ? theme().warning
                                                                                                  : theme().good);
    right(now.memory_bytes ? inspector::format_bytes(*now.memory_bytes) : "");
    right(inspector::format_count(static_cast<int64_t>(check.points.size())));
    right(check.failures() > 0 ? inspector::format_count(static_cast<int64_t>(check.failures())) : "", theme().bad);
    ImGui::PopID();
    return clicked;
  }

  /// One unit for the column: that of the check in the middle, so that a single slow one does not flatten the others.
  void choose_unit() {
    std::vector<double> medians;
    for (const int32_t index : model_.shown()) {
      if (const auto& median = model_.checks()[static_cast<size_t>(index)].now().median_ns) medians.push_back(*median);
    }
    double middle = 0;
    if (!medians.empty()) {
      const auto at = medians.begin() + static_cast<std::ptrdiff_t>(medians.size() / 2);
      std::nth_element(medians.begin(), at, medians.end());
      middle = *at;
    }
    (void)inspector::choose_unit("auto", "ns", middle, &unit_);
    median_ = "Median" + inspector::unit_heading(unit_);
  }

  void draw_title() {
    ImGui::Spacing();
    heading(inspector::printable(model_.chosen()->key.text()).c_str());
    if (!model_.plot().has_time) return;
    const char* const legend = "median and its 95% interval";
    flow(text_width(legend));
    text_colored(theme().muted, legend);
  }

  mutable ChecksModel model_;  // its rows are found when they are asked for
  inspector::TimeUnit unit_;   ///< of the medians
  std::string median_;
  std::vector<std::string> labels_;  // check_labels()
  std::string drawn_;
  size_t drawn_runs_ = 0;
};

}  // namespace

extern const PanelSpec k_checks_panel;
const PanelSpec k_checks_panel = {
    .id = "checks",
    .title = "Checks",
    .summary = "Results of et-check: which outputs or times regressed, and since when",
    .key = ImGuiKey_None,
    .make = [] { return std::unique_ptr<Panel>(new ChecksPanel); },
};

}  // namespace et::gui
