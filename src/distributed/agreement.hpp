// What all ranks must know before one of them goes on: whether they were given the same product,
// and whether all of them can do it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <carat/distributed.hpp>
#include <carat/error.hpp>

namespace carat::distributed {

// What a rank was given. Plain bytes, since it is sent.
struct claim {
    std::array<std::int64_t, 3> size{};  // M, N, K
    std::array<std::uint64_t, 3> layouts{};
    std::array<dtype, 3> types{};
    std::array<bool, 3> by_columns{};  // how the local matrices of A, B and C lie
    double alpha = 0;
    double beta = 0;
    int along = -1;           // the dimension, if one was asked for
    std::uint64_t steps = 0;  // of the epilogue; 0: it has none
    std::uint64_t memory_bytes = 0;
    int units_of_messages = 0;  // place::units_of_messages()
};

// Throws the error of the lowest rank that has one, on every rank; its message then begins with
// that rank. Collective.
void agree_on_errors(communicator& comm, const std::optional<error>& own);

// Gathers the claims of all ranks. Throws carat::error(size_mismatch) on all if two of them differ
// in what must be the same.
[[nodiscard]] std::vector<claim> agree_on_claims(communicator& comm, const claim& own);

// Calls and keeps the error.
template <class Call>
[[nodiscard]] std::optional<error> error_of(const Call& call) {
    try {
        call();
        return {};
    } catch (const error& why) {
        return why;
    } catch (const std::bad_alloc&) {
        return error(error_code::out_of_memory, "distributed product: out of memory");
    }
}

}  // namespace carat::distributed
