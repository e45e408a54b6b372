// Recorded tensors as the good side of a comparison: an .npz archive, or a folder of .npy files, whose names say what
// they are values of:
//
//   aten_linear_default.npy      a node of the edge graph
//   aten_topk_default.1.npy      its second output
//   aten_add_tensor@2.npy        its third value: of a loop
//   17.npy                       a debug handle: its last node
//
// samples/record_intermediates.py writes such an archive, et-check reference another.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/status.h"
#include "inspector/analysis/gap/gap.h"

namespace et::inspector {

struct TensorName {
  std::string node;
  int64_t handle = -1;  ///< instead of a node
  int64_t output = 0;
  int64_t visit = 0;
};
/// None: not such a name.
std::optional<TensorName> parse_tensor_name(std::string name);
/// Without ".npy".
std::string tensor_name(const std::string& node, int64_t output, int64_t visit);

/// Node names by debug handle, the last of each.
using HandleNodes = std::map<int64_t, std::string>;
HandleNodes handle_nodes(const Store& store, int64_t trace_id);

/// Errors: AccessFailed, InvalidExternalData (a damaged file), NotFound (nothing in it has such a name).
Status open_tensor_files(const std::string& path, const HandleNodes& handles, GapSide* out);

}  // namespace et::inspector
