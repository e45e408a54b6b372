#include "inspector/ingest/dump/sample_spill.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace et::inspector {

namespace {
constexpr size_t kBlock = size_t{1} << 15;  // samples of a write
}

SampleSpill::~SampleSpill() {
  if (file_ >= 0) ::close(file_);
}

Status SampleSpill::failed(const char* what) const {
  return {Error::AccessFailed, folder_ + ": " + what + " a temporary file: " + std::strerror(errno)};
}

Status SampleSpill::add(std::span<const Sample> samples) {
  if (file_ < 0) {
    std::string name = folder_ + "/.et-inspect-XXXXXX";
    file_ = ::mkstemp(name.data());
    if (file_ < 0) return failed("cannot make");
    ::unlink(name.c_str());
  }
  size_ += samples.size();
  block_.insert(block_.end(), samples.begin(), samples.end());
  return block_.size() >= kBlock ? end_block() : Status();
}

Status SampleSpill::end_block() {
  const auto* at = reinterpret_cast<const char*>(block_.data());
  for (size_t left = block_.size() * sizeof(Sample); left > 0;) {
    const ssize_t n = ::write(file_, at, left);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("cannot write");
    at += n;
    left -= static_cast<size_t>(n);
  }
  block_.clear();
  return {};
}

Status SampleSpill::read(uint64_t first, std::span<Sample> out) const {
  auto* at = reinterpret_cast<char*>(out.data());
  auto place = static_cast<off_t>(first * sizeof(Sample));
  for (size_t left = out.size_bytes(); left > 0;) {
    const ssize_t n = ::pread(file_, at, left, place);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) return failed("cannot read");
    at += n;
    place += n;
    left -= static_cast<size_t>(n);
  }
  return {};
}

}  // namespace et::inspector
