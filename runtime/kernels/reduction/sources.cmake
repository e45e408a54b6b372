# Kernel files of this family.
et_kernel_sources(
  any.cpp arg_min_max.cpp chunks.cpp cumsum.cpp distance.cpp min_max.cpp nonzero.cpp plan.cpp prod.cpp sum_mean.cpp
  topk.cpp var.cpp)
