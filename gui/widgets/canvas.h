// What a drawing is made of. The same code draws on the screen and into an SVG file.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <string_view>

namespace et::gui {

/// Which point of a text stays where it is when a viewer of the SVG file has another font.
enum class Anchor : unsigned char { Left, Middle, Right };

class Canvas {
 public:
  virtual ~Canvas() = default;
  /// Corners of the drawing, in pixels; y grows downwards.
  virtual ImVec2 min() const = 0;
  virtual ImVec2 max() const = 0;
  virtual void fill(ImVec2 a, ImVec2 b, ImU32 color, float rounding = 0) = 0;
  virtual void frame(ImVec2 a, ImVec2 b, ImU32 color, float thickness = 1, float rounding = 0) = 0;
  virtual void line(ImVec2 a, ImVec2 b, ImU32 color, float thickness = 1) = 0;
  virtual void polyline(std::span<const ImVec2> points, ImU32 color, float thickness = 1) = 0;
  virtual void polygon(std::span<const ImVec2> points, ImU32 color) = 0;  ///< filled, convex
  /// Left upper corner at `at`, whatever the anchor is; size 0: the current font's.
  virtual void text(ImVec2 at, ImU32 color, std::string_view text, float size = 0, Anchor anchor = Anchor::Left) = 0;
  /// Upright, read from below: `at` is the left lower corner, the letters' feet are at the right.
  virtual void text_up(ImVec2 at, ImU32 color, std::string_view text, float size = 0) = 0;
  virtual void push_clip(ImVec2 a, ImVec2 b) = 0;
  virtual void pop_clip() = 0;
};

/// Width of a text in the current font as it is shown, in the chosen language; size 0: its own.
float text_width(std::string_view text, float size = 0);
/// The same of a text, or a part of one, that is drawn as it is.
float width_as_is(std::string_view text, float size = 0);
/// Draws as much of `text` as fits into `width`, with … for the rest, left aligned and centred in height; nothing when
/// not even one character fits.
void text_in_box(Canvas& canvas, ImVec2 a, ImVec2 b, ImU32 color, std::string_view text);

/// On an ImGui window.
class ScreenCanvas : public Canvas {
 public:
  ScreenCanvas(ImDrawList* list, ImVec2 min, ImVec2 max) : list_(list), min_(min), max_(max) {}
  ImVec2 min() const override { return min_; }
  ImVec2 max() const override { return max_; }
  void fill(ImVec2 a, ImVec2 b, ImU32 color, float rounding) override { list_->AddRectFilled(a, b, color, rounding); }
  void frame(ImVec2 a, ImVec2 b, ImU32 color, float thickness, float rounding) override {
    list_->AddRect(a, b, color, rounding, 0, thickness);
  }
  void line(ImVec2 a, ImVec2 b, ImU32 color, float thickness) override { list_->AddLine(a, b, color, thickness); }
  void polyline(std::span<const ImVec2> points, ImU32 color, float thickness) override {
    list_->AddPolyline(points.data(), static_cast<int>(points.size()), color, 0, thickness);
  }
  void polygon(std::span<const ImVec2> points, ImU32 color) override {
    list_->AddConvexPolyFilled(points.data(), static_cast<int>(points.size()), color);
  }
  void text(ImVec2 at, ImU32 color, std::string_view text, float size, Anchor anchor) override;
  void text_up(ImVec2 at, ImU32 color, std::string_view text, float size) override;
  void push_clip(ImVec2 a, ImVec2 b) override { list_->PushClipRect(a, b, true); }
  void pop_clip() override { list_->PopClipRect(); }

 private:
  ImDrawList* list_;
  ImVec2 min_, max_;
};

/// Into the text of an SVG file.
class SvgCanvas : public Canvas {
 public:
  SvgCanvas(ImVec2 size, ImU32 background);
  std::string finish();  ///< the whole file

  ImVec2 min() const override { return {0, 0}; }
  ImVec2 max() const override { return size_; }
  void fill(ImVec2 a, ImVec2 b, ImU32 color, float rounding) override;
  void frame(ImVec2 a, ImVec2 b, ImU32 color, float thickness, float rounding) override;
  void line(ImVec2 a, ImVec2 b, ImU32 color, float thickness) override;
  void polyline(std::span<const ImVec2> points, ImU32 color, float thickness) override;
  void polygon(std::span<const ImVec2> points, ImU32 color) override;
  void text(ImVec2 at, ImU32 color, std::string_view text, float size, Anchor anchor) override;
  void text_up(ImVec2 at, ImU32 color, std::string_view text, float size) override;
  void push_clip(ImVec2 a, ImVec2 b) override;
  void pop_clip() override;

 private:
  ImVec2 size_;
  std::string out_;
  int clips_ = 0;
};

}  // namespace et::gui
