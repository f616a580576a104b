# What programs link for products over ranks: carat::distributed (threads and GPUs), carat::mpi, and
# carat::pblas, which has ScaLAPACK's pdgemm_ and psgemm_.
set(distributed ${CMAKE_CURRENT_SOURCE_DIR}/distributed)
set(kind SHARED)
if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
  set(kind STATIC)
endif()

# carat_add_ranks_library(NAME SOURCES... DEPENDS ...)
function(carat_add_ranks_library name)
  cmake_parse_arguments(RANKS "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(carat_${name}_library ${kind} ${RANKS_SOURCES})
  target_link_libraries(carat_${name}_library PRIVATE $<BUILD_INTERFACE:carat_options>
                                              PUBLIC ${RANKS_DEPENDS})
  set_target_properties(carat_${name}_library
                        PROPERTIES OUTPUT_NAME carat_${name} INSTALL_RPATH "\$ORIGIN" EXPORT_NAME ${name} VERSION ${PROJECT_VERSION}
                                   SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  carat_optimise_lightly(carat_${name}_library)
  add_library(carat::${name} ALIAS carat_${name}_library)
  if(name STREQUAL "distributed" OR NOT CARAT_MPI STREQUAL "AUTO")
    set_property(GLOBAL APPEND PROPERTY CARAT_RANKS_LIBRARIES carat_${name}_library)
  endif()
endfunction()

carat_add_ranks_library(distributed SOURCES $<TARGET_OBJECTS:carat_distributed>
                                            $<TARGET_OBJECTS:carat_distributed_planning>
                        DEPENDS carat Threads::Threads ${CMAKE_DL_LIBS})
if(CARAT_CUDA_ENABLED)
  target_link_libraries(carat_distributed_library PRIVATE CUDA::cudart_static)
endif()
if(CARAT_MPI_ENABLED)
  carat_add_ranks_library(mpi SOURCES ${distributed}/mpi/communicator.cpp
                          DEPENDS carat_distributed_library MPI::MPI_CXX)
  carat_add_ranks_library(pblas SOURCES ${distributed}/mpi/pgemm.cpp DEPENDS carat_mpi_library)
endif()
