// Checks the cases of one bundled program: one method object a suite, cases in order, because a stateful program's
// cases continue each other. Each method has its own memory, as where upstream makes and verifies bundles.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bundled_program/verify/policy.h"
#include "bundled_program/verify/side_tolerances.h"
#include "bundled_program/verify/verdict.h"

namespace et::bundled {

struct VerifyOptions {
  std::optional<Tolerance> tolerance;    // of the command line: goes before all files
  std::shared_ptr<const Policy> policy;  // null: the one beside each bundle
  std::string method;                    // only this one; empty: all
  std::optional<size_t> test_case;       // only this one
  std::vector<std::string> data_files;   // external weights (.ptd); empty: those beside the bundle
  std::string sidecar;                   // of cases; empty: the one beside the bundle
  uint32_t iterations = 1;               // timed executions of each case
  std::optional<uint64_t> max_memory;    // bytes; the policy's goes before it
  std::optional<double> timeout_s;       // of one case; the policy's goes before it
  bool hash_programs = true;             // verdicts name their program by its hash
  bool log_values = false;               // every operator's output into the debug buffer of the trace
  std::map<std::string, bool> policies;  // folders ("models/") that were listed already: is there any policy?
};

/// Where to begin: a worker that died is followed by one that goes on behind the case.
struct Start {
  uint32_t suite = 0;
  uint32_t test_case = 0;
  uint32_t part = 0;  // how many workers were lost in this file: numbers the traces
};

class VerifyListener {
 public:
  virtual ~VerifyListener() = default;
  /// Before a case is run, with the time that it may take; 0: any.
  virtual void begin(const Start& at, const CaseVerdict& known, double timeout_s) = 0;
  virtual void done(CaseVerdict&& verdict) = 0;
};

/// Limits of outputs and methods, from all the places where they may stand. Files are read once.
class LimitTable {
 public:
  explicit LimitTable(const VerifyOptions& options) : options_(options) {}

  /// The policy of a bundle, or null. Errors: of the policy's file.
  Status policy_of(const std::string& bundle, std::shared_ptr<const Policy>* out);
  OutputLimit output(const std::string& bundle, const Policy* policy, const std::string& method, size_t test_case,
                     uint32_t i, ScalarType dtype);
  MethodLimits method(const Policy* policy, const std::string& name) const;
  /// The first index.json or tolerance.json that could not be read.
  const Status& status() const { return side_.status(); }

 private:
  bool has_policies(const std::string& bundle);

  const VerifyOptions& options_;
  SideTolerances side_;
  std::map<std::string, std::shared_ptr<const Policy>> policies_;  // by path
  std::map<std::string, bool> folders_;                            // whether a folder has policies at all
};

/// One verdict a case; a file that cannot be used gives one failed verdict without a method. `etdump`: path of the
/// trace to write, or empty; the debug buffer is written beside it, with the ending .bin. False: an interruption
/// (base/interruption.h) ended it before its last case; the trace has what ran.
bool verify_file(const std::string& path, const std::string& etdump, const VerifyOptions& options, const Start& start,
                 LimitTable* limits, VerifyListener* listener);

/// A verdict of a whole file.
CaseVerdict failed_file(const std::string& path, Failure failure, std::string reason);
/// A failure of the desktop side as one of a check: damaged, or not to be read.
Failure failure_of(const Status& status);

}  // namespace et::bundled
