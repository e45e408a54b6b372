// gated_delta_rule: linear attention with a state S [K, V] for each head that fades and is corrected at every token:
// S' = diag(decay) S, S = S' + beta * k (v - S'^T k)^T, out = S^T q. The decay is one number a token or one a channel.
#include <algorithm>
#include <cstring>

#include "runtime/kernels/common/kernel.h"

namespace et::ET_KERNELS {
namespace {

constexpr const char* kGatedDeltaRule = "llama::gated_delta_rule";

struct Sizes {
  int64_t batch, query_heads, heads, length, k, v;
  bool by_channel;
};

/// All tokens of one head of keys and values, and of the queries that share it.
void run_head(const Sizes& s, int64_t batch, int64_t head, const float* query, const float* key, const float* value,
              const float* decay, const float* beta, float* state, float* out, float* scratch) {
  const int64_t group = s.query_heads / s.heads, item = batch * s.heads + head;
  float* predicted = scratch;
  float* delta = scratch + s.v;
  for (int64_t t = 0; t < s.length; ++t) {
    const float* k = key + (item * s.length + t) * s.k;
    const float* v = value + (item * s.length + t) * s.v;
    const float* fade = decay + (item * s.length + t) * (s.by_channel ? s.k : 1);
    std::fill(predicted, predicted + s.v, 0.0f);
    for (int64_t i = 0; i < s.k; ++i) {
      float* __restrict row = state + i * s.v;
      const float f = fade[s.by_channel ? i : 0], x = k[i];
      for (int64_t j = 0; j < s.v; ++j) {
        row[j] *= f;
        predicted[j] += row[j] * x;
      }
    }
    const float b = beta[item * s.length + t];
    for (int64_t j = 0; j < s.v; ++j) delta[j] = (v[j] - predicted[j]) * b;
    for (int64_t i = 0; i < s.k; ++i) {
      float* __restrict row = state + i * s.v;
      const float x = k[i];
      for (int64_t j = 0; j < s.v; ++j) row[j] += x * delta[j];
    }
    for (int64_t g = 0; g < group; ++g) {
      const int64_t q_item = (batch * s.query_heads + head * group + g) * s.length + t;
      const float* q = query + q_item * s.k;
      float* __restrict to = out + q_item * s.v;
      std::fill(to, to + s.v, 0.0f);
      for (int64_t i = 0; i < s.k; ++i) {
        const float x = q[i];
        const float* __restrict row = state + i * s.v;
        for (int64_t j = 0; j < s.v; ++j) to[j] += x * row[j];
      }
    }
  }
}

void gated_delta_rule_out(KernelRuntimeContext& ctx, const Tensor& query, const Tensor& key, const Tensor& value,
                          const Tensor& decay, const Tensor& beta, const Tensor& initial_state, Tensor& out,
                          Tensor& final_state_out) {
  const struct {
    const Tensor* tensor;
    const char* name;
    ssize_t rank;
  } arguments[] = {{&query, "query", 4}, {&key, "key", 4},   {&value, "value", 4},
                   {&decay, "decay", 0}, {&beta, "beta", 3}, {&initial_state, "initial_state", 4}};
  for (const auto& a : arguments) {
    ET_KERNEL_CHECK_MSG(ctx,
                        a.tensor->scalar_type() == ScalarType::Float && is_contiguous(*a.tensor) &&
                            (a.rank == 0 ? a.tensor->dim() == 3 || a.tensor->dim() == 4 : a.tensor->dim() == a.rank) &&
                            (a.tensor->numel() == 0 || a.tensor->const_data_ptr() != nullptr),
                        InvalidArgument, , "%s: %s must be contiguous float32, and has %zd dimensions", kGatedDeltaRule,
                        a.name, a.tensor->dim());
  }
  Sizes s;
  s.batch = query.size(0), s.query_heads = query.size(1), s.heads = key.size(1), s.length = query.size(2);
  s.k = query.size(3), s.v = value.size(3);
  s.by_channel = decay.dim() == 4;
  const auto starts = [](const Tensor& t, int64_t a, int64_t b, int64_t c) {
    return t.size(0) == a && t.size(1) == b && t.size(2) == c;
  };
  ET_KERNEL_CHECK_MSG(ctx,
                      starts(key, s.batch, s.heads, s.length) && key.size(3) == s.k &&
                          starts(value, s.batch, s.heads, s.length) && starts(beta, s.batch, s.heads, s.length) &&
                          starts(decay, s.batch, s.heads, s.length) && (!s.by_channel || decay.size(3) == s.k),
                      InvalidArgument, , "%s: the sizes of query, key, value, decay and beta do not match",
                      kGatedDeltaRule);
  ET_KERNEL_CHECK_MSG(ctx, s.heads > 0 && s.query_heads % s.heads == 0, InvalidArgument, ,
                      "%s: query has %lld heads, not a multiple of the %lld of key", kGatedDeltaRule,
                      static_cast<long long>(s.query_heads), static_cast<long long>(s.heads));
  ET_KERNEL_CHECK_MSG(ctx, starts(initial_state, s.batch, s.heads, s.k) && initial_state.size(3) == s.v,
                      InvalidArgument, , "%s: initial_state is not [batch, heads, K, V]", kGatedDeltaRule);
  for (const Tensor* t : {&out, &final_state_out}) {
    ET_KERNEL_CHECK_MSG(ctx, t->scalar_type() == ScalarType::Float && is_contiguous(*t), InvalidArgument, ,
                        "%s: the outputs must be contiguous float32", kGatedDeltaRule);
  }
  Shape shape = shape_of(query);
  shape.sizes[3] = static_cast<int32_t>(s.v);
  if (!resize_out(ctx, out, shape.view(), kGatedDeltaRule) ||
      !resize_out(ctx, final_state_out, initial_state.sizes(), kGatedDeltaRule)) {
    return;
  }
  ET_KERNEL_CHECK_MSG(ctx, !share_memory(initial_state, final_state_out) && !share_memory(out, final_state_out),
                      InvalidArgument, , "%s: final_state_out shares memory with initial_state or out",
                      kGatedDeltaRule);
  ET_KERNEL_CHECK_MSG(ctx,
                      (out.numel() == 0 || out.const_data_ptr() != nullptr) &&
                          (final_state_out.numel() == 0 || final_state_out.const_data_ptr() != nullptr),
                      InvalidArgument, , "%s: an output has no memory", kGatedDeltaRule);
  if (final_state_out.nbytes() > 0) {
    std::memcpy(final_state_out.mutable_data_ptr(), initial_state.const_data_ptr(), initial_state.nbytes());
  }
  if (out.numel() == 0) return;
  const int64_t units = s.batch * s.heads, tasks = std::min(units, parallel_threads());
  Result<void*> workspace = ctx.allocate_temp(static_cast<size_t>(tasks * 2 * s.v) * sizeof(float), 64);
  ET_KERNEL_CHECK_MSG(ctx, workspace.ok(), MemoryAllocationFailed, , "%s: no temporary memory", kGatedDeltaRule);
  parallel_for(0, tasks, 1, [&](int64_t first, int64_t last) {
    for (int64_t t = first; t < last; ++t) {
      for (int64_t u = units * t / tasks; u < units * (t + 1) / tasks; ++u) {
        run_head(s, u / s.heads, u % s.heads, query.const_data_ptr<float>(), key.const_data_ptr<float>(),
                 value.const_data_ptr<float>(), decay.const_data_ptr<float>(), beta.const_data_ptr<float>(),
                 final_state_out.mutable_data_ptr<float>() + u * s.k * s.v, out.mutable_data_ptr<float>(),
                 static_cast<float*>(workspace.get()) + t * 2 * s.v);
      }
    }
  });
}

}  // namespace

ET_KERNEL(gated_delta_rule_out)

}  // namespace et::ET_KERNELS
