// NumPy's .npy files: tensors in and out of the programs that run models. Source: NumPy's format description (NEP 1),
// versions 1 to 3. bfloat16, which NumPy does not know, is written as ml_dtypes does: '<V2'.
#pragma once

#include <memory>
#include <string>

#include "runtime/format/status.h"
#include "runtime/module/host_tensor.h"

namespace et::cli {

/// Errors: AccessFailed, InvalidExternalData with what is wrong in the file. Little-endian C and Fortran order.
Status read_npy(const std::string& path, std::unique_ptr<HostTensor>* out);
/// Values in row-major order, whatever the tensor's dim order.
Status write_npy(const std::string& path, const Tensor& tensor);

}  // namespace et::cli
