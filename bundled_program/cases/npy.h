// .npy arrays as tensors of test cases. The format: base/npy.h.
#pragma once

#include <memory>
#include <string>

#include "base/npy.h"
#include "base/status.h"
#include "bundled_program/cases/tensor_value.h"

namespace et::bundled {

using et::npy_header;
using et::npy_knows;
using et::NpyArray;
using et::parse_npy;

/// Row-major and aligned; copied only where the bytes are not so. They must outlive the tensor.
std::unique_ptr<OwnedTensor> npy_tensor(const NpyArray& array);

/// Row-major, whatever the value's dim order. Errors: AccessFailed.
Status write_npy_file(const std::string& path, const TensorValue& tensor);

}  // namespace et::bundled
