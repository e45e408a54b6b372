# Kernel files of this family: first what several operators share. operators.def says which operator is where.
et_kernel_sources(
  op_add.cpp op_choose_qparams.cpp op_dequantize.cpp op_embedding.cpp op_mixed_linear.cpp op_quantize.cpp)
# One rounding for each operation, as the reference has it: no fused multiply-adds.
foreach(file op_add op_choose_qparams op_dequantize op_embedding op_quantize)
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/${file}.cpp quantized/${file}.cpp
                              PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
endforeach()
