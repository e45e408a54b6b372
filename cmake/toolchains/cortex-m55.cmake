# Bare Cortex-M55 (Armv8.1-M with Helium): Debian's gcc-arm-none-eabi with newlib. No operating system, so only the
# libraries for devices are built (ET_DEVICE_ONLY), with the minimal platform.
# Packages: group `cross` of scripts/packages.txt.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR cortex-m55)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE NEVER)
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
set(machine "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard -Wno-psabi")
# No thread-safe statics and no atexit: there is one thread, and main() does not end.
set(CMAKE_C_FLAGS_INIT "${machine} -ffunction-sections -fdata-sections")
set(CMAKE_CXX_FLAGS_INIT
    "${machine} -ffunction-sections -fdata-sections -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit")
set(CMAKE_ASM_FLAGS_INIT "${machine}")
find_program(ET_QEMU_ARM qemu-system-arm PATHS /usr/bin)
