#include "cli/check/blame.h"

#include <algorithm>

#include "cli/check/compare_values.h"
#include "inspector/analysis/ops/value_layout.h"

namespace et::cli {
namespace {

using inspector::LoggedValue;

/// Each is a run of the graph.
constexpr size_t kTried = 8;

bool moves_an_output(const ValueList& moved, const ValueList& reference, const std::vector<FailedOutput>& failed) {
  return std::any_of(failed.begin(), failed.end(), [&](const FailedOutput& o) {
    if (o.index >= moved.outputs.size() || o.index >= reference.outputs.size()) return false;
    const auto c = compare_values(moved.outputs[o.index], reference.outputs[o.index], o.tolerance);
    return c && !c->passed();
  });
}

}  // namespace

std::optional<LoggedValue> with_own_error(const LoggedValue& got, const LoggedValue& local, const LoggedValue& good) {
  LoggedValue as_local = local;
  as_local.data = rows_like(got, local.dtype, local);
  const std::vector<double> wrong = numbers_of(as_local), right = numbers_of(local);
  std::vector<double> numbers = numbers_of(good);
  if (numbers.empty() || wrong.size() != numbers.size() || right.size() != numbers.size()) return std::nullopt;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (wrong[i] != right[i]) numbers[i] += wrong[i] - right[i];
  }
  LoggedValue out = good;
  out.data = inspector::elements_of(numbers, good.dtype);
  return out;
}

size_t blamed_by_record(const RunRequest& request, const Divergence& d, const ValueList& values,
                        const ValueList& reference, const Closeness& close, const std::vector<FailedOutput>& failed) {
  Replacements fed;
  for (const ValuePair& p : d.pairs) fed.emplace(p.linked, &values.values[p.value]);
  ValueList local;
  if (!run_record(request, fed, &local).ok()) return *d.first;
  const std::vector<size_t> wrong = suspects(d, values.values, local.values, close);
  if (wrong.empty()) return *d.first;
  for (size_t i = 0; wrong.size() > 1 && i < std::min(wrong.size(), kTried); ++i) {
    const ValuePair& p = d.pairs[wrong[i]];
    if (p.linked >= local.values.size() || p.linked >= reference.values.size()) continue;
    const std::optional<LoggedValue> error =
        with_own_error(values.values[p.value], local.values[p.linked], reference.values[p.linked]);
    ValueList moved;
    if (!error || !run_record(request, {{p.linked, &*error}}, &moved).ok()) continue;
    if (moves_an_output(moved, reference, failed)) return wrong[i];
  }
  return wrong.front();
}

}  // namespace et::cli
