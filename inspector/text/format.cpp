#include "inspector/text/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/utf8.h"

namespace et::inspector {
namespace {

struct KnownUnit {
  const char* name;
  double divisor;     // ns per unit
  int most_decimals;  // down to a nanosecond
};
constexpr std::array<KnownUnit, 4> kUnits = {{{"ns", 1, 0}, {"us", 1e3, 3}, {"ms", 1e6, 6}, {"s", 1e9, 9}}};

// Five digits tell neighbours apart; more are noise of the clock.
constexpr int kDigits = 5;

int digits_before_point(double value) {
  int digits = 1;
  for (value = std::fabs(value); value >= 10 && digits < 19; value /= 10) ++digits;
  return digits;
}

std::string group_thousands(std::string_view digits) {
  std::string out;
  out.reserve(digits.size() + digits.size() / 3);
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

// The unit in which three digits stand before the first thousand; what rounds to a thousand is 1.00 of the next.
const KnownUnit* own_unit(double ns) {
  const KnownUnit* unit = kUnits.data();
  for (const KnownUnit& u : kUnits) {
    if (ns >= 0.9995 * u.divisor) unit = &u;
  }
  return unit;
}

}  // namespace

Status choose_unit(std::string_view wish, std::string_view trace_unit, double largest, TimeUnit* out) {
  largest = std::isfinite(largest) ? std::fabs(largest) : 0;
  if (trace_unit == "cycles") {
    if (wish != "auto" && wish != "cycles") {
      return {Error::InvalidArgument,
              "--units " + std::string(wish) + ": the trace counts cycles; expected auto or cycles"};
    }
    *out = {"cycles", 1, 0};
    return {};
  }
  if (wish == "cycles")
    return {Error::InvalidArgument, "--units cycles: the trace counts nanoseconds; expected auto, ns, us, ms or s"};
  const KnownUnit* found = nullptr;
  if (wish == "auto") {
    found = &kUnits[0];
    for (const KnownUnit& u : kUnits) {
      if (largest >= 10 * u.divisor) found = &u;
    }
  } else {
    for (const KnownUnit& u : kUnits) {
      if (wish == u.name) found = &u;
    }
  }
  if (found == nullptr) {
    return {Error::InvalidArgument, "unknown unit '" + std::string(wish) + "': expected auto, ns, us, ms, s or cycles"};
  }
  // Values below one unit need as many digits behind the point as the others have before it.
  int decimals = kDigits - digits_before_point(largest / found->divisor);
  for (double v = largest / found->divisor; v > 0 && v < 1 && decimals < found->most_decimals; v *= 10) ++decimals;
  *out = {found->name, found->divisor, std::clamp(decimals, std::min(1, found->most_decimals), found->most_decimals),
          wish == "auto"};
  return {};
}

std::string format_count(int64_t value) {
  const std::string text = std::to_string(value);
  return text[0] == '-' ? "-" + group_thousands(std::string_view(text).substr(1)) : group_thousands(text);
}

std::string format_real(double value, int decimals) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (std::fabs(value) >= 1e18) return format_double(value);
  std::array<char, 64> buffer = {};
  const int n = std::snprintf(buffer.data(), buffer.size(), "%.*f", std::clamp(decimals, 0, 12), value);
  std::string_view text(buffer.data(), static_cast<size_t>(std::clamp(n, 0, 63)));
  std::string out;
  if (text[0] == '-') {
    text.remove_prefix(1);
    if (text.find_first_not_of("0.") != std::string_view::npos) out = "-";  // no "-0.0"
  }
  const size_t point = text.find('.');
  out += group_thousands(text.substr(0, point));
  if (point != std::string_view::npos) out += text.substr(point);
  return out;
}

std::string unit_name(const TimeUnit& unit) { return unit.name == "us" ? "µs" : unit.name; }

std::string unit_heading(const TimeUnit& unit) { return unit.by_cell ? "" : " (" + unit_name(unit) + ")"; }

std::string format_nanoseconds(double ns) {
  if (!std::isfinite(ns)) return format_real(ns, 0);
  const double size = std::fabs(ns);
  if (size < 999.5 && ns == std::round(ns)) return format_real(ns, 0) + " ns";
  const KnownUnit* unit = own_unit(size);
  const double value = size / unit->divisor;
  const int decimals = value < 9.995 ? 2 : (value < 99.95 ? 1 : 0);
  return format_real(ns / unit->divisor, decimals) + " " + unit_name({unit->name});
}

std::string format_interval(double low, double high, const TimeUnit& unit) {
  if (!unit.by_cell || !std::isfinite(low) || !std::isfinite(high))
    return format_duration(low, unit) + "–" + format_duration(high, unit);
  const KnownUnit* own = own_unit(std::fabs(high));
  const double value = std::fabs(high) / own->divisor;
  const int decimals = std::min(value < 9.995 ? 3 : (value < 99.95 ? 2 : 1), own->most_decimals);
  return format_real(low / own->divisor, decimals) + "–" + format_real(high / own->divisor, decimals) + " " +
         unit_name({own->name});
}

std::string format_duration(double ticks, const TimeUnit& unit) {
  return unit.by_cell ? format_nanoseconds(ticks) : format_real(ticks / unit.divisor, unit.decimals);
}

std::string format_duration_named(double ticks, const TimeUnit& unit) {
  return format_duration(ticks, unit) + (unit.by_cell ? "" : " " + unit_name(unit));
}

std::string format_duration_with_unit(double ticks, std::string_view trace_unit, std::string_view wish) {
  TimeUnit unit;
  if (!choose_unit(wish, trace_unit, ticks, &unit).ok()) unit = TimeUnit{std::string(trace_unit), 1, 0};
  if (unit.decimals > 0) {  // alone in a sentence four digits are enough
    unit.decimals = std::max(unit.decimals - 1, 1);
  }
  return format_duration_named(ticks, unit);
}

std::string format_share(double share) {
  if (!std::isfinite(share)) return "";
  if (share > 0 && share < 0.0005) return "<0.1%";
  if (share > 0.9995 && share < 1) return ">99.9%";
  return format_real(share * 100, 1) + "%";
}

std::string format_bar(double share, int width) {
  static constexpr std::array<const char*, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!std::isfinite(share) || width <= 0) share = 0;
  share = std::clamp(share, 0.0, 1.0);
  width = std::max(width, 0);
  auto eighths = static_cast<int>(std::lround(share * width * 8));
  if (share > 0 && eighths == 0) eighths = 1;
  std::string out;
  for (int i = 0; i < eighths / 8; ++i) out += "█";
  out += kEighths[static_cast<size_t>(eighths % 8)];
  const int used = eighths / 8 + (eighths % 8 != 0 ? 1 : 0);
  out.append(static_cast<size_t>(std::max(width - used, 0)), ' ');
  return out;
}

namespace {

/// The unit that bytes are said in, and how many it has.
std::pair<const char*, double> byte_unit(int64_t bytes) {
  static constexpr std::array<const char*, 7> kNames = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  double size = 1;
  for (; std::fabs(static_cast<double>(bytes)) >= 1024 * size && unit + 1 < kNames.size(); ++unit) size *= 1024;
  return {kNames[unit], size};
}

}  // namespace

std::string format_bytes(int64_t bytes) {
  const auto [name, size] = byte_unit(bytes);
  const double value = static_cast<double>(bytes) / size;
  return format_real(value, size == 1 || std::fabs(value) >= 100 ? 0 : 1) + " " + name;
}

std::string format_bytes(int64_t bytes, int64_t step) {
  const auto [name, size] = byte_unit(bytes);
  int decimals = 0;
  for (double part = static_cast<double>(step) / size; decimals < 2 && part != std::floor(part); part *= 10) ++decimals;
  return format_real(static_cast<double>(bytes) / size, decimals) + " " + name;
}

std::string format_double(double value) {
  if (!std::isfinite(value)) return "";
  std::array<char, 40> buffer = {};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), result.ptr);
}

std::string format_scaled(double ticks, double divisor) { return format_double(ticks / divisor); }

void append_json_string(std::string* out, std::string_view text) {
  static constexpr const char* kHex = "0123456789abcdef";
  *out += '"';
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
      *out += static_cast<char>(c);
      ++i;
      continue;
    }
    const int length = utf8_length(text, i);
    if (length == 0) {
      *out += kReplacementCharacter;
      ++i;
    } else if (length > 1) {
      *out += text.substr(i, static_cast<size_t>(length));
      i += static_cast<size_t>(length);
    } else {
      switch (c) {
        case '"':
          *out += "\\\"";
          break;
        case '\\':
          *out += "\\\\";
          break;
        case '\n':
          *out += "\\n";
          break;
        case '\r':
          *out += "\\r";
          break;
        case '\t':
          *out += "\\t";
          break;
        default:
          *out += "\\u00";
          *out += kHex[c >> 4];
          *out += kHex[c & 15];
      }
      ++i;
    }
  }
  *out += '"';
}

int text_width(std::string_view text) {
  int width = 0;
  for (size_t i = 0; i < text.size(); ++width) i += static_cast<size_t>(std::max(utf8_length(text, i), 1));
  return width;
}

std::string shorten_middle(std::string_view text, int width) {
  if (width <= 0) return "";
  const int have = text_width(text);
  if (have <= width) return std::string(text);
  // The end tells more apart than the beginning: numbers and file names stand there.
  const int tail = width / 2, head = width - 1 - tail;
  std::string out;
  int at = 0;
  for (size_t i = 0; i < text.size(); ++at) {
    const auto length = static_cast<size_t>(std::max(utf8_length(text, i), 1));
    if (at < head || at >= have - tail) out += text.substr(i, length);
    if (at == head) out += "…";
    i += length;
  }
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const int length = utf8_length(text, i);
    const auto c = static_cast<unsigned char>(text[i]);
    if (length == 0) {
      out += kReplacementCharacter;
      ++i;
      continue;
    }
    const bool c1 = length == 2 && c == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (c == '\n' || c == '\t' || c == '\r') {
      out += ' ';
    } else if ((length == 1 && (c < 0x20 || c == 0x7f)) || c1) {
      out += '?';
    } else {
      out += text.substr(i, static_cast<size_t>(length));
    }
    i += static_cast<size_t>(length);
  }
  return out;
}

}  // namespace et::inspector
