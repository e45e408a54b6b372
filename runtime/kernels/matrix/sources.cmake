# Kernel files of this family.
et_kernel_sources(
  any_gemm.cpp conv_by_taps.cpp conv_shape.cpp correlation.cpp fft.cpp gemm.cpp op_convolution.cpp
  op_convolution_backward.cpp op_fft.cpp op_mm.cpp)
