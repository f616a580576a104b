# Warnings and sanitizers, the same for every target of the project.

if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
elseif(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  # A slow library is of no use to a parent that named no build type. The type stays the parent's: what
  # is built as another one is not installed with its location.
  string(APPEND CMAKE_CXX_FLAGS " ${CMAKE_CXX_FLAGS_RELEASE}")
endif()

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# A local name in a batch (carat_in_batches) may happen to be one of another file's anonymous names.
set(shadow -Wshadow$<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:=local>)
add_library(carat_options INTERFACE)
target_compile_options(
  carat_options
  INTERFACE
    # The source decides whether a * b + c is rounded once or twice, not the compiler.
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;${shadow};-Wconversion;-Wsign-conversion;-Wnon-virtual-dtor;-Wold-style-cast;-ffp-contract=off>")
if(CARAT_WARNINGS_AS_ERRORS)
  target_compile_options(carat_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
# GCC 12 sees overlaps in any string concatenation at -O3 (its bug 105329).
target_compile_options(carat_options
                       INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
target_include_directories(carat_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src
                                                   ${PROJECT_SOURCE_DIR}/include)

if(CARAT_SANITIZE)
  target_compile_options(
    carat_options
    INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${CARAT_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  target_link_options(carat_options INTERFACE -fsanitize=${CARAT_SANITIZE})
endif()

# One cache for all checkouts: paths below the sources are hashed as relative ones. The preset cpu has
# CARAT_CCACHE=OFF: it is built once, and ccache, which preprocesses each file first, added 0.3 s to each.
# What launches a parent's compilers is the parent's choice.
set(CARAT_COMPILER_CACHE "")
if(PROJECT_IS_TOP_LEVEL)
  find_program(CARAT_CCACHE ccache)
endif()
if(CARAT_CCACHE)
  set(CARAT_COMPILER_CACHE env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
                           ${CARAT_CCACHE})
endif()
if(CARAT_COMPILER_CACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CARAT_COMPILER_CACHE})
endif()
