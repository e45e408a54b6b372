// XNNPACK delegate payload: the serialized subgraph as verified, zero-copy views of nodes and values.
// Source: XNNPACK runtime schema (identifiers XN00 and XN01) behind the optional XH00 header.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/file_error.h"
#include "base/span.h"

namespace et::format {

namespace xnn_fb {
struct XNNGraph;
struct XNode;
struct XValue;
struct XNNTensorValue;
}  // namespace xnn_fb

inline constexpr uint32_t kXnnNoValue = 0xFFFFFFFFu;   // "no value" among a node's ids, e.g. no bias
inline constexpr uint32_t kXnnNoDebugHandle = 65535u;  // a node that the exporter inserted

/// Numbers are the union tags of the schema.
enum class XnnNodeType : uint8_t {
  Unknown = 0,
  Add = 1,
  FullyConnected = 2,
  Softmax = 3,
  Sigmoid = 4,
  StaticTranspose = 5,
  Clamp = 6,
  Conv2d = 7,
  Div = 8,
  StaticResizeBilinear2D = 9,
  StaticConstantPad = 10,
  AvgPooling2d = 11,
  Minimum = 12,
  DepthwiseConv2d = 13,
  MaxPooling2d = 14,
  Multiply = 15,
  Subtract = 16,
  Floor = 17,
  Convert = 18,
  GlobalAvgPooling2d = 19,
  StaticReshape = 20,
  ArgMaxPooling2d = 21,
  SquareRoot = 22,
  Ceiling = 23,
  Hardswish = 24,
  LeakyReLU = 25,
  Maximum = 26,
  Negate = 27,
  Square = 28,
  ELU = 29,
  Abs = 30,
  PReLU = 31,
  Concatenate2 = 32,
  Concatenate3 = 33,
  Concatenate4 = 34,
  StaticSlice = 35,
  ScaledDotProductAttention = 36,
  BatchMatrixMultiply = 37,
  Concatenate5 = 38,
  ConvTranspose2d = 39,
  ReciprocalSquareRoot = 40,
  Log = 41,
  Gelu = 42,
  Tanh = 43,
  Exp = 44,
  Sin = 45,
  Copy = 46,
  Cos = 47,
};
/// Name without the XNN prefix ("Conv2d"); "Unknown" for a tag this reader does not know.
const char* xnn_node_type_name(XnnNodeType type);

/// Numbers are those of XNNDatatype.
enum class XnnDatatype : int16_t {
  Invalid = 0,
  Fp32 = 1,
  Fp16 = 2,
  QInt8 = 3,
  QUInt8 = 4,
  QInt32 = 5,
  QCInt8 = 6,
  QCInt32 = 7,
  QCInt4 = 8,
  QDInt8 = 9,
  QBInt4 = 10,
  QPInt8 = 11,
  Int32 = 12,
  PFp32 = 13,
  Bf16 = 14,
};
const char* xnn_datatype_name(XnnDatatype type);

enum class XnnQuantKind : uint8_t { None = 0, PerChannel = 1, PerTensor = 2, PerTokenDynamic = 3, PerChannelGroup = 4 };
const char* xnn_quant_kind_name(XnnQuantKind kind);

/// One field of a node's parameter table, ids of inputs and outputs included.
struct XnnParameter {
  enum class Kind : uint8_t { Uint, Float, UintList };
  enum class Role : uint8_t { Input, Output, Flags, Setting };
  const char* name = "";  // field name of the schema: "kernel_height"
  Kind kind = Kind::Uint;
  Role role = Role::Setting;
  uint32_t uint_value = 0;
  float float_value = 0;
  Span<const uint32_t> list;
};

/// Value ids of a node's inputs or outputs, in the order of the schema; an absent one is kXnnNoValue.
class XnnIds {
 public:
  const uint32_t* begin() const { return ids_; }
  const uint32_t* end() const { return ids_ + size_; }
  uint32_t size() const { return size_; }
  uint32_t operator[](uint32_t i) const { return i < size_ ? ids_[i] : kXnnNoValue; }
  void push(uint32_t id) {
    if (size_ < kMax) ids_[size_++] = id;
  }

 private:
  static constexpr uint32_t kMax = 8;
  uint32_t ids_[kMax] = {};
  uint32_t size_ = 0;
};

class XnnNode {
 public:
  XnnNode() = default;
  XnnNode(const xnn_fb::XNode* node, uint32_t index) : node_(node), index_(index) {}

  bool valid() const { return node_ != nullptr; }
  /// Position in the payload; XNNPACK runs nodes in this order.
  uint32_t index() const { return index_; }
  XnnNodeType type() const;
  /// As stored, also where type() is Unknown.
  uint8_t type_tag() const;
  const char* type_name() const { return xnn_node_type_name(type()); }
  uint32_t debug_handle() const;
  bool has_debug_handle() const { return debug_handle() != kXnnNoDebugHandle; }

  /// True when the node stores bounds, even infinite ones.
  bool has_bounds() const;
  /// -inf and +inf without bounds.
  float output_min() const;
  float output_max() const;
  /// True when a bound cuts something off (a fused relu, clamp, ...).
  bool is_clamped() const;

  XnnIds inputs() const;
  XnnIds outputs() const;
  uint32_t flags() const;

  /// All fields of the parameter table in the schema's order.
  uint32_t parameter_count() const;
  XnnParameter parameter(uint32_t i) const;
  /// By field name; false when this type of node has no such field.
  bool find_parameter(std::string_view name, XnnParameter* out) const;
  /// Value of a Uint field by name, `fallback` when this type of node has no such field.
  uint32_t uint_parameter(std::string_view name, uint32_t fallback = 0) const;

 private:
  const xnn_fb::XNode* node_ = nullptr;
  uint32_t index_ = 0;
};

/// Where constant bytes of a value (or its scales) are.
struct XnnConstant {
  enum class Place : uint8_t {
    None,     // not a constant
    Named,    // `key` in the named data of the program and its tensor files
    Payload,  // `bytes` inside the payload, `offset` from the payload's start
  };
  Place place = Place::None;
  std::string_view key;
  uint64_t offset = 0;
  Span<const uint8_t> bytes;
};

class XnnValue;

class XnnpackPayload {
 public:
  XnnpackPayload() = default;

  /// Checks the whole payload. Errors: InvalidArgument (buffer not aligned to 8 bytes), DelegateInvalidCompatibility
  /// (another identifier), InvalidProgram (truncated or inconsistent). Offsets count from the payload's start.
  static FileError open(Span<const uint8_t> payload, XnnpackPayload* out);

  bool valid() const { return graph_ != nullptr; }
  bool has_header() const { return has_header_; }
  /// 0 or 1: the schema's identifier was XN00 or XN01.
  uint32_t schema_version() const { return schema_version_; }
  std::string_view version() const;
  uint64_t flatbuffer_bytes() const { return flatbuffer_bytes_; }
  uint64_t constant_bytes() const { return constants_.size(); }

  uint32_t node_count() const;
  XnnNode node(uint32_t i) const;
  uint32_t value_count() const;
  XnnValue value(uint32_t i) const;
  /// The value that nodes call `id`; not valid() for kXnnNoValue and unknown ids.
  XnnValue value_by_id(uint32_t id) const;
  /// External values = arguments of the delegate call, at most 4096.
  uint32_t extern_count() const;
  /// As stored; the runtime goes by the flags of the values instead.
  Span<const uint32_t> input_ids() const;
  Span<const uint32_t> output_ids() const;

 private:
  friend class XnnValue;
  XnnConstant constant(uint32_t index) const;
  Span<const uint8_t> payload_;
  Span<const uint8_t> constants_;
  const xnn_fb::XNNGraph* graph_ = nullptr;
  uint64_t flatbuffer_bytes_ = 0;
  uint32_t schema_version_ = 1;
  bool has_header_ = false;
};

class XnnValue {
 public:
  XnnValue() = default;

  bool valid() const { return value_ != nullptr; }
  /// Number that nodes use for this value.
  uint32_t id() const;
  XnnDatatype datatype() const;
  const char* datatype_name() const { return xnn_datatype_name(datatype()); }
  Span<const uint32_t> dims() const;
  /// Index into the delegate call's arguments; kXnnNoValue for internal values.
  uint32_t external_id() const;
  bool is_external_input() const;
  bool is_external_output() const;
  uint32_t flags() const;
  /// 0 = not a constant.
  uint32_t constant_buffer_idx() const;
  XnnConstant constant() const;
  /// XN00 only: the datatype that an external input is to be quantised to when the subgraph runs; else Invalid.
  XnnDatatype dynamic_datatype() const;

  XnnQuantKind quant_kind() const;
  /// PerTensor.
  float scale() const;
  int32_t zero_point() const;
  /// PerChannel, PerChannelGroup: scales stored inline (often empty: see scale_constant).
  Span<const float> scales() const;
  /// PerChannelGroup of old writers: scales as bfloat16 bits.
  Span<const uint16_t> scales_bf16() const;
  /// PerChannel (float32), PerChannelGroup (bfloat16): scales stored with the constants.
  XnnConstant scale_constant() const;
  uint32_t scale_count() const;
  int32_t channel_dim() const;
  /// PerChannelGroup: elements that share a scale.
  int32_t group_size() const;
  /// PerTokenDynamic.
  int32_t nonbatch_dims() const;

 private:
  friend class XnnpackPayload;
  XnnValue(const XnnpackPayload& payload, const xnn_fb::XValue* value);
  XnnpackPayload payload_;
  const xnn_fb::XValue* value_ = nullptr;
};

}  // namespace et::format
