// The values that one execution logged, in the order in which they were written, with the graph nodes that they belong
// to: what two runs are compared by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// One result of a graph node.
struct NodeResult {
  std::string node;
  int64_t output = 0;
};

struct LoggedValue {
  int64_t value_id = 0;  // `debug_values.value_id`
  int64_t op_id = 0;
  std::string name;     // "addmm.out"; of a delegate's event its identifier
  std::string backend;  // of a delegate's call or event
  bool is_delegate_call = false;
  std::optional<int64_t> results;  // of a delegate call that the record knows: how many tensors it writes
  int64_t chain = -1;
  int64_t instruction = -1;
  int64_t ordinal = 0;  // among the values of the op in that execution
  int64_t item = 0;     // element of a tensor list
  std::string dtype;    // torch's name
  std::vector<int32_t> shape;
  std::string data;  // elements, row-major, little-endian

  // The node of the edge-dialect graph that makes the value, when a record leads to one: of a fused op the last.
  std::string node;
  int64_t node_output = 0;  // which of the node's results
  std::string file;         // Python source
  int64_t line = 0;
  std::string code;
  std::string module;  // path of the node's module: "layers.0.attention"
  // What else the value may be: results of the other nodes that the op computes, likeliest first.
  std::vector<NodeResult> others;
  std::vector<std::string> nodes;  // all that the op computes, in the graph's order
};

/// "float32[2, 3]".
std::string type_text(const LoggedValue& v);

/// An execution of the trace: of the bundled test case when that is given and there is one, else the last one.
std::optional<int64_t> find_execution(const Store& store, int64_t trace_id, std::optional<int64_t> bundled_case);

/// Whether the elements of values are read with them.
enum class ValueData : uint8_t { Now, Later };

/// Tensors with their elements that operators logged in the execution `run_id`; outputs of the method are left out,
/// they are outputs of operators too; so is what goes into a delegate call, as far as the record tells its results.
/// Errors: InvalidExternalData (a damaged store).
Status load_logged_values(const Store& store, int64_t trace_id, int64_t run_id, std::vector<LoggedValue>* out,
                          ValueData data = ValueData::Now);
/// The outputs of the method in that execution, in its order; without elements where they are no tensors.
Status load_logged_outputs(const Store& store, int64_t trace_id, int64_t run_id, std::vector<LoggedValue>* out);

}  // namespace et::inspector
