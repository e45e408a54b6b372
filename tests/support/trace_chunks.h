// Writing big traces front to back: a run is laid out once as a chunk and written again and again with other times; its
// offsets are relative and stay right.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/etdump_builder.h"

namespace et::test {

// Lays a flatbuffer out forwards: who refers comes before what is referred to, vtables before their first table.
class Layout {
 public:
  struct Field {
    unsigned id;
    size_t size;
  };

  size_t size() const { return bytes_.size(); }
  std::vector<uint8_t>& bytes() { return bytes_; }

  void align(size_t to, size_t remainder = 0) {
    while (bytes_.size() % to != remainder) bytes_.push_back(0);
  }
  template <class T>
  size_t put(T value) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return at;
  }
  template <class T>
  void set(size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  /// Lets the offset at `slot` point to the end of what is written so far.
  void point_here(size_t slot) { set<uint32_t>(slot, static_cast<uint32_t>(bytes_.size() - slot)); }

  /// A table with these fields (8-byte ones first). Returns where it is; `at[k]` is where field k is.
  size_t table(const std::vector<Field>& fields, std::vector<size_t>* at) {
    unsigned ids = 0;
    bool wide = false;
    uint16_t place = 4;
    for (const Field& f : fields) ids = f.id + 1 > ids ? f.id + 1 : ids;
    std::vector<uint16_t> vtable(ids + 2);
    vtable[0] = static_cast<uint16_t>(2 * vtable.size());
    for (const Field& f : fields) {
      wide |= f.size == 8;
      vtable[f.id + 2] = place;
      place = static_cast<uint16_t>(place + f.size);
    }
    vtable[1] = place;
    auto [known, fresh] = vtables_.try_emplace(vtable, 0);
    if (fresh) {
      align(2);
      known->second = bytes_.size();
      for (const uint16_t v : vtable) put(v);
    }
    align(wide ? 8 : 4, wide ? 4 : 0);
    const size_t start = put(static_cast<int32_t>(bytes_.size() - known->second));
    at->clear();
    for (const Field& f : fields) at->push_back(start + vtable[f.id + 2]);
    bytes_.resize(start + place);
    return start;
  }

  /// A string (or, with `text` false, a byte vector) that the offset at `slot` points to.
  void string(size_t slot, const std::string& s, bool text = true) {
    align(4);
    point_here(slot);
    put(static_cast<uint32_t>(s.size()));
    bytes_.insert(bytes_.end(), s.begin(), s.end());
    if (text) bytes_.push_back(0);
  }

 private:
  std::vector<uint8_t> bytes_;
  std::map<std::vector<uint16_t>, size_t> vtables_;
};

struct Times {
  size_t start, end;  // where they are in the chunk
};

/// One run: RunData with its events, 8-byte aligned once it is finished.
struct Chunk {
  /// What a chunk begins with: the vtable of its RunData. The table follows.
  static constexpr uint64_t kRunVtable = 12;

  Layout layout;
  std::vector<Times> times;  // of the events in file order
  std::vector<size_t> slots;

  Chunk(const std::string& name, size_t events);

  /// Appends a profile event. Texts that are absent are not written.
  void event(const EventSpec& e);
  void set_times(size_t event, uint64_t start, uint64_t end) {
    layout.set(times[event].start, start);
    layout.set(times[event].end, end);
  }
  void finish() { layout.align(8); }
};

/// A dump of the runs `once`, then `repeats` times the run `each`; `set_times(i, chunk)` gives repetition i its times.
/// Throws std::runtime_error when the file cannot be written or would pass 2 GB, the limit of the format.
struct RepeatedDump {
  std::vector<Chunk> once = {};
  Chunk each;
  uint64_t repeats = 0;
  bool size_prefixed = true;
  std::function<void(uint64_t, Chunk*)> set_times = {};
  std::vector<uint8_t> trailer = {};  // its bytes with their size prefix, or empty

  void write(const std::string& path);
};

}  // namespace et::test
