#include "etdump/name_table.h"

#include <cstring>
#include <new>

#include "runtime/platform/platform.h"

namespace et::etdump {
namespace {

constexpr size_t kFirstBlock = 8192;
constexpr size_t kBlockStart = 8;  // so that no Id is 0

uint32_t hash_of(std::string_view text) {  // FNV-1a
  uint32_t h = 2166136261u;
  for (const char c : text) h = (h ^ static_cast<uint8_t>(c)) * 16777619u;
  return h;
}

// Length of the character at `p` (of `left` bytes), 0 when it is not valid UTF-8 (RFC 3629).
size_t character(const uint8_t* p, size_t left) {
  const uint8_t first = p[0];
  if (first < 0x80) return 1;
  const size_t length = first >= 0xc2 && first < 0xe0   ? 2
                        : (first & 0xf0) == 0xe0        ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4
                                                        : 0;
  if (length == 0 || length > left) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((p[i] & 0xc0) != 0x80) return 0;
  }
  if ((first == 0xe0 && p[1] < 0xa0) || (first == 0xed && p[1] >= 0xa0)) return 0;
  if ((first == 0xf0 && p[1] < 0x90) || (first == 0xf4 && p[1] >= 0x90)) return 0;
  return length;
}

}  // namespace

size_t copy_utf8(std::string_view text, char* out, size_t capacity) {
  const uint8_t* p = reinterpret_cast<const uint8_t*>(text.data());
  size_t done = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t length = character(p + i, text.size() - i);
    const size_t bytes = length == 0 ? 1 : length;
    if (done + bytes > capacity) break;
    if (length == 0) {
      out[done] = '?';
    } else {
      std::memcpy(out + done, p + i, length);
    }
    done += bytes;
    i += bytes;
  }
  return done;
}

NameTable::~NameTable() {
  if (fixed_) return;
  for (unsigned i = 0; i < count_; ++i) platform().free(blocks_[i].memory);
}

void NameTable::use_memory(uint8_t* memory, size_t size) {
  fixed_ = true;
  most_fixed_ = size;
  count_ = 1;
  blocks_[0] = {memory, size, kBlockStart};
}

NameTable::Id NameTable::take(size_t bytes) {
  for (unsigned b = 0; b < count_; ++b) {
    Block& block = blocks_[b];
    if (block.size - block.used < bytes || block.size < block.used) continue;
    const Id id = b << kBlockShift | static_cast<Id>(block.used >> 3);
    block.used += bytes;
    used_ += bytes;
    return id;
  }
  if (fixed_ || count_ == kBlocks || platform().allocate == nullptr) return kNone;
  size_t size = kFirstBlock << count_;
  size_t held = 0;
  for (unsigned b = 0; b < count_; ++b) held += blocks_[b].size;
  if (held >= most_) return kNone;
  if (size > most_ - held) size = most_ - held;
  if (size < bytes + kBlockStart || size >> 3 >= size_t{1} << kBlockShift) return kNone;
  uint8_t* memory = static_cast<uint8_t*>(platform().allocate(size));
  if (memory == nullptr) return kNone;
  blocks_[count_++] = {memory, size, kBlockStart};
  return take(bytes);
}

NameTable::Id NameTable::intern(std::string_view text) {
  char clean[kLongest + 1];
  const size_t length = copy_utf8(text, clean, kLongest);
  const uint32_t hash = hash_of({clean, length});
  Id& bucket = buckets_[hash % kBuckets];
  for (Id id = bucket; id != kNone; id = node(id)->next) {
    if (node(id)->hash == hash && view(id) == std::string_view(clean, length)) return id;
  }
  const Id id = take((sizeof(Node) + length + 1 + 7) & ~size_t{7});
  if (id == kNone) return kNone;
  Node* n = new (node(id)) Node{bucket, 0, static_cast<uint32_t>(length), hash};
  char* chars = reinterpret_cast<char*>(n + 1);
  std::memcpy(chars, clean, length);
  chars[length] = 0;
  bucket = id;
  return id;
}

std::string_view NameTable::view(Id id) const {
  if (id == kNone) return {"", 0};
  const Node* n = node(id);
  return {reinterpret_cast<const char*>(n + 1), n->length};
}

void NameTable::forget_places() {
  for (const Id first : buckets_) {
    for (Id id = first; id != kNone; id = node(id)->next) node(id)->place = 0;
  }
}

void NameTable::clear() {
  for (unsigned b = 0; b < count_; ++b) blocks_[b].used = kBlockStart;
  for (Id& id : buckets_) id = kNone;
  used_ = 0;
}

}  // namespace et::etdump
