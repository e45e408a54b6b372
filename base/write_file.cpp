#include "base/write_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace et {

Status write_file(const std::string& path, std::initializer_list<std::span<const uint8_t>> parts) {
  std::FILE* f = std::fopen(path.c_str(), "wb");
  int error = f == nullptr ? errno : 0;
  for (const std::span<const uint8_t> part : parts) {
    if (error != 0) break;
    if (!part.empty() && std::fwrite(part.data(), 1, part.size(), f) != part.size()) error = errno;
  }
  if (f != nullptr && std::fclose(f) != 0 && error == 0) error = errno;
  if (error == 0) return {};
  return {Error::AccessFailed, path + ": cannot be written: " + std::strerror(error)};
}

}  // namespace et
