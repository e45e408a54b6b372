// What Arm's lowering makes of an operator of the graph: the TOSA operators, in their order.
#pragma once

#include <cstddef>
#include <string_view>

namespace et::inspector {

/// A list of steps, each the TOSA operators that may stand there: "CONV2D|DEPTHWISE_CONV2D". At most kTosaSteps of
/// them, the rest is empty.
inline constexpr size_t kTosaSteps = 10;
struct TosaSequence {
  std::string_view operator_base;          // "softmax"; without leading underscores and "_copy"
  std::string_view steps[kTosaSteps];      // of a float graph
  std::string_view integer_steps[2] = {};  // of a quantised node, where it differs: one operator or two
};

/// Null for an operator that no sequence is known of. `base` as operator_base() gives it.
const TosaSequence* tosa_sequence(std::string_view base);

/// Is `type` one of a step's operators?
bool tosa_step_has(std::string_view step, std::string_view type);

}  // namespace et::inspector
