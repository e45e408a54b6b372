// argmax, argmin, and max, min over one dim with the place: NaN wins, then the first of equals.
#include "runtime/kernels/reduction/chunks.h"
#include "runtime/kernels/reduction/extremum.h"
#include "runtime/kernels/reduction/plan.h"

namespace et::ET_KERNELS {
namespace {

template <class C>
struct Best {
  C value;
  int64_t index;
};

/// Elements that a block's extremum is taken of before anything is searched.
constexpr int64_t kBlock = 1024;

template <class E, class C>
C extremum_of(const C* __restrict p, int64_t n) {
  constexpr int64_t kLanes = 128 / static_cast<int64_t>(sizeof(C));
  C best = E::worst();
  int64_t i = 0;
  if (n >= kLanes) {
    C lane[kLanes];
    for (int64_t l = 0; l < kLanes; ++l) lane[l] = p[l];
    for (i = kLanes; i + kLanes <= n; i += kLanes) {
      for (int64_t l = 0; l < kLanes; ++l) lane[l] = E::pick(lane[l], p[i + l]);
    }
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (int64_t l = 0; l < half; ++l) lane[l] = E::pick(lane[l], lane[l + half]);
    }
    best = lane[0];
  }
  for (; i < n; ++i) best = E::pick(best, p[i]);
  return best;
}

/// The first element that fits; there is one. Groups without any are passed by at once.
template <class C, class Fits>
int64_t first_of(const C* __restrict p, int64_t n, Fits fits) {
  constexpr int64_t kGroup = 64;
  using Count = std::conditional_t<sizeof(C) == 8, int64_t, int32_t>;
  int64_t i = 0;
  for (; i + kGroup <= n; i += kGroup) {
    Count found = 0;
    for (int64_t l = 0; l < kGroup; ++l) found += fits(p[i + l]) ? 1 : 0;
    if (found > 0) break;
  }
  while (i + 1 < n && !fits(p[i])) ++i;
  return i;
}

/// The first of `value`'s kind.
template <class E, class C>
int64_t place_of(const C* p, int64_t n, C value) {
  if (E::is_nan(value)) return first_of(p, n, [](C x) { return E::is_nan(x); });
  return first_of(p, n, [value](C x) { return x == value; });
}

/// Takes n contiguous elements, of which the first is number `at`. Blocks that do not improve are never searched.
template <class E, class C>
void update(const C* p, int64_t n, int64_t at, Best<C>* best) {
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t m = n - i < kBlock ? n - i : kBlock;
    const C value = extremum_of<E>(p + i, m);
    if (best->index >= 0 && !E::beats(value, best->value)) continue;
    best->value = value;
    best->index = at + i + place_of<E>(p + i, m, value);
  }
}

template <class E, class C>
Best<C> best_of_run(const ChunkReader<C>& reader, int64_t offset, int64_t stride, int64_t n) {
  Best<C> best{E::worst(), -1};
  reader.for_each(offset, stride, n, [&](int64_t at, const C* p, int64_t m) { update<E>(p, m, at, &best); });
  return best;
}

/// Everything, in logical order, however the tensor lies in memory.
template <class E, class C>
Best<C> best_of_all(const ChunkReader<C>& reader, const Tensor& in) {
  Best<C> best{E::worst(), -1};
  int64_t strides[kTensorDimensionLimit];
  for (size_t d = 0; d < in.sizes().size(); ++d) strides[d] = in.strides()[d];
  const StridedWalk<1> walk(in.sizes(), {strides});
  int64_t done = 0;
  walk.run([&](const std::array<int64_t, 1>& offset, int64_t n, const std::array<int64_t, 1>& stride) {
    reader.for_each(offset[0], stride[0], n,
                    [&](int64_t at, const C* p, int64_t m) { update<E>(p, m, done + at, &best); });
    done += n;
  });
  return best;
}

/// Columns side by side: the reduced dim is outside, so that comparisons vectorise. I is as wide as C.
template <class E, class C, class I, class Emit>
void best_of_columns(const ReducePlan& plan, const ChunkReader<C>& reader, const Emit& emit) {
  constexpr int64_t kWidth = 128;
  C value[kWidth];
  I index[kWidth];
  C buffer[kWidth];
  const int64_t inner = plan.inner.size;
  plan.for_kept(0, plan.kept_count, [&](int64_t in, int64_t out, int64_t out2) {
    for (int64_t from = 0; from < inner; from += kWidth) {
      const int64_t width = inner - from < kWidth ? inner - from : kWidth;
      I at = 0;
      plan.for_reduced([&](int64_t offset) {
        const C* __restrict p = reader.get(in + offset + from, 1, width, buffer);
        if (at == 0) {
          for (int64_t j = 0; j < width; ++j) {
            value[j] = p[j];
            index[j] = 0;
          }
        } else {
          for (int64_t j = 0; j < width; ++j) {
            const bool take = E::beats(p[j], value[j]);
            value[j] = take ? p[j] : value[j];
            index[j] = take ? at : index[j];
          }
        }
        ++at;
      });
      emit(value, index, width, out + from * plan.inner.out[0], plan.inner.out[0], out2 + from * plan.inner.out[1],
           plan.inner.out[1]);
    }
  });
}

bool check(KernelRuntimeContext& ctx, const char* op, const Tensor& in, optional<int64_t>* dim, DtypeSet set,
           const Tensor& indices) {
  ET_KERNEL_CHECK_MSG(ctx, in_set(in.scalar_type(), set), InvalidArgument, false, "%s: self has dtype %s", op,
                      scalar_type_name(in.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, indices.scalar_type() == ScalarType::Long, InvalidArgument, false,
                      "%s: expected int64 indices, got %s", op, scalar_type_name(indices.scalar_type()));
  if (dim->has_value()) {
    int64_t d = **dim;
    ET_KERNEL_CHECK_MSG(ctx, normalize_dim(&d, in.dim()), InvalidArgument, false,
                        "%s: dim %lld is out of range for a tensor of rank %zd", op, static_cast<long long>(d),
                        in.dim());
    *dim = d;
  }
  return true;
}

/// `values` may be null.
template <bool kMax>
void reduce_arg(KernelRuntimeContext& ctx, const char* op, const Tensor& in, optional<int64_t> dim, bool keepdim,
                const Tensor* values, const Tensor& indices) {
  const DimSet set = dims_of(dim);
  const Shape shape = reduced_shape(in, set, keepdim);
  if (!prepare_out(ctx, op, indices, shape)) return;
  if (values != nullptr && !prepare_out(ctx, op, *values, shape)) return;
  if (indices.numel() == 0) return;
  ET_KERNEL_CHECK_MSG(ctx, in.numel() > 0, InvalidArgument, , "%s: an empty dimension has no minimum or maximum", op);
  const Tensor& first = values != nullptr ? *values : indices;
  ReducePlan plan;
  if (!make_plan(ctx, op, in, set, first, indices, keepdim, &plan)) return;
  dispatch_compute(in.scalar_type(), [&]<class C>() {
    using E = Extremum<C, kMax>;
    using I = std::conditional_t<sizeof(C) == 4, int32_t, int64_t>;
    const ChunkReader<C> reader(in);
    const ChunkWriter<C> value_writer = values != nullptr ? ChunkWriter<C>(*values) : ChunkWriter<C>();
    int64_t* places = indices.mutable_data_ptr<int64_t>();
    if (!dim.has_value()) {
      places[0] = best_of_all<E>(reader, in).index;
      return;
    }
    if (!plan.inner_kept) {
      const bool contiguous = plan.reduced_rank == 0;
      const int64_t n = contiguous ? plan.inner.size : plan.reduced[0].size;
      const int64_t stride = contiguous ? 1 : plan.reduced[0].in;
      parallel_for(0, plan.kept_count, grain_for(n), [&](int64_t begin, int64_t end) {
        plan.for_kept(begin, end, [&](int64_t at, int64_t out, int64_t out2) {
          const Best<C> best = best_of_run<E>(reader, at, stride, n);
          if (values != nullptr) value_writer.put(out, best.value);
          places[out2] = best.index;
        });
      });
      return;
    }
    best_of_columns<E, C, I>(
        plan, reader,
        [&](const C* value, const I* index, int64_t n, int64_t out, int64_t stride, int64_t out2, int64_t stride2) {
          if (values != nullptr) value_writer.put(out, stride, n, value);
          for (int64_t j = 0; j < n; ++j) places[out2 + j * stride2] = index[j];
        });
  });
}

Tensor& argmax_out(KernelRuntimeContext& ctx, const Tensor& in, optional<int64_t> dim, bool keepdim, Tensor& out) {
  if (!check(ctx, "aten::argmax.out", in, &dim, kRealH & kChunkDtypes, out)) return out;
  reduce_arg<true>(ctx, "aten::argmax.out", in, dim, keepdim, nullptr, out);
  return out;
}
Tensor& argmin_out(KernelRuntimeContext& ctx, const Tensor& in, optional<int64_t> dim, bool keepdim, Tensor& out) {
  if (!check(ctx, "aten::argmin.out", in, &dim, kRealH & kChunkDtypes, out)) return out;
  reduce_arg<false>(ctx, "aten::argmin.out", in, dim, keepdim, nullptr, out);
  return out;
}

template <bool kMax>
void reduce_dim(KernelRuntimeContext& ctx, const char* op, const Tensor& in, int64_t dim, bool keepdim,
                const Tensor& values, const Tensor& indices) {
  optional<int64_t> d = dim;
  if (!check(ctx, op, in, &d, kRealHB & kChunkDtypes, indices)) return;
  ET_KERNEL_CHECK_MSG(
      ctx, in_set(values.scalar_type(), kRealHB & kChunkDtypes) && can_cast(in.scalar_type(), values.scalar_type()),
      InvalidArgument, , "%s: values of %s cannot be stored as %s", op, scalar_type_name(in.scalar_type()),
      scalar_type_name(values.scalar_type()));
  reduce_arg<kMax>(ctx, op, in, d, keepdim, &values, indices);
}

void max_dim_max(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool keepdim, Tensor& values,
                 Tensor& indices) {
  reduce_dim<true>(ctx, "aten::max.dim_max", in, dim, keepdim, values, indices);
}
void min_dim_min(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool keepdim, Tensor& values,
                 Tensor& indices) {
  reduce_dim<false>(ctx, "aten::min.dim_min", in, dim, keepdim, values, indices);
}

}  // namespace

ET_KERNEL(argmax_out)
ET_KERNEL(argmin_out)
ET_KERNEL(max_dim_max)
ET_KERNEL(min_dim_min)

}  // namespace et::ET_KERNELS
