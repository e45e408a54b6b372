#include "gui/panels/restriction.h"

#include <imgui.h>

#include <algorithm>
#include <iterator>

#include "gui/models/overview_model.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/theme.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/text/format.h"

namespace et::gui {

bool is_restricted_panel(const std::string& id) {
  static constexpr const char* kPanels[] = {"overview",   "operators", "flame",    "graph",
                                            "delegation", "source",    "findings", "roofline"};
  return std::any_of(std::begin(kPanels), std::end(kPanels), [&](const char* panel) { return id == panel; });
}

bool is_whole_panel(const std::string& id) {
  static constexpr const char* kPanels[] = {"llm", "memory", "compare", "sql"};
  return std::any_of(std::begin(kPanels), std::end(kPanels), [&](const char* panel) { return id == panel; });
}

namespace {

void lift_by_escape(Document& document) {
  if (ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && !ImGui::GetIO().WantTextInput &&
      ImGui::IsKeyChordPressed(ImGuiKey_Escape))
    document.restrict_to(std::nullopt);
}

}  // namespace

void draw_whole(Document& document) {
  if (!document.restriction()) return;
  text_fitting("Of the whole trace, whatever range is selected", theme().muted);
  lift_by_escape(document);
  ImGui::Separator();
}

namespace {

/// Panels that have the noise as a part of the whole.
bool has_shares_of_all(const std::string& id) {
  static constexpr const char* kPanels[] = {"graph", "delegation"};
  return std::any_of(std::begin(kPanels), std::end(kPanels), [&](const char* panel) { return id == panel; });
}

}  // namespace

bool has_shares(const std::string& id) {
  return id == "operators" || id == "source" || id == "flame" || id == "roofline" || has_shares_of_all(id);
}

void draw_disturbed(const Document& document, const std::string& id) {
  const TraceData* const data = document.data();
  if (data == nullptr || !data->has_etdump()) return;
  const inspector::ExecutionTime time = inspector::execution_time(data->shown);
  const bool disturbed = time.is_disturbed();
  if (!disturbed && !(time.noise > 0 && time.leaves_noise_out())) return;
  const std::string part = inspector::format_share(time.noise / time.whole) + " of the " +
                           inspector::format_duration_with_unit(time.whole, data->unit());
  text_fitting((disturbed ? "The machine was disturbed: " + part + " is in no op's usual time. "
                          : part + " is noise, in no op's usual time. ") +
                   (has_shares_of_all(id)
                        ? "Shares here are of all of it, in Overview of what the ops usually take"
                        : "Shares are of the " +
                              inspector::format_duration_with_unit(inspector::share_basis(time), data->unit()) +
                              " that " + inspector::share_basis_text(data->shown.basis) +
                              (id == "operators" ? ", mean and percentiles contain the noise" : "")),
               disturbed ? theme().warning : theme().muted);
}

void draw_restriction(Document& document) {
  if (!document.restriction()) return;
  const bool is_there = document.data() != nullptr && document.data()->range == document.restriction();
  const char* const button = "Clear##restriction";
  const float room = ImGui::GetContentRegionAvail().x;
  const float wide = ImGui::CalcTextSize(button, nullptr, true).x + ImGui::GetStyle().FramePadding.x * 2;
  ImGui::AlignTextToFramePadding();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + std::max(room - wide - ImGui::GetStyle().ItemSpacing.x, wide));
  text_colored(theme().warning, "Only " + document.restriction_text() + (is_there ? "" : ": reading…"));
  ImGui::PopTextWrapPos();
  flow_button(button);
  const bool pressed = ImGui::Button(button);
  item_tooltip(
      "The panels that rank count what happens in the selected range; what sticks out of it counts with its part "
      "inside. Esc shows everything again.");
  if (pressed) document.restrict_to(std::nullopt);
  lift_by_escape(document);
  ImGui::Separator();
}

}  // namespace et::gui
