# Kernel files of this family: first what several operators share. operators.def says which operator is where.
et_kernel_sources(
  engine.cpp activations.cpp binary_arithmetic.cpp comparison.cpp op_allclose.cpp op_clamp.cpp op_div.cpp op_full.cpp
  op_pow.cpp op_rand.cpp op_where.cpp unary_exact.cpp unary_math.cpp)
