#include "inspector/store/schema_image.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inspector/store/schema_image.inc"

namespace et::inspector {

namespace {

bool is_of_this_library(const SchemaImage& image) {
  return image.sqlite_version != 0 && image.sqlite_version == sqlite3_libversion_number();
}

/// A connection to the image itself; nullptr where that fails.
sqlite3* open_image(const SchemaImage& image) {
  sqlite3* from = nullptr;
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE;
  auto* const pages = const_cast<unsigned char*>(image.pages.data());  // SQLite only reads them
  const auto bytes = static_cast<sqlite3_int64>(image.pages.size());
  if (sqlite3_open_v2(":memory:", &from, flags, nullptr) == SQLITE_OK &&
      sqlite3_deserialize(from, "main", pages, bytes, bytes, SQLITE_DESERIALIZE_READONLY) == SQLITE_OK) {
    sqlite3_exec(from, "PRAGMA mmap_size=2147418112", nullptr, nullptr, nullptr);  // copied from where they lie
    return from;
  }
  sqlite3_close(from);
  return nullptr;
}

}  // namespace

// Copied and not used in place: a deserialized database is at most 1 GB.
bool load_schema_image(const SchemaImage& image, sqlite3* db) {
  if (!is_of_this_library(image)) return false;
  sqlite3* const from = open_image(image);
  if (from == nullptr) return false;
  sqlite3_backup* const copy = sqlite3_backup_init(db, "main", from, "main");
  bool done = copy != nullptr && sqlite3_backup_step(copy, -1) == SQLITE_DONE;
  if (sqlite3_backup_finish(copy) != SQLITE_OK) done = false;
  sqlite3_close(from);
  return done;
}

// A file without a name gets one when it is complete: another process sees a whole store or none, and an interruption
// leaves nothing. Where a store has appeared meanwhile, linking fails.
bool make_store_file(const SchemaImage& image, const std::string& path) {
#ifdef O_TMPFILE
  if (!is_of_this_library(image)) return false;
  // What an interrupted program left of another file of this name would be rolled back into the new one.
  for (const char* left : {"-journal", "-wal"}) {
    if (::access((path + left).c_str(), F_OK) == 0) return false;
  }
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  constexpr mode_t kLikeSqlite = 0644;
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kLikeSqlite);
  if (file < 0) return false;
  bool made = ::pwrite(file, image.pages.data(), image.pages.size(), 0) == static_cast<ssize_t>(image.pages.size());
  made = made && ::fdatasync(file) == 0 &&
         ::linkat(AT_FDCWD, ("/proc/self/fd/" + std::to_string(file)).c_str(), AT_FDCWD, path.c_str(),
                  AT_SYMLINK_FOLLOW) == 0;
  ::close(file);
  return made;
#else
  (void)image;
  (void)path;
  return false;
#endif
}

}  // namespace et::inspector
