# Libraries of which a command needs little, and seldom: a target with the property ET_LAZY_LIBRARIES loads them when one
# of their functions is called first (cli/lazy_libraries.cpp), every other one links them. Debian's packages keep naming
# them, since et-check and the window do.
set(ET_LAZY OFF)
if(CMAKE_SYSTEM_NAME STREQUAL Linux AND CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64 AND CMAKE_READELF
   AND NOT CMAKE_CROSSCOMPILING AND NOT ET_SANITIZE AND NOT ET_ONE_PROGRAM AND NOT ET_GRAPHVIZ_PLUGINS)
  set(ET_LAZY ON)
endif()
set_property(GLOBAL PROPERTY ET_LAZY_TABLE "")

# et_lazy_library(TARGET name LIBRARY path FUNCTIONS ...): what TARGET, an interface, links.
function(et_lazy_library)
  cmake_parse_arguments(A "" "TARGET;NAME;LIBRARY" "FUNCTIONS" ${ARGN})
  set(soname "")
  if(ET_LAZY)
    execute_process(COMMAND ${CMAKE_READELF} -d ${A_LIBRARY} OUTPUT_VARIABLE dynamic ERROR_QUIET)
    string(REGEX MATCH "SONAME[^[]*.([^]]*)" found "${dynamic}")
    set(soname ${CMAKE_MATCH_1})
  endif()
  if(NOT soname)
    target_link_libraries(${A_TARGET} INTERFACE ${A_LIBRARY})
    return()
  endif()
  target_link_libraries(${A_TARGET} INTERFACE
    $<IF:$<BOOL:$<TARGET_PROPERTY:ET_LAZY_LIBRARIES>>,et_lazy_libraries,${A_LIBRARY}>)
  list(TRANSFORM A_FUNCTIONS REPLACE "(.+)" "F(${A_NAME}, \\1)")
  list(JOIN A_FUNCTIONS " " functions)
  set_property(GLOBAL APPEND_STRING PROPERTY ET_LAZY_TABLE
    "#define ET_FUNCTIONS_${A_NAME}(F) ${functions}\nET_LIBRARY(${A_NAME}, \"${soname}\")\n")
endfunction()

# et_lazy_libraries(TARGET...): of programs, behind all calls of et_lazy_library.
function(et_lazy_libraries)
  if(NOT ET_LAZY)
    return()
  endif()
  get_property(table GLOBAL PROPERTY ET_LAZY_TABLE)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/lazy_libraries.inc CONTENT "${table}" @ONLY)
  add_library(et_lazy_libraries STATIC lazy_libraries.cpp)
  target_include_directories(et_lazy_libraries PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
  target_link_libraries(et_lazy_libraries PRIVATE et_warnings)
  set_target_properties(${ARGN} PROPERTIES ET_LAZY_LIBRARIES ON)
endfunction()
