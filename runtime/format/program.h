// A program file (.pte) as verified, zero-copy views. Nothing here allocates; every view points into the caller's
// bytes, which must outlive it. Program::open checks the whole file once, so that accessors need no error path: an
// index outside a table gives an empty view. Layout and schema: specification of the program file (program.fbs,
// extended header "eh00").
#pragma once

#include <cstdint>
#include <string_view>

#include "base/file_error.h"
#include "base/span.h"
#include "runtime/format/instruction.h"
#include "runtime/format/program_source.h"
#include "runtime/format/value.h"

namespace et::format {

/// A caller's buffer must start at a multiple of this many bytes.
inline constexpr size_t kProgramAlignment = 8;

/// The extended header behind the file identifier. Bytes, offsets from the start of the file.
struct ProgramHeader {
  bool present = false;              // false: the whole file is the flatbuffer
  uint32_t length = 0;               // as stored
  uint64_t program_size = 0;         // flatbuffer with this header; the file's size when there is no header
  uint64_t segment_base_offset = 0;  // 0 = no segments
  uint64_t segment_data_size = 0;    // 0 in files of writers before 1.0
};

/// Every byte of the file, once: the five sum to `file`.
struct ProgramAccounting {
  uint64_t file = 0;
  uint64_t header = 0;      // identifier and extended header
  uint64_t flatbuffer = 0;  // without the header
  uint64_t segments = 0;    // sum of segment sizes (the whole data area when segments overlap)
  uint64_t padding = 0;     // between flatbuffer and segments, and between segments
  uint64_t trailing = 0;    // behind the last segment
};

struct Segment {
  uint64_t offset = 0;  // bytes from the segment base
  uint64_t size = 0;    // bytes without padding
  uint64_t file_offset = 0;
  Span<const uint8_t> bytes;
};

struct NamedData {
  std::string_view key;
  uint32_t segment_index = 0;
  Span<const uint8_t> bytes;
};

struct OperatorName {
  std::string_view name;      // "aten::add"
  std::string_view overload;  // "out", or empty
};

struct CompileSpec {
  std::string_view key;
  Span<const uint8_t> value;
};

class Delegate {
 public:
  Delegate() = default;
  Delegate(const ProgramSource& source, const pte_fb::BackendDelegate* delegate)
      : source_(source), delegate_(delegate) {}

  bool valid() const { return delegate_ != nullptr; }
  std::string_view id() const;
  Span<const uint8_t> payload() const;
  /// True: payload_index() is a segment; false: an entry of the inline delegate data.
  bool payload_in_segment() const;
  uint32_t payload_index() const;
  uint32_t compile_spec_count() const;
  CompileSpec compile_spec(uint32_t i) const;

 private:
  ProgramSource source_;
  const pte_fb::BackendDelegate* delegate_ = nullptr;
};

/// A planned buffer that does not live on the CPU.
struct BufferDevice {
  int32_t buffer = 0;      // index into Method::buffer_sizes()
  int8_t device_type = 0;  // 0 CPU, 1 CUDA
  int8_t device_index = 0;
};

class Method {
 public:
  Method() = default;
  Method(const ProgramSource& source, const pte_fb::ExecutionPlan* plan) : source_(source), plan_(plan) {}

  /// False for an unknown name or index.
  bool valid() const { return plan_ != nullptr; }
  std::string_view name() const;
  /// pytree of inputs and outputs as JSON; may be empty.
  std::string_view encoded_inputs() const;
  std::string_view encoded_outputs() const;

  /// Value indices.
  Span<const int32_t> inputs() const;
  Span<const int32_t> outputs() const;
  uint32_t value_count() const;
  Value value(uint32_t i) const;

  uint32_t operator_count() const;
  OperatorName operator_name(uint32_t i) const;
  uint32_t delegate_count() const;
  Delegate delegate(uint32_t i) const;

  /// Bytes of each planned buffer; [0] is reserved and 0, Allocation::memory_id indexes it.
  Span<const int64_t> buffer_sizes() const;
  uint32_t buffer_device_count() const;
  BufferDevice buffer_device(uint32_t i) const;

  /// At least one; exporters write exactly one.
  uint32_t chain_count() const;
  Chain chain(uint32_t i) const;
  /// Those of chain 0: the index is ETDump's instruction id.
  uint32_t instruction_count() const { return chain(0).instruction_count(); }
  Instruction instruction(uint32_t i) const { return chain(0).instruction(i); }
  StackTrace stack_trace(uint32_t i) const { return chain(0).stack_trace(i); }

 private:
  ProgramSource source_;
  const pte_fb::ExecutionPlan* plan_ = nullptr;
};

class Program {
 public:
  Program() = default;

  /// Checks the whole program and gives its view; reads metadata only, never tensor or payload bytes.
  /// Errors: InvalidArgument (buffer not aligned to kProgramAlignment), InvalidProgram (not a program, another version,
  /// truncated, or inconsistent; the error names the field), NotSupported (a tensor with a storage offset).
  static FileError open(Span<const uint8_t> file, Program* out);

  bool valid() const { return source_.root != nullptr; }
  uint32_t version() const;
  const ProgramHeader& header() const { return header_; }
  ProgramAccounting accounting() const;

  uint32_t method_count() const;
  Method method(uint32_t i) const;
  /// Exact match; check valid().
  Method method(std::string_view name) const;

  uint32_t segment_count() const { return source_.segment_count(); }
  Segment segment(uint32_t i) const;
  uint32_t named_data_count() const;
  NamedData named_data(uint32_t i) const;

  /// Segment of the constants, -1 when the program has none there.
  int64_t constant_segment_index() const;
  /// Segment of the initial values of mutable tensors, -1 when there is none.
  int64_t mutable_segment_index() const;

  Span<const uint8_t> file() const { return source_.file; }

 private:
  ProgramSource source_;
  ProgramHeader header_;
};

}  // namespace et::format
