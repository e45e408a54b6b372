# Debian's cross compiler for 64-bit ARM; what it makes runs under qemu-user-static.
# Packages: group `cross` of scripts/packages.txt.
#
#   ET_AARCH64_ROOT   a root with Debian's libraries for arm64 (scripts/get_aarch64_root.sh), for what needs more than
#                     the C and C++ libraries: the commands and the Python module
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ET_AARCH64_ROOT)
find_program(ET_QEMU_AARCH64 qemu-aarch64-static PATHS /usr/bin NO_CMAKE_FIND_ROOT_PATH)
if(ET_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${ET_QEMU_AARCH64})
endif()
if(ET_AARCH64_ROOT)
  set(CMAKE_SYSROOT ${ET_AARCH64_ROOT})
  set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
  set(ENV{PKG_CONFIG_SYSROOT_DIR} ${ET_AARCH64_ROOT})
  set(ENV{PKG_CONFIG_LIBDIR} ${ET_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${ET_AARCH64_ROOT}/usr/share/pkgconfig)
  if(ET_QEMU_AARCH64)
    list(APPEND CMAKE_CROSSCOMPILING_EMULATOR -L ${ET_AARCH64_ROOT})
  endif()
else()
  # Static programs need no sysroot when they run.
  set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
endif()
