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
/// Whether it has shares of a trace's time, but for Overview, which says by itself what its own are of.
bool has_shares(const std::string& id);
/// Of a disturbed machine's trace: that it is one, and what that panel's shares are of.
void draw_disturbed(const Document& document, const std::string& id);
/// Draws the line when the document is restricted; Esc and its button lift the restriction.
void draw_restriction(Document& document);

}  // namespace et::gui
