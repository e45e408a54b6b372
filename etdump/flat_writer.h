// A small flatbuffer writer for targets without a heap. It writes from the end of a buffer to its start, as the format
// asks, and never allocates. Without a buffer it only counts: the same calls made twice give the exact size first and
// the bytes then, so nothing can run out in the middle.
//
// Positions are bytes from the end of the buffer ("places"); 0 stands for "absent".
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace et::etdump {

class FlatWriter {
 public:
  using Place = uint32_t;

  /// Writes into the `size` bytes at `buffer`, or counts when it is null.
  FlatWriter(uint8_t* buffer, size_t size) : end_(buffer == nullptr ? nullptr : buffer + size), room_(size) {}

  uint64_t size() const { return size_; }
  /// False: the buffer was too small, its content is of no use.
  bool fits() const { return end_ == nullptr || size_ <= room_; }

  Place string(std::string_view text);
  Place bytes(const void* data, size_t count);
  Place int64s(const int64_t* values, size_t count);
  /// Widens `count` numbers.
  Place int64s(const int32_t* values, size_t count);
  /// A vector of tables whose slots are set afterwards, in any order; each target was written before.
  Place slots(size_t count);
  /// The same where the slots were set before, by the place that an earlier pass found.
  Place slots_set_before(size_t count);
  void set_slot(Place vector, size_t i, Place target);

  /// Between start_table and end_table only add and refer may be called. `id` is the number of the field in the schema.
  void start_table();
  template <class T>
  void add(unsigned id, T value, T absent) {
    if (value == absent) return;
    align(sizeof(T));
    push(&value, sizeof(T));
    field(id);
  }
  void refer(unsigned id, Place target);
  Place end_table();

  /// Root, file identifier and size prefix; the whole is a multiple of 16 bytes.
  void finish(Place root, const char* identifier);

 private:
  static constexpr unsigned kFields = 16;  // maximum per table
  static constexpr unsigned kShapes = 40;  // vtables that are remembered for sharing

  struct Shape {
    Place place;
    uint16_t bytes;
    uint16_t vtable[2 + kFields];
  };

  void push(const void* data, size_t count) {
    size_ += count;
    if (size_ <= room_ && end_ != nullptr) std::memcpy(end_ - size_, data, count);
  }
  void push32(uint32_t value) { push(&value, sizeof value); }
  void zeros(size_t count);
  void align(size_t alignment) { align_after(0, alignment); }
  /// Pads so that the place is a multiple of `alignment` once `count` further bytes are written.
  void align_after(size_t count, size_t alignment) {
    const size_t over = static_cast<size_t>(size_ + count) & (alignment - 1);
    if (over != 0) zeros(alignment - over);
  }
  void field(unsigned id) {
    field_at_[id] = here();
    if (id >= fields_) fields_ = id + 1;
  }
  Place here() const { return static_cast<Place>(size_); }

  uint8_t* end_;
  uint64_t room_;
  uint64_t size_ = 0;
  uint64_t table_from_ = 0;
  unsigned fields_ = 0;
  unsigned shapes_ = 0;
  Place field_at_[kFields] = {};
  Shape shape_[kShapes];
};

}  // namespace et::etdump
