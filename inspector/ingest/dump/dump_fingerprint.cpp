#include "inspector/ingest/dump/dump_fingerprint.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "base/hex.h"
#include "base/sha256.h"

namespace et::inspector {
namespace {

constexpr size_t kEnd = 64 * 1024;

}  // namespace

std::optional<std::string> dump_fingerprint(const std::string& path) {
  struct stat st {};
  if (::stat(path.c_str(), &st) != 0 || !S_ISREG(st.st_mode)) return std::nullopt;
  const auto size = static_cast<uint64_t>(st.st_size);
  const size_t n = static_cast<size_t>(std::min<uint64_t>(size, kEnd));
  std::vector<uint8_t> all(8 + n + n);
  for (size_t i = 0; i < 8; ++i) all[i] = static_cast<uint8_t>(size >> (8 * i));
  std::ifstream in(path, std::ios::binary);
  const auto read = [&](uint64_t from, size_t to) {
    in.seekg(static_cast<std::streamoff>(from));
    return static_cast<bool>(in.read(reinterpret_cast<char*>(all.data() + to), static_cast<std::streamsize>(n)));
  };
  if (!read(0, 8) || !read(size - n, 8 + n)) return std::nullopt;
  return hex_text(et::sha256(all));
}

void write_dump_fingerprint(Store& store, int64_t trace, const std::string& path) {
  if (!store.has_table("raw_dump_fingerprint")) return;
  if (const auto found = dump_fingerprint(path))
    store.query("INSERT OR REPLACE INTO raw_dump_fingerprint VALUES(?1,?2)").run(trace, *found);
}

}  // namespace et::inspector
