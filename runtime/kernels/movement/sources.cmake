# Kernel files of this family.
et_kernel_sources(view.cpp copy_view.cpp convert_view.cpp join.cpp split.cpp slice.cpp reshape.cpp permute.cpp
                  arrange.cpp pad.cpp)
