# Kernel files of this family: first what several operators share. operators.def says which operator is where.
et_kernel_sources(
  convert_view.cpp copy_view.cpp view.cpp op_cat.cpp op_constant_pad_nd.cpp op_flip.cpp op_permute_copy.cpp
  op_repeat.cpp op_slice_copy.cpp op_split_copy.cpp op_tril.cpp op_view_copy.cpp)
