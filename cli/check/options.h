// The command line of et-check as values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bundled_program/perf/comparison.h"
#include "bundled_program/verify/verify.h"
#include "cli/arguments.h"
#include "cli/progress.h"

namespace et::cli {

struct CheckOptions {
  std::vector<std::string> files;  // bundled programs, in the order given; folders searched
  bundled::VerifyOptions verify;
  unsigned jobs = 1;
  std::string etdump_dir;
  perf::PerfOptions perf;
  std::optional<double> max_slowdown;  // of the command line: goes before the policy's
  std::string baseline, record_baseline, against;
  bool fail_on_noise = false;
  bool explain = false;
  std::vector<std::string> references;
  std::string etrecord;
  std::string reference_etrecord;  // of the references, where they are another export
  std::string store;
  ProgressLine* progress = nullptr;  // never null while it runs
};

/// Groups of options, for the command's table.
extern const OptionSpec kCheckPath;
extern const OptionGroup kCheckGroup, kCheckRunGroup, kCheckPerformanceGroup, kCheckCauseGroup, kCheckOutputGroup;

/// Errors: InvalidArgument, those of the policy's file; they name option and value.
Status read_options(const Arguments& args, CheckOptions* out);

}  // namespace et::cli
