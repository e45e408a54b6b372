// A store for what is imported only to be looked at: a file that goes away with whoever looked.
#pragma once

#include <memory>
#include <string>

namespace et::gui {

/// Creates an empty file in TMPDIR; "" when that cannot be.
std::string temporary_store_path();

class TemporaryStore {
 public:
  explicit TemporaryStore(std::string path) : path_(std::move(path)) {}
  TemporaryStore(const TemporaryStore&) = delete;
  TemporaryStore& operator=(const TemporaryStore&) = delete;
  ~TemporaryStore();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace et::gui
