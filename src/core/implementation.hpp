// A catalogue entry: one way to multiply matrices, its properties, and how to prepare it. Dispatch,
// `carat list`, tests and benches all read these rows; there is no second list. A row is constant
// data with function pointers, so it costs nothing until it is used.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem.hpp"

namespace carat::core {

struct operation;  // operation.hpp

enum class device : std::uint8_t { cpu, cuda };

[[nodiscard]] constexpr std::string_view name(device d) {
    return d == device::cpu ? "cpu" : "cuda";
}

// The element types that an implementation takes, and the precision in which it really computes.
struct signature {
    dtype a;
    dtype b;
    dtype c;
    std::string_view computes_in;
};

// A parameter that a user may set: `--tile-size 64` or `tiled[tile-size=64]`.
struct tunable {
    std::string_view name;
    std::int64_t initial;
    std::int64_t least;
    std::int64_t most;
    std::string_view meaning;
    std::span<const std::int64_t> worth_trying = {};  // by `carat tune`
};

using tunable_values = std::map<std::string, std::int64_t, std::less<>>;

struct settings {
    int threads = 1;
    tunable_values tunables;

    // The value set for `t`, or its default.
    [[nodiscard]] std::int64_t value(const tunable& t) const;
};

// What a vendor's library reports once loaded. `kernel` is the code path it chose, if it tells;
// `note` warns if the choice looks wrong or cannot be changed.
struct library_facts {
    std::string name;
    std::string version;
    std::string path;
    std::string kernel;
    std::string note;
};

// The resources of an SM that one of an implementation's kernels takes.
struct kernel_facts {
    std::string name;
    int threads = 0;       // in a block
    int registers = 0;     // of each thread
    int local_bytes = 0;   // of each thread: spilled registers and arrays the compiler can't place
    int shared_bytes = 0;  // of each block
    double occupancy = 0;  // threads resident on a multiprocessor over the most it can hold
};

// How a product is divided and why, for people and for models. Sizes are the kernel's, which may
// have swapped A and B. 0 means not divided that way; without mc nothing is packed.
struct plan_facts {
    std::string why;  // lines of text; empty where nothing is known
    std::int64_t rows = 0, cols = 0;
    std::int64_t mr = 0, nr = 0;          // sums in registers
    std::int64_t mc = 0, nc = 0, kc = 0;  // blocks of A are mc x kc, panels of B kc x nc
    int threads_m = 1, threads_n = 1;     // rectangles of C, one a thread
    bool keeps_c = false;                 // sums leave the nearest large cache once, complete
};

// A part of run() that can be timed separately: a conversion of operands, or the product itself.
struct stage {
    std::string_view name;
    std::function<void(const operands&)> run;
};

// A prepared product. run() contains only the product and may be called any number of times with
// different data; it never allocates what prepare could have.
class runnable {
  public:
    runnable() = default;
    runnable(const runnable&) = delete;
    runnable& operator=(const runnable&) = delete;
    virtual ~runnable() = default;

    virtual void run(const operands& data) = 0;

    // Announces operands that run() will be given, if something depends on their addresses.
    virtual void expect(const operands& /*data*/) {}

    // Announces that the B of these operands will not change until the next announcement: rows that
    // prepare B pack it now, untimed; others do nothing.
    virtual void take(const operands& /*data*/) {}

    // The stages of run() in order; the last one is "compute", which is everything if there are no
    // others.
    [[nodiscard]] virtual std::vector<stage> stages() {
        return {{"compute", [this](const operands& data) { run(data); }}};
    }

    // The number of threads that this product really uses, as far as it can be verified.
    [[nodiscard]] virtual int threads() const { return 1; }

    // A remark for readers of the figure about how this product is computed; usually empty.
    [[nodiscard]] virtual std::string note() const { return {}; }

    // How run() proceeds, as far as it is known.
    [[nodiscard]] virtual plan_facts planned() const { return {}; }

    // The kernels of carat that run() starts on a GPU, in order.
    [[nodiscard]] virtual std::vector<kernel_facts> kernels() const { return {}; }
};

struct implementation {
    std::string_view name;     // "cpu.ladder.tiled": module, family, technique
    std::string_view summary;  // one line for people
    device where = device::cpu;
    std::span<const signature> signatures;
    std::span<const tunable> tunables = {};
    bool threaded = false;  // uses settings.threads; otherwise always one thread

    // Why it cannot run on this machine at all; empty if it can. Null: it always can.
    std::string (*unavailable)() = nullptr;
    // Why it cannot run this problem with these settings; empty if it can. Null: it takes
    // everything its signatures allow.
    std::string (*unsupported)(const problem&, const settings&) = nullptr;
    // Does all work that is not the product itself. Only for supported problems.
    std::unique_ptr<runnable> (*prepare)(const problem&, const settings&) = nullptr;
    // Only for vendors' libraries that are available.
    library_facts (*library)() = nullptr;
    // The same two functions for operations of several products, each of which the two above allow.
    // Null: it takes one product at a time.
    std::string (*unsupported_operation)(const operation&, const settings&) = nullptr;
    std::unique_ptr<runnable> (*prepare_operation)(const operation&, const settings&) = nullptr;
    bool takes_prepared = false;      // these two take a product whose B is packed beforehand
    bool takes_groups = false;        // these two take lists and products of different rows
    bool takes_other_e = false;       // these two add a matrix other than C
    bool takes_block_scales = false;  // and these multiply by scales of blocks
};

// The signature that fits the problem's element types, or null.
[[nodiscard]] const signature* find_signature(const implementation& entry, const problem& p);

// Why an implementation with tunables `known` cannot take these values on any machine; empty if it
// can.
[[nodiscard]] std::string reason_against_tunables(std::span<const tunable> known,
                                                  const tunable_values& asked);

// Why `entry` cannot run `p` here, for any reason: machine, types, tunables or shape; empty if it
// can. Assumes valid sizes.
[[nodiscard]] std::string reason_against(const implementation& entry, const problem& p,
                                         const settings& s);

}  // namespace carat::core
