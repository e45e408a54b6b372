// A mixture of experts with packed quantised weights: llama::quantized_moe_ffn as a function.
#pragma once

#include "executorch/runtime/kernel/kernel_includes.h"

namespace torch::executor::native {

Tensor& quantized_moe_ffn_out(KernelRuntimeContext& context, const Tensor& x, const Tensor& gate_weight,
                              const Tensor& expert_bias, const Tensor& packed_w13, const Tensor& packed_w2,
                              int64_t num_activated_experts, int64_t num_experts, int64_t hidden_dim, int64_t dim,
                              int64_t group_size, int64_t weight_nbit, ::executorch::aten::string_view score_func,
                              double route_scale, Tensor& out);

}  // namespace torch::executor::native
