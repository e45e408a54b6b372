# What `cmake --install` puts where, as a package that others find with find_package(et_inspect):
#   lib/*.a, lib/cmake/et_inspect/      libraries, as et::<name>
#   include/et_inspect/<room>/*.h       public headers (public_headers.cmake), included as in this tree
#   bin/, share/man/, completions       commands (their CMakeLists install them), their man pages and completions
#   share/doc/et_inspect/               licence and notes
# Components: `commands` is what a user runs, `development` what others build on, `runtime` the shared C library.
include(CMakePackageConfigHelpers)

# et_install_output(COMMAND FILE argument...): what the command prints, as an installed file.
function(et_install_output command file)
  list(JOIN ARGN " " arguments)
  install(CODE "
    set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${file}\")
    get_filename_component(folder \"\${file}\" DIRECTORY)
    file(MAKE_DIRECTORY \"\${folder}\")
    execute_process(COMMAND \"$<TARGET_FILE:${command}>\" ${arguments} OUTPUT_FILE \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)
    message(STATUS \"Installing: \${file}\")"
    COMPONENT commands)
endfunction()

# et_public_names(name=target...): et::<name> for users of the libraries, with the language level that the headers need.
# The same names come with the installed package.
set(ET_CXX17_NAMES format runtime kernels backends module threadpool bundled_program executorch capi capi_shared)
function(et_public_names)
  foreach(pair ${ARGN})
    string(REGEX MATCH "(.*)=(.*)" pair ${pair})
    if(NOT TARGET ${CMAKE_MATCH_2})
      continue()
    endif()
    if(NOT TARGET et::${CMAKE_MATCH_1})
      add_library(et::${CMAKE_MATCH_1} ALIAS ${CMAKE_MATCH_2})
    endif()
    if(NOT CMAKE_MATCH_1 IN_LIST ET_CXX17_NAMES)
      target_compile_features(${CMAKE_MATCH_2} INTERFACE cxx_std_20)
    endif()
    set_property(GLOBAL APPEND PROPERTY ET_PUBLIC_NAMES ${CMAKE_MATCH_0})
  endforeach()
endfunction()

# et_install(LIBRARIES target... COMMANDS target... PROGRAMS target... HEADER_ROOMS room=target...)
# A room's public headers come along when its library does.
# COMMANDS print their man page and completions by commands (`man`, `completion SHELL`), PROGRAMS by options (`--man`).
# Targets that this build lacks are left out. Objects (those that register kernels or attach the thread pool) are
# installed as such: an archive's link would leave them out.
function(et_install)
  cmake_parse_arguments(A "" "" "LIBRARIES;COMMANDS;PROGRAMS;HEADER_ROOMS" ${ARGN})
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/et_inspect)

  foreach(name ${A_LIBRARIES})
    if(TARGET ${name})
      install(TARGETS ${name} EXPORT et_inspectTargets
              ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
              LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
              OBJECTS DESTINATION ${CMAKE_INSTALL_LIBDIR}/et_inspect COMPONENT development)
    endif()
  endforeach()
  get_property(ET_PUBLIC_NAMES GLOBAL PROPERTY ET_PUBLIC_NAMES)
  # Written by the command itself, from its option table.
  foreach(name ${A_COMMANDS} ${A_PROGRAMS})
    set(dashes "")
    if(name IN_LIST A_PROGRAMS)
      set(dashes --)
    endif()
    if(TARGET ${name} AND NOT CMAKE_CROSSCOMPILING)
      et_install_output(${name} "${CMAKE_INSTALL_MANDIR}/man1/${name}.1" ${dashes}man)
      set(data ${CMAKE_INSTALL_DATADIR})
      et_install_output(${name} "${data}/bash-completion/completions/${name}" ${dashes}completion bash)
      et_install_output(${name} "${data}/zsh/vendor-completions/_${name}" ${dashes}completion zsh)
      et_install_output(${name} "${data}/fish/vendor_completions.d/${name}.fish" ${dashes}completion fish)
    endif()
  endforeach()
  foreach(pair ${A_HEADER_ROOMS})
    string(REGEX MATCH "(.*)=(.*)" pair ${pair})
    if(NOT TARGET ${CMAKE_MATCH_2})
      continue()
    endif()
    foreach(header ${ET_PUBLIC_HEADERS_${CMAKE_MATCH_1}})
      get_filename_component(folder ${header} DIRECTORY)
      install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/et_inspect/${folder}
              COMPONENT development)
    endforeach()
  endforeach()

  install(EXPORT et_inspectTargets NAMESPACE et:: DESTINATION ${package_dir} COMPONENT development)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/et_inspectConfig.cmake.in
    ${PROJECT_BINARY_DIR}/et_inspectConfig.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/et_inspectConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/et_inspectConfig.cmake ${PROJECT_BINARY_DIR}/et_inspectConfigVersion.cmake
          DESTINATION ${package_dir} COMPONENT development)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY.md ${PROJECT_SOURCE_DIR}/README.md
          DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT commands)
endfunction()
