# The supported compilers and C++ levels. An older compiler would end in pages of template errors,
# so it is refused here; scripts/try_systems.sh builds with the oldest and the newest.

set(carat_oldest_GNU 12)
set(carat_oldest_Clang 14)
set(carat_oldest ${carat_oldest_${CMAKE_CXX_COMPILER_ID}})
if(carat_oldest AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS carat_oldest)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}: "
                      "carat needs g++ ${carat_oldest_GNU}, clang ${carat_oldest_Clang} or newer; "
                      "name one with -DCMAKE_CXX_COMPILER=")
endif()

set(carat_standards 20 23 26)
if(NOT CMAKE_CXX_STANDARD IN_LIST carat_standards)
  if(CMAKE_CXX_STANDARD AND PROJECT_IS_TOP_LEVEL) # a parent's is for its own sources
    message(FATAL_ERROR "CMAKE_CXX_STANDARD=${CMAKE_CXX_STANDARD}: carat is C++20; use 20 or newer, "
                        "or leave it out")
  endif()
  set(CMAKE_CXX_STANDARD 20)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF) # there are none, and clang needs another program to look for them
