// What et-run prints of a run: latency and memory, for people or as JSON.
#pragma once

#include <string>
#include <vector>

#include "cli/run/model_run.h"

namespace et::cli {

/// Of the measured executions, in microseconds; sorted when they are reported.
struct Times {
  std::vector<double> us;
  double sum = 0;
  double at(double share) const {
    if (us.empty()) return 0;
    const auto i = static_cast<size_t>(share * static_cast<double>(us.size() - 1) + 0.5);
    return us[i];
  }
};

struct RunFacts {
  double load_us = 0;
  std::string trace_path;  // "" without one
  unsigned threads = 1;
  int signal = 0;    // that ended the measurement early
  size_t asked = 0;  // executions that were asked for
};

std::string report_json(const ModelRun& run, const Times& t, const RunFacts& facts);
std::string report_text(const ModelRun& run, const Times& t, const RunFacts& facts);

}  // namespace et::cli
