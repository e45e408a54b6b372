#include "gui/models/sql_columns.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>
#include <variant>

#include "gui/core/text.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::SqlCell;
using inspector::SqlResult;

namespace {

bool is_time_name(std::string_view column) { return column == "ns" || column.ends_with("_ns"); }
/// Points on a clock, which may run since the machine's start: three digits of one are the same in all rows.
bool is_moment_name(std::string_view column) { return column == "start_ns" || column == "end_ns"; }
std::string clock_text(double ns) {
  constexpr double kNsPerSecond = 1e9;
  const double seconds = std::floor(ns / kNsPerSecond);
  std::array<char, 16> rest = {};
  std::snprintf(rest.data(), rest.size(), ".%09lld s", std::llround(ns - seconds * kNsPerSecond) % 1000000000LL);
  return inspector::format_count(static_cast<int64_t>(seconds)) + rest.data();
}
bool is_bytes_name(std::string_view column) { return column == "bytes" || column.ends_with("_bytes"); }

/// The unit of an expression that has no name of its own: a column is called by its text then. Times and bytes stay
/// what they are in sums and differences, as the argument of functions that keep it, and divided by a count; scaled by
/// a number they are of a unit that nobody knows.
class SqlUnit {
 public:
  enum class Unit : uint8_t { Time, Bytes, Count, Zero, Unknown };
  explicit SqlUnit(std::string_view text) : text_(text) {}
  Unit unit() {
    const Unit unit = sum();
    return at_ >= text_.size() ? unit : Unit::Unknown;
  }

 private:
  static bool is_amount(Unit unit) { return unit == Unit::Time || unit == Unit::Bytes; }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    skip();
    return true;
  }
  Unit sum() {
    Unit out = product();
    while (take('+') || take('-')) {
      const Unit next = product();
      out = out == Unit::Zero ? next : next == Unit::Zero || next == out ? out : Unit::Unknown;
    }
    return out;
  }
  Unit product() {
    Unit out = factor();
    for (;;) {
      const bool times = take('*');
      if (!times && !take('/')) return out;
      const Unit next = factor();
      if (times && out == Unit::Count && is_amount(next))
        out = next;
      else if (!is_amount(out) || next != Unit::Count)
        out = Unit::Unknown;
    }
  }
  Unit factor() {
    skip();
    if (++depth_ > 50) return Unit::Unknown;
    if (take('(')) {
      const Unit inner = sum();
      return take(')') ? inner : Unit::Unknown;
    }
    const size_t from = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    std::string name = lower(text_.substr(from, at_ - from));
    if (name.empty()) return fail();
    if (take('(')) return call(name);
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0)
      return name.find_first_not_of("0.") == std::string::npos ? Unit::Zero : Unit::Unknown;
    if (const size_t dot = name.rfind('.'); dot != std::string::npos) name.erase(0, dot + 1);
    if (is_time_name(name)) return Unit::Time;
    if (is_bytes_name(name)) return Unit::Bytes;
    return name == "count" || name == "calls" || name == "executions" || name == "ops" ? Unit::Count : Unit::Unknown;
  }
  Unit call(const std::string& name) {
    if (name == "count") {
      at_ = std::min(text_.find(')', at_), text_.size());
      return take(')') ? Unit::Count : Unit::Unknown;
    }
    const bool keeps = name == "sum" || name == "max" || name == "min" || name == "avg" || name == "total" ||
                       name == "abs" || name == "round" || name == "coalesce" || name == "ifnull";
    const Unit first = sum();
    if (!keeps) return fail();
    // Digits of round, and what stands in for NULL.
    while (take(',')) {
      if (name == "round") {
        while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
      } else if (const Unit other = sum(); other != first && other != Unit::Zero) {
        return fail();
      }
    }
    return take(')') ? first : Unit::Unknown;
  }
  Unit fail() {
    at_ = text_.size() + 1;
    return Unit::Unknown;
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

/// A name that is no expression: an alias, or a column itself.
bool is_plain_name(std::string_view column) { return column.find_first_of(" ()+-*/,") == std::string_view::npos; }

}  // namespace

bool is_sql_key(const std::string& column) {
  return column == "line" || column == "ordinal" || column == "id" || column.ends_with("_id") ||
         column == "execution" || column == "instr" || column.ends_with("instruction");
}

SqlMeasure sql_measure(const std::string& column, const std::string& unit) {
  if (is_sql_key(column)) return SqlMeasure::Key;
  if (unit.empty()) return SqlMeasure::Other;
  if (column == "share" || column.ends_with("_share")) return SqlMeasure::Share;
  // Of another unit (cycles) the name says nothing.
  const bool times = unit == "ns";
  if (is_plain_name(column)) {
    if (is_time_name(column) && times) return SqlMeasure::Time;
    return is_bytes_name(column) ? SqlMeasure::Bytes : SqlMeasure::Other;
  }
  const SqlUnit::Unit found = SqlUnit(column).unit();
  if (found == SqlUnit::Unit::Time && times) return SqlMeasure::Time;
  return found == SqlUnit::Unit::Bytes ? SqlMeasure::Bytes : SqlMeasure::Other;
}

std::string sql_figure(const std::string& column, double value, const std::string& unit) {
  constexpr double kMostBytes = 9e15;  // beyond it is no whole number
  switch (sql_measure(column, unit)) {
    case SqlMeasure::Share:
      return std::fabs(value) < 10 ? inspector::format_share(value) : std::string();
    case SqlMeasure::Time:
      if (is_moment_name(column) && value >= 0 && value < kMostBytes) return clock_text(value);
      return inspector::format_nanoseconds(value);
    case SqlMeasure::Bytes:
      return std::fabs(value) < kMostBytes ? inspector::format_bytes(std::llround(value)) : std::string();
    default:
      return {};
  }
}

std::string sql_cell_text(const std::string& column, const SqlCell& cell, const std::string& unit) {
  const auto* const whole = std::get_if<int64_t>(&cell);
  const auto* const real = std::get_if<double>(&cell);
  if (whole != nullptr || real != nullptr) {
    const double value = whole != nullptr ? static_cast<double>(*whole) : *real;
    if (std::string figure = sql_figure(column, value, unit); !figure.empty()) return figure;
  }
  return whole != nullptr && is_sql_key(column) ? std::to_string(*whole) : inspector::cell_text(cell);
}

std::string sql_heading(const inspector::SqlColumn& column, const std::string& unit) {
  if (!column.number || sql_measure(column.name, unit) != SqlMeasure::Time) return column.name;
  // Of a computed column, "cold_ns - usual_ns", the rest would be half an expression.
  if (!is_plain_name(column.name)) return column.name;
  return column.name == "ns" ? "time" : column.name.substr(0, column.name.size() - 3);
}

SqlContent sql_content(const inspector::SqlResult& result, const std::vector<uint32_t>& order, size_t column) {
  constexpr size_t kLookedAt = 500;
  bool any = false, paths = true;
  for (size_t i = 0; i < std::min(order.size(), kLookedAt); ++i) {
    const auto& cell = result.at(order[i], column);
    if (std::holds_alternative<std::monostate>(cell)) continue;
    const auto* const text = std::get_if<std::string>(&cell);
    any = true;
    paths = paths && text != nullptr && text->find('/') < text->find_first_of(" \n");
  }
  return !any ? SqlContent::Nothing : paths ? SqlContent::Paths : SqlContent::Mixed;
}

std::string sql_tick(SqlMeasure measure, double value, double largest) {
  // 12,000,000 and not 1.2e+07.
  const auto number = [](double n) {
    if (n == std::floor(n) && std::fabs(n) >= 1e4 && std::fabs(n) < 1e15)
      return inspector::format_count(static_cast<int64_t>(n));
    std::array<char, 40> text = {};
    std::snprintf(text.data(), text.size(), "%.6g", n + 0.0);
    return std::string(text.data());
  };
  switch (measure) {
    case SqlMeasure::Time: {
      if (value == 0) return "0";
      inspector::TimeUnit unit;
      const char* const name = largest < 1e3 ? "ns" : largest < 1e6 ? "us" : largest < 1e9 ? "ms" : "s";
      (void)inspector::choose_unit(name, "ns", largest, &unit);
      return number(value / unit.divisor) + " " + inspector::unit_name(unit);
    }
    case SqlMeasure::Share:
      return number(value * 100) + "%";
    case SqlMeasure::Bytes: {
      if (value == 0) return "0";
      static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
      size_t unit = 0;
      for (; unit + 1 < kUnits.size() && std::fabs(value) >= 1024; ++unit) value /= 1024;
      return number(value) + " " + kUnits[unit];
    }
    case SqlMeasure::Key:
      return value == std::floor(value) && std::fabs(value) < 1e15 ? std::to_string(std::llround(value)) : "";
    case SqlMeasure::Other:
      break;
  }
  return number(value);
}

std::vector<double> sql_byte_ticks(double low, double high, int most) {
  std::vector<double> out;
  if (!(high > low) || most < 1) return out;
  double step = 1;
  while ((high - low) / step > most) step *= 2;
  for (double at = std::ceil(low / step) * step; at <= high; at += step) out.push_back(at);
  return out;
}

SqlRange sql_range(std::span<const double> values, bool amounts) {
  constexpr double kMargin = 0.05;
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double low = amounts ? std::min(*least, 0.0) : *least, high = amounts ? std::max(*most, 0.0) : *most;
  if (!(high > low)) return {low - (amounts && low >= 0 ? 0 : 0.5), high + (amounts ? 1 : 0.5)};
  const double margin = (high - low) * kMargin;
  // What stands on zero begins there.
  return {amounts && low >= 0 ? 0 : low - margin, amounts && high <= 0 ? 0 : high + margin};
}

namespace {

/// "h.9" before "h.10": numbers within texts by their value.
int compare_naturally(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto number = [&](std::string_view text, size_t* at) {
        while (*at < text.size() && text[*at] == '0') ++*at;
        const size_t begin = *at;
        while (*at < text.size() && is_digit(text[*at])) ++*at;
        return text.substr(begin, *at - begin);
      };
      const std::string_view x = number(a, &i), y = number(b, &j);
      if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
      if (const int order = x.compare(y); order != 0) return order;
      continue;
    }
    const char x = lower(a[i++]), y = lower(b[j++]);
    if (x != y) return static_cast<unsigned char>(x) < static_cast<unsigned char>(y) ? -1 : 1;
  }
  if (a.size() - i != b.size() - j) return i == a.size() ? -1 : 1;
  return a.compare(b);
}

}  // namespace

bool sql_before(const SqlCell& a, const SqlCell& b, bool descending) {
  const bool no_a = std::holds_alternative<std::monostate>(a), no_b = std::holds_alternative<std::monostate>(b);
  if (no_a || no_b) return no_b && !no_a;
  const auto *x = std::get_if<std::string>(&a), *y = std::get_if<std::string>(&b);
  if (x == nullptr || y == nullptr) return descending ? inspector::cell_less(b, a) : inspector::cell_less(a, b);
  const int order = compare_naturally(*x, *y);
  return descending ? order > 0 : order < 0;
}

}  // namespace et::gui
