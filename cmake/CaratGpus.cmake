# Which GPUs kernels are compiled for. CARAT_GPUS is
#
#   auto      the GPUs of this machine, or where there is none what packages hold
#   native    the GPUs of this machine
#   release   what packages hold: every GPU from compute capability 7.5 on
#   test      the GPUs of this machine, or where there is none Hopper's
#   a list    80           machine code of 8.0, which 8.6 and 8.7 run as well
#             90a          machine code of 9.0 with Hopper's own instructions
#             120-virtual  PTX, which the driver compiles for newer GPUs
#             80:90        the code of 8.0 as machine code of 9.0: a Hopper GPU tests what an A100 runs,
#                          with 75:90 what a T4 runs
#             100:120      the same for 12.0 of what is compiled for 10.0
#
# Nvcc 13 begins at 75; 70 needs CUDA 12.

# 12.0 runs machine code of its own that is made from 10.0's PTX, as drivers do for all newer GPUs: most
# of the time of a compilation is that from C++ to PTX.
set(CARAT_RELEASE_GPUS 75 80 89 90a 100 100:120 100-virtual)
set(CARAT_TEST_GPUS 90a)

# The default; CMake's own variable means the same where it is set.
if(CARAT_BUILD_TESTS)
  set(carat_default_gpus test)
else()
  set(carat_default_gpus auto)
endif()
if(DEFINED CACHE{CMAKE_CUDA_ARCHITECTURES} AND CMAKE_CUDA_ARCHITECTURES)
  string(REPLACE "-real" "" carat_default_gpus "${CMAKE_CUDA_ARCHITECTURES}")
endif()
set(CARAT_GPUS ${carat_default_gpus}
    CACHE STRING "GPUs to compile kernels for: auto, native, release, test, or compute capabilities")

# Types whose kernels are compiled; products of others are refused on a GPU, in one line. The first
# ranking of a clone needs f32's alone.
set(CARAT_ALL_GPU_TYPES f64 f32 tf32 f16 bf16 fp8 i8)
set(CARAT_GPU_TYPES all
    CACHE STRING "Types to compile GPU kernels of: all, or some of f64, f32, tf32, f16, bf16, fp8, i8")
string(REPLACE "," ";" CARAT_GPU_TYPE_LIST "${CARAT_GPU_TYPES}")
if(CARAT_GPU_TYPES STREQUAL "all")
  set(CARAT_GPU_TYPE_LIST ${CARAT_ALL_GPU_TYPES})
elseif(CARAT_BUILD_TESTS)
  message(FATAL_ERROR "CARAT_GPU_TYPES=${CARAT_GPU_TYPES}: tests need the kernels of all types; use all, "
                      "or -DCARAT_BUILD_TESTS=OFF")
endif()
if(CARAT_GPU_TYPE_LIST STREQUAL "")
  message(FATAL_ERROR "CARAT_GPU_TYPES is empty: use all, or some of f64, f32, tf32, f16, bf16, fp8, i8")
endif()
foreach(type IN LISTS CARAT_GPU_TYPE_LIST)
  if(NOT type IN_LIST CARAT_ALL_GPU_TYPES)
    message(FATAL_ERROR "CARAT_GPU_TYPES: '${type}' has no kernels of its own: use all, or some of "
                        "f64, f32, tf32, f16, bf16, fp8, i8")
  endif()
endforeach()

# carat_drop_other_types(FILES): leaves out the files of types that are not in CARAT_GPU_TYPES. A
# kernel's file ends in its type (multistage_three_tf32.cu), or in that and a variant
# (kernels_fp8_fast.cu). The folder's not_built.cpp answers for those left out.
function(carat_drop_other_types of_module)
  set(kept "")
  set(dropped "")
  foreach(file IN LISTS ${of_module})
    get_filename_component(stem ${file} NAME_WE)
    if(file MATCHES "[.]cu$" AND stem MATCHES "_(f64|f32|tf32|f16|bf16|fp8|i8)(_[a-z]+)?$"
       AND NOT CMAKE_MATCH_1 IN_LIST CARAT_GPU_TYPE_LIST)
      string(TOUPPER "CARAT_WITHOUT_${stem}" macro)
      list(APPEND dropped ${macro})
    else()
      list(APPEND kept ${file})
    endif()
  endforeach()
  if(dropped)
    set_source_files_properties(not_built.cpp PROPERTIES COMPILE_DEFINITIONS "${dropped}")
  endif()
  set(${of_module} "${kept}" PARENT_SCOPE)
endfunction()

# carat_gpus_here(RESULT): what nvidia-smi lists, each once; nothing where it can't say.
function(carat_gpus_here result)
  set(found "")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  RESULT_VARIABLE failed OUTPUT_VARIABLE capabilities ERROR_QUIET)
  if(failed STREQUAL "0")
    string(REGEX MATCHALL "[0-9]+\\.[0-9]" found "${capabilities}")
    list(TRANSFORM found REPLACE "\\." "")
    list(TRANSFORM found REPLACE "^90$" "90a")
    list(REMOVE_DUPLICATES found)
  endif()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# What this nvcc can do for the GPUs of this machine: a newer one than it knows gets PTX of the newest
# that it knows, and one that is too old is left out, with a word.
function(carat_known_to_nvcc gpus)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE told ERROR_QUIET)
  string(REGEX MATCHALL "sm_[0-9]+" known "${told}")
  list(TRANSFORM known REPLACE "sm_" "")
  list(SORT known COMPARE NATURAL)
  list(GET known 0 oldest)
  list(GET known -1 newest)
  set(result "")
  foreach(gpu IN LISTS ${gpus})
    string(REGEX MATCH "^[0-9]+" number ${gpu})
    if(number LESS oldest)
      message(STATUS "CUDA: nvcc ${CMAKE_CUDA_COMPILER_VERSION} does not compile for the GPU of compute "
                     "capability ${gpu} here, which needs CUDA 12 (docs/gpu.md): it is left out")
    elseif(number GREATER newest)
      list(APPEND result ${newest}-virtual)
    else()
      list(APPEND result ${gpu})
    endif()
  endforeach()
  set(${gpus} "${result}" PARENT_SCOPE)
endfunction()

# Stops at what is no GPU, and at what this nvcc can't compile for.
function(carat_check_gpus)
  foreach(gpu IN LISTS ARGN)
    if(NOT gpu MATCHES "^[0-9]+([af]?|-virtual|:[0-9]+)$")
      message(FATAL_ERROR "CARAT_GPUS: '${gpu}' is no compute capability: use auto, native, release, "
                          "test or a list of numbers like 80, 90a, 120-virtual")
    endif()
    string(REGEX MATCH "^[0-9]+" number ${gpu})
    if(number LESS 75 AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
      message(FATAL_ERROR "CARAT_GPUS: compute capability ${gpu} needs nvcc of CUDA 12, and this is "
                          "${CMAKE_CUDA_COMPILER_VERSION}: leave it out, or name a CUDA 12 in CUDACXX")
    endif()
  endforeach()
endfunction()

# carat_chosen_gpus(RESULT): CARAT_GPUS as a list; empty where this nvcc compiles for no GPU of this
# machine.
function(carat_chosen_gpus result)
  string(REPLACE "," ";" chosen "${CARAT_GPUS}")
  string(TOLOWER "${chosen}" chosen)
  if(chosen MATCHES "^(auto|native|test)$")
    carat_gpus_here(here)
    if(here)
      carat_known_to_nvcc(here)
      set(chosen "${here}")
    elseif(chosen STREQUAL "native")
      message(FATAL_ERROR "CARAT_GPUS=native, but nvidia-smi lists no GPU here: use release or a list")
    elseif(chosen STREQUAL "test")
      set(chosen ${CARAT_TEST_GPUS})
    else()
      set(chosen ${CARAT_RELEASE_GPUS})
    endif()
  elseif(chosen STREQUAL "release")
    set(chosen ${CARAT_RELEASE_GPUS})
  endif()
  carat_check_gpus(${chosen})
  set(${result} "${chosen}" PARENT_SCOPE)
endfunction()

# carat_gencode(RESULT GPU ...): nvcc's flags.
function(carat_gencode result)
  set(flags "")
  foreach(gpu IN LISTS ARGN)
    if(gpu MATCHES "^(.*)-virtual$")
      list(APPEND flags -gencode=arch=compute_${CMAKE_MATCH_1},code=compute_${CMAKE_MATCH_1})
    elseif(gpu MATCHES "^(.*):(.*)$")
      list(APPEND flags -gencode=arch=compute_${CMAKE_MATCH_1},code=sm_${CMAKE_MATCH_2})
    else()
      list(APPEND flags -gencode=arch=compute_${gpu},code=sm_${gpu})
    endif()
  endforeach()
  set(${result} ${flags} PARENT_SCOPE)
endfunction()

# carat_gpus_for(RESULT HOPPER | LEAST GPU ...): those of the list that kernels of such a family are
# compiled for. HOPPER takes 90a alone. Others leave out 90a where older code is compiled for 9.0, so
# that a GPU finds only one. Where none is left, Hopper's kernels are compiled for the first GPU, for
# which they are empty, and others to PTX that no GPU of the list loads: the host's code needs them to
# link.
function(carat_gpus_for result least)
  set(left "")
  foreach(gpu IN LISTS ARGN)
    string(REGEX MATCH "^[0-9]+" number ${gpu})
    if(least STREQUAL "HOPPER")
      if(gpu STREQUAL "90a")
        list(APPEND left ${gpu})
      endif()
    elseif(NOT number LESS least AND NOT (gpu MATCHES "^90a?$" AND "${ARGN}" MATCHES ":90"))
      list(APPEND left ${gpu})
    endif()
  endforeach()
  if(NOT left AND least STREQUAL "HOPPER")
    list(GET ARGN 0 left)
  elseif(NOT left)
    set(left ${least}-virtual)
  endif()
  set(${result} ${left} PARENT_SCOPE)
endfunction()

# carat_one_of_8x(RESULT GPU ...): the list without 8.6 to 8.9 where it has 8.0, whose machine code runs
# there.
function(carat_one_of_8x result)
  set(left ${ARGN})
  if("80" IN_LIST left)
    list(REMOVE_ITEM left 86 87 88 89)
  endif()
  set(${result} ${left} PARENT_SCOPE)
endfunction()
