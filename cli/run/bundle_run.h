// Runs the test cases of a bundled program: one method object a suite, cases in order, because a stateful program's
// cases continue each other. Each method has memory of its own, as where upstream makes and verifies bundles.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/run/tolerances.h"
#include "runtime/core/event_tracer.h"

namespace et::cli {

struct CaseResult {
  std::string file;
  std::string method;
  size_t test_case = 0;
  bool passed = false;
  std::string reason;  // empty when it passed
  double max_abs_error = 0;
  std::vector<std::string> operators;  // of the method, in the order of its operator table
};

struct CheckOptions {
  std::optional<bundled::Tolerance> tolerance;  // given by the user: goes before the files'
  std::string method;                           // only this one; empty: all
  std::vector<std::string> data_files;          // external weights (.ptd); empty: those beside the bundle
  EventTracer* tracer = nullptr;
};

/// Appends one result a case; a file that cannot be used gives one failed result without a method.
void check_bundle(const std::string& path, const CheckOptions& options, Tolerances* tolerances,
                  std::vector<CaseResult>* out);

}  // namespace et::cli
