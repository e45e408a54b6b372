// save_ptd: writes tensors to a tensor file (.ptd).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/platform/compiler.h"

namespace executorch::extension::flat_tensor {

constexpr uint32_t kSchemaVersion = 0;

/// The data of each tensor begins at a multiple of `tensor_alignment` bytes in the file. InvalidArgument: the alignment
/// is no power of two, or a tensor has no data; AccessFailed: the file cannot be written.
ET_NODISCARD ::et::Error save_ptd(const std::string& path,
                                  const std::map<std::string, ::executorch::aten::Tensor>& tensor_map,
                                  size_t tensor_alignment);
ET_NODISCARD ::et::Error save_ptd(std::ostream& out,
                                  const std::map<std::string, ::executorch::aten::Tensor>& tensor_map,
                                  size_t tensor_alignment);

}  // namespace executorch::extension::flat_tensor
