# Kernel files of this family: first what several operators share. operators.def says which operator is where.
et_kernel_sources(
  conv_depthwise.cpp conv_direct.cpp conv_shape.cpp conv_transposed_ordered.cpp fft.cpp gemm.cpp gemm_any.cpp
  op_convolution.cpp op_convolution_backward.cpp op_fft.cpp op_mm.cpp)

# oneDNN as an optional provider: an application links et::et_kernels_onednn and selects it (onednn_provider.h).
# By path: Debian's CMake package insists on OpenCL, which nothing here uses.
find_path(ET_DNNL_INCLUDE dnnl.h)
find_library(ET_DNNL_LIBRARY dnnl)
set(ET_ONEDNN_FOUND OFF)
if(ET_DNNL_INCLUDE AND ET_DNNL_LIBRARY AND NOT CMAKE_CROSSCOMPILING)
  set(ET_ONEDNN_FOUND ON)
endif()
option(ET_WITH_ONEDNN "Build the oneDNN provider of GEMM and convolutions" ${ET_ONEDNN_FOUND})
if(ET_WITH_ONEDNN)
  et_library(et_kernels_onednn DEVICE SOURCES matrix/onednn_provider.cpp LINK et_runtime PRIVATE_LINK ${ET_DNNL_LIBRARY})
  target_include_directories(et_kernels_onednn SYSTEM PRIVATE ${ET_DNNL_INCLUDE})
endif()
