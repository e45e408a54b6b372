// External weights: tensor files (.ptd), mapped and merged into one map.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "base/status.h"
#include "runtime/executor/data_maps.h"

namespace et {

class Weights {
 public:
  /// Errors name the file. A key that two files have is refused.
  Status open(const std::vector<std::string>& paths);
  /// Null without files.
  const NamedDataMap* map() const { return merged_ ? &*merged_ : nullptr; }
  /// Bytes of the first file; empty without.
  std::span<const uint8_t> first_file() const {
    return files_.empty() ? std::span<const uint8_t>() : files_[0].bytes();
  }

 private:
  std::vector<MappedFile> files_;
  std::vector<std::unique_ptr<FlatTensorDataMap>> maps_;
  std::vector<const NamedDataMap*> list_;
  std::optional<MergedDataMap> merged_;
};

}  // namespace et
