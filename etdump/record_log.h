// Memory of records. Either a list of chunks that grows on the heap, or one piece of memory that is filled once or
// used as a ring. Appending is a comparison and an addition until a chunk ends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "etdump/record.h"

namespace et::etdump {

class RecordLog {
 public:
  RecordLog() = default;
  RecordLog(const RecordLog&) = delete;
  RecordLog& operator=(const RecordLog&) = delete;
  ~RecordLog() { release(); }

  /// Empties the log and gives it the memory of the caller, aligned to 8.
  void use_memory(uint8_t* memory, size_t size, bool ring);
  /// Empties the log; it takes at most `bytes` from the platform's heap. A ring takes them at once.
  void use_heap(size_t bytes, bool ring);
  void clear();

  /// `bytes` (a multiple of 8) at the end, or null. A ring that is full wants drop_oldest() first.
  void* append(size_t bytes) {
    if (static_cast<size_t>(limit_ - cursor_) >= bytes) [[likely]] {
      void* at = cursor_;
      cursor_ += bytes;
      return at;
    }
    return append_slowly(bytes);
  }
  /// Takes memory for `bytes` more, as far as it may, and touches its pages, so that no append meets a new one.
  void reserve(size_t bytes);
  /// Bytes of all records.
  size_t used() const;
  /// Counts `bytes` that the records do not take as if they did.
  void charge(size_t bytes) { charged_ += bytes; }
  size_t charged() const { return charged_; }
  void set_charged(size_t bytes) { charged_ = bytes; }
  /// Bytes until the limit of the heap; a piece of memory has what is free in it.
  size_t budget() const;
  /// Takes the last append back.
  void retract(size_t bytes) { cursor_ -= bytes; }

  bool ring() const { return ring_; }
  /// Bytes that append() takes without a new chunk.
  size_t available() const { return static_cast<size_t>(limit_ - cursor_); }
  /// A record that does not fit however many others are dropped.
  bool too_long(size_t bytes) const { return ring_ && bytes > static_cast<size_t>(end_ - begin_) / 2; }
  Record* oldest() const;
  /// The log is not empty.
  void drop_oldest();
  Record* next(const Record* record) const;
  /// Forgets `record` and all that follow (not for a ring).
  void truncate(Record* record);

 private:
  struct Chunk {
    Chunk* next;
    size_t size;     // bytes behind the header
    uint8_t* used;   // end of its records
    uint64_t spare;  // keeps the records aligned
    uint8_t* data() { return reinterpret_cast<uint8_t*>(this + 1); }
    const uint8_t* data() const { return reinterpret_cast<const uint8_t*>(this + 1); }
  };

  void* append_slowly(size_t bytes);
  bool enter_chunk(size_t bytes);
  void release();
  bool holds(const Chunk* c, const uint8_t* at) const;
  bool empty() const { return oldest_ == cursor_ && !wrapped_; }

  uint8_t* cursor_ = nullptr;  // next record goes here
  uint8_t* limit_ = nullptr;   // and ends here at most
  uint8_t* begin_ = nullptr;
  uint8_t* end_ = nullptr;
  uint8_t* oldest_ = nullptr;  // ring
  uint8_t* wrap_ = nullptr;    // ring: end of the older part while wrapped
  bool wrapped_ = false;
  bool ring_ = false;
  mutable Chunk* seen_ = nullptr;  // chunk of the record that next() was asked for last
  Chunk* first_ = nullptr;         // list of the heap
  Chunk* current_ = nullptr;       // null: the memory is one piece
  bool chunks_ = false;
  size_t held_ = 0, most_ = 0, charged_ = 0;
  size_t before_ = 0;         // bytes of the records in the chunks before the current one
  uint8_t* owned_ = nullptr;  // ring on the heap
};

}  // namespace et::etdump
