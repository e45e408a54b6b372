#include "gui/models/timeline_view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr double kNarrowest = 20;       // ticks: nothing is to be seen between them
constexpr double kGlidePerSecond = 18;  // most of a way is done in a tenth of a second
constexpr double kArrived = 1e-4;       // of the span: less than a pixel

/// Ticks of a clock in a unit that keeps numbers short.
struct Scale {
  double divisor;
  const char* name;
};
constexpr std::array<Scale, 4> kNanoseconds = {{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};
constexpr std::array<Scale, 4> kCycles = {{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};

const Scale& scale_for(double largest, std::string_view unit) {
  const auto& scales = unit == "ns" ? kNanoseconds : kCycles;
  for (const Scale& s : scales) {
    if (largest >= s.divisor) return s;
  }
  return scales.back();
}

std::string written(double ticks, const Scale& scale, double step) {
  const double digits = std::log10(scale.divisor / step);
  const int decimals = digits <= 0 ? 0 : static_cast<int>(std::ceil(digits - 1e-9));
  std::string text = inspector::format_real(ticks / scale.divisor, decimals);
  if (*scale.name != 0) text += std::string(" ") + scale.name;
  return text;
}

}  // namespace

void TimelineView::set_extent(int64_t begin, int64_t end) {
  origin_ = begin;
  extent_ = std::max<double>(static_cast<double>(end - begin), 1);
  show_all();
  jump();
}

void TimelineView::want(Span span) {
  double width = span.end - span.begin;
  const double middle = (span.begin + span.end) / 2;
  const double widest = std::max(extent_ * 1.1, kNarrowest);
  width = std::clamp(width, kNarrowest, widest);
  double begin = std::abs(width - (span.end - span.begin)) > 0 ? middle - width / 2 : span.begin;
  // A quarter of the view may be empty at the edges; a view of more than the trace has all of it.
  const double room = width < extent_ ? width / 4 : 0, other = extent_ + room - width;
  begin = std::clamp(begin, std::min(-room, other), std::max(-room, other));
  wanted_ = {begin, begin + width};
}

void TimelineView::zoom(double factor, double at) {
  const double width = wanted_.end - wanted_.begin;
  const double fixed = wanted_.begin + at * width;
  const double after = std::clamp(width * factor, kNarrowest, std::max(extent_ * 1.1, kNarrowest));
  want({fixed - at * after, fixed + (1 - at) * after});
}

void TimelineView::pan(double part) {
  const double shift = part * (wanted_.end - wanted_.begin);
  const double before = wanted_.begin;
  want({wanted_.begin + shift, wanted_.end + shift});
  shown_.begin += wanted_.begin - before;
  shown_.end += wanted_.begin - before;
}

void TimelineView::show(double begin, double end, double margin) {
  const double room = std::max((end - begin) * margin, 0.0);
  want({begin - room, end + room});
}

void TimelineView::reveal(double begin, double end) {
  const double width = wanted_.end - wanted_.begin, length = end - begin;
  if (length > width || length < width / 500) return show(begin, end, 2);
  if (begin >= wanted_.begin && end <= wanted_.end) return;
  const double middle = (begin + end) / 2;
  want({middle - width / 2, middle + width / 2});
}

bool TimelineView::glide(double seconds) {
  const double part = 1 - std::exp(-std::clamp(seconds, 0.0, 0.1) * kGlidePerSecond);
  const double width = wanted_.end - wanted_.begin;
  const double before = wanted_.begin - shown_.begin, after = wanted_.end - shown_.end;
  if (std::abs(before) < width * kArrived && std::abs(after) < width * kArrived) {
    shown_ = wanted_;
    return false;
  }
  shown_.begin += before * part;
  shown_.end += after * part;
  return true;
}

Ruler make_ruler(double begin, double end, double width, double spacing, std::string_view unit) {
  Ruler ruler;
  if (!(end > begin) || width < spacing) return ruler;
  const double least = std::max((end - begin) * spacing / width, 1.0);
  const double power = std::pow(10, std::floor(std::log10(least) + 1e-9));
  double step = power * 10;
  int minor = 5;
  for (const auto& [factor, parts] : {std::pair(1.0, 5), std::pair(2.0, 4), std::pair(5.0, 5)}) {
    if (power * factor < least * (1 - 1e-9)) continue;
    step = power * factor;
    minor = parts;
    break;
  }
  // Far from zero only the last digits differ: they count from a round time then.
  const double furthest = std::max(std::abs(begin), std::abs(end));
  double base = 0;
  if (furthest / step > 1e4) {
    const double round = std::pow(10, std::ceil(std::log10(end - begin)));
    base = std::floor(begin / round) * round;
    ruler.base = written(base, scale_for(std::abs(base), unit), round);
  }
  const Scale& scale = scale_for(std::max(std::abs(begin - base), std::abs(end - base)), unit);
  const double fine = step / minor;
  const auto first = static_cast<int64_t>(std::ceil(begin / fine)), last = static_cast<int64_t>(std::floor(end / fine));
  for (int64_t i = first; i <= last; ++i) {
    RulerTick tick{static_cast<double>(i) * fine, ""};
    if (i % minor == 0) {
      tick.label = written(tick.time - base, scale, step);
      if (!ruler.base.empty()) tick.label.insert(0, "+");
    }
    ruler.ticks.push_back(std::move(tick));
  }
  return ruler;
}

std::string time_at_pixel(double time, double per_pixel, std::string_view unit) {
  const double step = std::pow(10, std::floor(std::log10(std::max(per_pixel, 1.0)) + 1e-9));
  return written(time, scale_for(std::abs(time), unit), step);
}

}  // namespace et::gui
