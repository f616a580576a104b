// pdgemm and psgemm of ScaLAPACK, MKL or COSMA, with their BLACS, opened at run time: the peers of
// products over ranks.
#pragma once

#include <cstdint>
#include <string>

#include <carat/distribution.hpp>

namespace carat::lab_ranks {

/// Where its functions come from: the system's library over the system's BLAS, MKL's own
/// (scripts/mkl_pgemm.sh), or COSMA's in place of ScaLAPACK's.
enum class scalapack_of : std::uint8_t { system, mkl, cosma };

class scalapack {
  public:
    /// Makes a grid of all processes, `rows` x `cols`, numbered by rows.
    /// @throws carat::error(unsupported) with what was tried.
    scalapack(scalapack_of which, int rows, int cols);
    scalapack(const scalapack&) = delete;
    scalapack& operator=(const scalapack&) = delete;
    ~scalapack();

    /// C = A B, N x N blocks of `block`; local matrices by columns with these leading dimensions.
    void multiply(bool is_double, int m, int n, int k, int block, const void* a, int lda,
                  const void* b, int ldb, void* c, int ldc) const;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    struct functions;
    const functions* call_;
    std::string path_;
    int context_ = 0;
};

}  // namespace carat::lab_ranks
