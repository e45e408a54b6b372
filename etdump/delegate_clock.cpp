// Parsing of delegate clocks and exact conversion to ns.
#include "etdump/delegate_clock.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace et::etdump {

namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;

struct UnitRow {
  const char* name;
  ClockUnit unit;
  uint64_t ns;  // of one, 0: needs a rate
};
constexpr UnitRow kUnits[] = {
    {"ns", ClockUnit::Ns, 1},          {"us", ClockUnit::Us, 1'000},     {"ms", ClockUnit::Ms, 1'000'000},
    {"s", ClockUnit::S, kNsPerSecond}, {"cycles", ClockUnit::Cycles, 0}, {"ticks", ClockUnit::Ticks, 0},
};

struct RateRow {
  const char* name;  // lower case
  uint64_t hz;
};
constexpr RateRow kRates[] = {{"hz", 1}, {"khz", 1'000}, {"mhz", 1'000'000}, {"ghz", kNsPerSecond}};

constexpr const char* kForms = "Backend=ns|us|ms|s, Backend=cycles, Backend=cycles@1.2GHz or Backend=ticks@19.2MHz";

Error complain(std::string_view text, const std::string& why, std::string* message) {
  if (message != nullptr) *message = "delegate clock \"" + std::string(text) + "\": " + why;
  return Error::InvalidArgument;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view text, const char* word) {
  size_t i = 0;
  for (; i < text.size() && word[i] != 0; ++i) {
    if (lower(text[i]) != word[i]) return false;
  }
  return i == text.size() && word[i] == 0;
}

// "1.2GHz" → ns per cycle as an exact fraction. Null on success, else what is wrong.
const char* parse_rate(std::string_view text, uint64_t* numerator, uint64_t* denominator) {
  uint64_t digits = 0;
  uint64_t scale = 1;  // value = digits / scale
  bool point = false;
  bool any = false;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    any = true;
    if (digits > 99'999'999'999) return "a rate of at most 12 digits";
    digits = digits * 10 + static_cast<uint64_t>(c - '0');
    if (point) scale *= 10;
  }
  if (!any) return "a number after '@'";
  uint64_t hz = 0;
  for (const RateRow& row : kRates) {
    if (same_word(text.substr(i), row.name)) hz = row.hz;
  }
  if (hz == 0) return "a rate in Hz, kHz, MHz or GHz";
  if (digits == 0) return "a rate above zero";
  // ns per cycle = 1e9 × scale / (digits × hz). Reducing pairs first keeps all products below 2^64.
  uint64_t above = kNsPerSecond / hz;  // hz divides 1e9
  uint64_t below = digits;
  const uint64_t g = std::gcd(scale, below);
  const uint64_t top = scale / g;
  below /= g;
  const uint64_t h = std::gcd(above, below);
  above /= h;
  below /= h;
  if (above > std::numeric_limits<uint64_t>::max() / top) return "a higher rate";
  *numerator = above * top;
  *denominator = below;
  return nullptr;
}

}  // namespace

const char* clock_unit_name(ClockUnit unit) {
  for (const UnitRow& row : kUnits) {
    if (row.unit == unit) return row.name;
  }
  return "unknown";
}

uint64_t DelegateClock::to_ns(uint64_t value, bool* ok) const {
  *ok = false;
  if (denominator == 0) return 0;
  // value × n / d with value = q·d + r: q·n + r·n / d, each step checked.
  const uint64_t q = value / denominator;
  const uint64_t r = value % denominator;
  uint64_t whole = 0;
  uint64_t rest = 0;
  uint64_t sum = 0;
  if (__builtin_mul_overflow(q, numerator, &whole) || __builtin_mul_overflow(r, numerator, &rest)) return 0;
  const uint64_t remainder = rest % denominator;
  const uint64_t rounded = rest / denominator + (remainder >= denominator - remainder && remainder != 0 ? 1 : 0);
  if (__builtin_add_overflow(whole, rounded, &sum)) return 0;
  *ok = true;
  return sum;
}

double DelegateClock::to_ns(double value) const {
  if (denominator == 0) return std::numeric_limits<double>::quiet_NaN();
  return value * static_cast<double>(numerator) / static_cast<double>(denominator);
}

Error parse_delegate_clock(std::string_view text, DelegateClock* out, std::string* message) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0)
    return complain(text, std::string("expected ") + kForms, message);
  const std::string_view spec = text.substr(equals + 1);
  const size_t at = spec.find('@');
  const std::string_view unit = spec.substr(0, at);

  const UnitRow* row = nullptr;
  for (const UnitRow& candidate : kUnits) {
    if (unit == candidate.name) row = &candidate;
  }
  if (row == nullptr) return complain(text, "unknown unit \"" + std::string(unit) + "\", expected " + kForms, message);

  DelegateClock clock;
  clock.backend = std::string(text.substr(0, equals));
  clock.unit = row->unit;
  clock.numerator = row->ns;
  clock.denominator = row->ns != 0 ? 1 : 0;
  if (at == std::string_view::npos) {
    if (row->unit == ClockUnit::Ticks) return complain(text, "ticks need a rate, for example ticks@19.2MHz", message);
  } else {
    if (row->ns != 0) return complain(text, "only cycles and ticks take a rate", message);
    const char* wanted = parse_rate(spec.substr(at + 1), &clock.numerator, &clock.denominator);
    if (wanted != nullptr) return complain(text, std::string("expected ") + wanted, message);
  }
  *out = std::move(clock);
  return Error::Ok;
}

Error DelegateClocks::add(std::string_view text, std::string* message) {
  DelegateClock clock;
  if (const Error e = parse_delegate_clock(text, &clock, message); e != Error::Ok) return e;
  if (find(clock.backend) != nullptr)
    return complain(text, "the backend \"" + clock.backend + "\" already has a clock", message);
  clocks_.push_back(std::move(clock));
  return Error::Ok;
}

const DelegateClock* DelegateClocks::find(std::string_view backend) const {
  for (const DelegateClock& clock : clocks_) {
    if (clock.backend == backend) return &clock;
  }
  return nullptr;
}

}  // namespace et::etdump
