// native_group_norm: each group of channels of each image by its own mean and variance.
#include <cmath>

#include "runtime/kernels/normalization/channels.h"
#include "runtime/kernels/reduction/moments.h"

namespace et::ET_KERNELS {
namespace {

constexpr const char* kGroupNorm = "aten::native_group_norm.out";

struct Groups {
  int64_t batch, channels, pixels, groups;
  int64_t width() const { return channels / groups; }
};

/// The walk over one group, innermost what lies innermost in memory.
struct GroupWalk {
  Shape sizes;
  int64_t strides[kTensorDimensionLimit];

  GroupWalk(const Tensor& in, int64_t width) {
    const bool channels_inside = in.strides()[1] == 1;
    if (!channels_inside) push(width, in.strides()[1]);
    for (size_t d = 2; d < in.sizes().size(); ++d) push(in.sizes()[d], in.strides()[d]);
    if (channels_inside) push(width, 1);
  }

 private:
  void push(int64_t size, int64_t stride) {
    strides[sizes.rank] = stride;
    sizes.push(size);
  }
};

template <class C>
void run(const Groups& g, const Tensor& in, const optional<Tensor>& weight, const optional<Tensor>& bias, double eps,
         const Tensor& out, const Tensor& mean_out, const Tensor& rstd_out) {
  const ChunkReader<C> reader(in);
  const ChannelMap<C> map(in, out);
  const ChunkWriter<double> mean_writer(mean_out);
  const ChunkWriter<double> rstd_writer(rstd_out);
  const ChannelParameter weights(weight, 1.0);
  const ChannelParameter biases(bias, 0.0);
  const GroupWalk group(in, g.width());
  const StridedWalk<1> walk(group.sizes.view(), {group.strides});
  const int64_t count = g.width() * g.pixels;
  const auto each = [&](int64_t base, const auto& f) {
    walk.run([&](const std::array<int64_t, 1>& o, int64_t n, const std::array<int64_t, 1>& stride) {
      reader.for_each(base + o[0], stride[0], n, [&](int64_t, const C* p, int64_t m) { f(p, m); });
    });
  };
  parallel_for(0, g.batch * g.groups, grain_for(count), [&](int64_t first, int64_t last) {
    for (int64_t item = first; item < last; ++item) {
      const int64_t n = item / g.groups;
      const int64_t channel = item % g.groups * g.width();
      const int64_t base = n * in.strides()[0] + channel * in.strides()[1];
      double total = 0;
      each(base, [&](const C* p, int64_t m) { fold_row(SumOp<C>{}, p, m, &total); });
      const C shift = static_cast<C>(total / static_cast<double>(count));
      Differences sums;
      each(base, [&](const C* p, int64_t m) { add_differences(p, m, shift, &sums); });
      Moments m = moments_of(shift, sums, count);
      if (!std::isfinite(total)) m.mean = total / static_cast<double>(count);
      const double rstd = 1.0 / std::sqrt(m.m2 / static_cast<double>(count) + eps);
      mean_writer.put(n * mean_out.strides()[0] + item % g.groups * mean_out.strides()[1], m.mean);
      rstd_writer.put(n * rstd_out.strides()[0] + item % g.groups * rstd_out.strides()[1], rstd);
      ChannelFactors<C> factors;
      for (int64_t from = 0; from < g.width(); from += kChannelTile) {
        const int64_t channels = g.width() - from < kChannelTile ? g.width() - from : kChannelTile;
        for (int64_t i = 0; i < channels; ++i) {
          const int64_t c = channel + from + i;
          factors.set(i, m.mean, rstd * weights.at(c), biases.at(c));
        }
        map.apply(n, channel + from, channels, factors);
      }
    }
  });
}

void native_group_norm_out(KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& weight,
                           const optional<Tensor>& bias, int64_t batch, int64_t channels, int64_t pixels,
                           int64_t groups, double eps, Tensor& out, Tensor& mean_out, Tensor& rstd_out) {
  ET_KERNEL_CHECK_MSG(ctx, in.dim() >= 2 && in.sizes()[0] == batch && in.sizes()[1] == channels, InvalidArgument, ,
                      "%s: self must be [N, C, …] with N %lld and C %lld", kGroupNorm, static_cast<long long>(batch),
                      static_cast<long long>(channels));
  int64_t inside = 1;
  for (size_t d = 2; d < in.sizes().size(); ++d) inside *= in.sizes()[d];
  ET_KERNEL_CHECK_MSG(ctx, inside == pixels, InvalidArgument, , "%s: HxW is %lld, self has %lld", kGroupNorm,
                      static_cast<long long>(pixels), static_cast<long long>(inside));
  ET_KERNEL_CHECK_MSG(ctx, groups > 0 && channels % groups == 0, InvalidArgument, , "%s: %lld channels in %lld groups",
                      kGroupNorm, static_cast<long long>(channels), static_cast<long long>(groups));
  ET_KERNEL_CHECK_MSG(ctx,
                      in_set(in.scalar_type(), kChunkFloats) && in_set(out.scalar_type(), kChunkFloats) &&
                          in_set(mean_out.scalar_type(), kChunkFloats) && in_set(rstd_out.scalar_type(), kChunkFloats),
                      InvalidArgument, , "%s: self and the outputs must be floating; self is %s", kGroupNorm,
                      scalar_type_name(in.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, groups <= INT32_MAX, InvalidArgument, , "%s: %lld groups", kGroupNorm,
                      static_cast<long long>(groups));
  Shape statistics;
  statistics.push(batch);
  statistics.push(groups);
  if (!check_memory(ctx, kGroupNorm, "self", in) ||
      !check_channel_parameter(ctx, kGroupNorm, "weight", weight, channels) ||
      !check_channel_parameter(ctx, kGroupNorm, "bias", bias, channels) ||
      !prepare_out(ctx, kGroupNorm, out, shape_of(in)) || !prepare_out(ctx, kGroupNorm, mean_out, statistics) ||
      !prepare_out(ctx, kGroupNorm, rstd_out, statistics)) {
    return;
  }
  if (in.numel() == 0) {
    fill_out(mean_out, 0.0);
    fill_out(rstd_out, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const Groups g{batch, channels, pixels, groups};
  if (in.scalar_type() == ScalarType::Double) {
    run<double>(g, in, weight, bias, eps, out, mean_out, rstd_out);
  } else {
    run<float>(g, in, weight, bias, eps, out, mean_out, rstd_out);
  }
}

}  // namespace

ET_KERNEL(native_group_norm_out)

}  // namespace et::ET_KERNELS
