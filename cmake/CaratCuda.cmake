# CUDA for the modules that use it. CARAT_CUDA: AUTO compiles GPU kernels, which take longer than
# all the rest, if the machine has both a GPU and nvcc; ON compiles them without a GPU too; OFF
# builds for CPUs only. The CUDA runtime is linked statically and libcuda never, so one binary
# serves machines with and without a GPU or a driver.

set(CARAT_CUDA AUTO CACHE STRING "CUDA kernels: AUTO (where there are a GPU and nvcc), ON or OFF")
set_property(CACHE CARAT_CUDA PROPERTY STRINGS AUTO ON OFF)
# 90a is Hopper with its own instructions. Plain numbers work as well: "80;89;90a". nvcc 13 begins
# at 75; the ladder's kernels also compile for 70, with CUDA 12. CMake's own variable has the same
# meaning.
if(DEFINED CACHE{CMAKE_CUDA_ARCHITECTURES} AND CMAKE_CUDA_ARCHITECTURES)
  set(carat_default_architectures ${CMAKE_CUDA_ARCHITECTURES})
else()
  set(carat_default_architectures 90a)
endif()
set(CARAT_CUDA_ARCHITECTURES ${carat_default_architectures}
    CACHE STRING "Compute capabilities to compile kernels for")

# carat_find_gpu(RESULT): whether this machine has an NVIDIA GPU.
function(carat_find_gpu result)
  execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed AND NOT EXISTS /dev/nvidia0)
    set(${result} OFF PARENT_SCOPE)
  else()
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

set(CARAT_CUDA_ENABLED OFF)
set(carat_wants_cuda ${CARAT_CUDA})
if(CARAT_CUDA STREQUAL "AUTO")
  carat_find_gpu(carat_wants_cuda)
  if(NOT carat_wants_cuda)
    message(STATUS "CUDA: there is no GPU, so this build is for CPUs only (-DCARAT_CUDA=ON insists)")
  endif()
endif()
set(CARAT_NVCC "") # what this build compiles kernels with; CMake's own variable may say NOTFOUND
if(carat_wants_cuda)
  set(CMAKE_CUDA_ARCHITECTURES OFF) # the -gencode flags are below: CMake 3.22 knows no 90a
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(CARAT_CUDA_ENABLED ON)
    set(CARAT_NVCC ${CMAKE_CUDA_COMPILER})
  elseif(CARAT_CUDA STREQUAL "ON")
    message(FATAL_ERROR "CARAT_CUDA=ON, but nvcc was not found: put it in PATH, name it in "
                        "CUDACXX, or use -DCARAT_CUDA=OFF")
  else()
    message(STATUS "CUDA: nvcc was not found, so this build is for CPUs only")
  endif()
endif()

if(CARAT_CUDA_ENABLED)
  # Every kernel's compilation passes the gate, which fails on spills and ignored hints; not inside
  # another project, which could do nothing about them.
  if(PROJECT_IS_TOP_LEVEL)
    find_program(CARAT_PYTHON python3)
  endif()
  if(PROJECT_IS_TOP_LEVEL AND CARAT_PYTHON AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CARAT_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/ptxas_gate.py
                                     ${CARAT_COMPILER_CACHE})
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake 3.25 does not know that nvcc has it
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_EXTENSIONS OFF)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  set(CMAKE_CUDA_VISIBILITY_PRESET hidden)

  add_library(carat_cuda_options INTERFACE)
  set(gencode "")
  foreach(architecture IN LISTS CARAT_CUDA_ARCHITECTURES)
    if(NOT architecture MATCHES "^[0-9]+[af]?$")
      message(FATAL_ERROR "CUDA architecture '${architecture}': use numbers like 80 or 90a")
    elseif(architecture LESS 75 AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
      message(FATAL_ERROR "CUDA architecture ${architecture}: nvcc ${CMAKE_CUDA_COMPILER_VERSION} "
                          "compiles for 75 and newer, so leave it out or take CUDA 12")
    endif()
    list(APPEND gencode -gencode=arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  # Compressed, machine code is a ninth of its size (28.5 MB, 3.1); by default nvcc compresses only
  # PTX.
  target_compile_options(
    carat_cuda_options
    INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${gencode};-Xfatbin=-compress-all;-Xptxas=-v;--Werror=all-warnings;-Xcompiler=-Wall,-Wextra>")
  string(REPLACE ";" ", " architectures "${CARAT_CUDA_ARCHITECTURES}")
  target_compile_definitions(carat_cuda_options INTERFACE CARAT_CUDA_CODE="${architectures}")
  target_link_libraries(carat_cuda_options INTERFACE carat_options CUDA::cudart_static)
  message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER_VERSION}, kernels for ${architectures}")
endif()

# carat_add_cuda_module(NAME [FOLDERS <sub> ...] [DEPENDS <target> ...])
#
# A module of .cpp and .cu files in the folder and the folders named. A build without CUDA has no
# such module; src/cuda/absent.cpp and lab/gpu/absent.cpp replace what callers need.
function(carat_add_cuda_module name)
  cmake_parse_arguments(MODULE "" "" "FOLDERS;DEPENDS" ${ARGN})
  if(CARAT_CUDA_ENABLED)
    file(GLOB sources CONFIGURE_DEPENDS *.cpp *.cu)
    foreach(folder IN LISTS MODULE_FOLDERS)
      file(GLOB more CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.cu)
      list(APPEND sources ${more})
    endforeach()
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC carat_options ${MODULE_DEPENDS} PRIVATE carat_cuda_options)
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE carat_options ${MODULE_DEPENDS})
  endif()
endfunction()
