# CUDA for the modules that use it. CARAT_CUDA: AUTO compiles GPU kernels, which take longer than
# all the rest, if the machine has both a GPU and nvcc; ON compiles them without a GPU too; OFF
# builds for CPUs only. The CUDA runtime is linked statically and libcuda never, so one binary
# serves machines with and without a GPU or a driver.

set(CARAT_CUDA AUTO CACHE STRING "CUDA kernels: AUTO (where there are a GPU and nvcc), ON or OFF")
set_property(CACHE CARAT_CUDA PROPERTY STRINGS AUTO ON OFF)
include(CaratGpus)

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
  set(CMAKE_CUDA_ARCHITECTURES OFF) # carat's own list is CARAT_GPUS, by families of kernels
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
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES) # as CaratOptions.cmake does
    string(APPEND CMAKE_CUDA_FLAGS " ${CMAKE_CUDA_FLAGS_RELEASE}")
  endif()
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
  carat_chosen_gpus(CARAT_GPU_LIST)
  if(NOT CARAT_GPU_LIST)
    if(CARAT_CUDA STREQUAL "ON")
      message(FATAL_ERROR "CARAT_CUDA=ON, but nvcc ${CMAKE_CUDA_COMPILER_VERSION} compiles for no GPU "
                          "of this machine: name the nvcc of a CUDA 12 in CUDACXX, or use -DCARAT_CUDA=OFF")
    endif()
    set(CARAT_CUDA_ENABLED OFF)
  endif()
endif()

if(CARAT_CUDA_ENABLED)
  # Compressed, machine code is a ninth of its size (28.5 MB, 3.1); by default nvcc compresses only
  # PTX.
  set(CARAT_NVCC_FLAGS -Xfatbin=-compress-all -Xptxas=-v --Werror=all-warnings
                       -Xcompiler=-Wall,-Wextra)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13)
    # It gives the host's compiler [[nodiscard]] functions of kernels as returning nothing.
    list(APPEND CARAT_NVCC_FLAGS -Xcompiler=-Wno-attributes)
  endif()
  string(REPLACE ";" ", " gpus "${CARAT_GPU_LIST}")
  # What host code with CUDA's headers needs, and kernels for every GPU of the list.
  add_library(carat_cuda_host INTERFACE)
  target_link_libraries(carat_cuda_host INTERFACE carat_options CUDA::cudart_static)
  carat_gencode(gencode ${CARAT_GPU_LIST})
  add_library(carat_cuda_options INTERFACE)
  target_compile_options(carat_cuda_options
                         INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${gencode};${CARAT_NVCC_FLAGS}>")
  target_link_libraries(carat_cuda_options INTERFACE carat_cuda_host)
  message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER_VERSION}, kernels for ${gpus}")
endif()

# carat_compile_for(TARGET HOPPER | LEAST GPU ...): the target's kernels are for these GPUs of the list;
# see carat_gpus_for().
function(carat_compile_for target least)
  carat_gpus_for(gpus ${least} ${ARGN})
  carat_gencode(gencode ${gpus})
  target_compile_options(${target}
                         PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${gencode};${CARAT_NVCC_FLAGS}>")
  target_link_libraries(${target} PRIVATE carat_cuda_host)
endfunction()

# Takes files of a module out of the caller's `sources` and puts objects for other GPUs in their place,
# whose target joins `objects`.
macro(carat_compile_apart name suffix least)
  set(apart ${ARGN})
  add_library(${name}_${suffix} OBJECT ${apart})
  target_link_libraries(${name}_${suffix} PRIVATE carat_options)
  carat_compile_for(${name}_${suffix} ${least} ${CARAT_GPU_LIST})
  list(TRANSFORM apart PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${apart})
  list(APPEND sources $<TARGET_OBJECTS:${name}_${suffix}>)
  list(APPEND objects ${name}_${suffix})
endmacro()

# carat_add_cuda_module(NAME [FOLDERS <sub> ...] [DEPENDS <target> ...] [HOPPER] [LEAST <gpu>]
#                       [ONE_OF_8X] [HOPPER_FILES <file> ...] [ADA_FILES <file> ...]
#                       [LEAVES_OUT <expression>])
#
# A module of .cpp and .cu files in the folder and the folders named. Its kernels are of the types of
# CARAT_GPU_TYPES, for the GPUs of CARAT_GPUS: for 90a alone with HOPPER, as are HOPPER_FILES; for 8.9 and
# newer in ADA_FILES; for LEAST (70) and newer otherwise, with ONE_OF_8X for the oldest GPU of 8.x alone,
# whose code the others run. Files that match LEAVES_OUT are no part of it. A build without CUDA has no
# such module; src/cuda/absent.cpp and lab/gpu/absent.cpp replace what callers need.
function(carat_add_cuda_module name)
  cmake_parse_arguments(MODULE "HOPPER;ONE_OF_8X" "LEAST;LEAVES_OUT" "FOLDERS;DEPENDS;HOPPER_FILES;ADA_FILES" ${ARGN})
  if(NOT CARAT_CUDA_ENABLED)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE carat_options ${MODULE_DEPENDS})
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS *.cpp *.cu)
  foreach(folder IN LISTS MODULE_FOLDERS)
    file(GLOB more CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.cu)
    list(APPEND sources ${more})
  endforeach()
  if(MODULE_LEAVES_OUT)
    list(FILTER sources EXCLUDE REGEX "${MODULE_LEAVES_OUT}")
  endif()
  carat_drop_other_types(MODULE_ADA_FILES)
  carat_drop_other_types(sources)
  set(objects "")
  if(MODULE_HOPPER_FILES)
    carat_compile_apart(${name} hopper HOPPER ${MODULE_HOPPER_FILES})
  endif()
  if(MODULE_ADA_FILES)
    carat_compile_apart(${name} ada 89 ${MODULE_ADA_FILES})
  endif()
  add_library(${name} STATIC ${sources})
  set_property(TARGET ${name} APPEND PROPERTY CARAT_OBJECT_TARGETS ${objects})
  target_link_libraries(${name} PUBLIC carat_options ${MODULE_DEPENDS})
  set(least 70)
  set(gpus ${CARAT_GPU_LIST})
  if(MODULE_HOPPER)
    set(least HOPPER)
  elseif(MODULE_LEAST)
    set(least ${MODULE_LEAST})
  endif()
  if(MODULE_ONE_OF_8X)
    carat_one_of_8x(gpus ${gpus})
  endif()
  carat_compile_for(${name} ${least} ${gpus})
endfunction()

# carat_knows_its_gpus(FILE ...): defines CARAT_CUDA_CODE as the list, for people. No other file sees
# it, so that another list compiles no kernel again that it does not touch.
function(carat_knows_its_gpus)
  string(REPLACE ";" ", " gpus "${CARAT_GPU_LIST}")
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_DEFINITIONS CARAT_CUDA_CODE="${gpus}")
endfunction()
