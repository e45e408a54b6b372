// .npy files as tensors of the runtime, for the programs that run models. The format: bundled_program/cases/npy.h.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "runtime/module/host_tensor.h"

namespace et::cli {

/// Errors: AccessFailed, InvalidExternalData with what is wrong in the file.
Status read_npy(const std::string& path, std::unique_ptr<HostTensor>* out);
/// Values in row-major order, whatever the tensor's dim order. Errors: AccessFailed, NotSupported (NumPy has no such
/// dtype).
Status write_npy(const std::string& path, const Tensor& tensor);

}  // namespace et::cli
