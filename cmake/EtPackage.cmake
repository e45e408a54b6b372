# `cpack -G DEB` (make deb): the commands and the window, the shared C library, and what others build on, as Debian
# packages. docs/install.md. Dependencies on libraries are worked out by dpkg-shlibdeps from the binaries.
if(NOT PROJECT_IS_TOP_LEVEL OR CMAKE_CROSSCOMPILING)
  return()
endif()

# What a desktop needs to show the window and to open its files.
if(TARGET et-inspect-gui)
  set(id org.et_inspect.et_inspect)
  set(share ${PROJECT_SOURCE_DIR}/packaging)
  install(FILES ${share}/${id}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT commands)
  install(FILES ${share}/${id}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo COMPONENT commands)
  install(FILES ${share}/${id}.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages COMPONENT commands)
  install(FILES ${share}/${id}.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT commands)
endif()
configure_file(${PROJECT_SOURCE_DIR}/packaging/et-inspect.pc.in ${PROJECT_BINARY_DIR}/et-inspect.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/et-inspect.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "the et-inspect authors")
# Who builds packages for others names an address of their own.
set(ET_PACKAGE_CONTACT "the et-inspect authors <maintainers@et-inspect.org>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGE_CONTACT ${ET_PACKAGE_CONTACT})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL commands runtime development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/finish_package.cmake)

set(CPACK_DEBIAN_COMMANDS_PACKAGE_NAME et-inspect)
set(CPACK_DEBIAN_COMMANDS_PACKAGE_SECTION devel)
if(TARGET et-inspect-gui)
  # Loaded when the window opens, or draws without a display: no binary names them.
  set(CPACK_DEBIAN_COMMANDS_PACKAGE_DEPENDS "libegl1, libgl1")
  set(CPACK_DEBIAN_COMMANDS_PACKAGE_RECOMMENDS "libgl1-mesa-dri")
endif()
set(CPACK_DEBIAN_COMMANDS_DESCRIPTION "Shows where the time of an ExecuTorch model goes: each operator with its cost,
its delegate, its module and the Python line that asked for it, in a command
and in a window. Runs models with a runtime of its own, and checks in CI
whether they are still right and still fast.")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libet-runtime1)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "This package is the runtime with its C interface.
Loads and runs ExecuTorch programs, with all kernels and backends of
et-inspect, and traces them.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libet-inspect-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
# What the headers include and the CMake package looks up.
string(CONCAT CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libet-runtime1 (= ${PROJECT_VERSION}-1), libsqlite3-dev, libfmt-dev, libsimdjson-dev, libzip-dev, zlib1g-dev, "
  "libgraphviz-dev, libflatbuffers-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "This package is for own tools and applications.
Headers, static libraries, a CMake package and a pkg-config file: to run and
trace ExecuTorch programs, and to read and analyse traces.")
include(CPack)
