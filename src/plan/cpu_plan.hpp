// How the CPU engine will do one product: which path, which block sizes, which partition over
// threads. A pure function of sizes, register tile and machine, so that it can be tested and
// explained without running anything.
//
//      C           n                Each thread owns a rectangle of C (threads_m x threads_n of
//        +------+------+            them). Inside it: panels of B, kc x nc, kept in L3; blocks of
//   m    | t0   | t1   |            A, mc x kc, in L2; micropanels of B, kc x nr, in L1; and an
//        +------+------+            mr x nr tile of C in registers (Goto and van de Geijn, 2008).
//        | t2   | t3   |
//        +------+------+            Threads with the same columns share panels of B.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "plan/machine.hpp"

namespace carat::plan {

// The register tile of a micro-kernel, and the bytes of one element as it multiplies them and of a
// vector of them.
struct kernel_shape {
    std::string_view name;
    int mr = 1;
    int nr = 1;
    int element_bytes = 8;
    int vector_bytes = 64;
};

enum class path : std::uint8_t {
    unpacked,  // B, and A where it can be, are read where they lie
    skinny,    // few columns: A is read once, in the order of memory
    blocked,   // blocks, packed where that pays, any number of threads
};

// The most columns on the path skinny.
inline constexpr int most_skinny_columns = 8;
inline constexpr int most_dot_columns = 32;  // of dot products

struct blocking {
    std::int64_t mc = 0;  // rows of a packed block of A, a multiple of mr
    std::int64_t nc = 0;  // columns of a packed panel of B, a multiple of nr
    std::int64_t kc = 0;  // k of both
    // Not packed but read where it lies, since it is packing that does not pay.
    bool reads_b = false;
    bool fuses_packing_of_a = false;  // by the tiles of the first columns, as they read it
};

struct cpu_plan {
    path how = path::unpacked;
    bool packs_a = false;    // unpacked: tiles of A are packed
    blocking blocks;         // unpacked: nc and kc only
    bool fetches_c = false;  // unpacked, few rows: C does not fit in L2, so it is fetched ahead
    int threads_m = 1;
    int threads_n = 1;
    int unit_m = 1;     // rows between which C is divided
    int threads_k = 1;  // parts of K, whose sums are added up in order
    // Threads with the same columns of C pack panels of B together, two in turn.
    bool shares_b = false;
    // Pieces of a thread's rectangle, along its rows or columns, which others take up when its own
    // thread is late.
    int pieces = 1;
    bool pieces_along_n = false;

    [[nodiscard]] int threads() const { return threads_m * threads_n * threads_k; }
};

// A is packed before the product. Sums are formed as they would be without that, so that the bits
// are the same: on the path skinny, or cut into blocks of kc.
struct packed_before {
    bool skinny = false;
    std::int64_t kc = 0;
};

// The product as the kernel will see it: sizes after it has been turned, mostly so that columns
// of C are contiguous. `convertible` says that operands already have the type computed in.
struct request {
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    bool same_types = true;       // operands have the type computed in, so that packing is optional
    bool sums_in_c = true;        // C can hold sums
    bool adds_sums = true;        // C += sums is all that is done with them: alpha 1, no epilogue
    bool m_contiguous_a = true;   // rows of A lie side by side
    bool k_contiguous_a = false;  // depths of A do
    bool k_contiguous_b = true;
    bool conflicting_a = false;     // they do, and from one k to the next it is whole pages
    bool conflicting_b = false;     // the same of columns of B
    bool whole_lines_of_a = false;  // rows of A that lie side by side begin on lines of cache alike
    bool unpacked_a = false;        // on a matrix unit: A can be multiplied where it lies
    bool packs_slabs_of_a = false;  // rows of A lie side by side
    bool a_packed = false;          // before the product
    bool b_packed = false;
    int most_threads = 1;
    blocking wanted = {};  // values that aren't 0 replace computed ones, and ask for blocks
    std::optional<packed_before> prepared = {};
};

// What plans for different units share.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return a / b + (a % b != 0);
}

// Whether few columns of B meet `lines` rows of A, contiguous in k, one dot product each: a
// register tile would fill a part of a vector with the columns. `few_lie_alike`: these are
// contiguous in k as well, and need not be copied.
[[nodiscard]] bool takes_dot_products(std::int64_t lines, std::int64_t few, std::int64_t k,
                                      bool few_lie_alike, int element_bytes, int vector_bytes,
                                      const machine& on);

// The multiple of `unit` that cuts `total` into equal parts of at most `most`.
[[nodiscard]] std::int64_t balanced(std::int64_t total, std::int64_t most, std::int64_t unit);

[[nodiscard]] cpu_plan make_cpu_plan(const request& wanted, const kernel_shape& kernel,
                                     const machine& on);

// Why the plan is what it is, in a few lines for people.
[[nodiscard]] std::string explain(const cpu_plan& plan, const request& wanted,
                                  const kernel_shape& kernel, const machine& on);

}  // namespace carat::plan
