// The results of et-check as their JSON says them (docs/check-results-1.json), read strictly and held in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace et::inspector {

using CheckText = std::optional<std::string>;  // nullopt for null, "" and members that are missing
using CheckInteger = std::optional<int64_t>;
using CheckReal = std::optional<double>;  // may be NaN or infinite

/// What all parts of the results use to name a test case.
struct CheckName {
  std::string file;
  CheckText program;  // SHA-256, hex
  CheckText method;
  CheckInteger case_index;
};

struct CheckOutput {
  CheckInteger index;
  bool passed = false;
  CheckText name, kind, reason, dtype, shape, tolerance_from, max_abs_at, max_rel_at;  // shape, …_at: JSON lists
  CheckInteger elements, outside, nan_mismatch, inf_mismatch;
  CheckReal rtol, atol, max_abs_error, max_rel_error, mean_abs_error, snr_db, cosine_similarity, got, want;
};

struct CheckCase {
  CheckName check;
  bool passed = false;
  CheckText kind, reason, etdump;
  CheckReal max_abs_error;
  std::vector<std::string> operators;
  CheckInteger duration_ns, memory_bytes, iterations;
  std::vector<int64_t> samples_ns;
  std::vector<CheckOutput> outputs;
};

struct CheckPerformance {
  CheckName check;
  std::string verdict;
  std::optional<bool> passed;
  CheckText against, text, clock;
  CheckReal median_ns, baseline_median_ns, ratio, ratio_low, ratio_high, noise, max_slowdown;
  CheckInteger rounds, samples;
};

struct CheckExplanation {
  CheckName check;
  CheckText reference, op, node, source, delegate, text;
  CheckInteger instruction;
  CheckReal max_abs_error;
};

struct CheckResults {
  std::string started;  // UTC, 2026-01-31T12:00:00Z
  CheckText label, tool, tool_version, host, cpu, os;
  CheckInteger duration_ns, cores;
  int64_t passed = 0, failed = 0, skipped = 0;
  std::vector<CheckCase> cases;
  std::vector<CheckPerformance> performance;
  std::vector<CheckExplanation> explanations;
};

/// What is taken at most; more is an error that says so.
struct CheckLimits {
  size_t bytes = size_t{256} << 20;
  size_t text = size_t{1} << 20;  // bytes of one text
  size_t cases = 200000;          // also of verdicts on performance and of explanations
  size_t outputs = 10000;         // of a case
  size_t samples = 1000;          // of a case
  size_t operators = 100000;      // of a case
  size_t dimensions = 64;
};

/// Members that it does not know are left out. Errors: InvalidExternalData, "<name>: cases[3].outputs[0].rtol: expected
/// a number, got text"; where it is not JSON at all, the byte and what was expected there.
Status parse_check_results(std::string_view json, std::string_view name, CheckResults* out,
                           const CheckLimits& limits = {});

}  // namespace et::inspector
