// The performance part of a check: which methods are measured against what.
#pragma once

#include "cli/check/options.h"
#include "cli/check/report.h"

namespace et::cli {

/// Measures the files whose cases passed in `report->run`, one after the other, each in a process of its own, and adds
/// the verdicts. Records the baseline when that is asked for; `warnings` say what will be of little use in it. Errors:
/// of the baseline's file.
Status check_performance(const CheckOptions& options, CheckReport* report, std::vector<std::string>* warnings);

}  // namespace et::cli
