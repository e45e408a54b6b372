// Affine quantisation by blocks: a block of `block_size` elements shares a scale and a zero point. In float32, as
// torchao computes float32 tensors.
#include <cfloat>
#include <cmath>

#include "bundled_program/reference/native_operators.h"
#include "runtime/kernels/common/dtype.h"

namespace et::reference {
namespace {

using Kind = GraphValue::Kind;

Status bad_affine(std::string cause) { return {Error::InvalidProgram, std::move(cause)}; }

/// Elements as numbers, in row-major order.
Status read_floats(const Tensor& t, RunState& state, std::vector<float>* out) {
  TensorHandle plain;
  if (Status s = state.make_tensor(t.scalar_type(), t.sizes(), {}, &plain); !s.ok()) return s;
  copy_elements(t, plain->tensor());
  out->resize(static_cast<size_t>(t.numel()));
  const bool known = kernels::dispatch<kernels::kRealHB>(t.scalar_type(), [&]<class T>() {
    const T* from = plain->tensor().const_data_ptr<T>();
    for (float& v : *out) v = static_cast<float>(*from++);
  });
  return known ? Status() : bad_affine("a tensor of a dtype without numbers");
}

/// Writes numbers in row-major order into a new tensor; integers are whole already.
Status write_floats(const std::vector<float>& values, ScalarType type, std::span<const int32_t> sizes,
                    NativeCall& call) {
  TensorHandle tensor;
  if (Status s = call.state.make_tensor(type, sizes, {}, &tensor); !s.ok()) return s;
  bool in_range = true;
  const bool known = kernels::dispatch<kernels::kRealH>(type, [&]<class T>() {
    T* to = tensor->tensor().mutable_data_ptr<T>();
    for (float v : values) {
      if constexpr (std::is_integral_v<T>) {
        in_range = in_range && v >= static_cast<float>(std::numeric_limits<T>::min()) &&
                   v <= static_cast<float>(std::numeric_limits<T>::max()) && v < 9.2e18F;
        *to++ = in_range ? static_cast<T>(static_cast<int64_t>(v)) : T{0};
      } else {
        *to++ = static_cast<T>(v);
      }
    }
  });
  if (!known || !in_range) return bad_affine("a result that does not fit its dtype");
  call.results.emplace_back(tensor);
  return {};
}

struct Range {
  float min = 0;
  float max = 0;
};

struct Arguments {
  Tensor input;
  std::vector<float> values;
  std::vector<int32_t> blocks;      // along each dimension
  std::vector<int32_t> block_size;  // elements
  size_t block_count = 1;
  Range range;

  /// Calls f(element, block), both row-major.
  template <class F>
  void each(const F& f) const {
    std::vector<int32_t> index(blocks.size(), 0);
    for (size_t i = 0; i < values.size(); ++i) {
      size_t block = 0;
      for (size_t d = 0; d < blocks.size(); ++d) {
        block = block * static_cast<size_t>(blocks[d]) + static_cast<size_t>(index[d] / block_size[d]);
      }
      f(i, block);
      for (size_t d = blocks.size(); d-- > 0;) {
        if (++index[d] < input.sizes()[d]) break;
        index[d] = 0;
      }
    }
  }
};

Status tensor_of(const NativeCall& call, std::string_view name, size_t position, optional<Tensor>* out) {
  std::vector<GraphValue> values;
  if (Status s = call.argument(name, position, &values); !s.ok()) return s;
  if (values.size() == 1 && values[0].kind == Kind::Tensor) *out = values[0].tensor->tensor();
  return {};
}

const etrecord::Argument* dtype_argument(const NativeCall& call, std::string_view name) {
  const etrecord::Argument* a = call.find(name);
  return a != nullptr && a->kind == etrecord::ArgumentKind::ScalarType && a->scalar_type_known ? a : nullptr;
}

/// quant_min and quant_max, or the range of the integer dtype.
Status read_range(const NativeCall& call, std::string_view dtype, Range* out) {
  if (const etrecord::Argument* type = dtype_argument(call, dtype)) {
    static_cast<void>(kernels::dispatch<kernels::kInts>(type->scalar_type, [&]<class T>() {
      *out = {static_cast<float>(std::numeric_limits<T>::min()), static_cast<float>(std::numeric_limits<T>::max())};
    }));
  }
  for (const auto& [name, to] : {std::pair{"quant_min", &out->min}, std::pair{"quant_max", &out->max}}) {
    std::vector<GraphValue> v;
    if (Status s = call.argument(name, SIZE_MAX, &v); !s.ok()) return s;
    if (v.size() == 1 && v[0].is_number()) *to = static_cast<float>(v[0].as_double());
  }
  return out->min < out->max ? Status() : bad_affine("quant_min is not below quant_max");
}

Status read_arguments(NativeCall& call, std::string_view dtype, Arguments* out) {
  optional<Tensor> input;
  if (Status s = tensor_of(call, "input", 0, &input); !s.ok()) return s;
  if (!input) return bad_affine("argument input is not a tensor");
  out->input = *input;
  std::vector<GraphValue> block;
  if (Status s = call.argument("block_size", SIZE_MAX, &block); !s.ok()) return s;
  if (block.size() != input->sizes().size()) return bad_affine("block_size has another rank than the input");
  for (size_t d = 0; d < block.size(); ++d) {
    const int64_t size = input->sizes()[d];
    const int64_t step = block[d].integer;
    if (block[d].kind != Kind::Int || step < 1 || step > std::max<int64_t>(size, 1) || size % step != 0) {
      return bad_affine("block_size does not divide the input");
    }
    out->block_size.push_back(static_cast<int32_t>(step));
    out->blocks.push_back(static_cast<int32_t>(size / step));
    out->block_count *= static_cast<size_t>(size / step);
  }
  if (Status s = read_range(call, dtype, &out->range); !s.ok()) return s;
  return read_floats(*input, call.state, &out->values);
}

Status read_parameters(NativeCall& call, size_t count, std::vector<float>* scales, std::vector<float>* zero_points) {
  optional<Tensor> scale, zero_point;
  if (Status s = tensor_of(call, "scale", SIZE_MAX, &scale); !s.ok()) return s;
  if (Status s = tensor_of(call, "zero_point", SIZE_MAX, &zero_point); !s.ok()) return s;
  if (!scale) return bad_affine("argument scale is not a tensor");
  if (Status s = read_floats(*scale, call.state, scales); !s.ok()) return s;
  zero_points->assign(count, 0);
  if (zero_point && zero_point->numel() > 0) {
    if (Status s = read_floats(*zero_point, call.state, zero_points); !s.ok()) return s;
  }
  return scales->size() == count && zero_points->size() == count
             ? Status()
             : bad_affine("scale or zero_point has not one element for each of the " + std::to_string(count) +
                          " blocks");
}

}  // namespace

Status choose_qparams_affine(NativeCall& call) {
  Arguments a;
  if (Status s = read_arguments(call, "target_dtype", &a); !s.ok()) return s;
  if (a.input.scalar_type() != ScalarType::Float) return bad_affine("argument input is not float32");
  const etrecord::Argument* mapping = call.find("mapping_type");
  const std::string kind = mapping != nullptr && !mapping->strings.empty() ? mapping->strings[0] : "";
  std::vector<Range> seen(a.block_count);  // 0 counts as seen
  a.each([&](size_t i, size_t block) {
    seen[block].min = std::min(seen[block].min, a.values[i]);
    seen[block].max = std::max(seen[block].max, a.values[i]);
  });
  std::vector<GraphValue> eps_value;
  if (Status s = call.argument("eps", SIZE_MAX, &eps_value); !s.ok()) return s;
  const float eps =
      eps_value.size() == 1 && eps_value[0].is_number() ? static_cast<float>(eps_value[0].as_double()) : FLT_MIN;

  std::vector<float> scales, zero_points;
  for (const Range& r : seen) {
    const float width = a.range.max - a.range.min;
    float scale = 0;
    float zero_point = std::trunc((a.range.max + a.range.min + 1) / 2);
    if (kind == "SYMMETRIC") {
      scale = std::max(std::max(-r.min, r.max) / (width / 2), eps);
    } else if (kind == "SYMMETRIC_NO_CLIPPING_ERR") {
      if (a.range.min == 0 || a.range.max == 0) return bad_affine("quant_min or quant_max is 0");
      scale = std::max(std::max(r.min / a.range.min, r.max / a.range.max), eps);
    } else if (kind == "ASYMMETRIC") {
      scale = std::max((r.max - r.min) / width, eps);
      zero_point = std::clamp(a.range.min - std::nearbyint(r.min / scale), a.range.min, a.range.max);
    } else {
      return bad_affine("mapping_type \"" + kind + "\" is unknown");
    }
    scales.push_back(scale);
    zero_points.push_back(zero_point);
  }

  std::vector<GraphValue> keep;
  if (Status s = call.argument("keepdim", SIZE_MAX, &keep); !s.ok()) return s;
  const bool keep_all = keep.size() == 1 && keep[0].is_number() && keep[0].integer != 0;
  std::vector<int32_t> sizes;
  for (size_t d = 0; d < a.blocks.size(); ++d) {
    const bool whole = a.block_size[d] != 1 && a.block_size[d] == a.input.sizes()[d];
    if (keep_all || !whole) sizes.push_back(a.blocks[d]);
  }
  const etrecord::Argument* scale_type = dtype_argument(call, "scale_dtype");
  const etrecord::Argument* zero_type = dtype_argument(call, "zero_point_dtype");
  if (Status s = write_floats(scales, scale_type != nullptr ? scale_type->scalar_type : ScalarType::Float, sizes, call);
      !s.ok()) {
    return s;
  }
  return write_floats(zero_points, zero_type != nullptr ? zero_type->scalar_type : ScalarType::Int, sizes, call);
}

Status quantize_affine(NativeCall& call) {
  Arguments a;
  if (Status s = read_arguments(call, "output_dtype", &a); !s.ok()) return s;
  if (a.input.scalar_type() != ScalarType::Float) return bad_affine("argument input is not float32");
  std::vector<float> scales, zero_points;
  if (Status s = read_parameters(call, a.block_count, &scales, &zero_points); !s.ok()) return s;
  std::vector<float> out(a.values.size());
  a.each([&](size_t i, size_t block) {
    const float v = std::nearbyint(a.values[i] * (1.0F / scales[block])) + zero_points[block];
    out[i] = std::isnan(v) ? a.range.min : std::clamp(v, a.range.min, a.range.max);
  });
  const etrecord::Argument* type = dtype_argument(call, "output_dtype");
  return write_floats(out, type != nullptr ? type->scalar_type : ScalarType::Char, a.input.sizes(), call);
}

Status dequantize_affine(NativeCall& call) {
  Arguments a;
  if (Status s = read_arguments(call, "input_dtype", &a); !s.ok()) return s;
  std::vector<float> scales, zero_points;
  if (Status s = read_parameters(call, a.block_count, &scales, &zero_points); !s.ok()) return s;
  std::vector<float> out(a.values.size());
  a.each([&](size_t i, size_t block) { out[i] = (a.values[i] - zero_points[block]) * scales[block]; });
  const etrecord::Argument* type = dtype_argument(call, "output_dtype");
  return write_floats(out, type != nullptr ? type->scalar_type : ScalarType::Float, a.input.sizes(), call);
}

}  // namespace et::reference
