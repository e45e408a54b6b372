#include "base/quantity.h"

#include <charconv>
#include <cmath>
#include <span>

#include "base/read_double.h"

namespace et {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit kShares[] = {{"", 1}, {"%", 0.01}};
constexpr Unit kTimes[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}, {"h", 3600}};
constexpr Unit kSizes[] = {{"", 1},     {"B", 1},      {"kB", 1e3},      {"KB", 1e3},     {"MB", 1e6},
                           {"GB", 1e9}, {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};

std::optional<double> parse(std::string_view text, std::span<const Unit> units) {
  double v = 0;
  const auto [end, error] = read_double(text.data(), text.data() + text.size(), &v);
  if (error != std::errc() || !std::isfinite(v) || v < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  while (text.starts_with(' ')) text.remove_prefix(1);
  for (const Unit& unit : units) {
    if (unit.name == text) return v * unit.factor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> parse_share(std::string_view text) { return parse(text, kShares); }

std::optional<double> parse_seconds(std::string_view text) {
  const std::optional<double> v = parse(text, kTimes);
  return v && *v > 0 ? v : std::nullopt;
}

std::optional<uint64_t> parse_bytes(std::string_view text) {
  const std::optional<double> v = parse(text, kSizes);
  if (!v || *v >= 0x1p63) return std::nullopt;
  return static_cast<uint64_t>(*v);
}

std::string number_text(double v) {
  char text[40];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), v);
  return {text, error == std::errc() ? end : text};
}

}  // namespace et
