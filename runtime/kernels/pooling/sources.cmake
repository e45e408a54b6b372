# Kernel files of this family: first what several operators share. operators.def says which operator is where.
et_kernel_sources(window.cpp op_avg_pool2d.cpp op_max_pool2d_with_indices.cpp op_max_pool2d_with_indices_backward.cpp)
