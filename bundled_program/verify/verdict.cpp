#include "bundled_program/verify/verdict.h"

#include <algorithm>
#include <cmath>

namespace et::bundled {
namespace {

struct FailureRow {
  const char* name;
  const char* text;
};
// In the order of Failure.
constexpr FailureRow kFailures[] = {
    {"", "passed"},
    {"values", "values out of tolerance"},
    {"metric", "a limit of the policy is exceeded"},
    {"dtype", "unexpected dtype"},
    {"shape", "unexpected shape"},
    {"dim_order", "unexpected dim order"},
    {"count", "unexpected number of values"},
    {"no_expectation", "no expected outputs"},
    {"input", "an input is refused"},
    {"execution", "the execution failed"},
    {"load", "the method cannot be loaded"},
    {"missing_operator", "an operator is missing"},
    {"missing_backend", "a backend is missing"},
    {"corrupt", "a damaged file"},
    {"timeout", "it took too long"},
    {"crash", "the process crashed"},
    {"memory", "too much memory"},
    {"method", "no such method or case"},
    {"io", "a file cannot be read or written"},
};
static_assert(std::size(kFailures) == static_cast<size_t>(Failure::Io) + 1);

}  // namespace

const char* failure_name(Failure failure) { return kFailures[static_cast<size_t>(failure)].name; }
const char* failure_text(Failure failure) { return kFailures[static_cast<size_t>(failure)].text; }

std::vector<int64_t> OutputVerdict::place(int64_t n) const {
  if (n < 0) return {};
  std::vector<int64_t> at(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t size = std::max<int64_t>(shape[d], 1);
    at[d] = n % size;
    n /= size;
  }
  return at;
}

double CaseVerdict::max_abs_error() const {
  double max = std::nan("");
  for (const OutputVerdict& o : outputs) {
    if (o.compared && !(o.figures.max_abs_error <= max)) max = o.figures.max_abs_error;
  }
  return max;
}

int64_t CaseVerdict::duration_ns() const {
  if (samples_ns.empty()) return 0;
  std::vector<int64_t> sorted = samples_ns;
  const auto middle = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

std::string CaseVerdict::name() const {
  std::string text = file;
  if (!method.empty()) text += ": " + method;
  if (test_case >= 0) text += " case " + std::to_string(test_case);
  return text;
}

void CheckRun::add(CaseVerdict verdict) {
  ++(verdict.passed() ? passed : failed);
  cases.push_back(std::move(verdict));
}

}  // namespace et::bundled
