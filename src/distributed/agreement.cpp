#include "distributed/agreement.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace carat::distributed {

namespace {

struct report {
    bool failed = false;
    error_code code{};
    std::array<char, 400> message{};  // ends with a zero
};

std::string size_text(const claim& c) {
    return std::to_string(c.size[0]) + " x " + std::to_string(c.size[1]) + " x " +
           std::to_string(c.size[2]);
}

std::string types_text(const claim& c) {
    return std::string(name(c.types[0])) + ", " + std::string(name(c.types[1])) + " and " +
           std::string(name(c.types[2]));
}

// What differs, with both values; empty if nothing does.
std::string difference(const claim& first, const claim& other) {
    if (first.size != other.size)
        return "M x N x K = " + size_text(other) + ", but rank 0 " + size_text(first);
    if (first.types != other.types)
        return "A, B and C of " + types_text(other) + ", but rank 0 of " + types_text(first);
    if (first.alpha != other.alpha || first.beta != other.beta)
        return "the factors " + std::to_string(other.alpha) + " and " + std::to_string(other.beta) +
               ", but rank 0 " + std::to_string(first.alpha) + " and " + std::to_string(first.beta);
    if (first.steps != other.steps) return "another epilogue than rank 0";
    if (first.along != other.along) return "another dimension to cut along than rank 0";
    if (first.units_of_messages != other.units_of_messages)
        return std::to_string(other.units_of_messages) + " SMs for messages, but rank 0 " +
               std::to_string(first.units_of_messages);
    for (std::size_t i = 0; i < 3; ++i)
        if (first.layouts[i] != other.layouts[i])
            return std::string("another layout of ") + "ABC"[i] + " than rank 0";
    return {};
}

}  // namespace

void agree_on_errors(communicator& comm, const std::optional<error>& own) {
    report mine;
    if (own) {
        mine.failed = true;
        mine.code = own->code();
        const std::string text = own->what();
        std::memcpy(mine.message.data(), text.data(),
                    std::min(text.size(), mine.message.size() - 1));
    }
    std::vector<report> all(static_cast<std::size_t>(comm.size()));
    comm.all_gather(&mine, all.data(), sizeof mine);
    const auto failed = std::ranges::find_if(all, &report::failed);
    if (failed == all.end()) return;
    throw error(failed->code,
                "rank " + std::to_string(failed - all.begin()) + ": " + failed->message.data());
}

std::vector<claim> agree_on_claims(communicator& comm, const claim& own) {
    std::vector<claim> all(static_cast<std::size_t>(comm.size()));
    comm.all_gather(&own, all.data(), sizeof own);
    for (std::size_t rank = 1; rank < all.size(); ++rank)
        if (const std::string what = difference(all.front(), all[rank]); !what.empty())
            throw error(error_code::size_mismatch, "distributed product: rank " +
                                                       std::to_string(rank) + " was given " + what +
                                                       ": give all ranks the same product");
    return all;
}

}  // namespace carat::distributed
