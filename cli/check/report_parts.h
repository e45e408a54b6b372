// What the forms of et-check's reports share: the outcome of a check, its figures as words, places in files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cli/check/report.h"
#include "inspector/report/sarif.h"

namespace et::cli {

enum class Outcome { Passed, Failed, Skipped };

/// Too noisy to tell is skipped, or failed under `fail_on_noise`; a refused comparison has failed.
Outcome outcome_of(const PerformanceCheck& check, bool fail_on_noise);

/// "model.bpte: forward case 0", as CaseVerdict::name().
std::string check_name(const std::string& file, const std::string& method, int64_t test_case);
/// "forward[0]"; "file" when the whole file failed.
std::string short_name(const std::string& method, int64_t test_case);

/// At most six digits: "1.5", "3.2e-05", "nan", "inf".
std::string number_text(double value);
/// "[0, 3]"
std::string place_text(const std::vector<int64_t>& place);
/// "85.3 ns", "12.5 µs": three digits or more.
std::string time_text(double ns);
/// "5 %" of 0.05.
std::string percent_text(double share);

/// One line for a person, without line ends and control characters: why the case failed, "passed" otherwise.
std::string reason_text(const bundled::CaseVerdict& verdict);
/// "output 0, Float [1, 10]"
std::string output_title(const bundled::OutputVerdict& output);
/// Figures that apply, "largest error 0.5, relative 0.1 at [0, 4], mean 0.01; SNR 40.1 dB, cosine similarity 0.999".
std::string figures_text(const bundled::OutputVerdict& output);
/// "rtol 1e-05, atol 1e-08 (policy.toml: [outputs.forward.0])"
std::string tolerance_text(const bundled::OutputVerdict& output);
/// "first divergence: aten::mm.out (instruction 3) ← mm ← model.py:41 in module mlp"; its sentences when no operator is
/// known.
std::string explanation_text(const Explanation& explanation);
/// "slower by 4–7 % (…), against baseline.json; too slow, 5 % allowed"
std::string performance_text(const PerformanceCheck& check);

/// "interrupted by SIGINT: 3 of 10 files not checked to the end"; empty when it was not.
std::string interruption_text(const CheckReport& report);

/// Indented lines below a case: each failed output with its figures (each one at all when `all`), at most
/// `most_outputs` of them, then the explanations.
std::string detail_lines(const bundled::CaseVerdict& verdict, const std::vector<const Explanation*>& explanations,
                         bool all, size_t most_outputs);

/// At most `most` bytes, cut between characters and with "…" at the end. Bounds what a hostile file makes of a report.
std::string bounded(std::string_view text, size_t most);

/// Explanations by what they explain.
class ExplanationIndex {
 public:
  explicit ExplanationIndex(const CheckReport& report);
  const std::vector<const Explanation*>& of(const bundled::CaseVerdict& verdict) const;

 private:
  std::map<std::tuple<std::string_view, std::string_view, int64_t>, std::vector<const Explanation*>> by_case_;
  std::vector<const Explanation*> none_;
};

using inspector::FilePlace;
using inspector::place_of_file;
/// "model.py:41"; a text without a line number gives line 0.
FilePlace place_of_source(const std::string& source);
/// The failing line of the model's source when it is known and below the current folder, else the checked file.
FilePlace best_place(const std::string& file, const std::vector<const Explanation*>& explanations);

}  // namespace et::cli
