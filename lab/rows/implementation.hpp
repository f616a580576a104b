// A catalogue entry: one way to multiply matrices, everything a caller may ask about it, and how to
// get it ready. `carat list`, sessions, tests and benchmarks all read these rows; there is no
// second list. A row is constant data with function pointers, so it costs nothing until asked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts.hpp"
#include "core/problem.hpp"
#include "core/signature.hpp"
#include "core/tunable.hpp"

namespace carat::rows {

struct operation;  // operation.hpp

enum class device : std::uint8_t { cpu, cuda };

[[nodiscard]] constexpr std::string_view name(device d) {
    return d == device::cpu ? "cpu" : "cuda";
}

// What a vendor library says of itself once loaded. `kernel` is the code path it chose, where it
// tells; `note` warns where the choice looks wrong or cannot be changed.
struct library_facts {
    std::string name;
    std::string version;
    std::string path;
    std::string kernel;
    std::string note;
};

// A part of run() that can be timed apart: a conversion of the operands, or the product itself.
struct stage {
    std::string_view name;
    std::function<void(const core::operands&)> run;
};

// A product made ready. run() contains nothing but the product and may be called any number of
// times with different data of the prepared problem; it never allocates what prepare could have.
class runnable {
  public:
    runnable() = default;
    runnable(const runnable&) = delete;
    runnable& operator=(const runnable&) = delete;
    virtual ~runnable() = default;

    virtual void run(const core::operands& data) = 0;

    // Told of operands that run() will be given, where something depends on their places.
    virtual void expect(const core::operands& /*data*/) {}

    // The B of these operands stays as it is until it is told of again: where B is prepared, it is
    // packed now. Not timed; others do nothing.
    virtual void take(const core::operands& /*data*/) {}

    // What run() does, in its order; the last stage is "compute". All of it, where nothing is
    // apart.
    [[nodiscard]] virtual std::vector<stage> stages() {
        return {{"compute", [this](const core::operands& data) { run(data); }}};
    }

    // Threads this product really uses, as far as it can be verified.
    [[nodiscard]] virtual int threads() const { return 1; }

    // What a reader of the figure should know of how this product is done; usually nothing.
    [[nodiscard]] virtual std::string note() const { return {}; }

    // How run() goes about it, as far as it is known.
    [[nodiscard]] virtual core::plan_facts planned() const { return {}; }

    // On a GPU: the kernels of our own that run() starts, in their order.
    [[nodiscard]] virtual std::vector<core::kernel_facts> kernels() const { return {}; }
};

struct implementation {
    std::string_view name;     // "cpu.ladder.tiled": module, family, technique
    std::string_view summary;  // one line for people
    device where = device::cpu;
    std::span<const core::signature> signatures;
    std::span<const core::tunable> tunables = {};
    bool threaded = false;  // uses settings.threads; otherwise always one thread

    // Why it can't run on this machine at all; empty when it can. Null: it always can.
    std::string (*unavailable)() = nullptr;
    // Why it can't run this problem with these settings; empty when it can. Null: it takes
    // everything its signatures allow.
    std::string (*unsupported)(const core::problem&, const core::settings&) = nullptr;
    // Does all work that is not the product itself. Only for problems it supports.
    std::unique_ptr<runnable> (*prepare)(const core::problem&, const core::settings&) = nullptr;
    // Vendors only, and only when available.
    library_facts (*library)() = nullptr;
    // The same two of what is more than one product, of which the two above allow each. Null: it
    // takes one product at a time.
    std::string (*unsupported_operation)(const operation&, const core::settings&) = nullptr;
    std::unique_ptr<runnable> (*prepare_operation)(const operation&,
                                                   const core::settings&) = nullptr;
    bool takes_prepared = false;      // these two take a product whose B is packed beforehand
    bool takes_groups = false;        // these two take lists and products of different rows
    bool takes_other_e = false;       // these two add a matrix other than C
    bool takes_block_scales = false;  // and these multiply by scales of blocks
};

// The signature that fits the problem's element types, or null.
[[nodiscard]] const core::signature* find_signature(const implementation& entry,
                                                    const core::problem& p);

// Why `entry` can't run `p` here, for any reason: machine, types, tunables or shape; empty when it
// can. Sizes are assumed valid.
[[nodiscard]] std::string reason_against(const implementation& entry, const core::problem& p,
                                         const core::settings& s);

}  // namespace carat::rows
