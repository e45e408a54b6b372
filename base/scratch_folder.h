// A folder for files that nobody asked for, gone with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

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
  /// A file of such a folder, perhaps of another process that ended: where it was says nothing of what it is.
  static bool held(const std::string& file) {
    constexpr std::string_view kPrefix = "et-inspect-";
    constexpr size_t kLetters = 6;
    const std::string folder = std::filesystem::path(file).parent_path().filename().string();
    return folder.starts_with(kPrefix) && folder.size() == kPrefix.size() + kLetters;
  }

 private:
  std::string path_;
};

}  // namespace et
