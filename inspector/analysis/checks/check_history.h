// The checks of a store over time: each test case of each file with its verdict, error and time in every call of
// et-check.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/status.h"
#include "inspector/match/median_interval.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// What makes a check the same one in two calls. The program of a file may change; that is what checks are for.
struct CheckKey {
  std::string file;
  std::optional<std::string> method;  // nullopt: the program could not be read
  std::optional<int64_t> case_index;
  bool operator==(const CheckKey&) const = default;
  bool operator<(const CheckKey& other) const {
    return std::tie(file, method, case_index) < std::tie(other.file, other.method, other.case_index);
  }
  /// "model.bpte · forward · case 0"
  std::string text() const;
};

/// A verdict on performance that belongs to a point.
struct CheckSpeed {
  std::string verdict, text, against;
  std::optional<bool> passed;
  std::optional<double> ratio, ratio_low, ratio_high;
};

/// One check in one call of et-check. Errors may be NaN or infinite.
struct CheckPoint {
  int64_t check_run_id = 0, check_case_id = 0;  // check_case_id 0: only speed was checked
  std::string started, host, cpu, label, tool_version, program;
  bool passed = false;
  std::string kind, reason;
  std::optional<double> max_abs_error;
  std::optional<double> snr_db;  // of the worst output
  int64_t outputs = 0, outputs_failed = 0;
  std::optional<double> median_ns;         // of the samples, else as the results say
  std::optional<MedianInterval> interval;  // 95 %; none with few samples
  int64_t samples = 0;
  std::optional<TimeChange> change;     // against the call before on the same host, only where the intervals say so
  std::optional<int64_t> changed_from;  // check_run_id of that call
  bool program_changed = false;         // against the call before
  std::optional<int64_t> memory_bytes, trace_id;
  std::optional<CheckSpeed> speed;

  /// The case and its speed: a failed speed fails the check, one without a verdict does not.
  bool ok() const { return passed && !(speed && speed->passed == false); }
};

struct CheckSeries {
  CheckKey key;
  std::vector<CheckPoint> points;  // in order of time, oldest first; at least one
  const CheckPoint& now() const { return points.back(); }
  size_t failures() const;
};

struct CheckQuery {
  std::string file = {};                   // whole path, or its last components; "": all
  std::string program = {};                // beginning of the program's hash; "": all
  std::string method = {};                 // "": all
  std::optional<int64_t> case_index = {};  // nullopt: all
  size_t last = 0;                         // calls of each check, the newest; 0: all
  bool failed_only = false;                // checks whose newest call failed
};

/// What a store holds of checks.
struct CheckCounts {
  bool has_tables = false;  // false: written by a version before checks
  int64_t runs = 0, cases = 0;
};
CheckCounts count_checks(const Store& store);

/// The checks that fit, in the order of file, method and case. None when the store has none.
/// Errors: InvalidExternalData (damaged store).
Status load_check_history(const Store& store, const CheckQuery& query, std::vector<CheckSeries>* out);

/// An output of a case, compared.
struct CheckOutputRow {
  int64_t output = 0;
  std::string name, kind, reason, dtype, shape, tolerance_from, max_abs_at, max_rel_at;
  bool passed = false;
  std::optional<int64_t> elements, outside, nan_mismatch, inf_mismatch;
  std::optional<double> rtol, atol, max_abs_error, max_rel_error, mean_abs_error, snr_db, cosine_similarity, got, want;
};
/// Errors: as above.
Status load_check_outputs(const Store& store, int64_t check_case_id, std::vector<CheckOutputRow>* out);

/// An op of a case's trace, and its change against the trace of the check's call before that has one.
struct CheckOpRow {
  int64_t op_id = 0, count = 0, sum_ns = 0, self_ns = 0;
  std::string name, kind, unit;
  std::optional<int64_t> instruction_id;
  std::optional<std::string> delegate_debug_id;
  std::optional<double> self_share, p50_ns, max_abs_error;
  std::optional<double> before_p50_ns;
  std::optional<TimeChange> change;
};
/// Ops in order of execution; `before` is a case of the same check in an earlier call, 0 for none. None without a
/// trace. Errors: as above.
Status load_check_ops(const Store& store, int64_t check_case_id, int64_t before, std::vector<CheckOpRow>* out);

/// A sentence on where the error of a case comes from.
struct CheckExplanationRow {
  std::string op, node, source, delegate, text, reference;
  std::optional<int64_t> instruction_id;
  std::optional<double> max_abs_error;
};
Status load_check_explanations(const Store& store, int64_t check_case_id, std::vector<CheckExplanationRow>* out);

/// A number of the views of checks: they keep NaN as a text.
std::optional<double> read_check_number(const Statement& st, int column);

/// An error or a measure for people: "2.4e-07", "0.5", "NaN", "∞"; "" without.
std::string format_error(const std::optional<double>& value);
/// "112.5", "NaN", "−∞"; "" without.
std::string format_decibels(const std::optional<double>& value);
/// "+4 to +7%", "−12%": the range of a change, rounded.
std::string format_change(const TimeChange& change);

}  // namespace et::inspector
