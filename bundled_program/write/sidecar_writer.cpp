// libzip asks for the bytes of each member when it closes the archive, in the order in which they were added; the case
// that the member belongs to is loaded then. libzip writes beside the place and renames.
#include "bundled_program/write/sidecar_writer.h"

#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "bundled_program/cases/npy.h"
#include "bundled_program/cases/sidecar_format.h"

namespace et::bundled {
namespace {

// The earliest date that a zip can name, so that the same cases give the same file: 1 January 1980.
constexpr zip_uint16_t kDosDate = (1u << 5) | 1u;
// Compressed members of a case may inflate to 2 GiB; larger ones are stored.
constexpr uint64_t kMostDeflated = uint64_t{1} << 28;

/// A member's bytes: the header of the array, then its data.
struct ArrayBytes {
  std::string header;
  std::span<const uint8_t> data;
  std::shared_ptr<const void> owner;

  uint64_t size() const { return header.size() + data.size(); }
};

ArrayBytes array_bytes(const Value& v) {
  ArrayBytes out;
  const auto number = [&](ScalarType type, const auto& value) {
    auto own = std::make_shared<std::vector<uint8_t>>(sizeof(value));
    std::memcpy(own->data(), &value, sizeof(value));
    out = {npy_header(type, {}), *own, own};
  };
  switch (v.kind) {
    case ValueKind::Int:
      number(ScalarType::Long, v.as_int);
      break;
    case ValueKind::Bool:
      number(ScalarType::Bool, static_cast<uint8_t>(v.as_bool));
      break;
    case ValueKind::Double:
      number(ScalarType::Double, v.as_double);
      break;
    default:
      out = {npy_header(v.tensor.scalar_type, v.tensor.sizes), v.tensor.data, nullptr};
      if (!is_row_major(v.tensor.dim_order)) {
        std::vector<uint8_t> rows(v.tensor.sizes.size());
        std::iota(rows.begin(), rows.end(), uint8_t{0});
        auto own = std::make_shared<std::vector<uint8_t>>(reordered(v.tensor, rows));
        out.data = *own;
        out.owner = own;
      }
  }
  return out;
}

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
  size_t suite = 0, test_case = 0, index = 0;
  bool expected = false;
  uint64_t size = 0;

  ArrayBytes bytes;  // while it is open
  uint64_t at = 0;
  zip_error_t error = {};

  bool open() {
    const LoadedCase* test = nullptr;
    if (Status s = source->get(suite, test_case, &test); !s.ok()) {
      *problem = s;
      return false;
    }
    bytes = array_bytes((expected ? test->expected : test->inputs)[index]);
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
        st->size = m->size;
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
    if (Status s = list_members(); !s.ok()) return s;
    meta_ = "{\"format\": \"" + std::string(kSidecarFormat) + "\",\n \"program_sha256\": \"" + program_digest(program) +
            "\",\n \"cases\": {" + counts_ + "}" +
            (dim_orders_.empty() ? "" : ",\n \"dim_order\": {" + dim_orders_ + "}") + "}\n";
    int code = 0;
    zip_ = zip_open(path_.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (zip_ == nullptr) {
      zip_error_t error;
      zip_error_init_with_code(&error, code);
      const std::string why = zip_error_strerror(&error);
      zip_error_fini(&error);
      return {Error::AccessFailed, path_ + ": cannot be written: " + why};
    }
    if (Status s = add(std::string(kSidecarMeta), zip_source_buffer(zip_, meta_.data(), meta_.size(), 0), true);
        !s.ok()) {
      return s;
    }
    for (size_t i = 0; i < members_.size(); ++i) {
      const bool deflate = options_.deflate && members_[i]->size < kMostDeflated;
      zip_source_t* source = zip_source_function(zip_, &Member::call, members_[i].get());
      if (Status s = add(names_[i], source, deflate); !s.ok()) return s;
    }
    if (zip_close(zip_) == 0) {
      zip_ = nullptr;
      return {};
    }
    return problem_.ok() ? failure() : problem_;
  }

 private:
  Status failure() const { return {Error::AccessFailed, path_ + ": cannot be written: " + zip_strerror(zip_)}; }

  Status list_members() {
    for (size_t s = 0; s < cases_.suite_count(); ++s) {
      const std::string method(cases_.method(s));
      if (*cases_.find(method) != s) {
        return {Error::InvalidArgument, "two suites for method " + method + "; a side-car holds one"};
      }
      counts_ +=
          (counts_.empty() ? "\"" : ", \"") + encode_method(method) + "\": " + std::to_string(cases_.case_count(s));
      for (size_t c = 0; c < cases_.case_count(s); ++c) {
        const LoadedCase* test = nullptr;
        if (Status status = one_.get(s, c, &test); !status.ok()) return status;
        for (const bool expected : {false, true}) {
          const std::vector<Value>& values = expected ? test->expected : test->inputs;
          for (size_t i = 0; i < values.size(); ++i) {
            if (Status status = list_member({method, static_cast<uint32_t>(c), expected, static_cast<uint32_t>(i),
                                             values[i].kind, std::nullopt},
                                            values[i], s);
                !status.ok()) {
              return status;
            }
          }
        }
      }
    }
    return {};
  }

  Status list_member(MemberName name, const Value& v, size_t suite) {
    const std::string place = cases_.place(suite, name.test_case) +
                              (name.expected ? ": expected output " : ": input ") + std::to_string(name.index);
    if (v.kind == ValueKind::None) return {Error::InvalidArgument, place + " has no value"};
    if (v.kind == ValueKind::Tensor) {
      if (const std::string why = tensor_problem(v.tensor); !why.empty()) {
        return {Error::InvalidArgument, place + ": " + why};
      }
      name.type = v.tensor.scalar_type;
    }
    names_.push_back(member_name(name));
    auto member = std::make_unique<Member>();
    member->source = &one_;
    member->problem = &problem_;
    member->suite = suite;
    member->test_case = name.test_case;
    member->index = name.index;
    member->expected = name.expected;
    member->size = array_bytes(v).size();
    zip_error_init(&member->error);
    members_.push_back(std::move(member));
    if (v.kind == ValueKind::Tensor && !is_row_major(v.tensor.dim_order)) {
      dim_orders_ +=
          (dim_orders_.empty() ? "\"" : ", \"") + names_.back().substr(0, names_.back().rfind('.')) + "\": [";
      for (size_t d = 0; d < v.tensor.dim_order.size(); ++d) {
        dim_orders_ += (d > 0 ? ", " : "") + std::to_string(v.tensor.dim_order[d]);
      }
      dim_orders_ += "]";
    }
    return {};
  }

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
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Member>> members_;  // outlive zip_
  std::string counts_, dim_orders_, meta_;
  zip_t* zip_ = nullptr;
};

}  // namespace

Status write_sidecar(const std::string& path, std::span<const uint8_t> program, const CaseSource& cases,
                     const SidecarOptions& options) {
  return Writer(path, cases, options).run(program);
}

}  // namespace et::bundled
