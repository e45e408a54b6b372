// Entries of a method's value table: numbers, strings, lists and tensors with the place of their data.
// Source: program.fbs (EValue, Tensor). Accessors of a kind that the value does not have return 0 or an empty view.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/scalar_type.h"
#include "base/span.h"
#include "runtime/format/program_source.h"

namespace et::format {

/// Numbers are the union tags of program.fbs.
enum class ValueKind : uint8_t {
  Null = 1,
  Int = 2,
  Bool = 3,
  Double = 4,
  Tensor = 5,
  String = 6,
  IntList = 7,
  DoubleList = 8,
  BoolList = 9,
  TensorList = 10,
  OptionalTensorList = 11,
};
const char* value_kind_name(ValueKind kind);

enum class ShapeDynamism : int8_t { Static = 0, DynamicBound = 1, DynamicUnbound = 2 };

/// Where a tensor's bytes come from.
enum class TensorData : uint8_t {
  None,                // set by the caller or by a MoveCall
  ConstantSegment,     // in the constant segment of the file
  ConstantInline,      // in the flatbuffer (files of old writers, programs without segments)
  External,            // constant of a tensor file or of named data, by fully qualified name
  Planned,             // planned memory, starts uninitialised
  PlannedInitialised,  // planned memory, filled at load from the mutable segment
  PlannedExternal,     // planned memory, filled at load from a tensor file
};
const char* tensor_data_name(TensorData data);

/// A place in planned memory. `memory_id` counts from 1 and indexes Method::buffer_sizes().
struct Allocation {
  uint32_t memory_id = 0;
  uint64_t offset = 0;  // bytes
};

/// TensorView::nbytes() of a dynamic input whose upper bounds multiply to more than 64 bits.
inline constexpr uint64_t kUnboundedBytes = UINT64_MAX;

/// Value indices of a list, whichever width the schema stores them with.
class IndexList {
 public:
  IndexList() = default;
  explicit IndexList(Span<const int32_t> narrow) : narrow_(narrow) {}
  explicit IndexList(Span<const int64_t> wide) : wide_(wide) {}
  uint32_t size() const { return static_cast<uint32_t>(narrow_.size() + wide_.size()); }
  /// −1 (None) outside [0, size()).
  int32_t operator[](uint32_t i) const {
    if (i < narrow_.size()) return narrow_[i];
    return i < wide_.size() ? static_cast<int32_t>(wide_[i]) : -1;
  }

 private:
  Span<const int32_t> narrow_;
  Span<const int64_t> wide_;
};

class TensorView {
 public:
  TensorView() = default;
  TensorView(const ProgramSource& source, const pte_fb::Tensor* tensor) : source_(source), tensor_(tensor) {}

  bool valid() const { return tensor_ != nullptr; }
  ScalarType scalar_type() const;
  /// Upper bounds where the shape is dynamic. At most 16.
  Span<const int32_t> sizes() const;
  /// Logical dimensions from outermost to innermost: a permutation as long as sizes().
  Span<const uint8_t> dim_order() const;
  ShapeDynamism shape_dynamism() const;
  bool requires_grad() const;
  /// Index into the constant or the mutable offsets; meaningless for External.
  uint32_t data_buffer_idx() const;
  bool has_allocation() const;
  Allocation allocation() const;
  /// Empty when the file gives none.
  std::string_view fully_qualified_name() const;
  /// ExtraTensorInfo.location is EXTERNAL.
  bool is_external() const;
  /// Device of the data: 0 CPU, 1 CUDA; index −1 or 0 upwards.
  int8_t device_type() const;
  int8_t device_index() const;

  /// Elements at the upper bounds, or kUnboundedBytes.
  uint64_t numel() const;
  /// Bytes at the upper bounds, or kUnboundedBytes.
  uint64_t nbytes() const;
  TensorData data() const;
  /// nbytes() bytes inside the file: constants, and the initial value of PlannedInitialised. Else empty.
  Span<const uint8_t> constant_data() const;

 private:
  ProgramSource source_;
  const pte_fb::Tensor* tensor_ = nullptr;
};

class Value {
 public:
  Value() = default;
  Value(const ProgramSource& source, const pte_fb::EValue* value) : source_(source), value_(value) {}

  /// False for an index outside the value table; such a view reads as Null.
  bool valid() const { return value_ != nullptr; }
  ValueKind kind() const;

  int64_t as_int() const;
  bool as_bool() const;
  double as_double() const;
  std::string_view as_string() const;
  TensorView as_tensor() const;
  /// IntList, TensorList, OptionalTensorList: value indices (−1 = None, in the optional list only). The entries of
  /// an IntList are Int values that the program may compute at run time.
  IndexList indices() const;
  Span<const double> doubles() const;
  /// One byte an element, 0 is false.
  Span<const uint8_t> bools() const;

 private:
  ProgramSource source_;
  const pte_fb::EValue* value_ = nullptr;
};

}  // namespace et::format
