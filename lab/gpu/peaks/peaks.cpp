#include "lab/gpu/peaks/peaks.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include <carat/error.hpp>

#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "lab/gpu/peaks/units.hpp"
#include "lab/machine/rounds.hpp"
#include "lab/space/cuda/device_space.hpp"

namespace carat::gpu {

namespace {

using machine::repeated;

// Selects a device for the duration of a scope.
class borrowed {
  public:
    explicit borrowed(int device) : before_(cuda::device_in_use()) { cuda::select_device(device); }
    borrowed(const borrowed&) = delete;
    borrowed& operator=(const borrowed&) = delete;
    ~borrowed() {
        // If the previous device was never usable, there is nothing to restore.
        if (cuda::unavailable(before_).empty()) cuda::select_device(before_);
    }

  private:
    int before_;
};

// `start` starts the repetitions on the stream in use.
repeated item(space::execution_space& space, double amount,
              std::function<void(std::int64_t)> start) {
    return {amount, [&space, start = std::move(start)](std::int64_t repetitions) {
                const double time_s = space.time_s([&] { start(repetitions); });
                return machine::shared_time{time_s, time_s};
            }};
}

repeated unit_item(const unit_kernel& unit, loaded_unit operands, int multiprocessors,
                   space::execution_space& space) {
    const auto blocks = static_cast<unsigned>(unit.blocks_each * multiprocessors);
    auto loaded = std::make_shared<loaded_unit>(std::move(operands));
    return item(space, operations_per_step(unit) * blocks,
                [=](std::int64_t steps) { loaded->start(steps, blocks); });
}

bool on_tensor_cores(const unit_kernel& unit) {
    return unit.form == arithmetic::product;
}

struct release_pinned {
    void operator()(void* memory) const noexcept { cudaFreeHost(memory); }
};
using pinned_memory = std::unique_ptr<void, release_pinned>;

pinned_memory pinned(std::size_t size_bytes) {
    void* memory = nullptr;
    CARAT_CUDA_CHECK(cudaMallocHost(&memory, size_bytes));
    return pinned_memory(memory);
}

// What bandwidth is measured on: random words on the host, pinned, and the same over and over in
// the GPU's memory, far more than its caches hold.
class traffic {
  public:
    traffic(space::execution_space& space, const cuda::device_facts& facts)
        : space_(space),
          facts_(facts),
          host_(pinned(block_bytes)),
          blocks_(std::clamp<std::size_t>(space.available_bytes() / 4 / block_bytes, 2, 32)),
          device_(space, blocks_ * block_bytes),
          combined_(space, sizeof(std::uint32_t)) {
        constexpr std::int64_t words = block_bytes / 4;
        workload::fill(host_.get(), dtype::i32, 1, words, core::row_major(words),
                       workload::integers(-2147483647, 2147483647), 1, workload::operand::a);
        for (std::size_t i = 0; i < blocks_; ++i) space.upload(at(i), host_.get(), block_bytes);
    }

    // Verified like the units: the reader must have read every word.
    [[nodiscard]] bool reads_right() {
        std::uint32_t expected = 0;
        const auto* words = static_cast<const std::uint32_t*>(host_.get());
        for (std::size_t i = 0; i < block_bytes / 4; ++i) expected ^= words[i];
        std::uint32_t seen = 0;
        space_.upload(combined_.data(), &seen, sizeof seen);
        read(block_bytes, 1);
        space_.download(&seen, combined_.data(), sizeof seen);
        return seen == expected;
    }

    struct level {
        const char* name;
        std::size_t working_set_bytes;
        repeated rounds;
    };
    [[nodiscard]] std::vector<level> levels() {
        const std::size_t cached = facts_.l2_bytes / 4 / 4096 * 4096;
        const std::size_t all = blocks_ * block_bytes;
        const std::size_t half = blocks_ / 2 * block_bytes;
        std::vector<level> found;
        const auto add = [&](const char* name, std::size_t bytes, std::size_t moved,
                             std::function<void(std::int64_t)> start) {
            found.push_back(
                {name, bytes, item(space_, static_cast<double>(moved), std::move(start))});
        };
        if (reads_right()) {
            if (cached > 0)
                add("L2", cached, cached, [=, this](std::int64_t times) { read(cached, times); });
            add("HBM", all, all, [=, this](std::int64_t times) { read(all, times); });
        }
        add("HBM copy", all, 2 * half, [=, this](std::int64_t times) {
            repeat_copy(at(blocks_ - blocks_ / 2), at(0), half, cudaMemcpyDeviceToDevice, times);
        });
        add("PCIe to GPU", block_bytes, block_bytes, [this](std::int64_t times) {
            repeat_copy(at(0), host_.get(), block_bytes, cudaMemcpyHostToDevice, times);
        });
        add("PCIe from GPU", block_bytes, block_bytes, [this](std::int64_t times) {
            repeat_copy(host_.get(), at(0), block_bytes, cudaMemcpyDeviceToHost, times);
        });
        return found;
    }

  private:
    static constexpr std::size_t block_bytes = std::size_t{64} << 20;

    [[nodiscard]] std::byte* at(std::size_t block) const {
        return static_cast<std::byte*>(device_.data()) + block * block_bytes;
    }

    void read(std::size_t bytes, std::int64_t times) const {
        start_reading(device_.data(), static_cast<std::int64_t>(bytes / 16),
                      static_cast<int>(times), static_cast<std::uint32_t*>(combined_.data()),
                      static_cast<unsigned>(facts_.multiprocessors * 4), cuda::stream_in_use());
        CARAT_CUDA_CHECK(cudaGetLastError());
    }

    static void repeat_copy(void* target, const void* source, std::size_t bytes,
                            cudaMemcpyKind kind, std::int64_t times) {
        for (std::int64_t i = 0; i < times; ++i)
            CARAT_CUDA_CHECK(cudaMemcpyAsync(target, source, bytes, kind, cuda::stream_in_use()));
    }

    space::execution_space& space_;
    cuda::device_facts facts_;
    pinned_memory host_;
    std::size_t blocks_;
    space::buffer device_;
    space::buffer combined_;
};

constexpr const char* all_levels[] = {"L2", "HBM", "HBM copy", "PCIe to GPU", "PCIe from GPU"};

}  // namespace

machine::peaks measure_peaks(int device, const machine::measure_options& options) {
    const borrowed in_use(device);
    const auto begin = std::chrono::steady_clock::now();
    const cuda::device_facts facts = cuda::describe(device);
    space::execution_space& space = space::cuda::device_space(device);
    const std::vector<unit_kernel> units = working_units(facts.compute_capability, space);
    traffic memory(space, facts);
    std::vector<traffic::level> levels = memory.levels();

    std::vector<repeated> items;
    const auto add = [&](const unit_kernel& unit, loaded_unit operands) {
        items.push_back(unit_item(unit, std::move(operands), facts.multiprocessors, space));
    };
    for (const unit_kernel& unit : units) {
        add(unit, loaded_with_random_data(unit, space));
        if (on_tensor_cores(unit)) add(unit, loaded_with_ones(unit, space));
    }
    for (traffic::level& one : levels) items.push_back(std::move(one.rounds));
    // A launch and a grid's last blocks take microseconds: 1 % of 1 ms.
    machine::measure_options how = options;
    if (how.round_s == 0) how.round_s = options.thorough ? 0.006 : 0.003;
    const double budget_s = options.budget_s > 0 ? options.budget_s : options.thorough ? 8 : 2;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    measure_in_rounds(items, budget_s - spent.count(), how);

    machine::peaks found;
    auto one = items.begin();
    for (const unit_kernel& unit : units) {
        found.compute.push_back(
            {unit.unit, unit.operand, {}, 1, one->best() * 1e-9, one->spread(), one->rounds()});
        ++one;
        if (on_tensor_cores(unit))
            found.compute.back().constant_input_gflops = (one++)->best() * 1e-9;
    }
    for (const traffic::level& level : levels) {
        found.bandwidth.push_back({level.name, 1, one->best() * 1e-9, one->spread(), one->rounds(),
                                   static_cast<std::int64_t>(level.working_set_bytes)});
        ++one;
    }
    return stamped(std::move(found), options);
}

bool complete(const machine::peaks& limits, int device) {
    const borrowed in_use(device);
    const auto units =
        working_units(cuda::describe(device).compute_capability, space::cuda::device_space(device));
    return std::ranges::all_of(units,
                               [&](const unit_kernel& unit) {
                                   return std::ranges::count(limits.compute, unit.unit,
                                                             &machine::compute_peak::unit) == 1;
                               }) &&
           std::ranges::all_of(all_levels, [&](const char* name) {
               return std::ranges::count(limits.bandwidth, name, &machine::bandwidth_peak::level) ==
                      1;
           });
}

void end_context(int device) {
    cudaSetDevice(device);
    cudaDeviceReset();
}

}  // namespace carat::gpu
