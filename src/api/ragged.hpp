// Products that divide the rows of A and C, the columns of B and C, or K of one matrix each.
#pragma once

#include <vector>

#include <carat/batch.hpp>

#include "api/batch_checks.hpp"

namespace carat::api {

[[nodiscard]] bool is_ragged(const erased_batch& a, const erased_batch& b, const erased_batch* e,
                             const erased_batch& c);

enum class shared_out : std::uint8_t { rows, cols, depth };

/// What is shared out, by an array that all who are have in common. Throws carat::error where they
/// don't go together.
[[nodiscard]] shared_out checked_ragged(const erased_batch& a, const erased_batch& b,
                                        const erased_batch* e, const erased_batch& c);

/// A batch as a list of the parts of what is shared out, as the host's array says; any other as it
/// is. Throws where ends can't be.
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

/// The problem of all that is shared out, on a GPU: of rows, or of depth. Throws carat::error, in
/// one line.
[[nodiscard]] core::problem checked_for_gpu(const erased_batch& a, const erased_batch& b,
                                            const erased_batch* e, const erased_batch& c,
                                            const detail::epilogue_steps* steps);

}  // namespace carat::api
