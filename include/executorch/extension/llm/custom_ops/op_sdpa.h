// Attention with a cache, and the gated delta rule, as functions: the kernels that the registry has under "llama::…".
#pragma once

#include <tuple>

#include "executorch/runtime/kernel/kernel_includes.h"

namespace torch::executor::native {

/// query [batch, positions, heads, head_dim]; writes key and value into the caches at start_pos.
Tensor& sdpa_with_kv_cache_out(KernelRuntimeContext& context, const Tensor& query, const Tensor& key,
                               const Tensor& value, Tensor& key_cache, Tensor& value_cache, int64_t start_pos,
                               int64_t seq_len, const optional<Tensor>& attn_mask, double dropout_p, bool is_causal,
                               optional<double> scale, Tensor& out);
Tensor& custom_sdpa_out(RuntimeContext& context, const Tensor& query, const Tensor& key, const Tensor& value,
                        int64_t start_pos, const optional<Tensor>& attn_mask, double dropout_p, bool is_causal,
                        optional<double> scale, Tensor& out);
/// Over all keys, [batch, heads, positions, head_dim]; no program calls it by a name.
Tensor& flash_attention_kernel_out(KernelRuntimeContext& context, const Tensor& query, const Tensor& key,
                                   const Tensor& value, const optional<Tensor>& attn_mask, double dropout_p,
                                   bool is_causal, optional<double> scale, Tensor& out);
Tensor& custom_quantized_sdpa_out(RuntimeContext& context, const Tensor& query, const Tensor& key, const Tensor& value,
                                  int64_t start_pos, const optional<Tensor>& attn_mask, double dropout_p,
                                  bool is_causal, optional<double> scale, const optional<Tensor>& q_zero_points,
                                  const optional<Tensor>& q_scales, const optional<Tensor>& k_zero_points,
                                  const optional<Tensor>& k_scales, const optional<Tensor>& v_zero_points,
                                  const optional<Tensor>& v_scales, bool is_seq_at_dim_1, Tensor& out);
std::tuple<Tensor&, Tensor&> gated_delta_rule_out(RuntimeContext& context, const Tensor& query, const Tensor& key,
                                                  const Tensor& value, const Tensor& decay, const Tensor& beta,
                                                  const Tensor& initial_state, Tensor& out, Tensor& final_state_out);

}  // namespace torch::executor::native
