// ExecuTorch's kernels that its applications call as functions, those for language models above all: each calls the
// registry's kernel of its name.
#include <cmath>
#include <initializer_list>
#include <vector>

#include "executorch/extension/llm/custom_ops/op_fallback.h"
#include "executorch/extension/llm/custom_ops/op_fast_hadamard_transform.h"
#include "executorch/extension/llm/custom_ops/op_moe.h"
#include "executorch/extension/llm/custom_ops/op_sdpa.h"
#include "executorch/extension/llm/custom_ops/op_tile_crop.h"
#include "executorch/extension/llm/custom_ops/op_update_cache.h"
#include "executorch/kernels/portable/cpu/util/arange_util.h"
#include "runtime/core/kernel_registry.h"
#include "runtime/core/memory_allocator.h"

namespace torch::executor::native {
namespace {

using ::et::EValue;

template <class T>
EValue given(const optional<T>& v) {
  return v.has_value() ? EValue(*v) : EValue();
}

/// The last argument is the result, or the last of several.
void call(KernelRuntimeContext& context, const char* name, std::initializer_list<EValue> args) {
  const auto kernel = ::et::get_kernel(name);
  if (!kernel.ok()) {
    ET_LOG(Error, "%s: no kernel is linked; link custom_ops or a library of kernels", name);
    return context.fail(kernel.error());
  }
  std::vector<EValue> values(args);
  std::vector<EValue*> pointers;
  for (EValue& v : values) pointers.push_back(&v);
  pointers.push_back(pointers.back());
  if (context.has_temp_allocator()) {
    (*kernel)->function(context, {pointers.data(), pointers.size()});
    return;
  }
  // Methods always have temporary memory; an application that calls a kernel by itself may have none.
  ::et::PlatformMemoryAllocator temp;
  KernelRuntimeContext with_memory(context.internal_event_tracer(), &temp);
  (*kernel)->function(with_memory, {pointers.data(), pointers.size()});
  if (with_memory.failure_state() != Error::Ok) context.fail(with_memory.failure_state());
}

}  // namespace

Tensor& sdpa_with_kv_cache_out(KernelRuntimeContext& context, const Tensor& query, const Tensor& key,
                               const Tensor& value, Tensor& key_cache, Tensor& value_cache, int64_t start_pos,
                               int64_t seq_len, const optional<Tensor>& attn_mask, double dropout_p, bool is_causal,
                               optional<double> scale, Tensor& out) {
  call(context, "llama::sdpa_with_kv_cache.out",
       {query, key, value, key_cache, value_cache, start_pos, seq_len, given(attn_mask), dropout_p, is_causal,
        given(scale), out});
  return out;
}

Tensor& custom_sdpa_out(RuntimeContext& context, const Tensor& query, const Tensor& key, const Tensor& value,
                        int64_t start_pos, const optional<Tensor>& attn_mask, double dropout_p, bool is_causal,
                        optional<double> scale, Tensor& out) {
  call(context, "llama::custom_sdpa.out",
       {query, key, value, start_pos, given(attn_mask), dropout_p, is_causal, given(scale), out});
  return out;
}

Tensor& flash_attention_kernel_out(KernelRuntimeContext& context, const Tensor& query, const Tensor& key,
                                   const Tensor& value, const optional<Tensor>& attn_mask, double dropout_p,
                                   bool is_causal, optional<double> scale, Tensor& out) {
  // The kernel of the quantised form takes floats as well, and positions in either dimension. An empty mask hides
  // nothing; without any, as many keys as queries count.
  ::et::TensorImpl::SizesType sizes[1] = {0};
  ::et::TensorImpl::StridesType strides[1] = {1};
  ::et::TensorImpl::DimOrderType dim_order[1] = {0};
  ::et::TensorImpl nothing(::et::ScalarType::Float, 1, sizes, nullptr, dim_order, strides);
  optional<Tensor> mask = attn_mask;
  if (!mask.has_value() && !is_causal) mask = Tensor(&nothing);
  const EValue none;
  call(context, "llama::custom_quantized_sdpa.out",
       {query, key, value, int64_t{0}, given(mask), dropout_p, is_causal, given(scale), none, none, none, none, none,
        none, true, out});
  return out;
}

Tensor& custom_quantized_sdpa_out(RuntimeContext& context, const Tensor& query, const Tensor& key, const Tensor& value,
                                  int64_t start_pos, const optional<Tensor>& attn_mask, double dropout_p,
                                  bool is_causal, optional<double> scale, const optional<Tensor>& q_zero_points,
                                  const optional<Tensor>& q_scales, const optional<Tensor>& k_zero_points,
                                  const optional<Tensor>& k_scales, const optional<Tensor>& v_zero_points,
                                  const optional<Tensor>& v_scales, bool is_seq_at_dim_1, Tensor& out) {
  call(context, "llama::custom_quantized_sdpa.out",
       {query, key, value, start_pos, given(attn_mask), dropout_p, is_causal, given(scale), given(q_zero_points),
        given(q_scales), given(k_zero_points), given(k_scales), given(v_zero_points), given(v_scales), is_seq_at_dim_1,
        out});
  return out;
}

std::tuple<Tensor&, Tensor&> gated_delta_rule_out(RuntimeContext& context, const Tensor& query, const Tensor& key,
                                                  const Tensor& value, const Tensor& decay, const Tensor& beta,
                                                  const Tensor& initial_state, Tensor& out, Tensor& final_state_out) {
  call(context, "llama::gated_delta_rule.out", {query, key, value, decay, beta, initial_state, out, final_state_out});
  return {out, final_state_out};
}

Tensor& update_cache_out(RuntimeContext& context, const Tensor& value, Tensor& cache, int64_t start_pos, Tensor& out) {
  call(context, "llama::update_cache.out", {value, cache, start_pos, out});
  return out;
}

Tensor& update_cache_with_indices_out(RuntimeContext& context, const Tensor& value, Tensor& cache, int64_t start_pos,
                                      const Tensor& indices, Tensor& out) {
  call(context, "llama::update_cache_with_indices.out", {value, cache, start_pos, indices, out});
  return out;
}

Tensor& quantized_moe_ffn_out(KernelRuntimeContext& context, const Tensor& x, const Tensor& gate_weight,
                              const Tensor& expert_bias, const Tensor& packed_w13, const Tensor& packed_w2,
                              int64_t num_activated_experts, int64_t num_experts, int64_t hidden_dim, int64_t dim,
                              int64_t group_size, int64_t weight_nbit, ::executorch::aten::string_view score_func,
                              double route_scale, Tensor& out) {
  const ::et::ArrayRef<char> score(score_func.data(), score_func.size());
  call(context, "llama::quantized_moe_ffn.out",
       {x, gate_weight, expert_bias, packed_w13, packed_w2, num_activated_experts, num_experts, hidden_dim, dim,
        group_size, weight_nbit, EValue(&score), route_scale, out});
  return out;
}

Tensor& fast_hadamard_transform_out(RuntimeContext& context, const Tensor& mat, Tensor& out) {
  call(context, "llama::fast_hadamard_transform.out", {mat, out});
  return out;
}

Tensor& tile_crop_out_impl(KernelRuntimeContext& context, const Tensor& input, int64_t tile_size, Tensor& out) {
  call(context, "preprocess::tile_crop.out", {input, tile_size, out});
  return out;
}

Tensor& fallback_out(KernelRuntimeContext& context, const Tensor& in, Tensor& out) {
  call(context, "llama::fallback.out", {in, out});
  return out;
}

::executorch::aten::SizesType compute_arange_out_size(double start, double end, double step) {
  const double count = std::ceil((end - start) / step);
  ET_CHECK_MSG(count >= 0 && count <= INT32_MAX, "arange: no numbers from %g to %g in steps of %g", start, end, step);
  return static_cast<::executorch::aten::SizesType>(count);
}

void arange_out_impl(KernelRuntimeContext& context, double start, double end, double step, Tensor& out) {
  call(context, "aten::arange.start_out", {start, end, step, out});
}

}  // namespace torch::executor::native
