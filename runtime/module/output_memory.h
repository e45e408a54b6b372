// Memory for the outputs that a program leaves to the caller.
#pragma once

#include "runtime/executor/method.h"
#include "runtime/module/log_capture.h"

namespace et {

/// Calls `allocate` with each output tensor that has no memory and is not an input; it returns at least the tensor's
/// bytes, which must outlive the executions.
template <class F>
void give_output_memory(Method& method, const F& allocate) {
  for (size_t i = 0; i < method.outputs_size(); ++i) {
    const EValue& v = method.get_output(i);
    if (!v.isTensor() || v.toTensor().const_data_ptr() != nullptr || v.toTensor().nbytes() == 0) continue;
    bool is_input = false;
    for (size_t k = 0; k < method.inputs_size(); ++k) is_input = is_input || &method.get_input(k) == &v;
    if (is_input) continue;
    const size_t bytes = v.toTensor().nbytes();
    // A value that is moved into place needs none: not an error.
    static_cast<void>(method.set_output_data_ptr(allocate(v.toTensor()), bytes, i));
    static_cast<void>(take_errors());
  }
}

}  // namespace et
