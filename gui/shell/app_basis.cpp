// What the times of all panels are of: one switch beside the trace's name, the same as commands.
#include <imgui.h>

#include <algorithm>

#include "gui/shell/app.h"
#include "gui/widgets/cells.h"
#include "inspector/analysis/ops/basis_gaps.h"

namespace et::gui {
namespace {

using inspector::Basis;
using inspector::BasisKind;

constexpr float kNameWidth = 260;  // points, at most

const char* choice_help(BasisKind kind) {
  switch (kind) {
    case BasisKind::WarmMedian:
      return "Of each op " ET_USUAL_TIME ". With the variation, all add up to the median warm execution.";
    case BasisKind::Mean:
      return "The mean of all executions, the cold one included. One that was interrupted moves it.";
    case BasisKind::Total:
      return "The sum over all executions. One that was interrupted may weigh more than all others.";
    case BasisKind::Cold:
      return "The first execution of each method.";
    case BasisKind::P99:
      return "The mean of the slowest warm executions, from the 99th percentile of latency on.";
    case BasisKind::Execution:
    case BasisKind::Range:
      break;
  }
  return "";
}

float combo_width(const std::string& preview) {
  return ImGui::CalcTextSize(preview.c_str()).x + ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().FramePadding.x;
}

}  // namespace

// What is chosen is what all panels show: a range would hide it.
void App::set_basis(const Basis& basis) {
  document_.restrict_to(std::nullopt);
  document_.set_basis(basis);
  if (document_.basis() == basis && basis.kind != BasisKind::Execution)
    settings_.basis = basis == Basis() ? std::string() : basis.name();
  touch();
}

int64_t App::chosen_execution() const {
  const TraceData* const data = document_.data();
  return data == nullptr || document_.run() == 0 ? -1 : data->execution_of(document_.run());
}

void App::add_basis_commands(CommandList* list) {
  const TraceData* const data = document_.data();
  const Basis now = document_.restriction() ? Basis{BasisKind::Range} : document_.basis();
  for (const auto& [title, kind] : kBasisCommands) {
    const bool there = data == nullptr || inspector::missing_basis(data->usual(), {kind}).empty();
    list->push_back(
        {title, 0, [this, kind = kind] { set_basis({kind}); }, there && now.kind != kind, now.kind == kind});
  }
  const int64_t chosen = chosen_execution();
  list->push_back({kExecutionBasisCommand, 0,
                   [this, chosen] {
                     set_basis({BasisKind::Execution, chosen});
                   },
                   chosen >= 0 && now != Basis{BasisKind::Execution, chosen},
                   chosen >= 0 && now == Basis{BasisKind::Execution, chosen}});
}

// A range has sums of its own, whatever the basis is.
std::string App::shown_basis_text() const {
  if (!document_.restriction()) return document_.basis().text();
  Basis range{BasisKind::Range};
  range.span = document_.restriction_text();
  return range.text();
}

void App::draw_basis_switch() {
  const TraceData* const data = document_.data();
  if (data == nullptr || !data->has_etdump()) return;
  const ImGuiStyle& style = ImGui::GetStyle();
  const std::string& name = data->model;
  const std::string shown = shown_basis_text();
  std::string preview = shown;
  const float room = ImGui::GetContentRegionAvail().x - 2 * style.ItemSpacing.x;
  if (combo_width(preview) > room && !document_.restriction()) preview = document_.basis().name();
  const float width = std::min(combo_width(preview), room);
  const float label = ImGui::CalcTextSize("times:").x + style.ItemSpacing.x;
  const float name_room = std::min(room - width - label - style.ItemSpacing.x, scaled(kNameWidth));
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + style.ItemSpacing.x);
  if (!name.empty() && name_room > scaled(60)) {
    const std::string fit = fitting(name, name_room);
    ImGui::TextUnformatted(fit.c_str());
    if (fit != name) item_tooltip(name);
  }
  if (room - width > label) text_colored(theme().muted, "times:");
  ImGui::SetNextItemWidth(width);
  preview = fitting(preview, width - ImGui::GetFrameHeight() - 2 * style.FramePadding.x);
  if (ImGui::BeginCombo("##basis", preview.c_str(), ImGuiComboFlags_HeightLargest)) {
    draw_basis_choices();
    ImGui::EndCombo();
  }
  item_tooltip("What the times of all panels are of: " + shown);
}

void App::draw_basis_choices() {
  const TraceData& data = *document_.data();
  const bool restricted = document_.restriction().has_value();
  const Basis now = restricted ? Basis{BasisKind::Range} : document_.basis();
  if (restricted) {
    ImGui::Selectable((shown_basis_text() + "###range").c_str(), true);
    item_tooltip("The range that is selected. Another choice lifts it, as Esc and Clear do.");
    ImGui::Separator();
  }
  for (const auto& [title, kind] : kBasisCommands) {
    const std::string missing = inspector::missing_basis(data.usual(), {kind});
    ImGui::BeginDisabled(!missing.empty());
    if (ImGui::Selectable(Basis{kind}.text().c_str(), now.kind == kind)) set_basis({kind});
    ImGui::EndDisabled();
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
      ImGui::SetTooltip("%s", missing.empty() ? choice_help(kind) : missing.c_str());
  }
  if (const int64_t chosen = chosen_execution(); chosen >= 0) {
    const Basis basis{BasisKind::Execution, chosen};
    if (ImGui::Selectable((basis.text() + ", chosen in the timeline").c_str(), now == basis)) set_basis(basis);
  }
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("execution #");
  ImGui::SameLine(0, 0);
  ImGui::SetNextItemWidth(scaled(90));
  if (now.kind == BasisKind::Execution && ImGui::IsWindowAppearing()) execution_ = static_cast<int>(now.execution);
  const bool typed = ImGui::InputInt("##execution", &execution_, 1, 10, ImGuiInputTextFlags_EnterReturnsTrue);
  execution_ = std::max(execution_, 0);
  ImGui::SameLine();
  if (typed || ImGui::Button("Show")) set_basis({BasisKind::Execution, execution_});
}

}  // namespace et::gui
