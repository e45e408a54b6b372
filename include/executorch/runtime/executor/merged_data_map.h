// MergedDataMap: two maps as one.
#pragma once

#include "executorch/extension/named_data_map/merged_data_map.h"

namespace executorch::runtime::internal {

class MergedDataMap final : public ::executorch::extension::merged_data_map::Merged {
 public:
  /// InvalidArgument: one is null, or both have a key.
  static Result<MergedDataMap> load(const NamedDataMap* first, const NamedDataMap* second) {
    const NamedDataMap* maps[] = {first, second};
    const Error error = check({maps, 2});
    if (error != Error::Ok) return error;
    return MergedDataMap({maps, maps + 2});
  }

 private:
  using Merged::Merged;
};

}  // namespace executorch::runtime::internal
