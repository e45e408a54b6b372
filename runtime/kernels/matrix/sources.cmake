# Kernel files of this family.
et_kernel_sources(gemm.cpp)
