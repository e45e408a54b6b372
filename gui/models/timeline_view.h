// The span of time that a timeline shows: zooming about a point, panning, gliding to where it should be, and the ticks
// of its ruler. Times are doubles relative to the first execution, so that a nanosecond is still told apart after
// hours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace et::gui {

class TimelineView {
 public:
  /// Sets what can be seen at all, on the trace's clock, and shows it whole.
  void set_extent(int64_t begin, int64_t end);
  int64_t origin() const { return origin_; }  ///< time 0 of the view
  double extent() const { return extent_; }

  double begin() const { return shown_.begin; }
  double end() const { return shown_.end; }
  double span() const { return shown_.end - shown_.begin; }
  /// Where it glides to.
  double wanted_begin() const { return wanted_.begin; }
  double wanted_end() const { return wanted_.end; }

  /// `factor` < 1: nearer. `at`: 0 to 1, the place of the width that stays.
  void zoom(double factor, double at);
  /// Moves by that part of the width; > 0: to later times. At once: for drags.
  void pan(double part);
  /// Shows a span with a margin at both sides, which is a part of it.
  void show(double begin, double end, double margin = 0.05);
  /// Moves so that the span is seen, zooming only when it is larger than the view or a speck in it.
  void reveal(double begin, double end);
  void show_all() { show(0, extent_, 0.01); }
  /// Goes on towards the wanted span; true while it moves.
  bool glide(double seconds);
  void jump() { shown_ = wanted_; }

  double x_of(double time, double width) const { return (time - shown_.begin) / span() * width; }
  double time_at(double x, double width) const { return shown_.begin + x / width * span(); }

 private:
  struct Span {
    double begin = 0, end = 1;
  };
  void want(Span span);
  int64_t origin_ = 0;
  double extent_ = 1;
  Span shown_, wanted_;
};

struct RulerTick {
  double time = 0;
  std::string label;  ///< "" for minor ticks
};
struct Ruler {
  std::string base;  ///< when ticks are counted from a round time that is written once: "1.25 s", else ""
  std::vector<RulerTick> ticks;
};
/// Ticks at 1, 2 or 5 times a power of ten, at least `spacing` apart when the span is `width` wide.
Ruler make_ruler(double begin, double end, double width, double spacing, std::string_view unit);
/// A time as finely as a pixel of `per_pixel` ticks tells it.
std::string time_at_pixel(double time, double per_pixel, std::string_view unit);

}  // namespace et::gui
