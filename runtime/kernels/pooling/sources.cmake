# Kernel files of this family.
et_kernel_sources(avg_pool.cpp max_pool.cpp max_pool_backward.cpp window.cpp)
