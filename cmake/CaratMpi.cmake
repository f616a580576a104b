# MPI for products over processes. CARAT_MPI: AUTO builds carat_mpi where there is an MPI, for use
# from the build; ON requires an MPI and also installs what needs it, so that packages made for
# everybody do not depend on one; OFF does not look, the default inside another project.
set(carat_mpi_default OFF)
if(CARAT_BUILD_LAB)
  set(carat_mpi_default AUTO)
endif()
set(CARAT_MPI ${carat_mpi_default} CACHE STRING "Products over MPI processes: AUTO, ON or OFF")
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
