// `et-inspect llm`: a trace as that of a language model.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/llm/llm.h"
#include "inspector/text/format.h"

namespace et::inspector {

struct LlmReportOptions {
  std::string format = "table";  ///< table, json, csv, tsv or markdown; csv and tsv have one row a step
  std::string units = "auto";
  bool color = false;
  int width = 0;  ///< of the terminal; 0 = do not cut
};

/// The figures in words, one a line, as report and window show them: ("each token", "23.1 ms, p99 25.0 ms").
std::vector<std::pair<std::string, std::string>> llm_facts(const LlmView& view, const TimeUnit& unit);

/// Errors: InvalidArgument (unknown format or unit).
Status write_llm(const LlmView& view, const LlmReportOptions& options, std::string* out);

}  // namespace et::inspector
