# Debian's cross compiler for 64-bit ARM; what it makes runs under qemu-user-static.
# Packages: group `cross` of scripts/packages.txt.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
find_program(ET_QEMU_AARCH64 qemu-aarch64-static PATHS /usr/bin NO_CMAKE_FIND_ROOT_PATH)
if(ET_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${ET_QEMU_AARCH64})
endif()
# Static programs need no sysroot when they run.
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
