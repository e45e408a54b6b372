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
#include <iterator>
#include <vector>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/progress.h"

namespace et::cli {

namespace {

struct AsciiSign {
  std::string_view sign, ascii;
};
// What tables and texts of the commands are made of. Names out of files stay as they are.
constexpr AsciiSign kAsciiSigns[] = {
    {"─", "-"}, {"━", "-"}, {"│", "|"}, {"┃", "|"},  {"█", "#"},  {"▉", "#"},  {"▊", "#"},  {"▋", "#"},
    {"▌", "#"}, {"▍", "#"}, {"▎", "#"}, {"▏", "#"},  {"–", "-"},  {"—", "-"},  {"…", "~"},  {"×", "x"},
    {"µ", "u"}, {"μ", "u"}, {"·", "."}, {"≥", ">="}, {"≤", "<="}, {"±", "+-"}, {"→", "->"}, {"←", "<-"},
};

/// `rest`: the beginning of a character at the end of the text, for the next call.
std::string in_ascii(std::string_view text, std::string* rest) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      out += text[i++];
      continue;
    }
    const std::string_view left = text.substr(i);
    const auto* found = std::find_if(std::begin(kAsciiSigns), std::end(kAsciiSigns),
                                     [&](const AsciiSign& s) { return left.starts_with(s.sign); });
    if (found != std::end(kAsciiSigns)) {
      out += found->ascii;
      i += found->sign.size();
    } else if (left.size() < 3) {
      *rest = left;
      break;
    } else {
      out += text[i++];
    }
  }
  return out;
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
  int error() const { return error_; }
  void close() {
    if (!rest_.empty()) write_bytes(rest_.data(), rest_.size());
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
    rest_.clear();
    text = in_ascii(text, &rest_);
    return write_bytes(text.data(), text.size());
  }

  bool write_bytes(const char* data, size_t size) {
    if (terminal_ && size > 0) end_progress();
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

  std::vector<char> bytes_;
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
  if ((path.empty() || path == "-") && for_people && ascii_locale()) write_ascii();
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
