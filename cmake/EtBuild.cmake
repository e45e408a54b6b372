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

# What is hot asks for -O3 itself (HOT, the kernels, the loops of delegates); everywhere else -O3 buys nothing
# that a benchmark shows and costs a third of the time to compile.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

# A linker that is three times as fast as GNU ld, where there is one. Not across processors: their linkers are named
# otherwise.
option(ET_FAST_LINKER "Link with mold or lld where they are installed" ON)
if(ET_FAST_LINKER AND NOT CMAKE_CROSSCOMPILING)
  foreach(linker mold lld)
    find_program(ET_LINKER_${linker} NAMES ld.${linker})
    if(ET_LINKER_${linker})
      add_link_options(-fuse-ld=${linker})
      break()
    endif()
  endforeach()
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
  # In one unit with its neighbours a file's private types look as if a header had them.
  target_compile_options(et_warnings INTERFACE -Wno-restrict -Wno-subobject-linkage)
  if(ET_SANITIZE)
    target_compile_options(et_warnings INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

# clang's own header of half-precision conversions uses a compound literal; kernels join conditions by & and | so that
# their loops vectorise.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(et_warnings INTERFACE -Wno-c99-extensions -Wno-bitwise-instead-of-logical)
endif()

# et_unity(NAME): the sources of one folder become one translation unit, so that headers and templates are compiled once
# a folder and not once a file: half of the time of a build from nothing. Names in unnamed namespaces are therefore unique
# within a folder. Off where only a file or two change between builds (the presets dev and debug), and for devices, whose
# programs are linked object by object.
set(ET_UNITY_DEFAULT ON)
if(CMAKE_CROSSCOMPILING OR CMAKE_BUILD_TYPE STREQUAL Debug)
  set(ET_UNITY_DEFAULT OFF)
endif()
option(ET_UNITY "Compile the sources of a folder as one translation unit" ${ET_UNITY_DEFAULT})
set(ET_UNITY_FILES 12)  # at most in one unit, so that all cores have some
function(et_unity name)
  if(NOT ET_UNITY)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  set(folders "")
  foreach(source ${sources})
    if(NOT source MATCHES "\\.cpp$")
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${ET_ROOT})
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND folders ${folder})
    list(APPEND files_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    list(LENGTH files_${folder} count)
    math(EXPR units "(${count} + ${ET_UNITY_FILES} - 1) / ${ET_UNITY_FILES}")
    set(i 0)
    foreach(source ${files_${folder}})
      math(EXPR unit "${i} * ${units} / ${count}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${unit})
      math(EXPR i "${i} + 1")
    endforeach()
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# GCC stops inlining when a unit has grown by two fifths. A folder in one unit reaches that where a file did not, and a
# call that stays in a loop keeps it from being vectorised: softmax took twice as long.
set(ET_INLINE_OPTIONS "")
if(ET_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(ET_INLINE_OPTIONS $<$<CONFIG:Release>:--param=large-unit-insns=1000000>)
endif()

# et_library(NAME [DEVICE] [HOT] SOURCES ... [LINK ...] [PRIVATE_LINK ...])
# DEVICE: may run on a target without exceptions and RTTI, so it is compiled that way everywhere. HOT: every call of a
# model passes through it, so it is optimised for speed.
function(et_library name)
  cmake_parse_arguments(A "DEVICE;HOT" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES})
  add_library(et::${name} ALIAS ${name})
  # The headers of the runtime are C++17; et_public_names says which need more.
  target_compile_features(${name} PRIVATE cxx_std_20 INTERFACE cxx_std_17)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${ET_ROOT}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/et_inspect>)
  target_link_libraries(${name} PUBLIC ${A_LINK} PRIVATE $<BUILD_INTERFACE:et_warnings> ${A_PRIVATE_LINK})
  if(A_HOT AND NOT ET_SANITIZE)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O3> ${ET_INLINE_OPTIONS})
  endif()
  et_unity(${name})
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

# googletest: as installed, or compiled from its source where the one that is installed was made with another C++ library.
set(ET_GOOGLETEST_SOURCE "" CACHE PATH "Folder of googletest's source, e.g. /usr/src/googletest; empty: as installed")
macro(et_find_googletest)
  if(NOT ET_GOOGLETEST_SOURCE)
    find_package(GTest REQUIRED)
  elseif(NOT TARGET gtest)
    set(INSTALL_GTEST OFF CACHE BOOL "" FORCE)
    set(BUILD_GMOCK OFF CACHE BOOL "" FORCE)
    add_subdirectory(${ET_GOOGLETEST_SOURCE} ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
  endif()
endmacro()

# What nearly every test includes, compiled once. It is made without definitions of its own, so that all may use it.
function(et_test_headers name)
  if(NOT ET_TEST_PCH)
    return()
  endif()
  if(NOT TARGET et_test_pch)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/et_test_pch.cpp CONTENT "int main() {}\n")
    # A program, as tests are: a library's code would be position independent in another way.
    add_executable(et_test_pch EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/et_test_pch.cpp)
    target_link_libraries(et_test_pch PRIVATE et_warnings GTest::gtest)
    target_compile_options(et_test_pch PRIVATE ${ET_TEST_OPTIONS})
    target_precompile_headers(et_test_pch PRIVATE <gtest/gtest.h> <algorithm> <cmath> <cstdint> <filesystem> <fstream>
      <functional> <map> <optional> <set> <span> <sstream> <string> <string_view> <unordered_map> <vector>)
  endif()
  target_precompile_headers(${name} REUSE_FROM et_test_pch)
endfunction()
option(ET_TEST_PCH "Precompile the headers that tests share" ON)
# A test's own code is compiled for speed of compiling: what is measured and watched is the product.
set(ET_TEST_OPTIONS -O0)
if(ET_SANITIZE)
  list(APPEND ET_TEST_OPTIONS -fno-sanitize=undefined)
endif()

# et_test(NAME [READER] SOURCES ... LINK ...): a googletest executable, one ctest entry. READER: it feeds files to
# readers, so `make test` runs it under the sanitizers too.
function(et_test name)
  cmake_parse_arguments(A "READER" "" "SOURCES;LINK" ${ARGN})
  et_find_googletest()
  add_executable(${name} ${A_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${A_LINK} et_warnings GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    ET_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ET_FIXTURES="${PROJECT_SOURCE_DIR}/tests/fixtures")
  target_compile_options(${name} PRIVATE ${ET_TEST_OPTIONS})
  et_test_headers(${name})
  add_test(NAME ${name} COMMAND ${name})
  if(A_READER)
    et_reader_test(${name} ${name})
  endif()
endfunction()

# et_reader_test(TEST TARGET): a ctest entry of what reads files; `ctest -L reader`, target reader_tests.
function(et_reader_test test target)
  set_property(TEST ${test} APPEND PROPERTY LABELS reader)
  set_property(GLOBAL APPEND PROPERTY ET_READER_TESTS ${target})
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
    # Those that run what they read would need all kernels under the sanitizer.
    if(NOT A_LINK MATCHES "et_kernels|et_backend")
      et_reader_test(${name}_corpus ${name})
    endif()
  endif()
endfunction()

# et_document_example(FILE DOCUMENT HEADING [LANGUAGE cpp] [NTH 1] [BEFORE text] [AFTER text]): the n-th fenced block of a
# language under a heading of a document, as FILE, so that a test compiles what the document shows.
function(et_document_example file document heading)
  cmake_parse_arguments(PARSE_ARGV 3 A "" "LANGUAGE;NTH;BEFORE;AFTER" "")
  if(NOT A_LANGUAGE)
    set(A_LANGUAGE cpp)
  endif()
  if(NOT A_NTH)
    set(A_NTH 1)
  endif()
  set(path ${PROJECT_SOURCE_DIR}/${document})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} text)
  set(rest "\n${text}")
  string(FIND "${rest}" "\n## ${heading}\n" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${document}: no heading '${heading}'")
  endif()
  string(SUBSTRING "${rest}" ${at} -1 rest)
  set(fence "```${A_LANGUAGE}\n")
  string(LENGTH "${fence}" length)
  foreach(i RANGE 1 ${A_NTH})
    string(FIND "${rest}" "${fence}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "${document}: fewer than ${A_NTH} blocks of ${A_LANGUAGE} under '${heading}'")
    endif()
    math(EXPR at "${at} + ${length}")
    string(SUBSTRING "${rest}" ${at} -1 rest)
  endforeach()
  string(FIND "${rest}" "```" end)
  string(SUBSTRING "${rest}" 0 ${end} rest)
  file(CONFIGURE OUTPUT ${file} CONTENT "${A_BEFORE}${rest}${A_AFTER}" @ONLY)
endfunction()
