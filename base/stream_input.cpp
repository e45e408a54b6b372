#include "base/stream_input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace et {
namespace {

constexpr size_t kChunk = size_t{256} << 10;
constexpr int kWriterWaitMs = 1000;  // for the other side of a named pipe to open it

struct Copies {
  std::mutex mutex;
  // By device and inode. The pipe stays open, so that its number is not given to another one.
  std::map<std::pair<dev_t, ino_t>, int> files;
};

Copies& copies() {
  static Copies all;
  return all;
}

Status failed(const std::string& path, const char* what) {
  return {Error::AccessFailed, path + ": " + what + ": " + std::strerror(errno)};
}

bool write_all(int fd, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

/// Waits for bytes or for the end. False: no writer came.
bool wait_for_bytes(int fd, bool begun) {
  struct pollfd wait = {fd, POLLIN, 0};
  // Without a writer read() says "end" at once; a writer that takes its time is waited for.
  return begun || ::poll(&wait, 1, kWriterWaitMs) != 0;
}

Status copy_stream(int from, const std::string& path, int to) {
  std::vector<char> chunk(kChunk);
  size_t size = 0;
  bool begun = false;
  for (;;) {
    const ssize_t n = ::read(from, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {  // there is a writer, and nothing yet
      struct pollfd wait = {from, POLLIN, 0};
      ::poll(&wait, 1, -1);
      begun = true;
      continue;
    }
    if (n < 0) return failed(path, "cannot read");
    if (n == 0 && size == 0 && !begun) {
      if (!wait_for_bytes(from, begun)) return {Error::AccessFailed, path + ": nobody writes to this pipe"};
      begun = true;
      continue;
    }
    if (n == 0) return {};
    size += static_cast<size_t>(n);
    if (size > kMostStreamBytes) {
      return {Error::AccessFailed, path + ": more than " + std::to_string(kMostStreamBytes >> 20) +
                                       " MiB come through the pipe; write them to a file"};
    }
    if (!write_all(to, chunk.data(), static_cast<size_t>(n)))
      return failed(path, "cannot keep what comes through the pipe");
  }
}

}  // namespace

int open_input(const std::string& path) {
  // O_NONBLOCK: opening a pipe that nobody writes to must not hang.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0 || errno != ENXIO || path != "/dev/stdin") return fd;
  return ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
}

int copy_of_stream(const struct stat& st) {
  Copies& all = copies();
  const std::lock_guard lock(all.mutex);
  const auto it = all.files.find({st.st_dev, st.st_ino});
  return it == all.files.end() ? -1 : ::fcntl(it->second, F_DUPFD_CLOEXEC, 0);
}

Status stream_as_file(int fd, const struct stat& st, const std::string& path, int* file) {
  *file = copy_of_stream(st);
  if (*file >= 0) return {};
  const int copy = ::memfd_create("pipe", MFD_CLOEXEC);
  if (copy < 0) return failed(path, "cannot keep what comes through the pipe");
  if (Status s = copy_stream(fd, path, copy); !s.ok()) {
    ::close(copy);
    return s;
  }
  Copies& all = copies();
  {
    const std::lock_guard lock(all.mutex);
    (void)::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    all.files.emplace(std::pair(st.st_dev, st.st_ino), copy);
  }
  *file = copy_of_stream(st);
  return {};
}

Status read_stream(const std::string& path) {
  struct stat st = {};
  if (::stat(path.c_str(), &st) != 0 || !is_stream(st)) return {};
  const int fd = open_input(path);
  if (fd < 0) return failed(path, "cannot open");
  int file = -1;
  const Status status = stream_as_file(fd, st, path, &file);
  ::close(fd);
  if (file >= 0) ::close(file);
  return status;
}

}  // namespace et
