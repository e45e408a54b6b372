# Kernel files of this family: first what several operators share. operators.def says which operator is where.
et_kernel_sources(prim_ops.cpp prim_tensor_ops.cpp)
