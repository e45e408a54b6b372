// Parts of the Findings panel: the details of a finding, and what they share with the list.
#pragma once

#include <imgui.h>

#include <string_view>

#include "gui/models/findings_model.h"
#include "gui/panels/panel.h"

namespace et::gui {

void draw_finding(PanelContext& context, const FindingsModel& model, const FindingsRow& row);

/// Wrapped, in a colour.
void findings_text(ImU32 color, std::string_view text);
/// As long as the part of an execution that could be saved; pale from the smaller bound to the larger.
void saving_bar(const FindingsRow& row, float width);
/// "Show in Delegation", with what is selected there unless it is empty; nothing for a panel that there is not.
void button_to_panel(PanelContext& context, const char* panel, const Selection& target);

}  // namespace et::gui
