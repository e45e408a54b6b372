# Kernels: libraries of them, and programs that link only those they need.
#
#   et_select_kernels(TARGET [PROGRAMS file.pte...] [OPERATORS aten::add.out...] [PROVIDED name...]
#                     [DTYPES float32... | DTYPES FROM_PROGRAMS] [VARIANTS baseline...] [FAMILIES elementwise...])
#
# Links the runtime and the kernels of the given operators, and of those that the programs call, into TARGET, which must
# not link et_kernels too. An operator without kernel ends the configuration (OPERATORS) or the build (PROGRAMS) with its
# name. PROVIDED: operators that the application registers itself. DTYPES compiles the kernels of this target for these
# dtypes only; another dtype is an error of the kernel at run time. FROM_PROGRAMS: the dtypes that the programs' calls
# use, and what promotion makes of them. VARIANTS: baseline leaves out the one for AVX2 on x86-64,
# v3 alone makes a program for processors with AVX2 only. FAMILIES: compile only these
# folders of runtime/kernels (and common), which saves time where it is known that they suffice; the link fails when they
# do not. The programs may be made by the build itself.
#
# Programs are read by the tool et-operators while building. A cross build needs one for the machine that builds: it is
# taken from ET_HOST_TOOLS (a folder) or compiled with the host's compiler (tools/host). With OPERATORS and DTYPES by name
# no tool is needed at all.

set(ET_HOST_TOOLS "" CACHE PATH "Folder with et-operators for the machine that builds; empty: build it")

# ScalarType numbers.
set(ET_DTYPE_NUMBERS uint8=0 int8=1 int16=2 int32=3 int64=4 float16=5 float32=6 float64=7 complex64=9 complex128=10
    bool=11 bfloat16=15 uint16=27 uint32=28 uint64=29)

# et_kernel_library(NAME VARIANT [DTYPES header] [FAMILIES folder...]): all kernels for one variant, of the dtypes that
# the header selects.
function(et_kernel_library name variant)
  cmake_parse_arguments(A "" "DTYPES" "FAMILIES" ${ARGN})
  get_property(files GLOBAL PROPERTY ET_KERNEL_FILES)
  if(A_FAMILIES)
    list(JOIN A_FAMILIES "|" families)
    list(FILTER files INCLUDE REGEX "/runtime/kernels/(common|${families})/")
  endif()
  et_library(${name} DEVICE SOURCES ${files} LINK et_runtime)
  # Under a sanitizer at -O1: the vectorised loops at -O3 take minutes to compile there.
  set(level $<IF:$<CONFIG:MinSizeRel>,-Os,-O3>)
  if(ET_SANITIZE)
    set(level -O1)
  elseif(ET_KERNELS_SIMD AND variant STREQUAL baseline)
    set(level $<IF:$<CONFIG:MinSizeRel>,-Os,-O2>)  # for old processors; the other variant is the one that is measured
  endif()
  target_compile_options(${name} PRIVATE ${level} -fno-math-errno -fno-trapping-math)
  if(variant STREQUAL v3)
    target_compile_options(${name} PRIVATE ${ET_INLINE_OPTIONS})
    # A namespace of its own (runtime/kernels/common/variant.h), so that both variants can be linked.
    target_compile_definitions(${name} PRIVATE ET_KERNELS=kernels_v3)
    target_compile_options(${name} PRIVATE -mavx2 -mfma -mf16c -mbmi2)
  endif()
  if(A_DTYPES)
    target_compile_options(${name} PRIVATE -include ${A_DTYPES})
  endif()
endfunction()

# et_kernel_registration(NAME VARIANTS [TABLE]): the object that registers a table of operators when it is linked. It has
# to be linked whole: an object that nobody calls would be left out of an archive's link.
function(et_kernel_registration name variants)
  add_library(${name} OBJECT ${ET_ROOT}/runtime/kernels/register_all.cpp)
  target_link_libraries(${name} PUBLIC et_runtime PRIVATE $<BUILD_INTERFACE:et_warnings>)
  foreach(variant baseline v3)
    string(TOUPPER ${variant} word)
    set(has 0)
    if(variant IN_LIST variants)
      set(has 1)
    endif()
    target_compile_definitions(${name} PRIVATE ET_KERNELS_${word}=${has})
  endforeach()
  target_compile_options(${name} PRIVATE -fno-exceptions -fno-rtti)
  if(ARGC GREATER 2)
    target_sources(${name} PRIVATE ${ARGV2})
    target_compile_definitions(${name} PRIVATE ET_OPERATOR_TABLE="${ARGV2}")
  endif()
endfunction()

# Rows of all families into `rows` (text) and their operators into `names`.
function(et_kernel_rows rows names)
  set(all "")
  set(found "")
  file(STRINGS ${ET_ROOT}/runtime/kernels/operators.def includes REGEX "^#include \"")
  foreach(include ${includes})
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" table "${include}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ET_ROOT}/${table})
    file(STRINGS ${ET_ROOT}/${table} lines REGEX "^ET_(PRIM_)?OPERATOR\\(\"")
    foreach(line ${lines})
      string(REGEX REPLACE "^[^\"]*\"([^\"]*)\".*" "\\1" name "${line}")
      list(APPEND found ${name})
      string(APPEND all "${line}\n")
    endforeach()
  endforeach()
  set(${rows} "${all}" PARENT_SCOPE)
  set(${names} "${found}" PARENT_SCOPE)
endfunction()

# The command that runs et-operators here, and what it depends on.
function(et_operators_tool command depends)
  if(NOT CMAKE_CROSSCOMPILING)
    set(${command} et-operators PARENT_SCOPE)
    set(${depends} et-operators PARENT_SCOPE)
    return()
  endif()
  if(ET_HOST_TOOLS)
    set(${command} ${ET_HOST_TOOLS}/et-operators PARENT_SCOPE)
    set(${depends} ${ET_HOST_TOOLS}/et-operators PARENT_SCOPE)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}/host_tools)
  if(NOT TARGET et_host_tools)
    include(ExternalProject)
    ExternalProject_Add(et_host_tools
      SOURCE_DIR ${ET_ROOT}/tools/host BINARY_DIR ${folder} PREFIX ${folder}/external
      CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release
      BUILD_COMMAND ${CMAKE_COMMAND} --build ${folder} --target et-operators
      INSTALL_COMMAND "" BUILD_BYPRODUCTS ${folder}/bin/et-operators BUILD_ALWAYS ON)
  endif()
  set(${command} ${folder}/bin/et-operators PARENT_SCOPE)
  set(${depends} et_host_tools ${folder}/bin/et-operators PARENT_SCOPE)
endfunction()

function(et_select_kernels target)
  cmake_parse_arguments(A "" "" "PROGRAMS;OPERATORS;PROVIDED;DTYPES;VARIANTS;FAMILIES" ${ARGN})
  if(A_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "et_select_kernels(${target}): unknown argument ${A_UNPARSED_ARGUMENTS}")
  endif()
  get_property(variants GLOBAL PROPERTY ET_KERNEL_VARIANTS)
  foreach(variant ${A_VARIANTS})
    if(NOT variant IN_LIST variants)
      message(FATAL_ERROR "et_select_kernels(${target}): no variant ${variant} in this build (it has ${variants})")
    endif()
  endforeach()
  if(A_VARIANTS)
    set(variants ${A_VARIANTS})
  endif()

  set(narrow OFF)
  set(mask 0)
  foreach(dtype ${A_DTYPES})
    set(narrow ON)
    if(dtype STREQUAL FROM_PROGRAMS)
      if(NOT A_PROGRAMS OR NOT A_DTYPES STREQUAL FROM_PROGRAMS)
        message(FATAL_ERROR "et_select_kernels(${target}): FROM_PROGRAMS needs PROGRAMS, and no dtypes beside it")
      endif()
      continue()
    endif()
    set(number ${ET_DTYPE_NUMBERS})
    list(FILTER number INCLUDE REGEX "^${dtype}=")
    if(NOT number)
      message(FATAL_ERROR "et_select_kernels(${target}): no dtype ${dtype}")
    endif()
    string(REGEX REPLACE ".*=" "" number ${number})
    math(EXPR mask "${mask} | (1 << ${number})" OUTPUT_FORMAT HEXADECIMAL)
  endforeach()

  et_kernel_rows(rows names)
  set(table "// Written by et_select_kernels: the kernels that this build selects.\n")
  foreach(operator ${A_OPERATORS})
    if(NOT operator IN_LIST names)
      message(FATAL_ERROR "et_select_kernels(${target}): operator ${operator} has no kernel")
    endif()
    string(REPLACE "." "\\." pattern "${operator}")
    string(REGEX MATCH "ET_(PRIM_)?OPERATOR\\(\"${pattern}\",[^\n]*" row "${rows}")
    string(APPEND table "${row}\n")
  endforeach()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels)
  set(operators ${folder}/selected_operators.inc)
  set(dtypes ${folder}/selected_dtypes.h)
  file(MAKE_DIRECTORY ${folder})
  if(A_PROGRAMS)
    file(CONFIGURE OUTPUT ${folder}/rows.def CONTENT "${rows}" @ONLY)
    et_operators_tool(command depends)
    set(arguments --select ${folder} --rows ${folder}/rows.def)
    foreach(operator ${A_OPERATORS})
      list(APPEND arguments --also ${operator})
    endforeach()
    foreach(operator ${A_PROVIDED})
      list(APPEND arguments --provided ${operator})
    endforeach()
    if(NOT mask EQUAL 0)
      list(APPEND arguments --dtypes ${mask})
    endif()
    set(files "")
    foreach(program ${A_PROGRAMS})
      cmake_path(ABSOLUTE_PATH program BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
      list(APPEND files ${program})
    endforeach()
    add_custom_command(OUTPUT ${operators} ${dtypes}
      COMMAND ${command} ${arguments} ${files}
      DEPENDS ${depends} ${folder}/rows.def ${files} VERBATIM
      COMMENT "Selecting the kernels of ${target}")
  else()
    file(CONFIGURE OUTPUT ${operators} CONTENT "${table}" @ONLY)
    file(CONFIGURE OUTPUT ${dtypes} @ONLY
         CONTENT "// Written by et_select_kernels.\n#pragma once\n#define ET_SELECTED_DTYPES ${mask}u\n")
  endif()

  et_kernel_registration(${target}_registration "${variants}" ${operators})
  add_custom_target(${target}_selection DEPENDS ${operators} ${dtypes})
  add_dependencies(${target}_registration ${target}_selection)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_registration>)
  foreach(variant ${variants})
    set(library et_kernels_${variant})
    if(narrow OR A_FAMILIES)
      set(library ${target}_kernels_${variant})
      set(header "")
      if(narrow)
        set(header DTYPES ${dtypes})
      endif()
      et_kernel_library(${library} ${variant} ${header} FAMILIES ${A_FAMILIES})
      add_dependencies(${library} ${target}_selection)
      get_target_property(on_demand ${target} EXCLUDE_FROM_ALL)
      set_target_properties(${library} PROPERTIES EXCLUDE_FROM_ALL ${on_demand})
    endif()
    target_link_libraries(${target} PRIVATE ${library})
  endforeach()
  target_link_libraries(${target} PRIVATE et_runtime)
  target_link_options(${target} PRIVATE LINKER:--gc-sections)
endfunction()
