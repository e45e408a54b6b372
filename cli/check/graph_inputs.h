// What feeds the graph of an ETRecord: a test case, files, made-up tensors, or the inputs that the ETRecord keeps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "bundled_program/cases/case_source.h"
#include "bundled_program/cases/tensor_value.h"
#include "cli/arguments.h"
#include "etrecord/record.h"

namespace et::cli {

/// Inputs of the executions to make, one after the other; the last one counts. Those before it are test cases that a
/// stateful program has seen by then.
struct GraphInputs {
  std::vector<std::vector<bundled::Value>> executions;
  std::vector<std::shared_ptr<const void>> owners;
};

/// Errors: InvalidArgument (a number of tensors that the graph does not take, sizes that are not known), NotFound (no
/// such case, no inputs in the ETRecord), those of the files.
Status read_graph_inputs(const Arguments& args, const etrecord::Record& record, const etrecord::Program& program,
                         const std::string& method, GraphInputs* out);

}  // namespace et::cli
