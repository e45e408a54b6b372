// embedding_byte, embedding_4bit, embedding_2bit: rows of a quantised table as floats, with one scale (and zero point)
// for each row or each group of columns. Arithmetic in the scales' dtype, rounded each time, then to the output's.
#include "runtime/kernels/quantized/affine.h"

namespace et::ET_KERNELS {
namespace {

inline constexpr DtypeSet kScales = kHalfs | dtype_bit(ScalarType::Float);

/// Bits 8: as they are; 4: the even column in the high bits, 8 below; 2: column j in bits 2 * (j mod 4), 2 below.
template <int Bits>
int unpack(const void* row, ScalarType dtype, int64_t column, int64_t step) {
  if constexpr (Bits == 8) {
    return dtype == ScalarType::Char ? static_cast<const int8_t*>(row)[column * step]
                                     : static_cast<const uint8_t*>(row)[column * step];
  } else if constexpr (Bits == 4) {
    const int byte = static_cast<const uint8_t*>(row)[column / 2 * step];
    return (column % 2 == 0 ? byte >> 4 : byte & 15) - 8;
  } else {
    return (static_cast<const uint8_t*>(row)[column / 4 * step] >> (2 * (column % 4)) & 3) - 2;
  }
}

/// A table [rows] or [rows, groups].
bool check_table(KernelRuntimeContext& context, const Tensor& t, int64_t rows, int64_t groups, const char* argument,
                 const char* name) {
  ET_KERNEL_CHECK_MSG(context,
                      (t.dim() == 1 || t.dim() == 2) && t.size(0) == rows && (t.dim() == 2 ? t.size(1) : 1) == groups,
                      InvalidArgument, false, "%s: %s has %zd numbers, not one for each of %lld rows and %lld groups",
                      name, argument, t.numel(), static_cast<long long>(rows), static_cast<long long>(groups));
  return check_memory(context, t, argument, name);
}

template <int Bits>
bool check_embedding(KernelRuntimeContext& ctx, const Tensor& weight, const Tensor& scales,
                     const optional<Tensor>& zero_points, int64_t quant_min, int64_t quant_max, const Tensor& indices,
                     const optional<ScalarType>& dtype, Tensor& out, const char* name) {
  constexpr int64_t kPerByte = 8 / Bits;
  ET_KERNEL_CHECK_MSG(ctx,
                      weight.dim() == 2 && (weight.scalar_type() == ScalarType::Byte ||
                                            (Bits == 8 && weight.scalar_type() == ScalarType::Char)),
                      InvalidArgument, false, "%s: weight is %s with %zd dimensions", name,
                      scalar_type_name(weight.scalar_type()), weight.dim());
  ET_KERNEL_CHECK_MSG(ctx, quant_min <= quant_max, InvalidArgument, false,
                      "%s: weight_quant_min is above weight_quant_max", name);
  ET_KERNEL_CHECK_MSG(ctx, in_set(scales.scalar_type(), kScales), InvalidArgument, false, "%s: weight_scales is %s",
                      name, scalar_type_name(scales.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, indices.scalar_type() == ScalarType::Long || indices.scalar_type() == ScalarType::Int,
                      InvalidArgument, false, "%s: indices is %s", name, scalar_type_name(indices.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, in_set(out.scalar_type(), kScales) && (!dtype.has_value() || *dtype == out.scalar_type()),
                      InvalidArgument, false, "%s: out is %s", name, scalar_type_name(out.scalar_type()));
  const int64_t rows = weight.size(0), columns = weight.size(1) * kPerByte;
  const int64_t groups = scales.dim() == 2 ? scales.size(1) : 1;
  ET_KERNEL_CHECK_MSG(ctx, groups > 0 && columns % groups == 0, InvalidArgument, false,
                      "%s: %lld columns do not divide into %lld groups", name, static_cast<long long>(columns),
                      static_cast<long long>(groups));
  if (!check_table(ctx, scales, rows, groups, "weight_scales", name)) return false;
  if (zero_points.has_value()) {
    ET_KERNEL_CHECK_MSG(ctx, zero_points->scalar_type() == scales.scalar_type(), InvalidArgument, false,
                        "%s: weight_zero_points is %s, the scales %s", name,
                        scalar_type_name(zero_points->scalar_type()), scalar_type_name(scales.scalar_type()));
    if (!check_table(ctx, *zero_points, rows, groups, "weight_zero_points", name)) return false;
  }
  Shape shape = shape_of(indices);
  ET_KERNEL_CHECK_MSG(ctx, shape.rank < kTensorDimensionLimit, InvalidArgument, false, "%s: too many dimensions", name);
  shape.push(columns);
  if (!resize_out(ctx, out, shape.view(), name) || !check_memory(ctx, weight, "weight", name) ||
      !check_memory(ctx, indices, "indices", name) || !check_memory(ctx, out, "out", name)) {
    return false;
  }
  return true;
}

template <int Bits>
Tensor& embed(KernelRuntimeContext& ctx, const Tensor& weight, const Tensor& scales,
              const optional<Tensor>& zero_points, int64_t quant_min, int64_t quant_max, const Tensor& indices,
              const optional<ScalarType>& dtype, Tensor& out, const char* name) {
  if (!check_embedding<Bits>(ctx, weight, scales, zero_points, quant_min, quant_max, indices, dtype, out, name) ||
      out.numel() == 0) {
    return out;
  }
  const int64_t rows = weight.size(0), columns = weight.size(1) * (8 / Bits);
  const int64_t groups = scales.dim() == 2 ? scales.size(1) : 1;
  const int64_t per_group = columns / groups;
  const int64_t row_stride = weight.strides()[0], step = weight.strides()[1];
  const auto table_index = [groups](const Tensor& t, int64_t row, int64_t group) {
    return row * t.strides()[0] + (groups == 1 ? 0 : group * t.strides()[1]);
  };
  dispatch<kScales>(scales.scalar_type(), [&]<class P>() {
    dispatch<kScales>(out.scalar_type(), [&]<class O>() {
      const auto round = [](float x) { return static_cast<float>(static_cast<P>(x)); };
      const P* scale_data = scales.const_data_ptr<P>();
      const P* zero_data = zero_points.has_value() ? zero_points->const_data_ptr<P>() : nullptr;
      int64_t index_strides[kTensorDimensionLimit] = {}, out_strides[kTensorDimensionLimit] = {};
      for (size_t d = 0; d < indices.sizes().size(); ++d) {
        index_strides[d] = indices.strides()[d];
        out_strides[d] = out.strides()[d];
      }
      const int64_t out_step = out.strides()[out.strides().size() - 1];
      const StridedWalk<2> walk(indices.sizes(), {index_strides, out_strides});
      const auto one = [&](int64_t index_at, int64_t out_at) {
        const int64_t row = indices.scalar_type() == ScalarType::Long ? indices.const_data_ptr<int64_t>()[index_at]
                                                                      : indices.const_data_ptr<int32_t>()[index_at];
        ET_KERNEL_CHECK_MSG(ctx, row >= 0 && row < rows, InvalidArgument, , "%s: indices has %lld, weight %lld rows",
                            name, static_cast<long long>(row), static_cast<long long>(rows));
        const auto* packed = static_cast<const uint8_t*>(weight.const_data_ptr()) + row * row_stride;
        O* to = out.mutable_data_ptr<O>() + out_at;
        for (int64_t g = 0; g < groups; ++g) {
          const float scale = static_cast<float>(scale_data[table_index(scales, row, g)]);
          const float zero =
              zero_data == nullptr ? 0.0f : static_cast<float>(zero_data[table_index(*zero_points, row, g)]);
          for (int64_t c = g * per_group; c < (g + 1) * per_group; ++c) {
            const float q = static_cast<float>(unpack<Bits>(packed, weight.scalar_type(), c, step));
            to[c * out_step] = static_cast<O>(round(round(q - zero) * scale));
          }
        }
      };
      walk.run([&](const std::array<int64_t, 2>& at, int64_t n, const std::array<int64_t, 2>& steps) {
        for (int64_t i = 0; i < n && ctx.failure_state() == Error::Ok; ++i) {
          one(at[0] + i * steps[0], at[1] + i * steps[1]);
        }
      });
    });
  });
  return out;
}

#define ET_EMBEDDING(BITS, NAME)                                                                                  \
  Tensor& embedding_##NAME##_out(KernelRuntimeContext& ctx, const Tensor& weight, const Tensor& scales,           \
                                 const optional<Tensor>& zero_points, int64_t quant_min, int64_t quant_max,       \
                                 const Tensor& indices, Tensor& out) {                                            \
    return embed<BITS>(ctx, weight, scales, zero_points, quant_min, quant_max, indices, nullopt, out,             \
                       "quantized_decomposed::embedding_" #NAME);                                                 \
  }                                                                                                               \
  Tensor& embedding_##NAME##_dtype_out(KernelRuntimeContext& ctx, const Tensor& weight, const Tensor& scales,     \
                                       const optional<Tensor>& zero_points, int64_t quant_min, int64_t quant_max, \
                                       const Tensor& indices, const optional<ScalarType>& dtype, Tensor& out) {   \
    return embed<BITS>(ctx, weight, scales, zero_points, quant_min, quant_max, indices, dtype, out,               \
                       "quantized_decomposed::embedding_" #NAME ".dtype");                                        \
  }
ET_EMBEDDING(8, byte)
ET_EMBEDDING(4, 4bit)
ET_EMBEDDING(2, 2bit)
#undef ET_EMBEDDING

}  // namespace

ET_KERNEL(embedding_byte_out)
ET_KERNEL(embedding_byte_dtype_out)
ET_KERNEL(embedding_4bit_out)
ET_KERNEL(embedding_4bit_dtype_out)
ET_KERNEL(embedding_2bit_out)
ET_KERNEL(embedding_2bit_dtype_out)

}  // namespace et::ET_KERNELS
