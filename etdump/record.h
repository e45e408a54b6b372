// What ETDumpGen keeps of an event until the ETDump is requested: plain records of a multiple of 8 bytes, one after the
// other, each with its length. Strings are numbers of the name table, times are ticks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "etdump/name_table.h"

namespace et::etdump {

enum class RecordKind : uint8_t { Run, Profile, Debug, Allocation, Arena, Note, Names, Steps };

struct Record {
  RecordKind kind;
  uint8_t flags;
  uint16_t count;  // tensors of a Debug record
  uint32_t words;  // length of the whole record / 8
  uint32_t place;  // of what was written for it last
  uint32_t name;   // Profile, Debug: name, or the delegate's id as the flags say; else the name

  const Record* next() const {
    return reinterpret_cast<const Record*>(reinterpret_cast<const uint64_t*>(this) + words);
  }
  Record* next() { return reinterpret_cast<Record*>(reinterpret_cast<uint64_t*>(this) + words); }
};
static_assert(sizeof(Record) == 16);

// Flags.
inline constexpr uint8_t kDelegateInt = 1;  // `name` is the delegate's integer id
inline constexpr uint8_t kDelegateStr = 2;  // `name` is the delegate's string id
inline constexpr uint8_t kOutput = 4;       // Debug: an output of the program
inline constexpr uint8_t kMetadata = 8;     // Profile: a uint64 length and that many bytes follow
inline constexpr uint8_t kDelegate = kDelegateInt | kDelegateStr;

struct ProfileRecord : Record {
  int32_t chain;
  uint32_t handle;
  uint64_t start, end;
};
static_assert(sizeof(ProfileRecord) == 40);

/// Names of the instructions of a chain, for the steps of all its executions.
struct NamesRecord : Record {
  static constexpr uint32_t kNoEvent = UINT32_MAX;
  struct Step {
    uint32_t event, call;  // names; event: or kNoEvent
  };
  uint32_t method;
  int32_t chain;
  union {
    const NamesRecord* next_names;
    uint64_t alignment;
  };
  // one Step an instruction follows
  const Step* steps() const { return reinterpret_cast<const Step*>(this + 1); }
  Step* steps() { return reinterpret_cast<Step*>(this + 1); }
};
static_assert(sizeof(NamesRecord) % 8 == 0);

/// Instructions that follow each other, each beginning where the one before it ended.
struct StepsRecord : Record {
  union {
    const NamesRecord* names;
    uint64_t alignment;
  };
  uint64_t begin;
  uint32_t first;  // instruction
  uint32_t spare;
  // the end of each follows
  const uint64_t* ends() const { return reinterpret_cast<const uint64_t*>(this + 1); }
  uint64_t* ends() { return reinterpret_cast<uint64_t*>(this + 1); }
  size_t steps() const { return words - sizeof(StepsRecord) / 8; }

  /// f(ProfileRecord) for each event: of what was called, if it has a name, then of the call.
  template <class F>
  void each_event(F&& f) const {
    ProfileRecord e{};
    e.kind = RecordKind::Profile;
    e.words = sizeof(ProfileRecord) / 8;
    e.chain = names->chain;
    e.start = begin;
    for (size_t i = 0; i < steps(); ++i) {
      const NamesRecord::Step& step = names->steps()[first + i];
      e.handle = static_cast<uint32_t>(first + i);
      e.end = ends()[i];
      if (step.event != NamesRecord::kNoEvent) {
        e.name = step.event;
        f(e);
      }
      e.name = step.call;
      f(e);
      e.start = e.end;
    }
  }
  size_t events() const {
    size_t all = 0;
    for (size_t i = 0; i < steps(); ++i) all += names->steps()[first + i].event == NamesRecord::kNoEvent ? 1 : 2;
    return all;
  }
};
static_assert(sizeof(StepsRecord) == 40);

struct DebugRecord : Record {
  int32_t chain;
  uint32_t handle;
  uint64_t value_kind;  // ValueType of the schema
  union {
    int64_t integer;  // Int, Bool
    double number;    // Double
  };
  // `count` TensorRecords follow
};

struct TensorRecord {
  int64_t offset;
  int16_t dtype;
  uint16_t rank;
  uint32_t place;  // of the table that was written for it last
  // `rank` int32 sizes and as many strides follow

  static constexpr size_t bytes(size_t rank) { return sizeof(TensorRecord) + rank * 8; }
  int32_t* sizes() { return reinterpret_cast<int32_t*>(this + 1); }
  int32_t* strides() { return sizes() + rank; }
  TensorRecord* next() { return reinterpret_cast<TensorRecord*>(sizes() + 2 * rank); }
};
static_assert(sizeof(TensorRecord) == 16);

struct AllocationRecord : Record {
  uint64_t bytes;
  uint64_t ticks;
  AllocationRecord* below;  // used while the event is searched during which it happened
  int32_t event;
  uint32_t allocator;  // 1-based
};

struct ArenaRecord : Record {
  uint64_t capacity, high_water;
};

/// Additions to the profile event before it. `counters` uint64 and `sizes` int64 follow.
struct NoteRecord : Record {
  uint64_t temp_bytes;
  uint32_t thread;
  uint16_t counters, sizes;
  uint64_t* values() { return reinterpret_cast<uint64_t*>(this + 1); }
};

inline constexpr unsigned kAllocators = 13;  // maximum per block

struct RunRecord : Record {
  int32_t bundled_input_index;
  uint32_t error;
  uint32_t method, run_kind;  // names
  uint32_t phase;             // of the table of facts
  uint32_t allocator_count;
  uint64_t execution;
  uint64_t lost;
  uint32_t events;  // place of their vector, known from the first pass of writing
  uint32_t allocators[kAllocators];
};
static_assert(sizeof(RunRecord) % 8 == 0);

}  // namespace et::etdump
