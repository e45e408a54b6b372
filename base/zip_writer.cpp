// libzip asks for the bytes of each member when it closes the archive, in the order in which they were added. It writes
// a temporary file and renames it.
#include "base/zip_writer.h"

#include <zip.h>

#include <deque>

namespace et {
namespace {

// The earliest date that a zip can name, 1 January 1980: equal members give equal files.
constexpr zip_uint16_t kDosDate = (1u << 5) | 1u;

struct SourceState {
  ZipSource* source = nullptr;
  Status* problem = nullptr;  // the first one of all members
  zip_error_t error = {};
};

zip_int64_t serve(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto* s = static_cast<SourceState*>(self);
  switch (command) {
    case ZIP_SOURCE_OPEN: {
      Status status = s->source->open();
      if (status.ok()) return 0;
      if (s->problem->ok()) *s->problem = std::move(status);
      zip_error_set(&s->error, ZIP_ER_READ, 0);
      return -1;
    }
    case ZIP_SOURCE_READ:
      return static_cast<zip_int64_t>(s->source->read({static_cast<uint8_t*>(data), static_cast<size_t>(length)}));
    case ZIP_SOURCE_CLOSE:
      s->source->close();
      return 0;
    case ZIP_SOURCE_STAT: {
      auto* st = static_cast<zip_stat_t*>(data);
      zip_stat_init(st);
      st->size = s->source->size();
      st->valid = ZIP_STAT_SIZE;
      return sizeof(*st);
    }
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&s->error, data, length);
    case ZIP_SOURCE_FREE:
      return 0;
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                            ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
    default:
      zip_error_set(&s->error, ZIP_ER_OPNOTSUPP, 0);
      return -1;
  }
}

}  // namespace

struct ZipWriter::Impl {
  std::string path;
  zip_t* zip = nullptr;
  std::deque<SourceState> sources;  // outlive zip
  Status problem;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (zip != nullptr) zip_discard(zip);
  }

  Status failure(const char* why) const { return {Error::AccessFailed, path + ": cannot be written: " + why}; }
  Status failure() const { return failure(zip_strerror(zip)); }

  Status add(const std::string& name, zip_source_t* source, bool deflate) const {
    if (source == nullptr) return failure();
    const zip_int64_t index = zip_file_add(zip, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      return failure();
    }
    const auto at = static_cast<zip_uint64_t>(index);
    if (zip_set_file_compression(zip, at, deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(zip, at, 0, kDosDate, 0) != 0) {
      return failure();
    }
    return {};
  }
};

ZipWriter::ZipWriter() : impl_(std::make_unique<Impl>()) {}
ZipWriter::~ZipWriter() = default;

Status ZipWriter::create(const std::string& path) {
  impl_ = std::make_unique<Impl>();
  impl_->path = path;
  int code = 0;
  impl_->zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (impl_->zip != nullptr) return {};
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  Status status = impl_->failure(zip_error_strerror(&error));
  zip_error_fini(&error);
  return status;
}

Status ZipWriter::add(const std::string& name, std::span<const uint8_t> bytes, bool deflate) {
  return impl_->add(name, zip_source_buffer(impl_->zip, bytes.data(), bytes.size(), 0), deflate);
}

Status ZipWriter::add(const std::string& name, ZipSource* source, bool deflate) {
  SourceState& state = impl_->sources.emplace_back();
  state.source = source;
  state.problem = &impl_->problem;
  zip_error_init(&state.error);
  return impl_->add(name, zip_source_function(impl_->zip, &serve, &state), deflate);
}

Status ZipWriter::close() {
  if (zip_close(impl_->zip) == 0) {
    impl_->zip = nullptr;
    return {};
  }
  return impl_->problem.ok() ? impl_->failure() : impl_->problem;
}

}  // namespace et
