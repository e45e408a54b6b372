#include "bundled_program/write/sidecar_writer.h"

#include <algorithm>
#include <cstring>
#include <deque>

#include "base/zip_writer.h"
#include "bundled_program/cases/sidecar_format.h"
#include "bundled_program/write/sidecar_members.h"

namespace et::bundled {
namespace {

// Compressed members of a case may inflate to 2 GiB; larger ones are stored.
constexpr uint64_t kMaxDeflated = uint64_t{1} << 28;

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

/// A member's array: loads the case that it belongs to when the zip is written.
class ArrayMember final : public ZipSource {
 public:
  ArrayMember(OneCase* cases, const SidecarMember* what) : cases_(cases), what_(what) {}

  uint64_t size() const override { return what_->size; }
  Status open() override {
    const LoadedCase* test = nullptr;
    if (Status s = cases_->get(what_->suite, what_->test_case, &test); !s.ok()) return s;
    bytes_ = array_bytes(what_->value(*test));
    at_ = 0;
    return {};
  }
  size_t read(std::span<uint8_t> to) override {
    const auto n = static_cast<size_t>(std::min<uint64_t>(to.size(), bytes_.size() - at_));
    size_t done = 0;
    if (at_ < bytes_.header.size()) {
      done = std::min<size_t>(n, bytes_.header.size() - at_);
      std::memcpy(to.data(), bytes_.header.data() + at_, done);
    }
    if (n > done) {
      std::memcpy(to.data() + done, bytes_.data.data() + (at_ + done - bytes_.header.size()), n - done);
    }
    at_ += n;
    return n;
  }
  void close() override { bytes_ = {}; }

 private:
  OneCase* cases_;
  const SidecarMember* what_;
  ArrayBytes bytes_;  // while it is open
  size_t at_ = 0;
};

}  // namespace

Status write_sidecar(const std::string& path, std::span<const uint8_t> program, const CaseSource& cases,
                     const SidecarOptions& options) {
  SidecarList list;
  if (Status s = list_members(program, cases, &list); !s.ok()) return s;
  OneCase one(cases);
  std::deque<ArrayMember> members;  // outlive the writer
  ZipWriter zip;
  if (Status s = zip.create(path); !s.ok()) return s;
  const std::span<const uint8_t> meta(reinterpret_cast<const uint8_t*>(list.meta.data()), list.meta.size());
  if (Status s = zip.add(std::string(kSidecarMeta), meta, true); !s.ok()) return s;
  for (const SidecarMember& what : list.members) {
    const bool deflate = options.deflate && what.size < kMaxDeflated;
    if (Status s = zip.add(what.name, &members.emplace_back(&one, &what), deflate); !s.ok()) return s;
  }
  return zip.close();
}

}  // namespace et::bundled
