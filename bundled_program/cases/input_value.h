// Values of test cases as a method takes them.
#pragma once

#include <memory>
#include <vector>

#include "bundled_program/bundle.h"
#include "runtime/core/evalue.h"
#include "runtime/module/host_tensor.h"

namespace et::bundled {

/// What to set the input `target` to. A tensor is copied into `memory`, in the dim order of the target, so that it
/// lives as long as that; a value without kind is None.
EValue input_value(const Value& value, const EValue& target, std::vector<std::unique_ptr<HostTensor>>* memory);

}  // namespace et::bundled
