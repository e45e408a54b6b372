# For a processor with an operating system: the runtime benchmark, whose instructions tests/bench/arm counts, and the
# tests of the XNNPACK backend's compute functions, by every variant of their loops that the processor has.
add_executable(et_bench_runtime EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/bench/runtime/runtime_main.cpp)
target_link_libraries(et_bench_runtime PRIVATE et_etdump_gen et_module et_kernels et_backends et_threadpool et_warnings)

if(NOT ET_GOOGLETEST_SOURCE)
  set(ET_GOOGLETEST_SOURCE /usr/src/googletest)
endif()
if(TARGET et_xnn_compute AND EXISTS ${ET_GOOGLETEST_SOURCE}/CMakeLists.txt)
  set(ET_TEST_OPTIONS -O1)  # emulated, the tests' own formulas take most of the time
  add_subdirectory(${PROJECT_SOURCE_DIR}/tests/runtime/backends/xnnpack_compute xnnpack_compute EXCLUDE_FROM_ALL)
endif()
