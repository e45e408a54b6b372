// Pieces of tables and reports that panels share: headings, numbers on the right, bars of shares, links.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace et::gui {

/// Lines that are not wider than `width` where words allow it. ImGui also breaks behind a full stop, as in
/// "aten.linear".
std::string broken_at_spaces(std::string_view text, float width);
/// A bold line with room above it.
void heading(const char* text);
/// Any text in a colour; never read as a format.
void text_colored(ImU32 color, std::string_view text);
/// A link of as many lines as it takes; true when it was clicked.
bool wrapped_link(const std::string& raw, const char* id = "###step");
/// At the right edge of the table's cell.
void text_right(std::string_view text, ImU32 color = 0);
/// On one line, with … and a tooltip when it does not fit into the room that is left. `color` 0: as other texts.
void text_fitting(std::string_view text, ImU32 color = 0);
/// The same for code: its beginning, then "…".
void text_fitting_start(std::string_view text, ImU32 color = 0);
/// The same for paths: "…", then their end.
void text_fitting_end(std::string_view text, ImU32 color = 0);
/// The text, printable, in at most `room` pixels: cut where it says least, with "…" there.
std::string fitting(std::string_view raw, float room);
/// Width of a column of Python lines in a table of that width: of a file's name with its number, where there is room.
float line_column(float table);
/// Width that is kept for the number beside a bar: "100.0%" and a space.
float share_width();
/// A bar and "12.3%", in the table's cell; where there is no room for both, the number stands alone. The bar of
/// `longest` is as long as there is room.
void share_cell(double share, ImU32 color, double longest = 1);
/// The background of a table's row that is selected, or of one of which a part is.
void mark_row(bool whole = true);
/// A square of a legend, in the height of a line.
void color_square(ImU32 color);
/// Heading of a table's column, inside a row of headers; at the right above numbers.
void header_cell(const char* title, bool right, const char* help = nullptr);

/// Which columns of a table have room, by their widths without padding (0: not wanted, the others in pixels): while
/// they are too wide together, those of `step_back` are left out, in its order.
std::vector<bool> columns_that_fit(const std::vector<float>& widths, std::span<const size_t> step_back, float room);

/// Beside the last item when that many pixels are left there, else on the next line: for bars of tools.
void flow(float width);
/// As flow(), for a button with that label.
void flow_button(const char* label);

/// Starts a tooltip of the last item, wrapped to a readable width; when true, end_item_tooltip() ends it.
bool begin_item_tooltip();
void end_item_tooltip();
/// A tooltip of the last item.
void item_tooltip(std::string_view text);

}  // namespace et::gui
