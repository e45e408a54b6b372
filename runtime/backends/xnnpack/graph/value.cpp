#include "runtime/backends/xnnpack/graph/value.h"

#include <algorithm>
#include <cmath>

namespace et::xnn {

bool Shape::fits() const {
  int64_t n = 1;
  for (int i = 0; i < rank; ++i) {
    if (dims[i] < 0 || dims[i] > kMaxElements) return false;
    // A zero does not excuse the rest: strides are products of any of them.
    if (dims[i] > 1 && n > kMaxElements / dims[i]) return false;
    n *= std::max<int64_t>(dims[i], 1);
  }
  return true;
}

bool Shape::operator==(const Shape& o) const { return rank == o.rank && std::equal(dims, dims + rank, o.dims); }

std::string Shape::text() const {
  if (rank == 0) return "scalar";
  std::string s;
  for (int i = 0; i < rank; ++i) s += (i == 0 ? "" : "x") + std::to_string(dims[i]);
  return s;
}

namespace {
/// Where the RowQuants of a D8 value begin.
size_t behind_elements(int64_t elements) { return (static_cast<size_t>(elements) + 15) / 16 * 16; }
}  // namespace

size_t Value::bytes() const {
  if (storage == Storage::D8) {
    return behind_elements(shape.numel()) + static_cast<size_t>(quantized_rows()) * sizeof(RowQuant);
  }
  return static_cast<size_t>(shape.numel()) * element_size(storage);
}

RowQuant* Value::row_quant() const { return reinterpret_cast<RowQuant*>(data + behind_elements(shape.numel())); }

const char* type_name(const Value& v) {
  switch (v.storage) {
    case Storage::S32:
      return "S32";
    case Storage::S8:
      return "QS8";
    case Storage::U8:
      return "QU8";
    case Storage::D8:
      return "QD8";
    default:
      return v.datatype == format::XnnDatatype::Fp16 ? "F16" : v.datatype == format::XnnDatatype::Bf16 ? "BF16" : "F32";
  }
}

void quantized_bounds(const Value& v, const Clamp& clamp, int32_t* min, int32_t* max) {
  *min = quantize(clamp.min, v.scale, v.zero_point, v.storage);
  *max = quantize(clamp.max, v.scale, v.zero_point, v.storage);
}

int32_t quantize(float x, float scale, int32_t zero_point, Storage s) {
  const auto low = static_cast<float>(quantized_min(s) - zero_point);
  const auto high = static_cast<float>(quantized_max(s) - zero_point);
  const float q = std::nearbyint(x / scale);
  if (std::isnan(q)) return zero_point;
  return static_cast<int32_t>(std::clamp(q, low, high)) + zero_point;
}

}  // namespace et::xnn
