# Kernel files of this family: first what several operators share. operators.def says which operator is where.
et_kernel_sources(index_plan.cpp index_walk.cpp op_gather.cpp op_index.cpp op_masked_select.cpp)
