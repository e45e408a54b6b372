# Kernel files of this family: first what several operators share. operators.def says which operator is where.
et_kernel_sources(
  source_index.cpp op_grid_sampler_2d.cpp op_upsample_bilinear2d.cpp op_upsample_bilinear2d_aa.cpp
  op_upsample_nearest2d.cpp)
