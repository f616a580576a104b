// What a run counts: cases, checks, what they reached, errors planted and caught.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace carat::fuzz {

// An error planted in the result of a right call, which the checks must find.
enum class error_kind { entry, one_k, pad, bit, repeat, input, largest, scale };
inline constexpr std::size_t error_kinds = 8;
inline constexpr std::size_t error_kinds_on_cpus = 6;
inline constexpr std::array error_kind_names = {"entry",    "one k",           "pad byte",
                                                "last bit", "repeated bit",    "input byte",
                                                "largest",  "scale of a block"};

// A feature that a case has or reaches.
enum class feature : std::size_t {
    f64,
    f32,
    three_tf32,
    tf32,
    f16,
    bf16,
    e4m3,
    e5m2,
    i32,
    bytes,
    strided,
    pointers,
    listed,
    tidy,
    by_columns,
    gaps,
    two_strides,
    negative_stride,
    zero_stride,
    misaligned,
    not_finite,
    subnormal,
    extreme,
    added,
    epilogue,
    gate,
    largest,
    by_blocks,
    prepared,
    by_c,
    million,
    hundred_millions,
    large,
    large_batch,
    stream,
    graph,
    captured_memory,
    chained,
    in_order,
    threads,
    full_memory,
    beside_full_memory,
    far,
    batch_invariant,
    one_by_one,
    fewer_rows,
    experts,
    one_e,
    turned,
    signed_zeros,
    managed,
    pinned,
    refused,
    after_full_memory,
    shared_out,
};
inline constexpr std::size_t features = static_cast<std::size_t>(feature::shared_out) + 1;
extern const std::array<const char*, features> feature_names;

struct tally {
    std::uint64_t cases = 0;
    std::uint64_t entries = 0;
    std::uint64_t excused = 0;
    std::uint64_t refused = 0;        // calls that must be refused and were
    std::uint64_t refused_apart = 0;  // refused for an overlap that is none
    std::uint64_t repeated = 0;       // compared by bits with another call
    std::uint64_t no_memory = 0;      // calls whose allocation failed
    std::uint64_t most_stack = 0;
    std::array<std::uint64_t, features> with = {};
    std::array<std::uint64_t, error_kinds> planted = {};
    std::array<std::uint64_t, error_kinds> caught = {};

    void add(const tally& other);
    void note(feature what, bool is = true) { with[static_cast<std::size_t>(what)] += is ? 1 : 0; }
};

// Lines for people.
[[nodiscard]] std::string text_of(const tally& t, const std::string& name);

}  // namespace carat::fuzz
