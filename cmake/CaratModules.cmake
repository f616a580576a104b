# A module is a folder with one static library. Its sources are the .cpp files of the folder and of
# the folders named, so adding a file is enough; some are compiled once for each ISA level.

# carat_add_module(NAME [FOLDERS <sub> ...] [DEPENDS <target> ...])
function(carat_add_module name)
  cmake_parse_arguments(MODULE "" "" "FOLDERS;DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  foreach(folder IN LISTS MODULE_FOLDERS)
    file(GLOB more CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(APPEND sources ${more})
  endforeach()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC carat_options ${MODULE_DEPENDS})
endfunction()

# carat_optimise_lightly(TARGET): -O1 for code that is not measured and computes little. It compiles
# in two thirds of the time.
function(carat_optimise_lightly target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release,RelWithDebInfo>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
endfunction()

# carat_in_batches(TARGET [SECOND <source> ...] [THIRD <source> ...] [ALONE <source> ...] [MOST <number>]
#                  [TIMED])
#
# CARAT_BATCHES compiles up to MOST (16) sources at once, since most of their time goes to headers.
# Files whose anonymous names clash with another's make a SECOND and a THIRD batch, or are ALONE. What
# is not TIMED is also optimised lightly.
function(carat_in_batches target)
  cmake_parse_arguments(BATCH "TIMED" "MOST" "SECOND;THIRD;ALONE" ${ARGN})
  if(NOT BATCH_MOST)
    set(BATCH_MOST 16)
  endif()
  if(NOT BATCH_TIMED)
    carat_optimise_lightly(${target})
  endif()
  if(NOT CARAT_BATCHES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(name SECOND THIRD)
    set(batch ${BATCH_${name}})
    set_source_files_properties(${batch} PROPERTIES UNITY_GROUP ${name})
    list(REMOVE_ITEM sources ${batch})
    list(TRANSFORM batch PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    list(REMOVE_ITEM sources ${batch})
  endforeach()
  set_source_files_properties(${BATCH_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  list(REMOVE_ITEM sources ${BATCH_ALONE})
  list(TRANSFORM BATCH_ALONE PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${BATCH_ALONE})
  set(taken 0)
  foreach(source IN LISTS sources)
    math(EXPR batch "${taken} / ${BATCH_MOST}")
    math(EXPR taken "${taken} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP batch_${batch})
  endforeach()
  # A batch links more than needed, and some of that needs libm, which the drop-in BLAS does not
  # link.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-ffunction-sections>)
endfunction()

# carat_add_per_isa(MODULE <source> ... [LEVELS <level> ...])
#
# Compiles the sources once for each ISA level (baseline, avx2 and avx512 unless LEVELS says which;
# levels of another architecture are left out) into the module's library, with CARAT_ISA defined as
# the level's name for use as a namespace. Such files must keep every function
# in that namespace and instantiate nothing from elsewhere that could outlive inlining: the linker
# keeps one copy of a weak symbol, and if that copy is the AVX-512 one, older machines crash. The
# test `isa_objects` reads the object files and fails on any weak symbol outside the namespace.
function(carat_add_per_isa module)
  cmake_parse_arguments(ISA "" "" "LEVELS" ${ARGN})
  set(known baseline)
  set(flags_baseline "")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND known avx2 avx512 dot256 dot fp16 amx)
    set(flags_avx2 -mavx2 -mfma)
    set(flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma
                     -mprefer-vector-width=512)
    set(flags_dot256 ${flags_avx2} -mavxvnni)
    set(flags_dot ${flags_avx512} -mavx512vnni -mavx512bf16)
    set(flags_fp16 ${flags_avx512} -mavx512fp16)
    set(flags_amx ${flags_avx512} -mavx512vbmi -mamx-tile -mamx-int8 -mamx-bf16)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    # What is not of version 8.0, which every processor has, is added by feature.
    list(APPEND known dotprod fp16 i8mm narrow sve256 sve512)
    set(flags_dotprod -march=armv8.2-a+dotprod)
    set(flags_fp16 ${flags_dotprod}+fp16)
    set(flags_i8mm ${flags_dotprod}+i8mm+bf16)
    set(flags_narrow ${flags_i8mm}+fp16) # whatever the processor says that it has
    set(flags_sve256 -march=armv8.2-a+sve -msve-vector-bits=256)
    set(flags_sve512 -march=armv8.2-a+sve -msve-vector-bits=512)
  endif()
  if(NOT ISA_LEVELS)
    set(ISA_LEVELS baseline avx2 avx512)
  endif()
  foreach(level IN LISTS ISA_LEVELS)
    if(NOT level IN_LIST known)
      continue()
    endif()
    add_library(${module}_${level} OBJECT ${ISA_UNPARSED_ARGUMENTS})
    target_link_libraries(${module}_${level} PRIVATE carat_options)
    target_compile_definitions(${module}_${level} PRIVATE CARAT_ISA=${level})
    target_compile_options(${module}_${level} PRIVATE -O3 ${flags_${level}})
    target_sources(${module} PRIVATE $<TARGET_OBJECTS:${module}_${level}>)
    set_property(TARGET ${module} APPEND PROPERTY CARAT_OBJECT_TARGETS ${module}_${level})
    set_property(GLOBAL APPEND PROPERTY CARAT_ISA_OBJECT_TARGETS ${module}_${level})
  endforeach()
endfunction()

# carat_add_isa_check(): the test `isa_objects` for everything that carat_add_per_isa has compiled.
# It needs inlining, so it exists only in optimised builds without sanitizers.
function(carat_add_isa_check)
  find_program(CARAT_PYTHON python3)
  get_property(targets GLOBAL PROPERTY CARAT_ISA_OBJECT_TARGETS)
  if(CARAT_SANITIZE OR NOT CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo)$")
    return()
  endif()
  set(objects "")
  foreach(target IN LISTS targets)
    string(REGEX MATCH "[^_]+$" level ${target})
    list(APPEND objects --level ${level} $<TARGET_OBJECTS:${target}>)
  endforeach()
  add_test(NAME isa_objects COMMAND ${CARAT_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/check_isa_objects.py
                                    --nm ${CMAKE_NM} ${objects} COMMAND_EXPAND_LISTS)
  set_tests_properties(isa_objects PROPERTIES LABELS isa)
endfunction()
