// Where the members of a side-car stand: in a zip file, or unpacked in a folder.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace et::bundled {

/// Bytes, and what keeps them where they are no view into the store's file.
struct MemberBytes {
  std::span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;
};

class MemberStore {
 public:
  virtual ~MemberStore() = default;

  /// In the store's order, with '/' between folders.
  virtual const std::vector<std::string>& names() const = 0;
  virtual bool has(const std::string& name) const = 0;
  /// Bytes that reading it inflates to; 0 where nothing is inflated.
  virtual uint64_t inflated_size(const std::string& name) const = 0;
  /// Errors name the store and the member.
  virtual Status read(const std::string& name, MemberBytes* out) const = 0;
};

/// `file` must outlive the store; `path` is for messages. Errors: InvalidExternalData, OutOfResources.
Status open_zip_store(std::span<const uint8_t> file, const std::string& path, std::unique_ptr<MemberStore>* out);

/// Regular files of the folder and its subfolders, in order of their names. Errors: AccessFailed, OutOfResources.
Status open_folder_store(const std::string& path, std::unique_ptr<MemberStore>* out);

}  // namespace et::bundled
