// `et-inspect predict`: how large a trace will be.
#pragma once

#include <string>

#include "base/status.h"
#include "inspector/analysis/predict/predict.h"

namespace et::inspector {

struct PredictReportOptions {
  std::string format = "table";  ///< table, json, csv, tsv or markdown
  bool color = false;
  int width = 0;  ///< of the terminal; 0 = do not cut
};

/// Errors: InvalidArgument (unknown format).
Status write_prediction(const Prediction& prediction, const PredictOptions& asked, const PredictReportOptions& options,
                        std::string* out);

}  // namespace et::inspector
