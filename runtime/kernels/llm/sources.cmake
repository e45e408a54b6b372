# Kernel files of this family.
et_kernel_sources(
  op_gated_delta_rule.cpp op_hadamard.cpp op_image.cpp op_quantized_moe_ffn.cpp op_sdpa.cpp op_update_cache.cpp)
