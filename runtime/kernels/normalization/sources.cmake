# Kernel files of this family: first what several operators share. operators.def says which operator is where.
et_kernel_sources(op_native_batch_norm.cpp op_native_group_norm.cpp op_native_layer_norm.cpp op_softmax.cpp)
