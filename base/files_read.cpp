#include "base/files_read.h"

#include <map>
#include <mutex>
#include <utility>

namespace et {
namespace {

struct Inputs {
  std::mutex mutex;
  std::map<std::pair<dev_t, ino_t>, std::string> paths;
};

Inputs& inputs() {
  static Inputs all;
  return all;
}

}  // namespace

void remember_input(const struct stat& file, const std::string& path) {
  if (!S_ISREG(file.st_mode)) return;
  Inputs& all = inputs();
  const std::lock_guard lock(all.mutex);
  all.paths.try_emplace({file.st_dev, file.st_ino}, path);
}

void remember_input(const std::string& path) {
  struct stat st = {};
  if (::stat(path.c_str(), &st) == 0) remember_input(st, path);
}

std::string path_as_read(const struct stat& file) {
  Inputs& all = inputs();
  const std::lock_guard lock(all.mutex);
  const auto it = all.paths.find({file.st_dev, file.st_ino});
  return it == all.paths.end() ? std::string() : it->second;
}

std::string path_as_read(const std::string& path) {
  struct stat st = {};
  return ::stat(path.c_str(), &st) == 0 ? path_as_read(st) : std::string();
}

}  // namespace et
