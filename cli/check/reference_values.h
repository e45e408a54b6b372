// The values of a good run, wherever they come from: a trace, a program that is run with the same inputs, or the graph
// of an ETRecord.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bundled_program/cases/case_source.h"
#include "inspector/analysis/ops/logged_values.h"

namespace et::cli {

/// What one execution wrote, from a trace with logged values.
struct ValueList {
  std::string from;  // for a person: "good.pte", "the graph of etrecord.bin"
  std::vector<inspector::LoggedValue> values;
  std::vector<inspector::LoggedValue> outputs;  // of the method, in order; without elements: no tensor
};

/// Values that take the place of those that a graph computes: by their place among its values.
using Replacements = std::map<size_t, const inspector::LoggedValue*>;

struct RunRequest {
  std::string program;  // .pte or .bpte
  std::string method;
  std::vector<std::string> data_files;
  std::string sidecar;   // of `cases`
  std::string cases;     // the file whose cases are run: those of a stateful program continue each other
  size_t test_case = 0;  // the last one, which is logged
  std::string etrecord;  // or empty
  double timeout_s = 0;
  std::function<void()> tick = {};  // called while it runs in its own process
};

/// Runs `program` in a process of its own and reads what it logged. Errors: InvalidExternalData and others, with what
/// went wrong.
Status run_logged(const RunRequest& request, ValueList* out);

/// Executes the edge graph of `request.etrecord` with the kernels that are linked: the values have nodes and no
/// instructions. `request.program` is not looked at. Errors: of the record, or the node that cannot be run.
/// With `replacements` each node is computed from what another run computed, not from what the graph would.
Status run_record(const RunRequest& request, const Replacements& replacements, ValueList* out);

/// What the test case expects, for each output of the method; without elements: nothing, or no tensor. `outputs` are
/// those of a run, by which outputs that are None are told.
Status read_expected(const RunRequest& request, const std::vector<inspector::LoggedValue>& outputs,
                     std::vector<inspector::LoggedValue>* out);

/// The values of a recorded run: the execution of the test case, or the last one. Its debug buffer is next to the
/// trace, with the ending .bin.
Status read_logged(const std::string& etdump, const std::string& etrecord, size_t test_case, ValueList* out);

}  // namespace et::cli
