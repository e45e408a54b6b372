// A folder for files that nobody asked for, gone with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/status.h"

namespace et {

class ScratchFolder {
 public:
  ScratchFolder() = default;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ec;
    if (!path_.empty()) std::filesystem::remove_all(path_, ec);
  }
  /// Errors: AccessFailed.
  Status make() {
    std::error_code ec;
    std::string name = (std::filesystem::temp_directory_path(ec) / "et-inspect-XXXXXX").string();
    if (ec || mkdtemp(name.data()) == nullptr) return {Error::AccessFailed, name + ": cannot create folder"};
    path_ = name;
    return {};
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace et
