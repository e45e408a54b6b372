# Kernel files of this family: first what several operators share. operators.def says which operator is where.
et_kernel_sources(
  op_fast_hadamard_transform.cpp op_gated_delta_rule.cpp op_quantized_moe_ffn.cpp op_sdpa.cpp op_tile_crop.cpp
  op_update_cache.cpp)
