// `et-inspect findings`: advice as a list for people, as rows, and as a SARIF log with the lines of the model.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/findings/finding.h"

namespace et::inspector {

struct FindingsReportOptions {
  std::string format = "table";  ///< table, json, csv, tsv, markdown or sarif
  bool color = false;
  int width = 0;             ///< of the terminal; 0 = do not cut
  std::string version = {};  ///< of the program, for SARIF
  std::string trace = {};    ///< as the user called it
  /// What is to be known of the trace before its times are believed; those of severity ok are left out.
  const std::vector<Finding>* measurement = nullptr;
  const AdviceNotes* notes = nullptr;  ///< of find_advice()
};

/// "at most 52.0 µs of 395 µs (13%), if the delegate takes no time"; "" where nothing is known. Each bound comes with
/// what it takes for granted.
std::string advice_win_text(const Advice& advice, const OpTable& shown);
/// What it could save, in a few words: "up to 52 µs of 395 µs (13%)", of two bounds both: ", 12 µs (3.0%) at the best
/// rates for the same work".
std::string advice_range_text(const Advice& advice, const OpTable& shown);
/// Whether the roofline's bound is clearly below that of the rule.
bool has_two_bounds(const Advice& advice);
/// "Roofline's bound of the same ops is 116 µs: …", where it is another one; "" else.
std::string roofline_bound_text(const Advice& advice, const OpTable& shown);
/// A number with its unit: "52.0 µs", "4 KiB", "13%".
std::string advice_fact_text(const AdviceFact& fact, const OpTable& shown);
/// The bound that is named first, and by which findings come.
double named_bound(const Advice& advice);
/// Of an execution of the advice's method, or of all methods: what shares are of, as in its text.
double advice_whole(const Advice& advice, const OpTable& shown);
/// "3 µs of 9 µs (33%)": a time of it, and what part of that it is.
std::string advice_time_text(const Advice& advice, double ticks, const OpTable& shown);
/// "model.py:41, encoder.layer.0"; `brief`: the file without its folders. "" without a place.
std::string advice_place_text(const AdvicePlace& place, bool brief = false);

/// Executions that stand out, a cold start, times without a line, a clock that stands still: what et-inspect doctor
/// says of them, without what is fine or too little to matter.
std::vector<const Finding*> of_measurement(const std::vector<Finding>& all);

/// `shown`: what the findings were made of. Errors: InvalidArgument (unknown format).
Status write_findings(const std::vector<Advice>& advice, const OpTable& shown, const FindingsReportOptions& options,
                      std::string* out);

}  // namespace et::inspector
