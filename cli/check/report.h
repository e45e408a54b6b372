// The results of one call of et-check, and the forms in which they are written. Each form has a file of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bundled_program/perf/comparison.h"
#include "bundled_program/verify/verdict.h"
#include "etdump/host_info_posix.h"

namespace et::cli {

/// A performance verdict with what it is about.
struct PerformanceCheck {
  std::string file;
  std::string program;  // SHA-256, hexadecimal
  std::string method;
  int64_t test_case = 0;
  std::string against;      // the baseline's or the other program's path
  double max_slowdown = 0;  // share: 0.05 is 5 %
  perf::PerfResult result;
};

/// Where a failing case went wrong first.
struct Explanation {
  std::string file;
  std::string method;
  int64_t test_case = 0;
  std::string reference;      // what the values were compared with
  std::string operator_name;  // "aten::mm.out", or a delegate's inner operator; empty: none diverges
  int64_t instruction = -1;
  std::string node;                // graph node; empty when unknown
  std::vector<std::string> nodes;  // all that the operator computes, `node` first
  bool expectation = false;        // the program agrees with the reference: what the case expects is in doubt
  std::string source;              // "model.py:41"; empty when unknown
  std::string module;              // "layers.0.mlp"; empty when unknown
  std::string delegate;            // backend; empty outside of delegates
  double max_abs_error = 0;
  std::string code;  // the source line's text
  std::string text;  // what else there is to say, a line each; without an operator: why there is none
};

struct CheckReport {
  bundled::CheckRun run;
  std::vector<PerformanceCheck> performance;
  std::vector<Explanation> explanations;
  etdump::HostText host;
  std::string started;  // ISO 8601, UTC
  int64_t duration_ns = 0;
  int interrupted = 0;                  // signal that ended the call early
  std::vector<std::string> unfinished;  // files that were not checked then, or not to their end
  size_t files = 0;                     // that were asked for
  bool fail_on_noise = false;           // a verdict that noise forbids counts as failed, not as skipped

  size_t passed() const;  // cases and performance verdicts
  size_t failed() const;
  size_t skipped() const;  // too noisy to tell
};

struct TextStyle {
  bool verbose = false;      // a line for the cases that passed, too
  bool by_operator = false;  // a table of the operators with the cases that passed and failed
  bool color = false;
};

/// Lines for a person: what failed and why, outputs with their figures, and the sum "N passed, N failed" at the end.
std::string text_report(const CheckReport& report, const TextStyle& style);
/// "et-check/1"; the schema is docs/check-results-1.json.
std::string json_report(const CheckReport& report);
/// JUnit XML as Jenkins, GitLab and GitHub's actions read it: a suite for each file, a case for each case and each
/// performance verdict, with the figures as properties.
std::string junit_report(const CheckReport& report);
/// SARIF 2.1.0: a result for each failed check, located in the file, and in the Python source where it is known.
std::string sarif_report(const CheckReport& report);
/// GitHub's workflow commands (::error file=…::…), one line each: failures, then what is too noisy, then what is
/// faster.
std::string github_report(const CheckReport& report);
/// Markdown for the file that GITHUB_STEP_SUMMARY names; to be appended to it.
std::string github_summary(const CheckReport& report);

}  // namespace et::cli
