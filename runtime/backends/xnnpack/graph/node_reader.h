// NodeReader: what the operator factories read a node of the payload with. Every check logs the node's number and
// type.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/backends/xnnpack/compute/matrix_f32.h"
#include "runtime/backends/xnnpack/graph/operator.h"
#include "runtime/core/named_data_map.h"

namespace et::xnn {

/// Sets of storages that an operand may have.
using Storages = unsigned;
constexpr Storages one_of(Storage s) { return 1u << static_cast<unsigned>(s); }
inline constexpr Storages kFloat = one_of(Storage::F32);
inline constexpr Storages kInt8 = one_of(Storage::S8) | one_of(Storage::U8);
inline constexpr Storages kInt32 = one_of(Storage::S32);
inline constexpr Storages kDynamic = one_of(Storage::D8);

/// A filter or bias as stored.
struct Weights {
  bool present = false;
  format::XnnDatatype datatype = format::XnnDatatype::Invalid;
  Shape shape;
  std::span<const uint8_t> bytes;
  std::shared_ptr<void> keeps;  // the bytes; a mapped file lets their memory go when the last one does
  std::vector<float> scales;    // one, or one a channel
  int32_t zero_point = 0;       // per tensor
  int channel_dim = 0;
  std::vector<uint16_t> block_scales;  // bfloat16, [channels][blocks]
  int64_t block = 0;                   // elements that share a scale
  std::string name;                    // of the constant and its shape

  /// Equal keys: equal bytes, shape and scales. Reads all bytes.
  std::string key() const;

  bool is_float() const;
  FloatType float_type() const;
  const int8_t* as_int8() const { return reinterpret_cast<const int8_t*>(bytes.data()); }
  /// The real numbers, whatever the datatype, in the stored order.
  std::vector<float> dequantized() const;
};

/// Bytes of constants: in the payload, or named data of the program and its tensor files.
class ConstantSource {
 public:
  explicit ConstantSource(const NamedDataMap* named_data) : named_data_(named_data) {}
  /// At least `size` bytes, at an address that is a multiple of 4; they live as long as `keeps`, or as the payload.
  /// `error` tells what is wrong with them otherwise.
  Error find(const format::XnnConstant& constant, uint64_t size, std::span<const uint8_t>* out,
             std::shared_ptr<void>* keeps, std::string* error) const;

 private:
  const NamedDataMap* named_data_;
};

class NodeReader {
 public:
  NodeReader(const format::XnnpackPayload& payload, const format::XnnNode& node, Graph& graph,
             const ConstantSource& constants)
      : payload_(payload), node_(node), graph_(graph), constants_(constants) {}

  const format::XnnNode& node() const { return node_; }
  Graph& graph() const { return graph_; }
  uint32_t flags() const { return node_.flags(); }
  Clamp clamp() const { return {node_.output_min(), node_.output_max()}; }
  [[gnu::format(printf, 3, 4)]] Error fail(Error error, const char* format, ...) const;

  /// A value that has bytes by now and one of `storages`. Constants are copied into the graph.
  Error input(uint32_t id, Storages storages, const char* what, uint32_t* value);
  /// A value that nobody has written yet.
  Error output(uint32_t id, Storages storages, const char* what, uint32_t* value);
  /// Operands from the node's lists: `inputs` of them are read into op.inputs, and the first output into op.outputs.
  Error operands(Operator& op, size_t inputs, Storages in, Storages out);
  /// A constant filter or bias; not `present` when the node has none. False `*constant`: the value is none.
  Error weights(uint32_t id, const char* what, Weights* out);
  bool is_constant(uint32_t id) const;

  /// Field of the node by name, in [min, max].
  Error size(const char* field, uint32_t min, uint32_t max, int64_t* out) const;
  Error list(const char* field, std::span<const uint32_t>* out) const;
  Error number(const char* field, float* out) const;

 private:
  Error load(Value& value, const format::XnnValue& stored, const char* what);
  /// Scales that are a constant of the payload; `out` stays empty where they are not.
  Error stored_scales(const format::XnnValue& stored, const char* what, uint64_t size, std::span<const uint8_t>* out,
                      std::shared_ptr<void>* keeps);
  Error channel_scales(const format::XnnValue& stored, const char* what, Weights* out);
  Error block_scales(const format::XnnValue& stored, const char* what, Weights* out);
  Error scales_of(const format::XnnValue& stored, const char* what, Weights* out);
  Value* find(uint32_t id, uint32_t* index) const;

  const format::XnnpackPayload& payload_;
  const format::XnnNode& node_;
  Graph& graph_;
  const ConstantSource& constants_;
};

/// Makes the operator of one type of node.
using OperatorFactory = Error (*)(NodeReader& reader, std::unique_ptr<Operator>* out);
/// Null: no operator for this type.
OperatorFactory factory_of(format::XnnNodeType type);

}  // namespace et::xnn
