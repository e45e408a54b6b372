// What a run was probably fed, where no file says it: arrays and test cases that stand beside its ETDump.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inspector/analysis/gap/graph_values.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Whether the ETRecord has inputs of its own, which feed its graph then.
bool record_keeps_inputs(const std::string& record);

/// Arrays that are named as inputs are, in their order: in0.npy, in1.npy; input.npy. Nothing where a number is missing.
std::vector<std::string> input_arrays(const std::vector<std::string>& paths);

/// Beside the trace's ETDump: of a run that says which test case it is the bundled program that has it, else arrays
/// that are named as inputs, else the only bundle of the program that ran. nullopt: there is none of that.
std::optional<GraphInputs> find_inputs(const Store& store, int64_t trace_id, const std::string& method,
                                       std::optional<int64_t> test_case);

/// "in0.npy and in1.npy", "test case 0 of model.bpte".
std::string inputs_text(const GraphInputs& inputs);

}  // namespace et::inspector
