// libzip asks for the bytes of each member when it closes the archive, in the order in which they were added; the case
// that the member belongs to is loaded then. libzip writes beside the place and renames.
#include "bundled_program/write/sidecar_writer.h"

#include <zip.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "bundled_program/cases/sidecar_format.h"
#include "bundled_program/write/sidecar_members.h"

namespace et::bundled {
namespace {

// The earliest date that a zip can name, so that the same cases give the same file: 1 January 1980.
constexpr zip_uint16_t kDosDate = (1u << 5) | 1u;
// Compressed members of a case may inflate to 2 GiB; larger ones are stored.
constexpr uint64_t kMostDeflated = uint64_t{1} << 28;

/// The case that was loaded last, for all members.
class OneCase {
 public:
  explicit OneCase(const CaseSource& cases) : cases_(cases) {}
  Status get(size_t suite, size_t index, const LoadedCase** out) {
    if (suite != suite_ || index != index_) {
      suite_ = SIZE_MAX;
      if (Status s = cases_.load(suite, index, &loaded_); !s.ok()) return s;
      suite_ = suite;
      index_ = index;
    }
    *out = &loaded_;
    return {};
  }

 private:
  const CaseSource& cases_;
  LoadedCase loaded_;
  size_t suite_ = SIZE_MAX, index_ = SIZE_MAX;
};

/// What libzip reads a member from.
struct Member {
  OneCase* source = nullptr;
  Status* problem = nullptr;  // the first one of all members
  const SidecarMember* what = nullptr;

  ArrayBytes bytes;  // while it is open
  uint64_t at = 0;
  zip_error_t error = {};

  bool open() {
    const LoadedCase* test = nullptr;
    if (Status s = source->get(what->suite, what->test_case, &test); !s.ok()) {
      *problem = s;
      return false;
    }
    bytes = array_bytes(what->value(*test));
    at = 0;
    return true;
  }

  zip_int64_t read(uint8_t* to, uint64_t room) {
    const uint64_t n = std::min(room, bytes.size() - at);
    uint64_t done = 0;
    if (at < bytes.header.size()) {
      done = std::min<uint64_t>(n, bytes.header.size() - at);
      std::memcpy(to, bytes.header.data() + at, static_cast<size_t>(done));
    }
    if (n > done) {
      std::memcpy(to + done, bytes.data.data() + (at + done - bytes.header.size()), static_cast<size_t>(n - done));
    }
    at += n;
    return static_cast<zip_int64_t>(n);
  }

  static zip_int64_t call(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    auto* m = static_cast<Member*>(self);
    switch (command) {
      case ZIP_SOURCE_OPEN:
        if (m->open()) return 0;
        zip_error_set(&m->error, ZIP_ER_READ, 0);
        return -1;
      case ZIP_SOURCE_READ:
        return m->read(static_cast<uint8_t*>(data), length);
      case ZIP_SOURCE_CLOSE:
        m->bytes = {};
        return 0;
      case ZIP_SOURCE_STAT: {
        auto* st = static_cast<zip_stat_t*>(data);
        zip_stat_init(st);
        st->size = m->what->size;
        st->valid = ZIP_STAT_SIZE;
        return sizeof(*st);
      }
      case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&m->error, data, length);
      case ZIP_SOURCE_FREE:
        return 0;
      case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                              ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
      default:
        zip_error_set(&m->error, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
  }
};

class Writer {
 public:
  Writer(const std::string& path, const CaseSource& cases, const SidecarOptions& options)
      : path_(path), cases_(cases), options_(options), one_(cases) {}
  ~Writer() {
    if (zip_ != nullptr) zip_discard(zip_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Status run(std::span<const uint8_t> program) {
    if (Status s = list_members(program, cases_, &list_); !s.ok()) return s;
    int code = 0;
    zip_ = zip_open(path_.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (zip_ == nullptr) {
      zip_error_t error;
      zip_error_init_with_code(&error, code);
      const std::string why = zip_error_strerror(&error);
      zip_error_fini(&error);
      return {Error::AccessFailed, path_ + ": cannot be written: " + why};
    }
    if (Status s =
            add(std::string(kSidecarMeta), zip_source_buffer(zip_, list_.meta.data(), list_.meta.size(), 0), true);
        !s.ok()) {
      return s;
    }
    members_.resize(list_.members.size());
    for (size_t i = 0; i < members_.size(); ++i) {
      const SidecarMember& what = list_.members[i];
      members_[i].source = &one_;
      members_[i].problem = &problem_;
      members_[i].what = &what;
      zip_error_init(&members_[i].error);
      zip_source_t* source = zip_source_function(zip_, &Member::call, &members_[i]);
      if (Status s = add(what.name, source, options_.deflate && what.size < kMostDeflated); !s.ok()) return s;
    }
    if (zip_close(zip_) == 0) {
      zip_ = nullptr;
      return {};
    }
    return problem_.ok() ? failure() : problem_;
  }

 private:
  Status failure() const { return {Error::AccessFailed, path_ + ": cannot be written: " + zip_strerror(zip_)}; }

  Status add(const std::string& name, zip_source_t* source, bool deflate) {
    if (source == nullptr) return failure();
    const zip_int64_t index = zip_file_add(zip_, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return failure();
    }
    const auto at = static_cast<zip_uint64_t>(index);
    if (zip_set_file_compression(zip_, at, deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(zip_, at, 0, kDosDate, 0) != 0) {
      return failure();
    }
    return {};
  }

  const std::string& path_;
  const CaseSource& cases_;
  const SidecarOptions options_;
  OneCase one_;
  Status problem_;
  SidecarList list_;
  std::vector<Member> members_;  // outlive zip_
  zip_t* zip_ = nullptr;
};

}  // namespace

Status write_sidecar(const std::string& path, std::span<const uint8_t> program, const CaseSource& cases,
                     const SidecarOptions& options) {
  return Writer(path, cases, options).run(program);
}

}  // namespace et::bundled
