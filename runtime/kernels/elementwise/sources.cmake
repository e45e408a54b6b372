# Kernel files of this family.
et_kernel_sources(
  engine.cpp unary_math.cpp unary_exact.cpp binary_arithmetic.cpp division.cpp power.cpp comparison.cpp activations.cpp
  select.cpp factory.cpp random.cpp allclose.cpp)
