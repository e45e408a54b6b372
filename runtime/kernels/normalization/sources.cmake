# Kernel files of this family.
et_kernel_sources(batch_norm.cpp group_norm.cpp layer_norm.cpp softmax.cpp)
