// `et-inspect roofline`: what each op achieved, and what keeps it from being faster.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/work/measured.h"
#include "inspector/analysis/work/roofline.h"

namespace et::inspector {

struct RooflineReportOptions {
  std::string format = "table";  ///< table, json, csv, tsv or markdown; csv and tsv have all rows
  std::string units = "auto";
  int64_t top = 20;  ///< rows that people see; negative: all
  bool color = false;
  int width = 0;                                          ///< of the terminal; 0 = do not cut
  const std::vector<MeasuredCounts>* measured = nullptr;  ///< one for each row; null or empty: not counted
  const SeenPeaks* seen = nullptr;                        ///< what the rows were held against where `machine` is null
};

/// `machine`: null when the roofs are not known. `trace_cpu`: where the trace was made, "" when that is unknown.
/// Errors: InvalidArgument (unknown format or unit).
Status write_roofline(const Roofline& roofline, const MachinePeaks* machine, const std::string& trace_cpu,
                      const RooflineReportOptions& options, std::string* out);

/// Operations: "1.50 M", "22.0 G".
std::string flops_text(double flops);
/// 10^9 a second, with three digits: "116", "26.5", "0.43".
std::string rate_text(double rate);
/// "machine: AMD EPYC, 1 thread: 116 GFLOP/s float32, …", and a line that warns of another processor.
std::string machine_line(const MachinePeaks& machine, const std::string& trace_cpu);
/// What all of it achieved and what could be won, a line a sentence.
std::string roofline_summary(const Roofline& roofline, bool roofs, const std::string& units);
/// What the best rates of the trace are and what reaching them everywhere would win.
std::string seen_summary(const Roofline& roofline, const SeenPeaks& seen, const std::string& units);

}  // namespace et::inspector
