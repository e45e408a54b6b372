#include "inspector/analysis/gap/distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace et::inspector {
namespace {

void summarise_numbers(const std::vector<double>& numbers, Spread* out) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double least = HUGE_VAL, most = -HUGE_VAL, mean = 0, squares = 0;
  out->elements = numbers.size();
  for (const double v : numbers) {
    out->nan += std::isnan(v);
    out->inf += std::isinf(v);
    if (!std::isfinite(v)) continue;
    ++out->finite;
    out->zeros += v == 0;
    least = std::min(least, v);
    most = std::max(most, v);
    // Welford: sums of squares would lose what a large mean leaves.
    const double off = v - mean;
    mean += off / static_cast<double>(out->finite);
    squares += off * (v - mean);
  }
  const bool any = out->finite > 0;
  out->least = any ? least : kNone;
  out->most = any ? most : kNone;
  out->mean = any ? mean : kNone;
  out->deviation = any ? std::sqrt(squares / static_cast<double>(out->finite)) : kNone;
}

void fill_bins(const std::vector<double>& numbers, double low, double high, size_t bins, Spread* out) {
  out->bins.assign(bins, 0);
  // Halves, since the width of all doubles is none.
  const double width = high / 2 - low / 2;
  for (const double v : numbers) {
    if (!std::isfinite(v)) continue;
    const double part = width > 0 ? (v / 2 - low / 2) / width : 0;
    ++out->bins[std::min(static_cast<size_t>(std::clamp(part, 0.0, 1.0) * static_cast<double>(bins)), bins - 1)];
  }
}

/// Whole numbers in bins of as many of them each, or some would count more values than others and look like peaks.
/// Widths that fill all bins are best; about as many bins as were asked for. False: they are too many to tell apart.
bool fit_whole_numbers(size_t* bins, Distributions* out) {
  constexpr double kMostExact = 1e15;  // a double still has all their digits, and halves
  const double values = out->high - out->low + 1, wanted = static_cast<double>(std::max<size_t>(*bins, 1));
  if (!(values > 1) || std::abs(out->low) > kMostExact || std::abs(out->high) > kMostExact) return false;
  constexpr double kTries = 1000;
  const double widest = std::max(1.0, std::ceil(values / wanted));
  double width = widest, least = values;
  for (double w = widest; w >= std::max({1.0, std::floor(widest / 2), widest - kTries}); --w) {
    const double lacking = std::ceil(values / w) * w - values;
    if (lacking < least) least = lacking, width = w;
  }
  *bins = static_cast<size_t>(std::ceil(values / width));
  out->low -= 0.5;
  out->high = out->low + static_cast<double>(*bins) * width;
  return true;
}

bool is_whole(const GapSide& side, size_t value) {
  const std::string& dtype = side.values[value].dtype;
  return dtype.starts_with("int") || dtype.starts_with("uint");
}

Status read_side(const GapSide& side, size_t value, std::vector<double>* out) {
  const LoggedValue& v = side.values[value];
  ScalarType type{};
  std::span<const uint8_t> bytes;
  if (Status s = side.read(value, &bytes); !s.ok()) return s;
  const bool known = scalar_type_of(v.dtype, &type) && read_numbers(type, bytes, out);
  side.release();
  if (known) return {};
  return {Error::InvalidArgument, "no numbers: " + v.dtype};
}

}  // namespace

Status distributions_of(const GapSide& run, const GapSide& reference, const GapRow& row, size_t bins,
                        Distributions* out) {
  *out = {};
  std::vector<double> got, want;
  if (Status s = read_side(run, row.value, &got); !s.ok()) return s;
  if (Status s = read_side(reference, row.reference, &want); !s.ok()) return s;
  summarise_numbers(got, &out->got);
  summarise_numbers(want, &out->want);
  if (out->got.finite + out->want.finite == 0) return {};
  out->low = std::fmin(out->got.least, out->want.least);  // fmin() takes no NaN where there is a number
  out->high = std::fmax(out->got.most, out->want.most);
  const bool whole = is_whole(run, row.value) && is_whole(reference, row.reference);
  if (whole && fit_whole_numbers(&bins, out)) {
    // in bins of their own
  } else if (out->low == out->high) {
    const double room = std::max(std::abs(out->low) * 0.5, 0.5);
    out->low -= room;
    out->high += room;
  }
  fill_bins(got, out->low, out->high, bins, &out->got);
  fill_bins(want, out->low, out->high, bins, &out->want);
  return {};
}

}  // namespace et::inspector
