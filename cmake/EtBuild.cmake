# The project's build vocabulary: one function for each kind of target, so that flags stand in one place.

# The project's root, also in functions that another project calls.
get_filename_component(ET_ROOT ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
set(ET_ROOT ${ET_ROOT} CACHE INTERNAL "")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ${ET_HOSTED})
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
find_program(ET_CCACHE ccache)
if(ET_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ET_CCACHE})
endif()

if(ET_SANITIZE)
  add_compile_options(-fsanitize=${ET_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ET_SANITIZE})
endif()

add_library(et_warnings INTERFACE)
target_compile_options(et_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor $<$<BOOL:${ET_WERROR}>:-Werror>)
# GCC 12 sees overlapping copies in std::string's own operator+ at -O3 (GCC bug 105651), and unset members in the
# standard library's code once a sanitizer instruments it.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(et_warnings INTERFACE -Wno-restrict)
  if(ET_SANITIZE)
    target_compile_options(et_warnings INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

# clang's own header of half-precision conversions uses a compound literal; kernels join conditions by & and | so that
# their loops vectorise.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(et_warnings INTERFACE -Wno-c99-extensions -Wno-bitwise-instead-of-logical)
endif()

# et_library(NAME [DEVICE] SOURCES ... [LINK ...] [PRIVATE_LINK ...])
# DEVICE: may run on a target without exceptions and RTTI, so it is compiled that way everywhere.
function(et_library name)
  cmake_parse_arguments(A "DEVICE" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES})
  add_library(et::${name} ALIAS ${name})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${ET_ROOT}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/et_inspect>)
  target_link_libraries(${name} PUBLIC ${A_LINK} PRIVATE $<BUILD_INTERFACE:et_warnings> ${A_PRIVATE_LINK})
  if(A_DEVICE)
    # Sections of their own, so that a program's link can leave out what it does not call.
    target_compile_options(${name} PRIVATE -fno-exceptions -fno-rtti -ffunction-sections -fdata-sections)
  endif()
endfunction()

# et_flatbuffers(TARGET schema.fbs...): C++ headers from schemas, included as "<schema>_generated.h" by TARGET only.
function(et_flatbuffers target)
  find_program(ET_FLATC flatc REQUIRED)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/generated)
  foreach(schema ${ARGN})
    get_filename_component(base ${schema} NAME_WE)
    set(header ${out}/${base}_generated.h)
    add_custom_command(OUTPUT ${header}
      COMMAND ${ET_FLATC} --cpp --scoped-enums --no-prefix -o ${out} ${CMAKE_CURRENT_SOURCE_DIR}/${schema}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${schema} VERBATIM)
    list(APPEND headers ${header})
  endforeach()
  target_sources(${target} PRIVATE ${headers})
  add_custom_target(${target}_schemas DEPENDS ${headers})
  add_dependencies(${target} ${target}_schemas)
  target_include_directories(${target} SYSTEM PUBLIC $<BUILD_INTERFACE:${out}>)
endfunction()

# et_test(NAME SOURCES ... LINK ...): a googletest executable, one ctest entry.
function(et_test name)
  cmake_parse_arguments(A "" "" "SOURCES;LINK" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${A_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${A_LINK} et_warnings GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    ET_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ET_FIXTURES="${PROJECT_SOURCE_DIR}/tests/fixtures")
  if(ET_SANITIZE)
    # What is watched is the product. A test's own code compiles in half the time without the second sanitizer.
    target_compile_options(${name} PRIVATE -O0 -fno-sanitize=undefined)
  endif()
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# et_fuzzer(NAME SOURCE LINK ... CORPUS dir): libFuzzer target under clang with ET_BUILD_FUZZERS; otherwise a
# program that replays the corpus through the same entry point, so that the target never rots.
function(et_fuzzer name)
  cmake_parse_arguments(A "" "SOURCE;CORPUS" "LINK" ${ARGN})
  add_executable(${name} ${A_SOURCE})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${A_LINK} et_warnings)
  if(ET_BUILD_FUZZERS AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_property(GLOBAL APPEND PROPERTY ET_FUZZERS "${name}=${A_CORPUS}")
  else()
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.cpp)
    add_test(NAME ${name}_corpus COMMAND ${name} ${A_CORPUS})
  endif()
endfunction()
