#include "etdump/record_log.h"

#include <new>

#include "runtime/platform/platform.h"

namespace et::etdump {
namespace {

constexpr size_t kFirstChunk = 16 << 10;
constexpr size_t kLargestChunk = 1 << 20;
constexpr size_t kMinRing = 4 << 10;

}  // namespace

void RecordLog::release() {
  for (Chunk* c = first_; c != nullptr;) {
    Chunk* next = c->next;
    platform().free(c);
    c = next;
  }
  if (owned_ != nullptr) platform().free(owned_);
  first_ = current_ = seen_ = nullptr;
  owned_ = begin_ = end_ = nullptr;
  held_ = 0;
}

void RecordLog::use_memory(uint8_t* memory, size_t size, bool ring) {
  release();
  chunks_ = false;
  ring_ = ring;
  begin_ = memory;
  end_ = memory + (size & ~size_t{7});
  clear();
}

void RecordLog::use_heap(size_t bytes, bool ring) {
  release();
  ring_ = ring;
  chunks_ = !ring;
  most_ = bytes & ~size_t{7};
  if (ring && platform().allocate != nullptr) {
    // Pages that are never touched cost nothing where there is virtual memory; where there is none, take what there is.
    for (size_t size = most_; owned_ == nullptr && size >= kMinRing; size = size / 2 & ~size_t{7}) {
      owned_ = static_cast<uint8_t*>(platform().allocate(size));
      if (owned_ != nullptr) held_ = size;
    }
    begin_ = owned_;
    end_ = owned_ == nullptr ? nullptr : owned_ + held_;
  }
  clear();
}

void RecordLog::clear() {
  wrapped_ = false;
  charged_ = before_ = 0;
  for (Chunk* c = first_; c != nullptr; c = c->next) c->used = c->data();
  if (chunks_) {
    current_ = first_;
    begin_ = first_ == nullptr ? nullptr : first_->data();
    end_ = first_ == nullptr ? nullptr : begin_ + first_->size;
  }
  oldest_ = cursor_ = begin_;
  limit_ = end_;
}

// The next chunk of the list that holds `bytes`, or a new one.
bool RecordLog::enter_chunk(size_t bytes) {
  if (charged_ != 0 && budget() < bytes) return false;
  if (current_ != nullptr) current_->used = cursor_;
  Chunk* next = current_ == nullptr ? first_ : current_->next;
  if (next == nullptr || next->size < bytes) {
    if (platform().allocate == nullptr || held_ >= most_) return false;
    size_t size = held_ < kFirstChunk ? kFirstChunk : held_ > kLargestChunk ? kLargestChunk : held_;
    if (size < bytes + sizeof(Chunk)) size = bytes + sizeof(Chunk);
    if (size > most_ - held_) size = most_ - held_;
    if (size < bytes + sizeof(Chunk)) return false;
    void* memory = platform().allocate(size);
    if (memory == nullptr) return false;
    held_ += size;
    Chunk* fresh = new (memory) Chunk{next, (size - sizeof(Chunk)) & ~size_t{7}, nullptr, 0};
    fresh->used = fresh->data();
    (current_ == nullptr ? first_ : current_->next) = fresh;
    next = fresh;
  }
  before_ += static_cast<size_t>(cursor_ - begin_);
  current_ = next;
  begin_ = cursor_ = next->data();
  end_ = limit_ = begin_ + next->size;
  return true;
}

size_t RecordLog::used() const {
  if (!chunks_) return wrapped_ ? static_cast<size_t>(end_ - begin_) : static_cast<size_t>(cursor_ - begin_);
  return before_ + static_cast<size_t>(cursor_ - begin_);
}

size_t RecordLog::budget() const {
  if (!chunks_) return available();
  const size_t taken = used() + charged_;
  return most_ > taken ? most_ - taken : 0;
}

void RecordLog::reserve(size_t bytes) {
  constexpr size_t kPage = 4096;
  const auto touch = [](uint8_t* from, const uint8_t* end) {
    for (volatile uint8_t* p = from; p < end; p += kPage) *p = 0;
  };
  if (!chunks_) {
    if (ring_ && !wrapped_) touch(cursor_, end_);
    return;
  }
  if (platform().allocate == nullptr) return;
  size_t have = available();
  touch(cursor_, limit_);
  Chunk* last = current_;
  for (Chunk* c = last == nullptr ? first_ : last->next; c != nullptr; last = c, c = c->next) have += c->size;
  while (have < bytes && held_ < most_) {
    const size_t size = most_ - held_ < kLargestChunk ? most_ - held_ : kLargestChunk;
    if (size < kFirstChunk) return;
    void* memory = platform().allocate(size);
    if (memory == nullptr) return;
    held_ += size;
    Chunk* fresh = new (memory) Chunk{nullptr, (size - sizeof(Chunk)) & ~size_t{7}, nullptr, 0};
    fresh->used = fresh->data();
    touch(fresh->data(), fresh->data() + fresh->size);
    (last == nullptr ? first_ : last->next) = fresh;
    last = fresh;
    have += fresh->size;
  }
}

void* RecordLog::append_slowly(size_t bytes) {
  if (chunks_) return enter_chunk(bytes) ? append(bytes) : nullptr;
  if (!ring_ || too_long(bytes)) return nullptr;
  if (empty()) clear();
  if (!wrapped_ && static_cast<size_t>(end_ - cursor_) < bytes) {
    wrap_ = cursor_;
    cursor_ = begin_;
    limit_ = oldest_;
    wrapped_ = true;
  }
  return static_cast<size_t>(limit_ - cursor_) >= bytes ? append(bytes) : nullptr;
}

Record* RecordLog::oldest() const {
  if (!chunks_) return empty() ? nullptr : reinterpret_cast<Record*>(oldest_);
  if (first_ == nullptr) return nullptr;
  // The first record of an ETDump always lies in the first chunk that has any.
  Chunk* c = first_;
  while (c != current_ && c->used == c->data()) c = c->next;
  return c == current_ && cursor_ == c->data() ? nullptr : reinterpret_cast<Record*>(c->data());
}

bool RecordLog::holds(const Chunk* c, const uint8_t* at) const {
  return c != nullptr && at >= c->data() && at < c->data() + c->size;
}

Record* RecordLog::next(const Record* record) const {
  uint8_t* at = reinterpret_cast<uint8_t*>(const_cast<Record*>(record)->next());
  if (at == cursor_) return nullptr;
  if (ring_ && wrapped_ && at == wrap_) return cursor_ == begin_ ? nullptr : reinterpret_cast<Record*>(begin_);
  if (!chunks_) return reinterpret_cast<Record*>(at);
  const uint8_t* from = reinterpret_cast<const uint8_t*>(record);
  if (!holds(seen_, from)) {
    for (seen_ = first_; !holds(seen_, from);) seen_ = seen_->next;
  }
  if (seen_ == current_ || at != seen_->used) return reinterpret_cast<Record*>(at);
  seen_ = seen_->next;
  while (seen_ != current_ && seen_->used == seen_->data()) seen_ = seen_->next;
  return seen_ == current_ && cursor_ == seen_->data() ? nullptr : reinterpret_cast<Record*>(seen_->data());
}

void RecordLog::drop_oldest() {
  oldest_ += size_t{8} * reinterpret_cast<Record*>(oldest_)->words;
  if (wrapped_ && oldest_ == wrap_) {
    oldest_ = begin_;
    wrapped_ = false;
    limit_ = end_;
  } else if (wrapped_) {
    limit_ = oldest_;
  }
}

void RecordLog::truncate(Record* record) {
  uint8_t* at = reinterpret_cast<uint8_t*>(record);
  if (chunks_) {
    Chunk* c = first_;
    while (c != nullptr && !(at >= c->data() && at < c->data() + c->size)) c = c->next;
    if (c == nullptr) return;
    before_ = 0;
    for (Chunk* b = first_; b != c; b = b->next) before_ += static_cast<size_t>(b->used - b->data());
    for (Chunk* later = c->next; later != nullptr; later = later->next) later->used = later->data();
    current_ = c;
    begin_ = c->data();
    end_ = limit_ = begin_ + c->size;
  }
  cursor_ = at;
}

}  // namespace et::etdump
