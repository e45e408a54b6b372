// native_layer_norm: each row by its own mean and variance. Accurate for rows far from zero: the mean is kept in two
// parts, so that no digits are lost where they are subtracted.
#include <cmath>
#include <limits>

#include "runtime/kernels/reduction/moments.h"

namespace et::ET_KERNELS {
namespace {

constexpr const char* kLayerNorm = "aten::native_layer_norm.out";

/// weight or bias: contiguous, one for each normalised element; none reads as null.
template <class C>
class Parameter {
 public:
  Parameter(const optional<Tensor>& t) : there_(t.has_value()) {  // NOLINT
    if (there_) reader_ = ChunkReader<C>(*t);
  }
  bool there() const { return there_; }
  const C* get(int64_t offset, int64_t n, C* buffer) const {
    return there_ ? reader_.get(offset, 1, n, buffer) : nullptr;
  }
  /// Null: none; or none that is C already, where `whole` says false.
  const C* direct() const { return there_ ? reader_.direct() : nullptr; }
  bool whole() const { return !there_ || reader_.direct() != nullptr; }

 private:
  ChunkReader<C> reader_;
  bool there_;
};

template <class C>
void normalise(const C* in, int64_t n, C high, C low, C scale, const C* weight, const C* bias, C* out) {
  if (weight != nullptr && bias != nullptr) {
    for (int64_t i = 0; i < n; ++i) out[i] = ((in[i] - high) - low) * scale * weight[i] + bias[i];
  } else if (weight != nullptr) {
    for (int64_t i = 0; i < n; ++i) out[i] = ((in[i] - high) - low) * scale * weight[i];
  } else if (bias != nullptr) {
    for (int64_t i = 0; i < n; ++i) out[i] = ((in[i] - high) - low) * scale + bias[i];
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = ((in[i] - high) - low) * scale;
  }
}

/// A row of C in one piece: short ones take less than to walk over their dimensions. False: something is not finite.
template <class C>
bool row_in_place(const C* p, int64_t n, double eps, const C* weight, const C* bias, C* out, double* mean,
                  double* rstd) {
  const double count = static_cast<double>(n);
  double total = 0;
  fold_row(SumOp<C>{}, p, n, &total);
  if (!std::isfinite(total)) return false;
  Differences sums;
  const C shift = static_cast<C>(total / count);
  add_differences(p, n, shift, &sums);
  const Moments m = moments_of(shift, sums, n);
  *mean = m.mean;
  *rstd = 1.0 / std::sqrt(m.m2 / count + eps);
  const C high = static_cast<C>(m.mean);
  normalise(p, n, high, static_cast<C>(m.mean - static_cast<double>(high)), static_cast<C>(*rstd), weight, bias, out);
  return true;
}

struct Geometry {
  Shape outer;        // leading dims
  Shape inner;        // normalised dims
  int64_t count = 1;  // elements of a row

  /// Rows lie in one piece, by the strides of a whole tensor.
  bool is_dense(const int64_t* strides) const {
    int64_t step = 1;
    for (size_t d = inner.rank; d-- > 0;) {
      if (inner.sizes[d] != 1 && strides[outer.rank + d] != step) return false;
      step *= inner.sizes[d];
    }
    return true;
  }
};

/// torch adds to an infinite mean what follows, which gives NaN. Nothing follows the last lane of its vectors.
template <class C>
double mean_of_odd_row(const StridedWalk<2>& row, const ChunkReader<C>& reader, int64_t at, int64_t count,
                       size_t element_size, double total) {
  const int64_t lanes = 32 / static_cast<int64_t>(element_size);
  const int64_t last = count / lanes * lanes - 1;
  int64_t element = 0;
  bool elsewhere = false;
  row.run([&](const std::array<int64_t, 2>& o, int64_t n, const std::array<int64_t, 2>& stride) {
    reader.for_each(at + o[0], stride[0], n, [&](int64_t, const C* p, int64_t k) {
      for (int64_t i = 0; i < k; ++i, ++element) elsewhere |= !std::isfinite(p[i]) && element != last;
    });
  });
  return elsewhere ? std::numeric_limits<double>::quiet_NaN() : total / static_cast<double>(count);
}

template <class C>
void run(const Geometry& g, const Tensor& in, const optional<Tensor>& weight, const optional<Tensor>& bias, double eps,
         const Tensor& out, const Tensor& mean_out, const Tensor& rstd_out) {
  const ChunkReader<C> reader(in);
  const ChunkWriter<C> writer(out);
  const ChunkWriter<double> mean_writer(mean_out);
  const ChunkWriter<double> rstd_writer(rstd_out);
  const Parameter<C> weights(weight);
  const Parameter<C> biases(bias);
  int64_t in_strides[kTensorDimensionLimit], out_strides[kTensorDimensionLimit];
  int64_t mean_strides[kTensorDimensionLimit], rstd_strides[kTensorDimensionLimit];
  for (size_t d = 0; d < in.sizes().size(); ++d) {
    in_strides[d] = in.strides()[d];
    out_strides[d] = out.strides()[d];
    mean_strides[d] = mean_out.strides()[d];
    rstd_strides[d] = rstd_out.strides()[d];
  }
  const StridedWalk<2> row(g.inner.view(), {in_strides + g.outer.rank, out_strides + g.outer.rank});
  const double count = static_cast<double>(g.count);

  const auto one_row = [&](int64_t at, int64_t to, int64_t mean_at, int64_t rstd_at) {
    double total = 0;
    row.run([&](const std::array<int64_t, 2>& o, int64_t n, const std::array<int64_t, 2>& stride) {
      reader.for_each(at + o[0], stride[0], n,
                      [&](int64_t, const C* p, int64_t m) { fold_row(SumOp<C>{}, p, m, &total); });
    });
    const C shift = static_cast<C>(total / count);
    Differences sums;
    row.run([&](const std::array<int64_t, 2>& o, int64_t n, const std::array<int64_t, 2>& stride) {
      reader.for_each(at + o[0], stride[0], n,
                      [&](int64_t, const C* p, int64_t m) { add_differences(p, m, shift, &sums); });
    });
    Moments m = moments_of(shift, sums, g.count);
    if (!std::isfinite(total)) m.mean = mean_of_odd_row(row, reader, at, g.count, in.element_size(), total);
    const double rstd = 1.0 / std::sqrt(m.m2 / count + eps);
    mean_writer.put(mean_at, m.mean);
    rstd_writer.put(rstd_at, rstd);
    const C high = static_cast<C>(m.mean);
    const C low = static_cast<C>(m.mean - static_cast<double>(high));
    const C scale = static_cast<C>(rstd);
    C in_buffer[kChunk];
    C weight_buffer[kChunk];
    C bias_buffer[kChunk];
    C out_buffer[kChunk];
    int64_t element = 0;
    row.run([&](const std::array<int64_t, 2>& o, int64_t n, const std::array<int64_t, 2>& stride) {
      C* direct = stride[1] == 1 ? writer.direct() : nullptr;
      for (int64_t i = 0; i < n; i += kChunk, element += kChunk) {
        const int64_t k = n - i < kChunk ? n - i : kChunk;
        C* target = direct != nullptr ? direct + to + o[1] + i : out_buffer;
        normalise(reader.get(at + o[0] + i * stride[0], stride[0], k, in_buffer), k, high, low, scale,
                  weights.get(element, k, weight_buffer), biases.get(element, k, bias_buffer), target);
        if (direct == nullptr) writer.put(to + o[1] + i * stride[1], stride[1], k, out_buffer);
      }
      element -= (n + kChunk - 1) / kChunk * kChunk - n;
    });
  };

  const C* const in_data = reader.direct();
  C* const out_data = writer.direct();
  const bool plain = in_data != nullptr && out_data != nullptr && weights.whole() && biases.whole() &&
                     g.is_dense(in_strides) && g.is_dense(out_strides);
  const auto plain_row = [&](int64_t at, int64_t to, int64_t mean_at, int64_t rstd_at) {
    double mean = 0, rstd = 0;
    if (!row_in_place(in_data + at, g.count, eps, weights.direct(), biases.direct(), out_data + to, &mean, &rstd))
      return one_row(at, to, mean_at, rstd_at);
    mean_writer.put(mean_at, mean);
    rstd_writer.put(rstd_at, rstd);
  };

  const StridedWalk<4> rows(g.outer.view(), {in_strides, out_strides, mean_strides, rstd_strides});
  rows.run([&](const std::array<int64_t, 4>& o, int64_t n, const std::array<int64_t, 4>& stride) {
    parallel_for(0, n, grain_for(g.count), [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t at = o[0] + i * stride[0], to = o[1] + i * stride[1];
        const int64_t mean_at = o[2] + i * stride[2], rstd_at = o[3] + i * stride[3];
        plain ? plain_row(at, to, mean_at, rstd_at) : one_row(at, to, mean_at, rstd_at);
      }
    });
  });
}

bool check_parameter(KernelRuntimeContext& ctx, const char* name, const optional<Tensor>& t, const Shape& shape) {
  if (!t.has_value()) return true;
  bool same = t->sizes().size() == shape.rank;
  for (size_t d = 0; same && d < shape.rank; ++d) same = t->sizes()[d] == shape.sizes[d];
  ET_KERNEL_CHECK_MSG(ctx, same && in_set(t->scalar_type(), kChunkFloats) && is_contiguous(*t), InvalidArgument, false,
                      "%s: %s must be floating, contiguous and of the normalized shape", kLayerNorm, name);
  return check_memory(ctx, kLayerNorm, name, *t);
}

void native_layer_norm_out(KernelRuntimeContext& ctx, const Tensor& in, ArrayRef<int64_t> normalized_shape,
                           const optional<Tensor>& weight, const optional<Tensor>& bias, double eps, Tensor& out,
                           Tensor& mean_out, Tensor& rstd_out) {
  const size_t rank = in.sizes().size();
  ET_KERNEL_CHECK_MSG(ctx, !normalized_shape.empty() && normalized_shape.size() <= rank, InvalidArgument, ,
                      "%s: normalized_shape has %zu dims, self %zu", kLayerNorm, normalized_shape.size(), rank);
  ET_KERNEL_CHECK_MSG(ctx,
                      in_set(in.scalar_type(), kChunkFloats) && in_set(out.scalar_type(), kChunkFloats) &&
                          in_set(mean_out.scalar_type(), kChunkFloats) && in_set(rstd_out.scalar_type(), kChunkFloats),
                      InvalidArgument, , "%s: self and the outputs must be floating; self is %s", kLayerNorm,
                      scalar_type_name(in.scalar_type()));
  Geometry g;
  Shape statistics;
  for (size_t d = 0; d < rank; ++d) {
    const int32_t size = in.sizes()[d];
    const bool leading = d < rank - normalized_shape.size();
    statistics.push(leading ? size : 1);
    if (leading) {
      g.outer.push(size);
      continue;
    }
    const int64_t wanted = normalized_shape[d - (rank - normalized_shape.size())];
    ET_KERNEL_CHECK_MSG(ctx, wanted == size, InvalidArgument, , "%s: normalized_shape says %lld for dim %zu of size %d",
                        kLayerNorm, static_cast<long long>(wanted), d, static_cast<int>(size));
    g.inner.push(size);
    g.count *= size;
  }
  if (!check_memory(ctx, kLayerNorm, "self", in) || !check_parameter(ctx, "weight", weight, g.inner) ||
      !check_parameter(ctx, "bias", bias, g.inner) || !prepare_out(ctx, kLayerNorm, out, shape_of(in)) ||
      !prepare_out(ctx, kLayerNorm, mean_out, statistics) || !prepare_out(ctx, kLayerNorm, rstd_out, statistics)) {
    return;
  }
  if (in.numel() == 0) {
    fill_out(mean_out, 0.0);
    fill_out(rstd_out, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  if (in.scalar_type() == ScalarType::Double) {
    run<double>(g, in, weight, bias, eps, out, mean_out, rstd_out);
  } else {
    run<float>(g, in, weight, bias, eps, out, mean_out, rstd_out);
  }
}

}  // namespace

ET_KERNEL(native_layer_norm_out)

}  // namespace et::ET_KERNELS
