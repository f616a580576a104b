# Cross-compiles for 64-bit Arm on Debian: -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake. The libraries
# are those that scripts/cross_arm.sh unpacks; CARAT_ARM_SYSTEM names another root that holds them.
# Tests run under QEMU's user mode, on a processor that has everything unless QEMU_CPU names one.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CARAT_ARM_SYSTEM ${CMAKE_CURRENT_LIST_DIR}/../build/arm/system CACHE PATH "Libraries for Arm")
get_filename_component(system ${CARAT_ARM_SYSTEM} ABSOLUTE)

find_program(CMAKE_C_COMPILER NAMES aarch64-linux-gnu-gcc REQUIRED)
find_program(CMAKE_CXX_COMPILER NAMES aarch64-linux-gnu-g++ REQUIRED)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu) # for clang, which one compiler serves all targets
set(CMAKE_SYSROOT ${system})
set(CMAKE_FIND_ROOT_PATH ${system})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${system}/usr/lib/aarch64-linux-gnu/pkgconfig:${system}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${system})

find_program(CARAT_QEMU_AARCH64 qemu-aarch64)
if(CARAT_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${CARAT_QEMU_AARCH64} -L ${system})
endif()
