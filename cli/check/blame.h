// Which of several operators that are wrong by themselves made the outputs wrong. A program may differ from its graph
// in more than one place (upstream's exporter makes such programs), and the first need not matter.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "bundled_program/compare.h"
#include "cli/check/divergence.h"
#include "cli/check/reference_values.h"

namespace et::cli {

/// An output of the method that failed.
struct FailedOutput {
  size_t index = 0;
  bundled::Tolerance tolerance;
};

/// What the reference would have where `got` is, with the error that the operator made by itself: `local` is its right
/// result for what it was fed. None: they cannot be compared.
std::optional<inspector::LoggedValue> with_own_error(const inspector::LoggedValue& got,
                                                     const inspector::LoggedValue& local,
                                                     const inspector::LoggedValue& good);

/// The pair of `d` to blame: the first of the suspects whose own error alone, put into the record's graph, moves a
/// failed output by more than its tolerance; else the likeliest suspect. `reference` are the values of the record's
/// graph.
size_t blamed_by_record(const RunRequest& request, const Divergence& d, const ValueList& values,
                        const ValueList& reference, const Closeness& close, const std::vector<FailedOutput>& failed);

}  // namespace et::cli
