// A catalogue entry: one way to multiply matrices, its properties, and how to prepare it.
// `carat list`, sessions, tests and benchmarks all read these rows; there is no second list. A row
// is constant data with function pointers, so it costs nothing until it is used.
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

// What a vendor's library reports once loaded. `kernel` is the code path it chose, if it tells;
// `note` warns if the choice looks wrong or cannot be changed.
struct library_facts {
    std::string name;
    std::string version;
    std::string path;
    std::string kernel;
    std::string note;
};

// A part of run() that can be timed separately: a conversion of operands, or the product itself.
struct stage {
    std::string_view name;
    std::function<void(const core::operands&)> run;
};

// A prepared product. run() contains only the product and may be called any number of times with
// different data; it never allocates what prepare could have.
class runnable {
  public:
    runnable() = default;
    runnable(const runnable&) = delete;
    runnable& operator=(const runnable&) = delete;
    virtual ~runnable() = default;

    virtual void run(const core::operands& data) = 0;

    // Announces operands that run() will be given, if something depends on their addresses.
    virtual void expect(const core::operands& /*data*/) {}

    // Announces that the B of these operands will not change until the next announcement: rows that
    // prepare B pack it now, untimed; others do nothing.
    virtual void take(const core::operands& /*data*/) {}

    // The stages of run() in order; the last one is "compute", which is everything if there are no
    // others.
    [[nodiscard]] virtual std::vector<stage> stages() {
        return {{"compute", [this](const core::operands& data) { run(data); }}};
    }

    // The number of threads that this product really uses, as far as it can be verified.
    [[nodiscard]] virtual int threads() const { return 1; }

    // A remark for readers of the figure about how this product is computed; usually empty.
    [[nodiscard]] virtual std::string note() const { return {}; }

    // How run() proceeds, as far as it is known.
    [[nodiscard]] virtual core::plan_facts planned() const { return {}; }

    // The kernels of carat that run() starts on a GPU, in order.
    [[nodiscard]] virtual std::vector<core::kernel_facts> kernels() const { return {}; }
};

struct implementation {
    std::string_view name;     // "cpu.ladder.tiled": module, family, technique
    std::string_view summary;  // one line for people
    device where = device::cpu;
    std::span<const core::signature> signatures;
    std::span<const core::tunable> tunables = {};
    bool threaded = false;  // uses settings.threads; otherwise always one thread

    // Why it cannot run on this machine at all; empty if it can. Null: it always can.
    std::string (*unavailable)() = nullptr;
    // Why it cannot run this problem with these settings; empty if it can. Null: it takes
    // everything its signatures allow.
    std::string (*unsupported)(const core::problem&, const core::settings&) = nullptr;
    // Does all work that is not the product itself. Only for supported problems.
    std::unique_ptr<runnable> (*prepare)(const core::problem&, const core::settings&) = nullptr;
    // Only for vendors' libraries that are available.
    library_facts (*library)() = nullptr;
    // The same two functions for operations of several products, each of which the two above allow.
    // Null: it takes one product at a time.
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

// Why an implementation with tunables `known` cannot take these values on any machine; empty if it
// Why `entry` cannot run `p` here, for any reason: machine, types, tunables or shape; empty if it
// can. Assumes valid sizes.
[[nodiscard]] std::string reason_against(const implementation& entry, const core::problem& p,
                                         const core::settings& s);

}  // namespace carat::rows
