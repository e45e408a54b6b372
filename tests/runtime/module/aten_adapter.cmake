# Kernels as operators of PyTorch: needs libtorch, as in a Python environment with torch (Torch_DIR or ET_TORCH_PYTHON
# say where). Without it the test is there and is skipped.
set(ET_TORCH_PYTHON python3 CACHE STRING "Python with torch, for the test of WRAP_TO_ATEN")
if(NOT DEFINED ET_TORCH_PREFIX)
  execute_process(COMMAND ${ET_TORCH_PYTHON} -c "import torch; print(torch.utils.cmake_prefix_path)"
    OUTPUT_VARIABLE ET_TORCH_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(ET_TORCH_PREFIX "${ET_TORCH_PREFIX}" CACHE INTERNAL "")
endif()
# libtorch itself, without Torch's CMake files: those set flags for the whole project.
find_library(ET_TORCH_CPU torch_cpu HINTS ${ET_TORCH_PREFIX}/../../lib)
find_library(ET_TORCH_C10 c10 HINTS ${ET_TORCH_PREFIX}/../../lib)
find_path(ET_TORCH_INCLUDE torch/library.h HINTS ${ET_TORCH_PREFIX}/../../include)
if(ET_TORCH_CPU AND ET_TORCH_C10 AND ET_TORCH_INCLUDE AND NOT ET_SANITIZE)
  et_test(aten_adapter_test SOURCES aten_adapter_test.cpp LINK et_module)
  target_include_directories(aten_adapter_test SYSTEM PRIVATE ${ET_TORCH_INCLUDE})
  target_link_libraries(aten_adapter_test PRIVATE ${ET_TORCH_CPU} ${ET_TORCH_C10})
  target_compile_options(aten_adapter_test PRIVATE -O0)  # PyTorch's headers take minutes otherwise
else()
  add_test(NAME aten_adapter_test COMMAND ${CMAKE_COMMAND} -E echo "skipped: torch is not here")
  set_tests_properties(aten_adapter_test PROPERTIES SKIP_REGULAR_EXPRESSION "skipped")
endif()
