// cumsum: the input is cast to the dtype of the result first; floats are added up in double, as torch does.
#include "runtime/kernels/reduction/chunks.h"
#include "runtime/kernels/reduction/plan.h"

namespace et::ET_KERNELS {
namespace {

template <class C>
using Total = std::conditional_t<std::is_floating_point_v<C>, double, uint64_t>;

template <class C>
void scan_run(const ChunkReader<C>& reader, const ChunkWriter<C>& writer, int64_t in, int64_t in_stride, int64_t out,
              int64_t out_stride, int64_t n) {
  Total<C> total = 0;
  C buffer[kChunk];
  C sums[kChunk];
  for (int64_t i = 0; i < n; i += kChunk) {
    const int64_t m = n - i < kChunk ? n - i : kChunk;
    const C* p = reader.get(in + i * in_stride, in_stride, m, buffer);
    for (int64_t j = 0; j < m; ++j) {
      total += static_cast<Total<C>>(p[j]);
      sums[j] = static_cast<C>(total);
    }
    writer.put(out + i * out_stride, out_stride, m, sums);
  }
}

/// Four rows at a time: each one is a chain of additions that waits for itself.
template <class C>
void scan_four(const C* in, int64_t in_step, C* out, int64_t out_step, int64_t n) {
  Total<C> total[4] = {};
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t r = 0; r < 4; ++r) {
      total[r] += static_cast<Total<C>>(in[r * in_step + j]);
      out[r * out_step + j] = static_cast<C>(total[r]);
    }
  }
}

/// Columns side by side.
template <class C>
void scan_columns(const ChunkReader<C>& reader, const ChunkWriter<C>& writer, int64_t in, int64_t in_stride,
                  int64_t out, int64_t out_stride, int64_t out_inner_stride, int64_t n, int64_t inner) {
  constexpr int64_t kWidth = 256;
  Total<C> total[kWidth];
  C buffer[kWidth];
  C sums[kWidth];
  for (int64_t from = 0; from < inner; from += kWidth) {
    const int64_t width = inner - from < kWidth ? inner - from : kWidth;
    for (int64_t j = 0; j < width; ++j) total[j] = 0;
    for (int64_t i = 0; i < n; ++i) {
      const C* __restrict p = reader.get(in + i * in_stride + from, 1, width, buffer);
      for (int64_t j = 0; j < width; ++j) {
        total[j] += static_cast<Total<C>>(p[j]);
        sums[j] = static_cast<C>(total[j]);
      }
      writer.put(out + i * out_stride + from * out_inner_stride, out_inner_stride, width, sums);
    }
  }
}

Tensor& cumsum_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, optional<ScalarType> dtype, Tensor& out) {
  constexpr const char* kOp = "aten::cumsum.out";
  int64_t d = dim;
  ET_KERNEL_CHECK_MSG(ctx, normalize_dim(&d, in.dim()), InvalidArgument, out,
                      "%s: dim %lld is out of range for a tensor of rank %zd", kOp, static_cast<long long>(dim),
                      in.dim());
  const ScalarType compute = dtype.value_or(out.scalar_type());
  ET_KERNEL_CHECK_MSG(ctx,
                      in_set(in.scalar_type(), kChunkDtypes) && in_set(compute, kRealH) &&
                          in_set(out.scalar_type(), kChunkDtypes) && can_cast(compute, out.scalar_type()),
                      InvalidArgument, out, "%s: cannot add up %s as %s into %s", kOp,
                      scalar_type_name(in.scalar_type()), scalar_type_name(compute),
                      scalar_type_name(out.scalar_type()));
  if (!prepare_out(ctx, kOp, out, shape_of(in)) || out.numel() == 0) return out;
  // The dim as if it were reduced: the plan walks over all others; the output's stride along it is added here.
  DimSet set;
  set.has[d] = true;
  ReducePlan plan;
  if (!make_plan(ctx, kOp, in, set, out, out, true, &plan)) return out;
  const bool scalar = in.dim() == 0;
  const int64_t n = scalar ? 1 : in.sizes()[static_cast<size_t>(d)];
  const int64_t in_stride = scalar ? 1 : in.strides()[static_cast<size_t>(d)];
  const int64_t out_stride = scalar ? 1 : out.strides()[static_cast<size_t>(d)];
  dispatch_compute(compute, [&]<class C>() {
    const ChunkReader<C> reader(in, compute);
    const ChunkWriter<C> writer(out);
    if (plan.inner_kept) {
      parallel_for(0, plan.kept_count, grain_for(n * plan.inner.size), [&](int64_t first, int64_t last) {
        plan.for_kept(first, last, [&](int64_t at, int64_t to, int64_t) {
          scan_columns(reader, writer, at, in_stride, to, out_stride, plan.inner.out[0], n, plan.inner.size);
        });
      });
      return;
    }
    const bool rows = plan.kept_rank == 1 && in_stride == 1 && out_stride == 1 && reader.direct() != nullptr &&
                      writer.direct() != nullptr && reader.direct() != writer.direct();
    parallel_for(0, plan.kept_count, grain_for(n), [&](int64_t first, int64_t last) {
      for (; rows && first + 4 <= last; first += 4) {
        scan_four(reader.direct() + first * plan.kept[0].in, plan.kept[0].in,
                  writer.direct() + first * plan.kept[0].out[0], plan.kept[0].out[0], n);
      }
      plan.for_kept(first, last, [&](int64_t at, int64_t to, int64_t) {
        scan_run(reader, writer, at, in_stride, to, out_stride, n);
      });
    });
  });
  return out;
}

}  // namespace

ET_KERNEL(cumsum_out)

}  // namespace et::ET_KERNELS
