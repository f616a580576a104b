// Run by mpirun: random products over MPI processes by exact passes, and, with the argument
// `die`, what becomes of a job one of whose processes ends in the middle.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <carat/distributed_mpi.hpp>
#include <carat/error.hpp>

#include "tests/distributed/trial.hpp"

namespace {

using namespace carat;
using namespace carat::test;

// Collects C on all processes: bytes that another process holds are zero here.
std::string wrong_over_mpi(ranks::communicator& comm, const trial& t, verify::exact_kind exact) {
    const trial_layouts layouts(t);
    trial_operands of(t, exact);
    whole_matrix_bytes mine(t.m, t.n, t.types.out), all(t.m, t.n, t.types.out);
    std::mutex alone;
    multiply_part(comm, t, layouts, of.a, of.b, of.c, &mine, &alone);
    MPI_Allreduce(mine.data.data(), all.data.data(), static_cast<int>(mine.data.size()), MPI_BYTE,
                  MPI_BOR, MPI_COMM_WORLD);
    return of.verdict(t, all);
}

int products(ranks::communicator& comm) {
    std::mt19937 engine(17);
    int failures = 0;
    for (int i = 0; i < 40; ++i) {
        const trial t = random_trial(comm.size(), engine, i % 8 == 0 ? 400 : 50);
        const std::string why = wrong_over_mpi(comm, t, verify::exact_kind::sums);
        if (why.empty()) continue;
        ++failures;
        if (comm.rank() == 0) std::fprintf(stderr, "%s\n", why.c_str());
    }
    return failures;
}

// Every process gets the same error.
int mismatch(ranks::communicator& comm) {
    const std::int64_t k = comm.rank() == comm.size() - 1 ? 9 : 8;
    matrix<double> a(8, static_cast<std::size_t>(k)), b(static_cast<std::size_t>(k), 8), c(8, 8);
    const auto whole = [](std::int64_t rows, std::int64_t cols) {
        return ranks::distribution::replicated(rows, cols);
    };
    try {
        matrix_product(comm, ranks::view(a, whole(8, k)), ranks::view(b, whole(k, 8)),
                       ranks::view(c, whole(8, 8)));
    } catch (const error& why) {
        const std::string named = "rank " + std::to_string(comm.size() - 1);
        return why.code() == error_code::size_mismatch &&
                       std::string(why.what()).find(named) != std::string::npos
                   ? 0
                   : 1;
    }
    return comm.size() > 1 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int failures = 0;
    {
        const auto comm = ranks::over(MPI_COMM_WORLD, 1);
        if (argc > 1 && std::strcmp(argv[1], "die") == 0 && comm->rank() == comm->size() - 1)
            std::raise(SIGKILL);
        failures = products(*comm) + mismatch(*comm);
        if (comm->rank() == 0)
            std::printf("%d processes: %s\n", comm->size(), failures == 0 ? "passed" : "FAILED");
    }
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}
