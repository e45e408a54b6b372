#include "gui/core/temporary_store.h"

#include <unistd.h>

#include <cstdlib>

namespace et::gui {

std::string temporary_store_path() {
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder != nullptr && *folder != 0 ? folder : "/tmp") + "/et-inspect-XXXXXX.db";
  const int fd = ::mkstemps(path.data(), 3);
  if (fd < 0) return {};
  ::close(fd);
  return path;
}

TemporaryStore::~TemporaryStore() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace et::gui
