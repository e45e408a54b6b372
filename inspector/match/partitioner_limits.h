// What the partitioners of known backends take: the files of a program do not say why an operator stayed outside, but
// the rules of the released partitioners do.
#pragma once

#include <string_view>

namespace et::inspector {

enum class Taken : unsigned char {
  Unknown,  // nothing is known of this backend's partitioner
  Never,    // it has no such operator
  Always,   // of any shape and with any arguments
  Within,   // within limits
};

struct PartitionerLimit {
  Taken taken = Taken::Unknown;
  std::string_view limit;    // of Within: "of 4-D tensors over the last two dimensions, with keepdim=True"
  std::string_view release;  // whose rules these are: "ExecuTorch 1.5"
};

/// `op`: as graph nodes have it, "aten.mean.dim".
PartitionerLimit partitioner_limit(std::string_view backend, std::string_view op);

}  // namespace et::inspector
