// `et-inspect memory`: what a program needs at run time, who holds the peak, and the pools to give to an application.
#pragma once

#include <string>

#include "base/status.h"
#include "inspector/analysis/memory/memory_plan.h"

namespace et::inspector {

struct MemoryReportOptions {
  std::string format = "table";  ///< table, json, csv, tsv, markdown or cpp
  int64_t top = 10;              ///< tensors at the peak of each arena; negative: all
  bool color = false;
  int width = 0;        ///< of the terminal; 0 = do not cut
  std::string program;  ///< as the user called it, for a comment in C++
};

/// csv and tsv have the tensors that are alive at the peaks. Errors: InvalidArgument (unknown format; C++ of a trace
/// without a program).
Status write_memory(const MemoryPlan& plan, const MemoryReportOptions& options, std::string* out);

}  // namespace et::inspector
