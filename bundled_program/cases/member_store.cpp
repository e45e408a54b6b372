#include "bundled_program/cases/member_store.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/mapped_file.h"
#include "base/zip_reader.h"
#include "bundled_program/cases/sidecar.h"

namespace et::bundled {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFiles = 1'000'000;

// The zip reader's limits hold for a whole ETRecord that is kept; of a side-car one case at a time is, and SidecarCases
// bounds its sum. Arrays of zeros deflate as well as deflate can, 1032 to 1.
ZipLimits limits() {
  ZipLimits l;
  l.max_inflated_member = kMaxInflatedBytes;
  l.max_inflated_total = UINT64_MAX;
  l.max_ratio = 1100;
  return l;
}

class ZipStore : public MemberStore {
 public:
  Status open(std::span<const uint8_t> file, const std::string& path) {
    if (Status s = ZipReader::open(file, path, limits(), &zip_); !s.ok()) return s;
    if (!zip_.ignored().empty()) {
      return {Error::InvalidExternalData, path + ": member " + zip_.ignored()[0].name + " " + zip_.ignored()[0].why};
    }
    for (const ZipReader::Member& m : zip_.members()) {
      if (!m.name.ends_with('/')) names_.push_back(m.name);
    }
    return {};
  }
  const std::vector<std::string>& names() const override { return names_; }
  bool has(const std::string& name) const override { return zip_.find(name) != nullptr; }
  uint64_t inflated_size(const std::string& name) const override {
    const ZipReader::Member* m = zip_.find(name);
    return m == nullptr || m->stored ? 0 : m->size;
  }
  Status read(const std::string& name, MemberBytes* out) const override {
    ZipBytes bytes;
    Status s = zip_.read(name, &bytes);
    *out = {bytes.bytes, bytes.owner};
    return s;
  }

 private:
  ZipReader zip_;
  std::vector<std::string> names_;
};

class FolderStore : public MemberStore {
 public:
  explicit FolderStore(std::string path) : path_(std::move(path)) {}

  Status open() {
    std::error_code ec;
    for (fs::recursive_directory_iterator at(path_, ec), end; !ec && at != end; at.increment(ec)) {
      if (!at->is_regular_file(ec)) continue;
      names_.push_back(at->path().lexically_relative(path_).generic_string());
      if (names_.size() > kMaxFiles) {
        return {Error::OutOfResources, path_ + ": more than " + std::to_string(kMaxFiles) + " files"};
      }
    }
    if (ec) return {Error::AccessFailed, path_ + ": cannot be read: " + ec.message()};
    std::sort(names_.begin(), names_.end());
    return {};
  }
  const std::vector<std::string>& names() const override { return names_; }
  bool has(const std::string& name) const override { return std::binary_search(names_.begin(), names_.end(), name); }
  uint64_t inflated_size(const std::string&) const override { return 0; }
  Status read(const std::string& name, MemberBytes* out) const override {
    auto file = std::make_shared<MappedFile>();
    if (Status s = MappedFile::open((fs::path(path_) / name).string(), file.get()); !s.ok()) return s;
    *out = {file->bytes(), file};
    return {};
  }

 private:
  std::string path_;
  std::vector<std::string> names_;
};

}  // namespace

Status open_zip_store(std::span<const uint8_t> file, const std::string& path, std::unique_ptr<MemberStore>* out) {
  auto store = std::make_unique<ZipStore>();
  if (Status s = store->open(file, path); !s.ok()) return s;
  *out = std::move(store);
  return {};
}

Status open_folder_store(const std::string& path, std::unique_ptr<MemberStore>* out) {
  auto store = std::make_unique<FolderStore>(path);
  if (Status s = store->open(); !s.ok()) return s;
  *out = std::move(store);
  return {};
}

}  // namespace et::bundled
