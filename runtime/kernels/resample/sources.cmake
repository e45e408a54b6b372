# Kernel files of this family.
et_kernel_sources(source_index.cpp nearest.cpp bilinear.cpp separable.cpp grid_sampler.cpp)
