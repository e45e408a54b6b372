// A line on top of the panels that rank: they show a range of time, and how that ends.
#pragma once

#include <string>

#include "gui/core/document.h"

namespace et::gui {

/// Whether the panel shows TraceData::shown, which a range restricts.
bool is_restricted_panel(const std::string& id);
/// Whether it shows times of the whole trace, with a range or without.
bool is_whole_panel(const std::string& id);
/// Says so while there is a range; Esc lifts it.
void draw_whole(Document& document);
/// Whether its shares are of whole executions, of which a disturbed machine's noise may be the most.
bool has_shares_of_all(const std::string& id);
/// Says so of such a trace.
void draw_disturbed(const Document& document);
/// Draws the line when the document is restricted; Esc and its button lift the restriction.
void draw_restriction(Document& document);

}  // namespace et::gui
