// What the user asked to measure, parsed and checked before anything is allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/interleave.hpp"
#include "lab/rows/catalogue.hpp"
#include "lab/rows/operation.hpp"
#include "lab/workload/workload.hpp"

namespace carat::request {

struct shape {
    std::int64_t m = 0, n = 0, k = 0;

    bool operator==(const shape&) const = default;
};

// "256", "1000x500x64" (m x n x k), "1000:10000:1000" (first:last:step), "256:4096:x2" (geometric),
// a corpus (corpus.hpp), and lists of these with commas. Throws carat::error on anything else, and
// on sizes below 1 or too large for 64 bits.
[[nodiscard]] std::vector<shape> parse_shapes(std::string_view text);

// One product of m x n x k; mistakes are answered with --m, --n or --k, as the commands call them.
[[nodiscard]] shape parse_product(std::string_view m, std::string_view n, std::string_view k);

// "N" or "MxNxK", as run and explain take --size.
[[nodiscard]] shape parse_one_shape(std::string_view text);

// Names such as f64, f32, i32 (or double, float, half, bfloat16) separated by commas.
[[nodiscard]] std::vector<dtype> parse_dtypes(std::string_view text);

// How A, B and C are stored: 'n' by rows, 't' transposed, that is by columns; and how many elements
// lie between the end of one row or column and the next.
struct storage {
    char a = 'n';
    char b = 'n';
    char c = 'n';
    std::int64_t pad = 0;

    bool operator==(const storage&) const = default;
};

// "nn", "nt", "tn" or "tt": A's letter, then B's; "ntt" for a C by columns, "nt+8" for leading
// dimensions 8 longer than rows or columns. Throws carat::error on anything else.
[[nodiscard]] storage parse_storage(std::string_view text);
[[nodiscard]] std::string to_string(const storage& stored);

// "bf16", "f16" or "f32".
[[nodiscard]] dtype parse_out(std::string_view text);

// "bias", "relu", "gelu" or "silu", or "bias+" and one of these.
[[nodiscard]] rows::epilogue parse_epilogue(std::string_view text);

// "64", "64:strided", "64:pointers" or "64:listed" into `to`.
void parse_batch(std::string_view text, rows::call& to);

// The rows of each product, "100,28,0" or "uneven:7:4096/64", into `to`; empty: no group.
void parse_groups(std::string_view text, rows::call& to);

// Thread counts, separated by commas, from 1 to `most`.
[[nodiscard]] std::vector<int> parse_threads(std::string_view text, int most);

struct selection {
    const rows::implementation* entry = nullptr;
    core::tunable_values tunables;  // as asked for; absent: initial value
    bool asked_for = false;         // by name, not by a group such as "all"
    std::string build = {};         // which carat's it is, where several are compared
};

// Names separated by commas; each may carry tunables ("tiled[tile-size=32]") and may be a group:
// "all" (an engine as a whole, without its parts), or a prefix of names with ".*"
// ("cpu.ladder.*"). With `only`, groups hold what runs there,
// and short names mean what runs there; without it, short names prefer the CPU. What is named twice
// is chosen once.
[[nodiscard]] std::vector<selection> parse_selection(
    const rows::catalogue& all, std::string_view text,
    std::optional<rows::device> only = std::nullopt);

// "cpu", "cuda", or "all" for no restriction.
[[nodiscard]] std::optional<rows::device> parse_device(std::string_view text);

// How results name it: with the tunables asked for where `chosen` has the entry more than once.
[[nodiscard]] std::string label_of(const selection& s, const std::vector<selection>& chosen);

enum class operation_count : std::uint8_t {
    multiply_add,  // 2 m n k
    exact,         // m n (2 k - 1): 2 n^3 - n^2 for squares, as document 000 counts
};

[[nodiscard]] double operations(const shape& s, operation_count convention);

// Where a program's matrices lie before they are copied to a device: ordinary memory, or pages
// locked to their place, which the device reads by itself.
enum class host_memory : std::uint8_t { pageable, pinned };

[[nodiscard]] std::string_view name(host_memory where);

struct measurement {
    std::vector<selection> chosen;
    std::vector<shape> shapes;
    std::vector<dtype> types = {dtype::f64};
    std::vector<int> threads = {1};
    storage stored;
    rows::call asked;  // beyond C = A B; its products are of the shapes
    workload::distribution values = workload::uniform(0, 1);
    bool rotate_inputs = false;
    operation_count convention = operation_count::multiply_add;
    measure::options timing;
    std::optional<host_memory> phases;  // time the phases of device implementations, from there
    bool measure_energy = true;         // of each device implementation, in runs after its trials
    // Fresh processes of each CPU implementation, and of all that run on a GPU together, one after
    // the other; 0: all run in this one.
    int processes = 5;
    double patience_s = 60;    // without an answer beyond what is expected, a process is hung
    double slowest_run_s = 0;  // skip what is expected to take longer for one run; 0: skip nothing
    double alpha = 0.05;
    double equivalence_margin = 0.02;
    std::string base;     // compare with it alone; empty: every pair
    double settle_s = 0;  // measure so long on, for each case, where a verdict is unclear
    std::uint64_t seed = 1;
};

// Throws carat::error when a tunable is asked for that there is not or that is out of its range, or
// a tile that is larger than every matrix, or when a case does not fit in memory. Called before the
// first allocation.
void validate(const measurement& r);

}  // namespace carat::request
