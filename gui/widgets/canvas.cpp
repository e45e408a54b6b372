#include "gui/widgets/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/widgets/translate.h"

namespace et::gui {
namespace {

std::string svg_color(ImU32 color) {
  return fmt::format("#{:02x}{:02x}{:02x}", (color >> IM_COL32_R_SHIFT) & 255, (color >> IM_COL32_G_SHIFT) & 255,
                     (color >> IM_COL32_B_SHIFT) & 255);
}
std::string paint(const char* what, ImU32 color) {
  const unsigned alpha = color >> IM_COL32_A_SHIFT;
  std::string text = fmt::format(" {}=\"{}\"", what, svg_color(color));
  if (alpha != 255) text += fmt::format(" {}-opacity=\"{:.3g}\"", what, alpha / 255.0);
  return text;
}
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    }
  }
  return out;
}
float current_size(float size) { return size > 0 ? size : ImGui::GetFontSize(); }
// Each size of a font is drawn into a texture once: a zoom must not make hundreds of them.
float drawn_size(float size) {
  constexpr float kLargest = 64, kCoarseFrom = 24, kCoarse = 4;
  const float wanted = std::clamp(current_size(size), 1.0F, kLargest);
  return wanted < kCoarseFrom ? std::round(wanted) : std::round(wanted / kCoarse) * kCoarse;
}

}  // namespace

float text_width(std::string_view text, float size) { return width_as_is(tr(text), size); }

float width_as_is(std::string_view text, float size) {
  ImFont* font = ImGui::GetFont();
  return font->CalcTextSizeA(drawn_size(size), 1e9F, 0, text.data(), text.data() + text.size()).x;
}

void text_in_box(Canvas& canvas, ImVec2 a, ImVec2 b, ImU32 color, std::string_view raw) {
  const std::string_view text = tr(raw);
  constexpr float kMargin = 3;
  const float room = b.x - a.x - 2 * kMargin, size = ImGui::GetFontSize();
  if (room < size * 0.8F || b.y - a.y < size * 0.8F || text.empty()) return;
  const ImVec2 at = {a.x + kMargin, std::floor((a.y + b.y - size) / 2)};
  if (text_width(text) <= room) {
    canvas.text(at, color, text);
    return;
  }
  static constexpr std::string_view kRest = "…";
  const char* end = nullptr;
  ImGui::GetFont()->CalcTextSizeA(size, room - text_width(kRest), 0, text.data(), text.data() + text.size(), &end);
  if (end == nullptr || end <= text.data()) return;
  std::string part(text.data(), end);
  while (part.ends_with(' ')) part.pop_back();  // its width is not counted
  part += kRest;
  canvas.text(at, color, part);
}

void ScreenCanvas::text(ImVec2 at, ImU32 color, std::string_view raw, float size, Anchor) {
  const std::string_view text = tr(raw);
  list_->AddText(ImGui::GetFont(), drawn_size(size), at, color, text.data(), text.data() + text.size());
}

void ScreenCanvas::text_up(ImVec2 at, ImU32 color, std::string_view raw, float size) {
  const std::string_view text = tr(raw);
  if (text.empty()) return;
  // Letters are made lying and then turned: what would be clipped before that is not what is seen after it.
  constexpr ImVec4 kNoClip = {-1e6F, -1e6F, 1e6F, 1e6F};
  const ImVec2 from = {std::floor(at.x), std::floor(at.y)};
  const int first = list_->VtxBuffer.Size;
  ImGui::GetFont()->RenderText(list_, drawn_size(size), from, color, kNoClip, text.data(), text.data() + text.size());
  for (int i = first; i < list_->VtxBuffer.Size; ++i) {
    ImVec2& p = list_->VtxBuffer[i].pos;
    p = {from.x + (p.y - from.y), from.y - (p.x - from.x)};
  }
}

SvgCanvas::SvgCanvas(ImVec2 size, ImU32 background) : size_(size) {
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"Roboto, Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans Condensed', sans-serif\">\n<rect "
      "width=\"100%\" height=\"100%\"{2}/>\n",
      size.x, size.y, paint("fill", background));
}

std::string SvgCanvas::finish() {
  while (clips_ > 0) pop_clip();
  return out_ + "</svg>\n";
}

void SvgCanvas::fill(ImVec2 a, ImVec2 b, ImU32 color, float rounding) {
  out_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"", a.x, a.y,
                      std::fmax(b.x - a.x, 0), std::fmax(b.y - a.y, 0));
  if (rounding > 0) out_ += fmt::format(" rx=\"{:.1f}\"", rounding);
  out_ += paint("fill", color) + "/>\n";
}

void SvgCanvas::frame(ImVec2 a, ImVec2 b, ImU32 color, float thickness, float rounding) {
  out_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"none\"", a.x, a.y,
                      std::fmax(b.x - a.x, 0), std::fmax(b.y - a.y, 0));
  if (rounding > 0) out_ += fmt::format(" rx=\"{:.1f}\"", rounding);
  out_ += paint("stroke", color) + fmt::format(" stroke-width=\"{:.2f}\"/>\n", thickness);
}

void SvgCanvas::line(ImVec2 a, ImVec2 b, ImU32 color, float thickness) {
  out_ += fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\"{} stroke-width=\"{:.2f}\"/>\n",
                      a.x, a.y, b.x, b.y, paint("stroke", color), thickness);
}

void SvgCanvas::polyline(std::span<const ImVec2> points, ImU32 color, float thickness) {
  out_ += "<polyline points=\"";
  for (const ImVec2& p : points) out_ += fmt::format("{:.2f},{:.2f} ", p.x, p.y);
  out_ += "\" fill=\"none\"" + paint("stroke", color) + fmt::format(" stroke-width=\"{:.2f}\"/>\n", thickness);
}

void SvgCanvas::polygon(std::span<const ImVec2> points, ImU32 color) {
  out_ += "<polygon points=\"";
  for (const ImVec2& p : points) out_ += fmt::format("{:.2f},{:.2f} ", p.x, p.y);
  out_ += "\"" + paint("fill", color) + "/>\n";
}

void SvgCanvas::text(ImVec2 at, ImU32 color, std::string_view raw, float size, Anchor anchor) {
  const std::string_view text = tr(raw);
  struct Place {
    float share;  // of the width, left of the anchor
    const char* attribute;
  };
  static constexpr Place kPlaces[] = {{0, ""}, {0.5F, " text-anchor=\"middle\""}, {1, " text-anchor=\"end\""}};
  if (text.empty()) return;
  const Place& place = kPlaces[static_cast<size_t>(anchor)];
  const float height = drawn_size(size), width = text_width(text, size);
  // The baseline lies some four fifths below the upper edge. The layout was made with our font's widths: the viewer
  // squeezes its own font into them; one that cannot do that at least keeps the anchor.
  out_ += fmt::format(
      "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.1f}\" textLength=\"{:.2f}\" "
      "lengthAdjust=\"spacingAndGlyphs\"{}{}>"
      "{}</text>\n",
      at.x + width * place.share, at.y + height * 0.8F, height, width, place.attribute, paint("fill", color),
      escaped(text));
}

void SvgCanvas::text_up(ImVec2 at, ImU32 color, std::string_view text, float size) {
  out_ += fmt::format("<g transform=\"translate({:.2f} {:.2f}) rotate(-90)\">", at.x, at.y);
  this->text({0, 0}, color, text, size, Anchor::Left);
  out_ += "</g>\n";
}

void SvgCanvas::push_clip(ImVec2 a, ImVec2 b) {
  ++clips_;
  out_ += fmt::format(
      "<svg x=\"{0:.2f}\" y=\"{1:.2f}\" width=\"{2:.2f}\" height=\"{3:.2f}\" viewBox=\"{0:.2f} {1:.2f} "
      "{2:.2f} {3:.2f}\" overflow=\"hidden\">\n",
      a.x, a.y, std::fmax(b.x - a.x, 0), std::fmax(b.y - a.y, 0));
}

void SvgCanvas::pop_clip() {
  if (clips_ == 0) return;
  --clips_;
  out_ += "</svg>\n";
}

}  // namespace et::gui
