#include "cli/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/files_read.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/progress.h"
#include "inspector/text/shorten.h"

namespace et::cli {

namespace {

/// Bytes at the end that are the beginning of a character, or a sign whose replacement depends on what follows.
size_t unfinished_end(std::string_view text) {
  if (text.ends_with("…")) return 3;
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const auto c = static_cast<unsigned char>(text[text.size() - back]);
    if ((c & 0xc0) == 0x80) continue;
    const size_t length = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    return length > back ? back : 0;
  }
  return 0;
}

}  // namespace

/// A stream buffer over a file descriptor that remembers the first error.
class Output::Buffer : public std::streambuf {
 public:
  Buffer() : bytes_(kSize) { setp(bytes_.data(), bytes_.data() + bytes_.size()); }
  ~Buffer() override { close(); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void attach(int fd, bool owned) {
    fd_ = fd;
    owned_ = owned;
    terminal_ = ::isatty(fd) != 0;
  }
  uint64_t written() const { return written_; }
  int fd() const { return fd_; }
  void set_ascii() { ascii_ = true; }
  /// The input that the file written to directly (a redirection) is; nothing was written to it then.
  const std::string& input() const { return input_; }
  int error() const { return error_; }
  void close() {
    const std::string last = inspector::in_ascii(rest_);
    if (!last.empty()) write_bytes(last.data(), last.size());
    rest_.clear();
    if (owned_ && fd_ >= 0 && ::close(fd_) != 0 && error_ == 0) error_ = errno;
    fd_ = -1;
  }

 protected:
  int overflow(int c) override {
    if (sync() != 0) return traits_type::eof();
    if (c != traits_type::eof()) {
      *pptr() = static_cast<char>(c);
      pbump(1);
    }
    return traits_type::not_eof(c);
  }
  int sync() override {
    const bool done = write_all(pbase(), static_cast<size_t>(pptr() - pbase()));
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return done ? 0 : -1;
  }
  std::streamsize xsputn(const char* data, std::streamsize size) override {
    if (size < static_cast<std::streamsize>(kSize)) return std::streambuf::xsputn(data, size);
    return sync() == 0 && write_all(data, static_cast<size_t>(size)) ? size : 0;
  }

 private:
  static constexpr size_t kSize = 64 * 1024;

  bool write_all(const char* data, size_t size) {
    if (!ascii_) return write_bytes(data, size);
    std::string text = rest_ + std::string(data, size);
    const size_t kept = unfinished_end(text);
    rest_ = text.substr(text.size() - kept);
    text.resize(text.size() - kept);
    text = inspector::in_ascii(text);
    return write_bytes(text.data(), text.size());
  }

  bool write_bytes(const char* data, size_t size) {
    if (terminal_ && size > 0) end_progress();
    if (written_ == 0 && size > 0 && !owned_ && refuse_input()) return false;
    while (size > 0 && error_ == 0) {
      const ssize_t n = ::write(fd_, data, size);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        error_ = errno;
      } else {
        data += n;
        written_ += static_cast<uint64_t>(n);
        size -= static_cast<size_t>(n);
      }
    }
    return error_ == 0;
  }

  /// Here, not before: what is read may have been found since.
  bool refuse_input() {
    struct stat st = {};
    if (::fstat(fd_, &st) == 0) input_ = path_as_read(st);
    if (!input_.empty()) error_ = EEXIST;
    return error_ != 0;
  }

  std::vector<char> bytes_;
  std::string input_;
  int fd_ = -1;
  bool owned_ = false, terminal_ = false;
  std::atomic<uint64_t> written_ = 0;  // another thread shows it
  int error_ = 0;
  bool ascii_ = false;
  std::string rest_;
};

Output::Output() : buffer_(std::make_unique<Buffer>()), stream_(buffer_.get()) {}

Output::~Output() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status Output::open(const Arguments& args) {
  const std::string path = args.text("output"), format = args.text("format");
  const bool for_people = format.empty() || format == "table" || format == "text";
  if ((path.empty() || path == "-") && for_people && !locale_has_utf8()) write_ascii();
  return open(path);
}

void Output::write_ascii() { buffer_->set_ascii(); }

Status Output::open(const std::string& path) {
  if (path.empty() || path == "-") {
    shown_ = "standard output";
    buffer_->attach(STDOUT_FILENO, false);
    return {};
  }
  shown_ = target_ = path;
  auto refuse = [&] { return Status(Error::AccessFailed, path + ": cannot write: " + std::strerror(errno)); };
  struct stat st = {};
  const bool there = ::stat(path.c_str(), &st) == 0;
  if (there && S_ISDIR(st.st_mode)) {
    errno = EISDIR;
    return refuse();
  }
  if (there && !S_ISREG(st.st_mode)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return refuse();
    buffer_->attach(fd, true);
    return {};
  }
  if (there) {
    if (::access(path.c_str(), W_OK) != 0) return refuse();  // a rename would step over a write protection
    if (char* real = ::realpath(path.c_str(), nullptr)) {    // keep a symbolic link a link
      target_ = real;
      std::free(real);
    }
  }
  temporary_ = target_ + ".XXXXXX";
  const int fd = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (fd < 0) {
    temporary_.clear();
    return refuse();
  }
  unfinished_ = UnfinishedFile(temporary_);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  (void)!::fchmod(fd, there ? st.st_mode & 07777 : 0666 & ~mask);
  buffer_->attach(fd, true);
  return {};
}

Status Output::finish() {
  stream_.flush();
  buffer_->close();
  if (buffer_->error() == EPIPE) return {};
  const std::string input = temporary_.empty() ? buffer_->input() : may_replace_inputs_ ? "" : path_as_read(target_);
  if (!input.empty()) return {Error::InvalidArgument, shown_ + " is also an input (read as " + input + ")"};
  if (buffer_->error() != 0) {
    return {Error::AccessFailed, shown_ + ": cannot write: " + std::strerror(buffer_->error())};
  }
  if (temporary_.empty()) return {};
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    return {Error::AccessFailed, shown_ + ": cannot write: " + std::strerror(errno)};
  }
  temporary_.clear();
  unfinished_.release();
  return {};
}

uint64_t Output::written() const { return buffer_->written(); }

bool Output::reader_gone() const { return buffer_->error() == EPIPE; }

int write_output(const Arguments& args, std::string_view text, int exit_code) {
  Output out;
  Status status = out.open(args);
  if (status.ok()) {
    out.stream() << text;
    status = out.finish();
  }
  return status.ok() ? exit_code : fail(status);
}

}  // namespace et::cli
