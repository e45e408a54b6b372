#include "inspector/analysis/ops/basis.h"

#include <array>
#include <charconv>

namespace et::inspector {
namespace {

struct BasisRow {
  BasisKind kind;
  const char* name;
  const char* text;
  const char* whole;
};
constexpr std::array<BasisRow, 5> kBases = {{
    {BasisKind::WarmMedian, "warm", "warm median per execution", "the warm median"},
    {BasisKind::Mean, "mean", "mean per execution", "the mean execution"},
    {BasisKind::Total, "total", "sum of all executions", "all executions"},
    {BasisKind::Cold, "cold", "cold execution", "the cold execution"},
    {BasisKind::P99, "p99", "mean of the slowest executions (p99)", "the slowest executions"},
}};

}  // namespace

std::string Basis::name() const {
  for (const BasisRow& b : kBases) {
    if (b.kind == kind) return b.name;
  }
  return kind == BasisKind::Range ? "range" : "#" + std::to_string(execution);
}

std::string Basis::text() const {
  for (const BasisRow& b : kBases) {
    if (b.kind == kind) return b.text;
  }
  return kind == BasisKind::Range ? "sum in " + whole() : "execution " + name();
}

std::string Basis::whole() const {
  for (const BasisRow& b : kBases) {
    if (b.kind == kind) return b.whole;
  }
  if (kind != BasisKind::Range) return text();
  return span.empty() ? "the selected range" : span;
}

Status parse_basis(std::string_view text, Basis* out) {
  for (const BasisRow& b : kBases) {
    if (text == b.name) {
      *out = {b.kind};
      return {};
    }
  }
  const std::string_view digits = text.starts_with('#') ? text.substr(1) : text;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (!digits.empty() && error == std::errc() && end == digits.data() + digits.size() && number >= 0) {
    *out = {BasisKind::Execution, number};
    return {};
  }
  return {Error::InvalidArgument, "--basis '" + std::string(text) +
                                      "': expected warm, mean, total, cold, p99, or the number of an execution (#4)"};
}

}  // namespace et::inspector
