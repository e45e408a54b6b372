# Kernel files of this family: first what several operators share. operators.def says which operator is where.
et_kernel_sources(op_copy.cpp)
