# Kernel files of this family.
et_kernel_sources(numbers.cpp tensors.cpp)
