// Any bytes as dump, record and program of one import into a store in memory. The input is the three one after the
// other, behind two little-endian 32-bit sizes (of the dump and of the record).
#include <sqlite3.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "inspector/ingest/ingest.h"

namespace {

using namespace et::inspector;

/// A file in memory with a path. The importers want paths; a disk would make the fuzzer slow.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : fd_(::memfd_create(name, 0)), path_("/proc/self/fd/" + std::to_string(fd_)) {
    if (fd_ < 0) std::abort();
  }
  const std::string& set(std::span<const uint8_t> bytes) {
    if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      std::abort();
    return path_;
  }

 private:
  int fd_;
  std::string path_;
};

uint32_t u32(std::span<const uint8_t> d) {
  return static_cast<uint32_t>(d[0]) | static_cast<uint32_t>(d[1]) << 8 | static_cast<uint32_t>(d[2]) << 16 |
         static_cast<uint32_t>(d[3]) << 24;
}

int64_t rows(const Store& store) {
  Statement st = store.query(
      "SELECT (SELECT count(*) FROM raw_trace) + (SELECT count(*) FROM raw_op) + (SELECT count(*) FROM raw_node)");
  return st.step() ? st.integer(0) : -1;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile dump("dump"), record("record"), program("program");
  if (size < 8) return 0;
  std::span<const uint8_t> rest(data + 8, size - 8);
  auto take = [&](size_t n) {
    const auto part = rest.first(std::min(n, rest.size()));
    rest = rest.subspan(part.size());
    return part;
  };
  const auto d = take(u32({data, 4})), r = take(u32({data + 4, 4}));
  IngestInputs in;
  in.dump = dump.set(d);
  if (!r.empty()) in.record = record.set(r);
  if (!rest.empty()) in.program = program.set(rest);
  in.debug_buffer = in.dump;  // any bytes will do

  Store store;
  if (!Store::open("", Store::Mode::Memory, &store).ok()) std::abort();
  IngestResult result;
  const et::Status status = ingest(store, in, {}, &result);
  if (sqlite3_get_autocommit(store.db()) == 0) std::abort();  // a transaction stayed open
  if (!status.ok()) {
    if (rows(store) != 0 || status.message().find("/proc/self/fd/") == std::string::npos) {
      std::fprintf(stderr, "%s\n", status.message().c_str());
      std::abort();
    }
    return 0;
  }
  // A record is used twice in half of the inputs: a second trace must fit beside the first.
  if ((size & 1) != 0 && !ingest(store, in, {}, &result).ok()) std::abort();
  return 0;
}
