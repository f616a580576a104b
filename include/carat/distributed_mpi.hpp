// MPI processes as ranks, with their matrices in host memory: link carat::mpi.
//
//   MPI_Init(&argc, &argv);
//   const auto comm = carat::distributed::over(MPI_COMM_WORLD);
//   carat::distributed::matrix_product(*comm, a, b, c);
//
// What fails inside MPI is thrown as carat::error(device_failed). A process that dies ends the job
// as the MPI in use decides; mpirun of Open MPI and MPICH then stop all others at once.
#pragma once

#include <memory>
#include <mpi.h>

#include <carat/distributed.hpp>

namespace carat::distributed {

// Collective. The communicator is duplicated, so that messages are not mixed up with the program's.
// `threads` multiply the local parts; 0: the processors of this process, or its share of the
// node's, if all its processes may use the same ones.
[[nodiscard]] CARAT_API std::unique_ptr<communicator> over(MPI_Comm comm, int threads = 0);

// What 0 threads mean there. Collective.
[[nodiscard]] CARAT_API int default_threads(MPI_Comm comm);

}  // namespace carat::distributed
