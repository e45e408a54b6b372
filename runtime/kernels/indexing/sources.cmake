# Kernel files of this family.
et_kernel_sources(index_plan.cpp index_walk.cpp index.cpp gather.cpp masked.cpp)
