// Strings that records refer to by number: each content is stored once, as valid UTF-8, in memory given by the caller
// or in blocks from the platform's heap. Nothing is removed but by clear().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace et::etdump {

class NameTable {
 public:
  using Id = uint32_t;
  static constexpr Id kNone = 0;            // no string, or no memory for it
  static constexpr size_t kLongest = 1023;  // bytes; longer strings are cut between characters

  NameTable() = default;
  NameTable(const NameTable&) = delete;
  NameTable& operator=(const NameTable&) = delete;
  ~NameTable();

  /// Stores in `memory` only (aligned to 8).
  void use_memory(uint8_t* memory, size_t size);
  /// Stores in blocks of the heap, `bytes` altogether at most. The default.
  void use_heap(size_t bytes) { most_ = bytes; }

  Id intern(std::string_view text);
  /// `id` came from this table since the last clear(), or is kNone ("").
  std::string_view view(Id id) const;
  /// Where the writer has put the string; all are 0 after forget_places().
  uint32_t& place(Id id) { return node(id)->place; }
  void forget_places();

  size_t used() const { return used_; }
  size_t capacity() const { return fixed_ ? most_fixed_ : most_; }
  void clear();

 private:
  static constexpr unsigned kBuckets = 64;
  static constexpr unsigned kBlocks = 16;
  static constexpr unsigned kBlockShift = 27;  // Id: number of the block, then place in it / 8

  struct Node {
    Id next;
    uint32_t place;
    uint32_t length;
    uint32_t hash;
    // `length` bytes and a zero follow
  };
  struct Block {
    uint8_t* memory;
    size_t size, used;
  };

  Node* node(Id id) const {
    const Block& b = blocks_[id >> kBlockShift];
    return reinterpret_cast<Node*>(b.memory + (static_cast<size_t>(id & ((1u << kBlockShift) - 1)) << 3));
  }
  Id take(size_t bytes);

  Block blocks_[kBlocks] = {};
  unsigned count_ = 0;
  size_t most_ = 1 << 20;
  size_t most_fixed_ = 0;
  size_t used_ = 0;
  bool fixed_ = false;
  Id buckets_[kBuckets] = {};
};

/// The valid UTF-8 of `text` with other bytes as '?', at most `capacity` bytes, cut between characters.
size_t copy_utf8(std::string_view text, char* out, size_t capacity);

}  // namespace et::etdump
