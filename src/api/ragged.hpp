// Products that divide the rows of A and C, the columns of B and C, or K of one matrix each.
#pragma once

#include <vector>

#include <carat/batch.hpp>

#include "api/batch_checks.hpp"

namespace carat::api {

[[nodiscard]] bool is_ragged(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                             const erased_batch& c);

enum class shared_out : std::uint8_t { rows, cols, depth };

/// What is divided, by an array that all divided operands share. Throws carat::error if they do not
/// fit together.
[[nodiscard]] shared_out checked_ragged(const erased_batch& a, const erased_batch& b,
                                        const erased_batch* e, const erased_batch& c);

/// A divided batch as a list of its parts, according to the host's array; any other batch as it is.
/// Throws if ends are impossible.
class ragged_list {
  public:
    ragged_list(const erased_batch& b, const char* name);
    ragged_list(const ragged_list&) = delete;
    ragged_list& operator=(const ragged_list&) = delete;

    [[nodiscard]] const erased_batch& batch() const { return batch_; }

  private:
    std::vector<detail::erased_matrix> parts_;
    erased_batch batch_;
};

/// The same products transposed: B^T A^T = C^T.
[[nodiscard]] erased_batch turned(erased_batch b);

/// The problem of all divided rows, or K, on a GPU. Throws carat::error in one line.
[[nodiscard]] core::problem checked_for_gpu(const erased_batch& a, const erased_batch& b,
                                            const erased_batch* e, const erased_batch& c,
                                            const detail::epilogue_steps* steps);

}  // namespace carat::api
