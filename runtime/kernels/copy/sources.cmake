# Kernel files of this family.
et_kernel_sources(copy.cpp)
