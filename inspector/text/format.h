// How numbers and texts become characters: the one place for units, digits, separators, shares and escaping.
// Nothing here knows the store or a report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace et::inspector {

/// How the durations of one table are written: each in the unit that fits it, or all in one.
struct TimeUnit {
  std::string name = "ns";  // ns, us, ms, s or cycles: what programs read; people read unit_name()
  double divisor = 1;       // ticks of the trace per unit
  int decimals = 0;         // digits behind the point that a table shows
  bool by_cell = false;     // each duration names its own unit; the others are for axes, of the largest
};

/// `wish` is auto, ns, us, ms, s or cycles; `trace_unit` is traces.unit; `largest` is the largest value to be shown, in
/// the trace's unit. auto lets each duration have its own unit; cycles are counts, whatever their size.
/// Errors: InvalidArgument for an unknown unit, and for cycles asked of nanoseconds or the other way round.
Status choose_unit(std::string_view wish, std::string_view trace_unit, double largest, TimeUnit* out);

/// 1234567 -> "1,234,567".
std::string format_count(int64_t value);
/// Fixed digits with thousands separators: (1234.5, 2) -> "1,234.50". Infinite and NaN: "inf", "-inf", "nan".
std::string format_real(double value, int decimals);
/// For people: "µs" for us.
std::string unit_name(const TimeUnit& unit);
/// What a heading says of the unit: " (µs)", or "" where each cell says it.
std::string unit_heading(const TimeUnit& unit);
/// Three significant digits and the unit in which they stand before the first thousand: "1.39 ms", "120 µs", "820 ns".
/// Whole nanoseconds have no point.
std::string format_nanoseconds(double ns);
/// As a cell below unit_heading(): with its own unit when the unit is by cell, else the number alone.
std::string format_duration(double ticks, const TimeUnit& unit);
/// As format_duration(), always with the unit: for sentences.
std::string format_duration_named(double ticks, const TimeUnit& unit);
/// An interval in the unit of its upper end, with one digit more, as its ends are near each other: "10.69–10.76 µs";
/// in a unit of the whole table "10.692–10.760".
std::string format_interval(double low, double high, const TimeUnit& unit);
/// For a single value in a sentence, "12.3 ms"; `wish` as in choose_unit().
std::string format_duration_with_unit(double ticks, std::string_view trace_unit, std::string_view wish = "auto");
/// 0.1234 -> "12.3%"; not 0 but less than 0.05%: "<0.1%"; more than 99.95% but not all: ">99.9%".
std::string format_share(double share);
/// `width` cells of block characters, in eighths: (0.5, 4) -> "██  ". Out of range is clamped.
std::string format_bar(double share, int width);
/// "512 B", "1.5 KiB", "12 MiB".
std::string format_bytes(int64_t bytes);
/// Of an axis: with as many decimals as tell it from its neighbours, `step` apart; two at most.
std::string format_bytes(int64_t bytes, int64_t step);
/// Shortest text that reads back as the same double; "" for infinite and NaN (JSON and CSV have none).
std::string format_double(double value);
/// Rounds away from binary noise: ticks / divisor as the shortest decimal, e.g. 1234567 / 1000 -> "1234.567".
std::string format_scaled(double ticks, double divisor);

/// Appends `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string* out, std::string_view text);

/// Number of code points; bytes that are not UTF-8 count one each.
int text_width(std::string_view text);
/// At most `width` code points: the middle is replaced by "…".
std::string shorten_middle(std::string_view text, int width);
/// For a terminal: control characters become "?" (a newline or tab: a space), bytes that are not UTF-8 U+FFFD.
std::string printable(std::string_view text);

}  // namespace et::inspector
