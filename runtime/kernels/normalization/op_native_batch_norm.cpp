// The batch norms: with running statistics, with those of the batch (which update the running ones), with both layouts.
#include <cmath>

#include "runtime/kernels/normalization/channels.h"
#include "runtime/kernels/reduction/moments.h"

namespace et::ET_KERNELS {

bool check_channel_parameter(KernelRuntimeContext& ctx, const char* op, const char* name, const optional<Tensor>& t,
                             int64_t channels) {
  if (!t.has_value()) return true;
  ET_KERNEL_CHECK_MSG(ctx, in_set(t->scalar_type(), kChunkFloats) && t->dim() == 1 && t->numel() == channels,
                      InvalidArgument, false, "%s: %s must be floating with one element for each of %lld channels", op,
                      name, static_cast<long long>(channels));
  return check_memory(ctx, op, name, *t);
}

namespace {

struct Arguments {
  const char* op;
  const Tensor& in;
  const optional<Tensor>& weight;
  const optional<Tensor>& bias;
  double momentum;
  double eps;
  const Tensor& out;
  const Tensor& save_mean;
  const Tensor& save_invstd;
};

bool check(KernelRuntimeContext& ctx, const Arguments& a, const optional<Tensor>& running_mean,
           const optional<Tensor>& running_var, bool training) {
  ET_KERNEL_CHECK_MSG(ctx, a.in.dim() >= 2, InvalidArgument, false, "%s: expected self of rank 2 or more, got %zd",
                      a.op, a.in.dim());
  ET_KERNEL_CHECK_MSG(ctx,
                      in_set(a.in.scalar_type(), kChunkFloats) && in_set(a.out.scalar_type(), kChunkFloats) &&
                          in_set(a.save_mean.scalar_type(), kChunkFloats) &&
                          in_set(a.save_invstd.scalar_type(), kChunkFloats),
                      InvalidArgument, false, "%s: self and the outputs must be floating; self is %s", a.op,
                      scalar_type_name(a.in.scalar_type()));
  const int64_t channels = a.in.sizes()[1];
  Shape saved;
  saved.push(training ? channels : 0);
  return check_memory(ctx, a.op, "self", a.in) && check_channel_parameter(ctx, a.op, "weight", a.weight, channels) &&
         check_channel_parameter(ctx, a.op, "bias", a.bias, channels) &&
         check_channel_parameter(ctx, a.op, "running_mean", running_mean, channels) &&
         check_channel_parameter(ctx, a.op, "running_var", running_var, channels) &&
         prepare_out(ctx, a.op, a.out, shape_of(a.in)) && prepare_out(ctx, a.op, a.save_mean, saved) &&
         prepare_out(ctx, a.op, a.save_invstd, saved);
}

template <class C>
void infer(const Arguments& a, const Tensor& running_mean, const Tensor& running_var) {
  const ChunkReader<double> mean(running_mean);
  const ChunkReader<double> var(running_var);
  const ChannelParameter weight(a.weight, 1.0);
  const ChannelParameter bias(a.bias, 0.0);
  const ChannelMap<C> map(a.in, a.out);
  const int64_t batch = a.in.sizes()[0];
  const int64_t channels = a.in.sizes()[1];
  parallel_for(0, channels, grain_for(a.in.numel() / channels), [&](int64_t first, int64_t last) {
    ChannelFactors<C> factors;
    for (int64_t from = first; from < last; from += kChannelTile) {
      const int64_t count = last - from < kChannelTile ? last - from : kChannelTile;
      for (int64_t i = 0; i < count; ++i) {
        const double scale = weight.at(from + i) / std::sqrt(var.at(from + i) + a.eps);
        factors.set(i, mean.at(from + i), scale, bias.at(from + i));
      }
      for (int64_t n = 0; n < batch; ++n) map.apply(n, from, count, factors);
    }
  });
}

template <class C>
void train(const Arguments& a, const ReducePlan& plan, const optional<Tensor>& running_mean,
           const optional<Tensor>& running_var) {
  const ChannelParameter weight(a.weight, 1.0);
  const ChannelParameter bias(a.bias, 0.0);
  const ChannelMap<C> map(a.in, a.out);
  const ChunkWriter<double> save_mean(a.save_mean);
  const ChunkWriter<double> save_invstd(a.save_invstd);
  const int64_t batch = a.in.sizes()[0];
  const int64_t count = a.in.numel() / a.in.sizes()[1];
  const auto update = [&](const optional<Tensor>& running, int64_t channel, double now) {
    if (!running.has_value()) return;
    const double before = ChunkReader<double>(*running).at(channel);
    ChunkWriter<double>(*running).put(channel, a.momentum * now + (1 - a.momentum) * before);
  };
  run_moments(plan, ChunkReader<C>(a.in), ChunkReader<double>(a.in), count,
              [&](const Moments* m, int64_t n, int64_t channel, int64_t, int64_t, int64_t) {
                ChannelFactors<C> factors;
                for (int64_t i = 0; i < n; ++i) {
                  const double var = m[i].m2 / static_cast<double>(count);
                  const double invstd = 1.0 / std::sqrt(var + a.eps);
                  factors.set(i, m[i].mean, weight.at(channel + i) * invstd, bias.at(channel + i));
                  save_mean.put(channel + i, m[i].mean);
                  save_invstd.put(channel + i, invstd);
                  update(running_mean, channel + i, m[i].mean);
                  update(running_var, channel + i, m[i].m2 / static_cast<double>(count - 1));
                }
                for (int64_t b = 0; b < batch; ++b) map.apply(b, channel, n, factors);
              });
}

void batch_norm(KernelRuntimeContext& ctx, const Arguments& a, const optional<Tensor>& running_mean,
                const optional<Tensor>& running_var, bool training) {
  if (!check(ctx, a, running_mean, running_var, training)) return;
  const bool wide = a.in.scalar_type() == ScalarType::Double;
  if (!training) {
    if (a.in.numel() == 0) return;
    if (wide) {
      infer<double>(a, *running_mean, *running_var);
    } else {
      infer<float>(a, *running_mean, *running_var);
    }
    return;
  }
  ET_KERNEL_CHECK_MSG(ctx, a.in.numel() > 0, InvalidArgument, , "%s: an empty batch has no statistics", a.op);
  DimSet set = all_dims();
  set.has[1] = false;
  ReducePlan plan;
  // The saved statistics are [C]: the plan's output offsets are channel numbers.
  if (!make_plan(ctx, a.op, a.in, set, a.save_mean, a.save_invstd, false, &plan)) return;
  if (wide) {
    train<double>(a, plan, running_mean, running_var);
  } else {
    train<float>(a, plan, running_mean, running_var);
  }
}

void batch_norm_legit_out(KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& weight,
                          const optional<Tensor>& bias, const Tensor& running_mean, const Tensor& running_var,
                          bool training, double momentum, double eps, Tensor& out, Tensor& save_mean,
                          Tensor& save_invstd) {
  const Arguments a{"aten::_native_batch_norm_legit.out", in, weight, bias, momentum, eps, out, save_mean, save_invstd};
  // They are written in training only; a program may have them as constants otherwise.
  for (const Tensor* t : {&running_mean, &running_var}) {
    ET_KERNEL_CHECK_MSG(ctx, !training || !t->unsafeGetTensorImpl()->is_read_only(), InvalidArgument, ,
                        "%s: %s is a constant and cannot be updated", a.op,
                        t == &running_mean ? "running_mean" : "running_var");
  }
  batch_norm(ctx, a, running_mean, running_var, training);
}

// Without running statistics there are only those of the batch, whatever `training` says.
void batch_norm_legit_no_stats_out(KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& weight,
                                   const optional<Tensor>& bias, bool /*training*/, double momentum, double eps,
                                   Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  const Arguments a{
      "aten::_native_batch_norm_legit.no_stats_out", in, weight, bias, momentum, eps, out, save_mean, save_invstd};
  batch_norm(ctx, a, nullopt, nullopt, true);
}

void batch_norm_legit_no_training_out(KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& weight,
                                      const optional<Tensor>& bias, const Tensor& running_mean,
                                      const Tensor& running_var, double momentum, double eps, Tensor& out,
                                      Tensor& save_mean, Tensor& save_invstd) {
  const Arguments a{
      "aten::_native_batch_norm_legit_no_training.out", in, weight, bias, momentum, eps, out, save_mean, save_invstd};
  batch_norm(ctx, a, running_mean, running_var, false);
}

}  // namespace

ET_KERNEL(batch_norm_legit_out)
ET_KERNEL(batch_norm_legit_no_stats_out)
ET_KERNEL(batch_norm_legit_no_training_out)

}  // namespace et::ET_KERNELS
