#include "gui/widgets/drawn_table.h"

#include <algorithm>
#include <cmath>

#include "gui/widgets/cells.h"
#include "gui/widgets/theme.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr float kGap = 12;  // between columns, points

void draw_cell(Canvas& canvas, ImVec2 a, float width, const DrawnCell& cell, bool right) {
  const float size = ImGui::GetFontSize(), height = drawn_row_height();
  if (cell.share > 0) {
    const auto part = static_cast<float>(std::min(cell.share, 1.0));
    const float number = share_width(), bar = width > 1.6F * number ? width - number : width;
    canvas.fill({a.x, a.y + height * 0.15F}, {a.x + std::max(1.0F, bar * part), a.y + height * 0.85F},
                with_alpha(cell.bar, 0.6F), 2);
  }
  float x = a.x, room = width;
  if (cell.square != 0) {
    canvas.fill({x, a.y + height * 0.25F}, {x + size * 0.7F, a.y + height * 0.25F + size * 0.7F}, cell.square, 2);
    x += size;
    room -= size;
  }
  // Spaces at the beginning would be lost in SVG.
  const size_t indent = std::min(cell.text.find_first_not_of(' '), cell.text.size());
  const float moved = right ? 0 : text_width(cell.text.substr(0, indent));
  // Numbers are short; of longer texts some room is left for viewers whose font is wider than ours.
  constexpr float kSpare = 0.88F;
  const std::string text = fitting(cell.text.substr(indent), right ? room : (room - moved) * kSpare);
  x += right ? std::max(0.0F, room - text_width(text)) : moved;
  canvas.text({x, a.y + (height - size) / 2}, cell.color == 0 ? theme().text : cell.color, text, 0,
              right ? Anchor::Right : Anchor::Left);
}

}  // namespace

float drawn_row_height() { return std::round(ImGui::GetFontSize() * 1.45F); }

float draw_table(Canvas& canvas, ImVec2 at, float width, float bottom, const std::vector<DrawnColumn>& columns,
                 const std::vector<DrawnRow>& rows) {
  const float height = drawn_row_height(), gap = scaled(kGap);
  float wanted = 0;
  for (const DrawnColumn& column : columns) wanted += scaled(column.width) + gap;
  const float fit = std::min(1.0F, width / std::max(1.0F, wanted));
  const auto each = [&](const auto& draw) {
    float x = at.x;
    for (size_t c = 0; c < columns.size(); ++c) {
      const float own = (scaled(columns[c].width) + gap) * fit - gap;
      draw(c, x, std::max(own, 1.0F));
      x += own + gap;
    }
  };
  each([&](size_t c, float x, float own) {
    draw_cell(canvas, {x, at.y}, own, {.text = columns[c].title, .color = theme().muted}, columns[c].right);
  });
  float y = at.y + height;
  const float right = at.x + std::min(width, wanted * fit) - gap;
  canvas.line({at.x, y}, {right, y}, theme().grid, 1);
  for (size_t r = 0; r < rows.size(); ++r) {
    const bool last = y + 2 * height > bottom && r + 1 < rows.size();
    if (last) {
      const auto rest = static_cast<int64_t>(rows.size() - r);
      draw_cell(canvas, {at.x, y}, right - at.x,
                {.text = "and " + inspector::format_count(rest) + " more rows", .color = theme().muted}, false);
      return y + height;
    }
    each([&](size_t c, float x, float own) {
      if (c < rows[r].size()) draw_cell(canvas, {x, y}, own, rows[r][c], columns[c].right);
    });
    y += height;
  }
  return y;
}

}  // namespace et::gui
