// Values of an XNNPACK payload as the executor holds them: what the payload says of each, its shape in the current run,
// and where its bytes are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "runtime/backends/xnnpack/compute/matrix_f32.h"
#include "runtime/backends/xnnpack/compute/matrix_qd8.h"
#include "runtime/backends/xnnpack/compute/matrix_qs8.h"
#include "runtime/format/xnnpack_payload.h"

namespace et::xnn {

/// XNNPACK's own limit.
inline constexpr int kMaxDims = 6;
/// Elements of one value; keeps every product of sizes far from overflow.
inline constexpr int64_t kMaxElements = int64_t{1} << 40;

struct Shape {
  int rank = 0;
  int64_t dims[kMaxDims] = {};

  /// 1 for rank 0. Only for shapes that fits() accepts.
  int64_t numel() const { return numel(0, rank); }
  int64_t numel(int from, int to) const {
    int64_t n = 1;
    for (int i = from; i < to; ++i) n *= dims[i];
    return n;
  }
  int64_t last() const { return rank == 0 ? 1 : dims[rank - 1]; }
  /// GemmType of all but the last dimension.
  int64_t rows() const { return rank == 0 ? 1 : numel(0, rank - 1); }
  /// No negative size, at most kMaxElements elements.
  bool fits() const;
  bool operator==(const Shape& o) const;
  /// "1x96x8"; "scalar" for rank 0.
  std::string text() const;
};

/// How elements lie in memory while the graph runs. float16 and bfloat16 values are kept as float32 and rounded after
/// each operator, so that one set of float32 functions serves all three.
enum class Storage : uint8_t {
  None,  // weights and biases: read once, when they are packed
  F32,
  S32,
  S8,
  U8,
  D8,  // int8 and, behind the elements, a RowQuant for each row (dynamically quantised)
};
constexpr size_t element_size(Storage s) {
  return s == Storage::F32 || s == Storage::S32 ? 4 : s == Storage::None ? 0 : 1;
}

struct Value {
  static constexpr uint32_t kNotExternal = format::kXnnNoValue;

  uint32_t id = 0;
  format::XnnDatatype datatype = format::XnnDatatype::Invalid;
  Storage storage = Storage::None;
  Shape declared;  // as stored: sizes are upper bounds where shapes are dynamic
  float scale = 1;
  int32_t zero_point = 0;
  int nonbatch_dims = 0;             // D8: dimensions that share a scale, counted from the last
  uint32_t external = kNotExternal;  // index into the delegate call's arguments
  bool input = false, output = false;
  bool defined = false;  // has bytes when the node that is being read runs

  const uint8_t* constant = nullptr;  // constants that operators read as they are; null otherwise

  Shape shape;
  uint8_t* data = nullptr;

  bool is_half() const { return datatype == format::XnnDatatype::Fp16 || datatype == format::XnnDatatype::Bf16; }
  /// Of a value in floats.
  FloatType float_type() const {
    return datatype == format::XnnDatatype::Fp16   ? FloatType::F16
           : datatype == format::XnnDatatype::Bf16 ? FloatType::BF16
                                                   : FloatType::F32;
  }
  bool is_constant() const { return constant != nullptr; }
  Quantised quant() const { return {scale, zero_point}; }
  bool quantized() const { return storage == Storage::S8 || storage == Storage::U8; }
  /// Rows of a D8 value.
  int64_t quantized_rows() const { return shape.numel(0, shape.rank > nonbatch_dims ? shape.rank - nonbatch_dims : 0); }
  /// Of `shape`, with what stands behind the elements.
  size_t bytes() const;
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  RowQuant* row_quant() const;
};

/// "F32", "QS8", "S32", …: of events' names.
const char* type_name(const Value& v);

/// Least and greatest number of a quantised storage.
constexpr int32_t quantized_min(Storage s) { return s == Storage::U8 ? 0 : -128; }
constexpr int32_t quantized_max(Storage s) { return s == Storage::U8 ? 255 : 127; }
/// The quantised bounds for bounds in real units.
void quantized_bounds(const Value& v, const Clamp& clamp, int32_t* min, int32_t* max);
/// round(x / scale) + zero_point, limited to the storage's numbers; NaN gives the zero point.
int32_t quantize(float x, float scale, int32_t zero_point, Storage s);

}  // namespace et::xnn
