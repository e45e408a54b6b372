# Kernel files of this family.
et_kernel_sources(convert.cpp)
