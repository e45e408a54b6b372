// libzip reads the directory and inflates; our own walk of the directory finds where stored members lie, so that they
// can be viewed in place, and sees names as they are (libzip cuts them at a NUL). Where the two disagree libzip's copy
// is used.
#include "base/zip_reader.h"

#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "base/printable.h"

namespace et {
namespace {

uint16_t u16(const uint8_t* p) { return static_cast<uint16_t>(p[0] | p[1] << 8); }
uint32_t u32(const uint8_t* p) { return static_cast<uint32_t>(u16(p)) | static_cast<uint32_t>(u16(p + 2)) << 16; }
uint64_t u64(const uint8_t* p) { return u32(p) | static_cast<uint64_t>(u32(p + 4)) << 32; }

constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kDirectoryEntry = 0x02014b50;
constexpr uint32_t kEndRecord = 0x06054b50;
constexpr uint32_t kEnd64Record = 0x06064b50;
constexpr uint32_t kEnd64Locator = 0x07064b50;
constexpr size_t kLocalSize = 30, kEntrySize = 46, kEndSize = 22, kEnd64Size = 56, kLocatorSize = 20;

struct Entry {
  std::string_view name;
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t compressed = 0;
  uint64_t size = 0;
  uint64_t local = 0;
};

struct Directory {
  uint64_t offset = 0;
  uint64_t size = 0;
};

std::optional<Directory> find_directory(std::span<const uint8_t> file) {
  if (file.size() < kEndSize) return std::nullopt;
  const size_t lowest = file.size() > kEndSize + 0xFFFF ? file.size() - kEndSize - 0xFFFF : 0;
  for (size_t at = file.size() - kEndSize;; --at) {
    const uint8_t* p = file.data() + at;
    if (u32(p) == kEndRecord && u16(p + 20) == file.size() - at - kEndSize) {
      Directory d{u32(p + 16), u32(p + 12)};
      const uint8_t* locator = at >= kLocatorSize ? p - kLocatorSize : nullptr;
      if (locator != nullptr && u32(locator) == kEnd64Locator) {
        const uint64_t end64 = u64(locator + 8);
        if (end64 <= file.size() && file.size() - end64 >= kEnd64Size && u32(file.data() + end64) == kEnd64Record) {
          d = {u64(file.data() + end64 + 48), u64(file.data() + end64 + 40)};
        }
      }
      return d;
    }
    if (at == lowest) return std::nullopt;
  }
}

// Sizes and offset that did not fit 32 bit, in this order, each only if its field is all ones.
void apply_zip64(std::span<const uint8_t> extra, Entry* e) {
  while (extra.size() >= 4) {
    const size_t length = u16(extra.data() + 2);
    if (length > extra.size() - 4) return;
    if (u16(extra.data()) == 0x0001) {
      std::span<const uint8_t> field = extra.subspan(4, length);
      for (uint64_t* value : {&e->size, &e->compressed, &e->local}) {
        if (*value != 0xFFFFFFFFu) continue;
        if (field.size() < 8) return;
        *value = u64(field.data());
        field = field.subspan(8);
      }
      return;
    }
    extra = extra.subspan(4 + length);
  }
}

std::vector<Entry> walk_directory(std::span<const uint8_t> file, uint64_t expected) {
  std::vector<Entry> entries;
  const auto directory = find_directory(file);
  if (!directory || directory->offset > file.size()) return entries;
  std::span<const uint8_t> rest = file.subspan(directory->offset);
  while (entries.size() < expected && rest.size() >= kEntrySize && u32(rest.data()) == kDirectoryEntry) {
    const uint8_t* p = rest.data();
    const size_t name = u16(p + 28), extra = u16(p + 30), comment = u16(p + 32);
    if (rest.size() - kEntrySize < name + extra + comment) break;
    Entry e;
    e.flags = u16(p + 8);
    e.method = u16(p + 10);
    e.crc = u32(p + 16);
    e.compressed = u32(p + 20);
    e.size = u32(p + 24);
    e.local = u32(p + 42);
    e.name = {reinterpret_cast<const char*>(p + kEntrySize), name};
    apply_zip64(rest.subspan(kEntrySize + name, extra), &e);
    entries.push_back(e);
    rest = rest.subspan(kEntrySize + name + extra + comment);
  }
  return entries;
}

// Why a name may not be used, nullptr if it may. Nothing is unpacked here, but a file that carries such names was
// made to do harm.
const char* unsafe_name(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.find('\0') != std::string_view::npos) return "contains a NUL";
  if (name.front() == '/' || name.front() == '\\') return "is absolute";
  if (name.size() >= 2 && name[1] == ':') return "is absolute";
  for (size_t at = 0; at <= name.size();) {
    size_t end = name.find_first_of("/\\", at);
    if (end == std::string_view::npos) end = name.size();
    if (name.substr(at, end - at) == "..") return "leaves the archive";
    at = end + 1;
  }
  return nullptr;
}

}  // namespace

struct ZipReader::Impl {
  std::span<const uint8_t> file;
  std::string name;
  ZipLimits limits;
  zip_t* archive = nullptr;
  std::vector<Entry> entries;  // as many as libzip's, or none
  uint64_t inflated = 0;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (archive != nullptr) zip_discard(archive);
  }

  Status fail(Error code, const std::string& what) const { return {code, name + ": " + what}; }

  std::optional<std::span<const uint8_t>> view(const Member& m) const {
    if (!m.stored || m.index >= entries.size()) return std::nullopt;
    const uint64_t local = entries[m.index].local;
    if (local > file.size() || file.size() - local < kLocalSize) return std::nullopt;
    const uint8_t* p = file.data() + local;
    if (u32(p) != kLocalHeader) return std::nullopt;
    const uint64_t skip = kLocalSize + u16(p + 26) + u16(p + 28);
    if (file.size() - local < skip || file.size() - local - skip < m.size) return std::nullopt;
    return file.subspan(local + skip, m.size);
  }

  Status open_archive();
  Status list(std::vector<Member>* members, std::vector<Ignored>* ignored);
  Status copy(const Member& m, ZipBytes* out);
};

ZipReader::ZipReader() = default;
ZipReader::~ZipReader() = default;
ZipReader::ZipReader(ZipReader&&) noexcept = default;
ZipReader& ZipReader::operator=(ZipReader&&) noexcept = default;

Status ZipReader::open(std::span<const uint8_t> file, const std::string& name, const ZipLimits& limits,
                       ZipReader* out) {
  *out = ZipReader();
  auto impl = std::make_unique<Impl>();
  impl->file = file;
  impl->name = name;
  impl->limits = limits;
  if (Status s = impl->open_archive(); !s.ok()) return s;
  std::vector<Member> members;
  if (Status s = impl->list(&members, &out->ignored_); !s.ok()) return s;
  out->keep_last(std::move(members));
  out->impl_ = std::move(impl);
  return {};
}

Status ZipReader::Impl::open_archive() {
  if (file.empty()) return fail(Error::InvalidExternalData, "empty; expected a zip file");
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(file.data(), file.size(), 0, &error);
  if (source != nullptr) {
    archive = zip_open_from_source(source, ZIP_RDONLY, &error);
    if (archive == nullptr) zip_source_free(source);
  }
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (archive != nullptr) return {};
  if (file.size() >= 4 && u32(file.data()) == kLocalHeader) {
    return fail(Error::InvalidExternalData, "the zip directory at the end of the " + std::to_string(file.size()) +
                                                " bytes is missing or damaged; the file may be cut short (" + why +
                                                ")");
  }
  return fail(Error::InvalidExternalData, "not a zip file (" + why + ")");
}

Status ZipReader::Impl::list(std::vector<Member>* members, std::vector<Ignored>* ignored) {
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  if (count < 0 || static_cast<uint64_t>(count) > limits.max_members) {
    return fail(Error::OutOfResources,
                std::to_string(count) + " members; expected at most " + std::to_string(limits.max_members));
  }
  entries = walk_directory(file, static_cast<uint64_t>(count));
  if (entries.size() != static_cast<uint64_t>(count)) entries.clear();

  uint64_t packed = 0;
  members->reserve(static_cast<size_t>(count));
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
    zip_stat_t st;
    zip_stat_init(&st);
    if (zip_stat_index(archive, i, 0, &st) != 0 || (st.valid & ZIP_STAT_NAME) == 0 || (st.valid & ZIP_STAT_SIZE) == 0 ||
        (st.valid & ZIP_STAT_COMP_SIZE) == 0) {
      ignored->push_back({Ignored::UnsafeName, "member " + std::to_string(i), "has no readable directory entry"});
      continue;
    }
    // Members that share bytes would multiply the work; no writer makes them.
    if (st.comp_size > file.size() || (packed += st.comp_size) > file.size()) {
      return fail(Error::InvalidExternalData,
                  "members are larger together than the file; expected members that do not overlap");
    }
    Member m;
    m.name = st.name;
    m.size = st.size;
    m.compressed_size = st.comp_size;
    m.crc = st.crc;
    m.index = i;
    m.stored = st.comp_method == ZIP_CM_STORE && st.size == st.comp_size;
    m.encrypted = st.encryption_method != ZIP_EM_NONE;
    std::string_view raw = m.name;
    if (!entries.empty()) {
      const Entry& e = entries[i];
      raw = e.name;
      if ((e.flags & 1) != 0) m.encrypted = true;
      if (e.size != m.size || e.compressed != m.compressed_size ||
          (e.method == 0) != (st.comp_method == ZIP_CM_STORE)) {
        return fail(Error::InvalidExternalData,
                    "directory entry " + std::to_string(i) + " is ambiguous; expected one reading of its sizes");
      }
    }
    if (const char* why = unsafe_name(raw)) {
      ignored->push_back({Ignored::UnsafeName, printable(raw), why});
      continue;
    }
    members->push_back(std::move(m));
  }
  return {};
}

void ZipReader::keep_last(std::vector<Member> members) {
  std::vector<bool> shadowed(members.size(), false);
  for (size_t i = 0; i < members.size(); ++i) {
    const auto [it, fresh] = by_name_.try_emplace(members[i].name, i);
    if (fresh) continue;
    shadowed[it->second] = true;
    it->second = i;
    ignored_.push_back({Ignored::Duplicate, printable(members[i].name), "occurs twice, the last one is used"});
  }
  by_name_.clear();
  for (size_t i = 0; i < members.size(); ++i) {
    if (shadowed[i]) continue;
    by_name_.emplace(members[i].name, members_.size());
    members_.push_back(std::move(members[i]));
  }
}

const ZipReader::Member* ZipReader::find(const std::string& name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &members_[it->second];
}

Status ZipReader::read(const std::string& name, ZipBytes* out, bool check_crc) const {
  *out = {};
  const Member* m = find(name);
  if (m == nullptr || impl_ == nullptr) {
    return {Error::NotFound, (impl_ ? impl_->name : std::string("zip")) + ": no member " + printable(name)};
  }
  if (m->encrypted) return impl_->fail(Error::NotSupported, printable(name) + " is encrypted");
  if (const auto view = impl_->view(*m)) {
    if (check_crc && crc32_z(0, view->data(), view->size()) != m->crc) {
      return impl_->fail(Error::InvalidExternalData, printable(name) + " is damaged: its CRC does not match");
    }
    out->bytes = *view;
    return {};
  }
  return impl_->copy(*m, out);
}

Status ZipReader::Impl::copy(const Member& m, ZipBytes* out) {
  const std::string label = printable(m.name);
  if (m.size > limits.max_inflated_member || m.size > limits.max_inflated_total - inflated ||
      (m.size > limits.ratio_floor && m.size / limits.max_ratio > m.compressed_size)) {
    return fail(Error::OutOfResources, label + " would inflate from " + std::to_string(m.compressed_size) + " to " +
                                           std::to_string(m.size) + " bytes: refused as a zip bomb");
  }
  zip_file_t* f = zip_fopen_index(archive, m.index, 0);
  if (f == nullptr) {
    return fail(Error::InvalidExternalData, label + " cannot be read: " + zip_error_strerror(zip_get_error(archive)));
  }
  // Grown as data comes, not as the directory promises.
  auto data = std::make_shared<std::vector<uint8_t>>();
  constexpr uint64_t kStep = uint64_t{1} << 20;
  std::string trouble;
  while (trouble.empty()) {
    const size_t have = data->size();
    const uint64_t want = std::min(kStep, m.size - have + 1);  // one more than promised, to see whether there is more
    data->resize(have + want);
    const zip_int64_t got = zip_fread(f, data->data() + have, want);
    if (got < 0) trouble = zip_error_strerror(zip_file_get_error(f));
    data->resize(have + static_cast<size_t>(std::max<zip_int64_t>(got, 0)));
    if (data->size() > m.size) trouble = "longer than the directory says";
    if (got <= 0) break;
  }
  if (zip_fclose(f) != 0 && trouble.empty()) trouble = "damaged at its end";
  inflated += data->size();
  if (trouble.empty() && data->size() != m.size) trouble = "shorter than the directory says";
  if (!trouble.empty()) return fail(Error::InvalidExternalData, label + " cannot be read: " + trouble);
  out->bytes = *data;
  out->owner = std::move(data);
  return {};
}

}  // namespace et
