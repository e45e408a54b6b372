// TOSA delegate payload: one TOSA flatbuffer as verified, zero-copy views.
// Source: TOSA serialization schema, version 1.0 (identifier TOSA).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/file_error.h"
#include "base/span.h"

namespace et::format {

namespace tosa_fb {
struct TosaGraph;
struct TosaRegion;
struct TosaBasicBlock;
struct TosaOperator;
struct TosaTensor;
struct TosaShape;
}  // namespace tosa_fb

/// "CONV2D"; "UNKNOWN" for a number that version 1.0 does not have.
const char* tosa_op_name(uint32_t op);
/// "INT8"; "UNKNOWN" for a number that version 1.0 does not have.
const char* tosa_dtype_name(uint32_t dtype);

/// A list of strings in the payload.
class TosaNames {
 public:
  TosaNames() = default;
  explicit TosaNames(Span<const uint32_t> offsets) : offsets_(offsets) {}
  uint32_t size() const { return static_cast<uint32_t>(offsets_.size()); }
  /// Empty outside [0, size()).
  std::string_view operator[](uint32_t i) const;

 private:
  Span<const uint32_t> offsets_;  // each relative to its own place, as flatbuffers store them
};

/// One field of an operator's attribute.
struct TosaAttribute {
  enum class Kind : uint8_t { Int, Bool, Dtype, NanMode, ResizeMode, RoundingMode, Ints, Bytes, String };
  const char* name = "";  // field name of the schema: "acc_type"
  Kind kind = Kind::Int;
  int64_t number = 0;  // Int, Bool and the enumerations
  Span<const int32_t> ints;
  Span<const uint8_t> bytes;
  std::string_view text;

  /// Word for an enumeration's number ("INT32", "PROPAGATE"), empty for other kinds.
  std::string_view word() const;
};

class TosaOperator {
 public:
  TosaOperator() = default;
  explicit TosaOperator(const tosa_fb::TosaOperator* op) : op_(op) {}

  bool valid() const { return op_ != nullptr; }
  uint32_t op() const;
  const char* op_name() const { return tosa_op_name(op()); }
  /// Names of tensors or shapes of the block.
  TosaNames inputs() const;
  TosaNames outputs() const;
  /// JSON with the node's name and trace when the exporter was asked for it, else empty.
  std::string_view location() const;

  /// Fields of the attribute in the schema's order.
  uint32_t attribute_count() const;
  TosaAttribute attribute(uint32_t i) const;
  bool find_attribute(std::string_view name, TosaAttribute* out) const;
  /// The table itself, for code that includes tosa_generated.h: T with its union tag (AttributeTraits<T>::enum_value);
  /// null when the operator has another attribute.
  template <class T, class Tag>
  const T* attribute_as(Tag tag) const {
    return static_cast<const T*>(raw_attribute(static_cast<uint8_t>(tag)));
  }

 private:
  const void* raw_attribute(uint8_t tag) const;
  const tosa_fb::TosaOperator* op_ = nullptr;
};

class TosaTensor {
 public:
  TosaTensor() = default;
  explicit TosaTensor(const tosa_fb::TosaTensor* tensor) : tensor_(tensor) {}

  bool valid() const { return tensor_ != nullptr; }
  std::string_view name() const;
  Span<const int32_t> shape() const;
  uint32_t dtype() const;
  const char* dtype_name() const { return tosa_dtype_name(dtype()); }
  /// Constant bytes, empty when the tensor has none.
  Span<const uint8_t> data() const;
  /// Constant bytes outside the flatbuffer (models above 2 GB): place in the file; size 0 when there are none.
  uint64_t outside_offset() const;
  uint64_t outside_size() const;
  bool is_variable() const;
  bool is_unranked() const;
  std::string_view variable_name() const;

 private:
  const tosa_fb::TosaTensor* tensor_ = nullptr;
};

class TosaShape {
 public:
  TosaShape() = default;
  explicit TosaShape(const tosa_fb::TosaShape* shape) : shape_(shape) {}

  bool valid() const { return shape_ != nullptr; }
  std::string_view name() const;
  uint32_t rank() const;
  /// Dimensions stored.
  uint32_t dim_count() const;
  int64_t dim(uint32_t i) const;

 private:
  const tosa_fb::TosaShape* shape_ = nullptr;
};

class TosaBlock {
 public:
  TosaBlock() = default;
  explicit TosaBlock(const tosa_fb::TosaBasicBlock* block) : block_(block) {}

  bool valid() const { return block_ != nullptr; }
  std::string_view name() const;
  uint32_t operator_count() const;
  TosaOperator op(uint32_t i) const;
  uint32_t tensor_count() const;
  TosaTensor tensor(uint32_t i) const;
  uint32_t shape_count() const;
  TosaShape shape(uint32_t i) const;
  /// Names of tensors: inputs()[i] is argument i of the delegate call, outputs follow.
  TosaNames inputs() const;
  TosaNames outputs() const;
  /// Linear search; check valid().
  TosaTensor find_tensor(std::string_view name) const;

 private:
  const tosa_fb::TosaBasicBlock* block_ = nullptr;
};

class TosaRegion {
 public:
  TosaRegion() = default;
  explicit TosaRegion(const tosa_fb::TosaRegion* region) : region_(region) {}

  bool valid() const { return region_ != nullptr; }
  std::string_view name() const;
  uint32_t block_count() const;
  TosaBlock block(uint32_t i) const;

 private:
  const tosa_fb::TosaRegion* region_ = nullptr;
};

struct TosaVersion {
  int32_t major = -1;
  int32_t minor = -1;
  int32_t patch = -1;
  bool draft = true;
};

class TosaPayload {
 public:
  TosaPayload() = default;

  /// Checks the whole payload. Errors: InvalidArgument (buffer not aligned to 8 bytes), DelegateInvalidCompatibility
  /// (no TOSA identifier), InvalidProgram (truncated or inconsistent). Offsets count from the payload's start.
  static FileError open(Span<const uint8_t> payload, TosaPayload* out);

  bool valid() const { return graph_ != nullptr; }
  TosaVersion version() const;
  uint32_t region_count() const;
  TosaRegion region(uint32_t i) const;
  /// Block "main" of region "main", or the first block; not valid() when there is none.
  TosaBlock main_block() const;

 private:
  const tosa_fb::TosaGraph* graph_ = nullptr;
};

}  // namespace et::format
