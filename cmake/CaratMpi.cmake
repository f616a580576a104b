# MPI for products over processes. CARAT_MPI: AUTO builds carat_mpi where there is an MPI, ON
# requires one, OFF does not look.
set(CARAT_MPI AUTO CACHE STRING "Products over MPI processes: AUTO (where there is an MPI), ON or OFF")
set_property(CACHE CARAT_MPI PROPERTY STRINGS AUTO ON OFF)

set(CARAT_MPI_ENABLED OFF)
if(CARAT_MPI)
  set(MPI_CXX_SKIP_MPICXX ON) # the C interface alone
  if(CARAT_MPI STREQUAL "AUTO")
    find_package(MPI QUIET COMPONENTS CXX)
  else()
    find_package(MPI REQUIRED COMPONENTS CXX)
  endif()
  set(CARAT_MPI_ENABLED ${MPI_CXX_FOUND})
  if(MPI_CXX_FOUND)
    message(STATUS "MPI: ${MPI_CXX_VERSION}, ${MPIEXEC_EXECUTABLE}")
  else()
    message(STATUS "MPI: none was found, so carat_mpi is not built (libopenmpi-dev has one)")
  endif()
endif()
