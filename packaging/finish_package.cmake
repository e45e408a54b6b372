# Runs before a package is packed, in its staging folder: what Debian's policy asks of the files in it.
# CPACK_TEMPORARY_INSTALL_DIRECTORY/<component> holds a folder for each package.
set(here ${CMAKE_CURRENT_LIST_DIR})
set(packages commands=et-inspect runtime=libet-runtime1 development=libet-inspect-dev)

function(compress file)
  # -n: no name and time, the same build gives the same bytes.
  execute_process(COMMAND gzip -9 -n -f ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(pair IN LISTS packages)
  string(REGEX MATCH "(.*)=(.*)" pair ${pair})
  set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${CMAKE_MATCH_1})
  set(doc ${root}/usr/share/doc/${CMAKE_MATCH_2})
  if(NOT IS_DIRECTORY ${root})
    continue()
  endif()
  if(IS_DIRECTORY ${root}/usr/share/doc/et_inspect)
    file(RENAME ${root}/usr/share/doc/et_inspect ${doc})
    file(REMOVE ${doc}/LICENSE)  # it is the copyright file
  endif()
  configure_file(${here}/copyright ${doc}/copyright COPYONLY)
  configure_file(${here}/changelog ${doc}/changelog.Debian COPYONLY)
  compress(${doc}/changelog.Debian)
  file(GLOB pages ${root}/usr/share/man/man1/*.1)
  foreach(page IN LISTS pages)
    compress(${page})
  endforeach()
  file(GLOB_RECURSE archives ${root}/usr/lib/*.a ${root}/usr/lib/*.o)
  foreach(archive IN LISTS archives)
    execute_process(COMMAND strip --strip-debug --enable-deterministic-archives --remove-section=.comment ${archive}
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  # Whatever the umask of who builds.
  execute_process(COMMAND chmod -R u=rwX,go=rX ${root} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE libraries ${root}/usr/lib/*.so.*)
  foreach(library IN LISTS libraries)
    execute_process(COMMAND chmod 0644 ${library} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()
