// Reader of ETDump files (ED00, with or without size prefix) and of our trailer. Lazy: opening touches the root only,
// each run and each event is checked when it is visited, nothing grows with their number. A damaged table is skipped,
// counted and reported; the rest is read. Does not interpret events: pairing, joining and time scales are elsewhere.
//
//   Reader reader;
//   if (FileError e = Reader::open(file.bytes(), &reader); !e.ok()) …
//   for (size_t r = 0; r < reader.run_count(); ++r) {
//     Run run;
//     if (!reader.run(r, &run)) continue;                 // damaged, recorded
//     Event event;
//     for (size_t i = 0; i < run.event_count(); ++i) {
//       if (run.event(i, &event)) use(event);             // false: damaged, recorded
//     }
//   }
//
// All views point into the file's bytes, which must outlive the reader. Strings are not checked to be UTF-8.
// A Reader stays where it is (runs point to it) and serves one thread: visiting records losses. Several threads open
// a Reader each over the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/file_error.h"
#include "etdump/event.h"
#include "etdump/trailer.h"
#include "etdump/wire.h"

namespace et::etdump {

/// A table that could not be read. `expected` is a phrase that follows "expected ".
struct Loss {
  uint64_t offset = 0;     // bytes from the start of the file
  uint32_t run = 0;        // kNoRun: outside of any run
  int64_t event = -1;      // index in the run; -1: the run itself
  const char* field = "";  // e.g. "ProfileEvent.name"
  const char* expected = "";

  static constexpr uint32_t kNoRun = UINT32_MAX;
};

class Reader;

/// One RunData (block). Valid while its Reader lives.
class Run {
 public:
  std::string_view name() const { return name_; }
  bool has_name() const { return has_name_; }
  int32_t bundled_input_index() const { return bundled_input_index_; }  // -1 = none
  size_t allocator_count() const { return static_cast<size_t>(allocators_.count); }
  /// Name of allocator `i` (AllocationEvent.allocator_id is `i` + 1); "" when damaged.
  std::string_view allocator_name(size_t i) const;
  /// Readable events; elements that lie beyond the end of a cut file are in Reader::lost_tables() instead.
  size_t event_count() const { return static_cast<size_t>(events_.count); }
  /// False: event `i` is damaged, and was recorded as a loss.
  bool event(size_t i, Event* out) const;
  size_t index() const { return index_; }

 private:
  friend class Reader;
  Reader* reader_ = nullptr;
  uint32_t index_ = 0;
  std::string_view name_;
  bool has_name_ = false;
  int32_t bundled_input_index_ = -1;
  wire::Vector allocators_, events_;
};

class Reader {
 public:
  Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Fails only when nothing can be read: too short, no ED00 id, unreadable root table. Error code: InvalidArgument.
  static FileError open(std::span<const uint8_t> file, Reader* out);

  bool size_prefixed() const { return size_prefixed_; }
  /// ETDump.version as stored: 0 in files of ExecuTorch 1.x; upstream's writer can leave garbage here.
  uint32_t version() const { return version_; }
  size_t run_count() const { return static_cast<size_t>(runs_.count); }
  /// False: run `i` is damaged, and was recorded as a loss (its events are lost with it; they cannot be counted).
  /// A run whose name or allocators are damaged is read without them, and that is recorded too.
  bool run(size_t i, Run* out);

  /// Tables (runs, events) that could not be read so far. Complete after one pass over all runs and events in order;
  /// further passes do not count again.
  uint64_t lost_tables() const { return lost_tables_; }
  /// The first few of them.
  std::span<const Loss> losses() const { return {losses_.data(), kept_losses_}; }
  /// The size prefix promises more bytes than there are.
  bool truncated() const { return truncated_; }
  const Trailer* trailer() const { return trailer_state_ == TrailerState::Present ? &trailer_ : nullptr; }
  TrailerState trailer_state() const { return trailer_state_; }

  static constexpr size_t kKeptLosses = 32;
  /// Dimensions of a tensor that are believed; more is damage.
  static constexpr size_t kMaxRank = 64;

 private:
  friend class Run;
  void reset();
  void find_trailer(std::span<const uint8_t> file);
  uint64_t charge(wire::Vector* v);
  void lose(uint32_t run, int64_t event, const wire::Fault& fault, uint64_t tables);
  bool visit_event(uint32_t run, const wire::Vector& events, size_t i, Event* out);

  wire::Bytes bytes_;
  wire::Vector runs_;
  uint32_t version_ = 0;
  uint64_t promised_ = 0;  // the size prefix
  bool size_prefixed_ = false;
  bool truncated_ = false;
  TrailerState trailer_state_ = TrailerState::Absent;
  Trailer trailer_;

  // Bytes that one pass may still visit. In a sound file no table or long string is shared, so the
  // vectors and long texts of a pass add up to less than the file. Where they are shared until a pass would take
  // longer than the file's size explains, the rest is a loss. A new pass begins with a run that is not behind the
  // last one visited.
  uint64_t budget_ = 0;
  int64_t last_run_ = -1;
  size_t next_event_ = 0;
  // Losses at or before these places were counted.
  int64_t counted_run_ = -1;
  int64_t counted_event_run_ = -1, counted_event_ = -1;
  uint64_t lost_tables_ = 0;
  size_t kept_losses_ = 0;
  std::array<Loss, kKeptLosses> losses_;
};

/// end − start of a profile event, in ticks. When start > end and both fit in 32 bits the counter wrapped:
/// `*wrapped` is set and the result is 2^32 − start + end (upstream takes 2^32 − 1 − start + end: one tick short).
/// When start > end and one of them does not fit, `*invalid` is set and the result is 0.
inline uint64_t elapsed_ticks(uint64_t start, uint64_t end, bool* wrapped, bool* invalid) {
  constexpr uint64_t kRange = uint64_t{1} << 32;
  *wrapped = false;
  *invalid = false;
  if (start <= end) return end - start;
  if (start >= kRange || end >= kRange) {
    *invalid = true;
    return 0;
  }
  *wrapped = true;
  return kRange - start + end;
}

}  // namespace et::etdump
