#include "inspector/store/file_kind.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/lfs_pointer.h"
#include "base/stream_input.h"

namespace et::inspector {
namespace {

constexpr size_t kHead = 512;
constexpr size_t kTail = 64 * 1024;  // a zip's directory lies at its end

std::string read_at(int fd, off_t offset, size_t size) {
  std::string out(size, '\0');
  size_t got = 0;
  while (got < size) {
    const ssize_t n = ::pread(fd, out.data() + got, size - got, offset + static_cast<off_t>(got));
    if (n <= 0) break;
    got += static_cast<size_t>(n);
  }
  out.resize(got);
  return out;
}

/// A flatbuffer's identifier stands at byte 4, behind a size prefix at byte 8.
bool has_id(std::string_view head, std::string_view id, bool any_digits) {
  for (const size_t at : {size_t{4}, size_t{8}}) {
    if (head.size() < at + 4 || head.substr(at, id.size()) != id) continue;
    const std::string_view rest = head.substr(at + id.size(), 4 - id.size());
    if (!any_digits || std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; })) return true;
  }
  return false;
}

FileKind kind_of_zip(std::string_view head, std::string_view tail) {
  auto names = [&](std::string_view name) {
    return head.find(name) != std::string_view::npos || tail.find(name) != std::string_view::npos;
  };
  if (names("ETRECORD_V0") || names("edge_dialect_exported_program") || names("debug_handle_map"))
    return FileKind::ETRecord;
  return FileKind::Zip;
}

/// Tensors of a value or two, as quantised inputs of ones are, have no control characters either.
bool is_constant(std::string_view head) {
  constexpr size_t kFewest = 32;
  constexpr int kMostValues = 3;
  if (head.size() < kFewest) return false;
  std::array<bool, 256> seen{};
  int values = 0;
  for (const char c : head) values += std::exchange(seen[static_cast<unsigned char>(c)], true) ? 0 : 1;
  return values <= kMostValues;
}

/// The debug database, and the table of operators; older versions name its first column after the source's format.
bool is_vela_output(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  return head.find("<debug source=") != std::string_view::npos ||
         (line.find("perator,NNG Operator,") != std::string_view::npos &&
          line.find("Op Cycles") != std::string_view::npos);
}

FileKind kind_of_bytes(int fd, off_t size) {
  const std::string head = read_at(fd, 0, kHead);
  const std::string_view h = head;
  if (is_lfs_pointer(h)) return FileKind::LfsPointer;
  if (h.starts_with("SQLite format 3")) return FileKind::Store;
  if (h.starts_with("PK\x03\x04") || h.starts_with("PK\x05\x06")) {
    const off_t from = std::max<off_t>(0, size - static_cast<off_t>(kTail));
    return kind_of_zip(h, read_at(fd, from, kTail));
  }
  if (has_id(h, "ED", true)) return FileKind::ETDump;
  if (h.size() >= 8 && h.substr(4, 2) == "ET" && h[6] >= '0' && h[6] <= '9') return FileKind::Program;
  if (has_id(h, "FT", true)) return FileKind::TensorFile;
  if (has_id(h, "BP", true)) return FileKind::BundledProgram;
  if (has_id(h, "TOSA", false)) return FileKind::TosaGraph;
  if (h.starts_with("\x1f\x8b")) return FileKind::Gzip;
  if (is_vela_output(h)) return FileKind::VelaEstimates;
  if (h.size() >= 2 && h[0] == '\x80' && h[1] >= 2 && h[1] <= 5) return FileKind::TorchPickle;
  const size_t first = h.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (h[first] == '{' || h[first] == '[')) return FileKind::Json;
  const bool text = std::all_of(h.begin(), h.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u >= 0x20 || c == '\n' || c == '\r' || c == '\t';
  });
  return text && !is_constant(h) ? FileKind::Text : FileKind::Unknown;
}

}  // namespace

FileKind file_kind(const std::string& path) {
  struct stat st = {};
  if (::stat(path.c_str(), &st) != 0) return FileKind::Missing;
  if (S_ISDIR(st.st_mode)) return FileKind::Directory;
  int fd = -1;
  if (is_stream(st)) {
    fd = copy_of_stream(st);  // a pipe is not read by looking at it
    if (fd < 0 || ::fstat(fd, &st) != 0) return FileKind::Special;
  } else if (!S_ISREG(st.st_mode)) {
    return FileKind::Special;
  }
  if (st.st_size == 0) {
    if (fd >= 0) ::close(fd);
    return FileKind::Empty;
  }
  if (fd < 0) fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FileKind::Unreadable;
  const FileKind kind = kind_of_bytes(fd, st.st_size);
  ::close(fd);
  return kind;
}

const char* file_kind_name(FileKind kind) {
  switch (kind) {
    case FileKind::Missing:
      return "a missing file";
    case FileKind::Unreadable:
      return "a file that may not be read";
    case FileKind::Directory:
      return "a directory";
    case FileKind::Special:
      return "a device, pipe or socket";
    case FileKind::Empty:
      return "an empty file";
    case FileKind::ETDump:
      return "an ETDump";
    case FileKind::ETRecord:
      return "an ETRecord";
    case FileKind::Program:
      return "a program (.pte)";
    case FileKind::TensorFile:
      return "a tensor file (.ptd)";
    case FileKind::BundledProgram:
      return "a bundled program (.bpte)";
    case FileKind::Store:
      return "an SQLite database";
    case FileKind::Zip:
      return "a zip that is not an ETRecord";
    case FileKind::TorchPickle:
      return "a pickle";
    case FileKind::Json:
      return "JSON";
    case FileKind::Text:
      return "text";
    case FileKind::TosaGraph:
      return "a TOSA graph";
    case FileKind::VelaEstimates:
      return "output of Vela";
    case FileKind::Gzip:
      return "gzip";
    case FileKind::LfsPointer:
      return "a Git LFS pointer, not the file itself (fetch it with: git lfs pull)";
    case FileKind::Unknown:
      return "a file of an unknown kind";
  }
  return "a file of an unknown kind";
}

}  // namespace et::inspector
