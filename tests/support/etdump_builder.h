// Makes ETDump files for tests and benchmarks: whatever events one asks for, and big traces shaped like upstream's.
// Not part of the product: it trusts its caller and throws when a file cannot be written.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/scalar_type.h"

namespace et::test {

struct TensorSpec {
  int8_t dtype = static_cast<int8_t>(ScalarType::Float);
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
};

/// Value of a debug event. `kind` takes the numbers of the schema, wrong ones too.
struct ValueSpec {
  int8_t kind = 0;
  int64_t int_value = 0;
  double double_value = 0;  // Double and Float
  bool bool_value = false;
  std::vector<TensorSpec> tensors = {};  // the first for a Tensor, all for a TensorList
  bool output = false;

  static ValueSpec of_tensor(TensorSpec t) { return {.kind = 5, .tensors = {std::move(t)}}; }
  static ValueSpec of_list(std::vector<TensorSpec> t) { return {.kind = 6, .tensors = std::move(t)}; }
  static ValueSpec of_int(int64_t v) { return {.kind = 1, .int_value = v}; }
  static ValueSpec of_bool(bool v) { return {.kind = 2, .bool_value = v}; }
  static ValueSpec of_float(float v) { return {.kind = 3, .double_value = static_cast<double>(v)}; }
  static ValueSpec of_double(double v) { return {.kind = 4, .double_value = v}; }
};

/// One event; the members that its kind does not have are ignored. (Members have initialisers so that compilers do not
/// complain about designated ones that are left out.)
struct EventSpec {
  enum Kind { Profile, Debug, Allocation, Nothing };
  Kind kind = Profile;
  std::optional<std::string> name = {};
  int64_t chain = 0;
  int32_t instruction = -1;
  int32_t delegate_int = -1;
  std::optional<std::string> delegate_str = {};
  std::optional<std::vector<uint8_t>> metadata = {};
  uint64_t start = 0, end = 0;
  ValueSpec value = {};
  int32_t allocator = 0;
  uint64_t bytes = 0;
};

struct RunSpec {
  std::optional<std::string> name = {};
  int32_t bundled_input_index = -1;
  std::vector<std::string> allocators = {};
  std::vector<EventSpec> events = {};

  RunSpec& profile(std::string event, int64_t chain, int32_t instruction, uint64_t start, uint64_t end);
  RunSpec& delegate(std::string id, int32_t instruction, uint64_t start, uint64_t end,
                    std::vector<uint8_t> metadata = {}, int64_t chain = 0);
  RunSpec& delegate(int32_t id, int32_t instruction, uint64_t start, uint64_t end, std::vector<uint8_t> metadata = {},
                    int64_t chain = 0);
  RunSpec& debug(ValueSpec value, int32_t instruction, int64_t chain = 0);
  RunSpec& output(ValueSpec value);  // a program output: chain -1, instruction 0
  RunSpec& allocation(int32_t allocator, uint64_t bytes);
};

struct CounterSpec {
  std::string name = {};
  uint64_t value = 0;
};
struct EventExtSpec {
  uint32_t event = 0;
  std::vector<CounterSpec> counters = {};
  std::vector<int64_t> output_sizes = {};
  uint64_t bytes_temp = 0;
  uint32_t thread = 0;
};
struct AllocationSpec {
  int32_t event = -1;
  std::string allocator = {};
  uint64_t bytes = 0, offset = 0;
};
struct ArenaSpec {
  std::string name = {};
  uint64_t capacity = 0, high_water = 0;
};
struct TrailerRunSpec {
  std::string method = {}, kind = {}, phase = {};
  uint64_t execution = 0, lost_events = 0;
  uint32_t error = 0;
  std::vector<EventExtSpec> events = {};
  std::vector<AllocationSpec> allocations = {};
  std::vector<ArenaSpec> arenas = {};
};
struct TrailerSpec {
  struct Host {
    std::string name = {}, cpu = {}, os = {}, build = {}, kernels = {};
    uint32_t cores = 0, threads_used = 0;
  };
  struct Clock {
    std::string name = {};
    uint64_t numerator = 1, denominator = 1;
    int64_t utc_at_zero_ns = 0;
  };
  struct Program {
    std::vector<uint8_t> sha256 = {}, data_sha256 = {};
    uint64_t bytes = 0;
    std::string path = {};
  };
  uint32_t version = 1;
  std::string producer = {}, policy = {};
  std::optional<Host> host = {};
  std::optional<Clock> clock = {};
  std::optional<Program> program = {};
  std::vector<TrailerRunSpec> runs = {};
  uint64_t lost_events = 0;
  double overhead_ns = 0;
  std::vector<std::pair<std::string, std::string>> labels = {};

  /// The flatbuffer with its size prefix.
  std::vector<uint8_t> bytes() const;
};

class EtdumpBuilder {
 public:
  uint32_t version = 0;
  bool size_prefixed = true;
  std::optional<TrailerSpec> trailer;  // needs size_prefixed
  std::deque<RunSpec> runs;            // a deque: references from run() stay valid

  RunSpec& run(std::string name, int32_t bundled_input_index = -1);
  std::vector<uint8_t> bytes() const;
};

/// Shape of a synthetic trace: a Default block, then an Execute block per execution with `operators` times
/// (native_call ⊂ OPERATOR_CALL), `delegates` times (`delegate_operators` events ⊂ DELEGATE_CALL), Method::execute.
struct BigTrace {
  uint64_t executions = 20000;
  unsigned operators = 8;
  unsigned delegates = 2;
  unsigned delegate_operators = 3;
  bool size_prefixed = true;
  bool trailer = false;  // method, kind, execution per run, host and clock

  unsigned events_per_execution() const { return 2 * operators + delegates * (1 + delegate_operators) + 1; }
  uint64_t events() const { return 2 + executions * events_per_execution(); }
};

/// Writes it, run by run, in memory that does not grow with `executions` (but for the trailer). Deterministic.
/// Throws std::runtime_error when the file cannot be written or would pass 2 GB, the limit of the format.
void make_big_trace(const std::string& path, const BigTrace& shape);
inline void make_big_trace(const std::string& path, uint64_t executions) {
  BigTrace shape;
  shape.executions = executions;
  make_big_trace(path, shape);
}

/// Repeats a run of a real dump: the runs before it once, as they are, then it `times` times, each moved in time and
/// with durations that differ by up to 1/16 (whole microseconds stay whole). So what belongs to the dump (record,
/// program) fits the big one too. Profile events only: returns how many events were written. `run`: number of the run
/// to be repeated, -1 for the first that holds Method::execute. Throws std::runtime_error when there is none, when a
/// run holds other events, and where make_big_trace does.
uint64_t make_repeated_trace(const std::string& path, const std::string& dump, uint64_t times, int64_t run = -1);

}  // namespace et::test
