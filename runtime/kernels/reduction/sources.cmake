# Kernel files of this family: first what several operators share. operators.def says which operator is where.
et_kernel_sources(
  chunks.cpp plan.cpp op_amax.cpp op_any.cpp op_argmax.cpp op_cdist_forward.cpp op_cumsum.cpp op_nonzero.cpp
  op_prod.cpp op_sum.cpp op_topk.cpp op_var.cpp)
