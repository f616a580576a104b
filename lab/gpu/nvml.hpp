// What NVIDIA's management library tells of a GPU while it works: clocks, power, energy,
// temperature and why the clocks are held back. It comes with the driver and is opened at run time;
// its header is not part of the toolkit, so the few functions used are declared in nvml.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carat::gpu {

/// One reading of a GPU. What the library does not tell is empty.
struct reading {
    std::optional<int> clock_mhz;  // of the multiprocessors
    std::optional<int> memory_clock_mhz;
    std::optional<double> power_w;
    std::optional<double> energy_j;  // since the driver was loaded
    std::optional<int> temperature_c;
    std::optional<std::uint64_t> throttle_reasons;  // bits, see throttle_names()
};

/// The reasons among `bits` that cost speed, by NVIDIA's names: "sw_power_cap", "hw_slowdown" ...
/// An idle GPU and application clocks are not among them.
[[nodiscard]] std::vector<std::string> throttle_names(std::uint64_t bits);

/// A connection to one GPU.
class monitor {
  public:
    /// `pci_bus_id` as in cuda::device_facts. Never fails: see problem().
    explicit monitor(const std::string& pci_bus_id);
    monitor(monitor&&) noexcept;
    monitor& operator=(monitor&&) noexcept;
    ~monitor();

    /// Why nothing can be read, in one line; empty if it can.
    [[nodiscard]] const std::string& problem() const { return problem_; }

    /// Empty if there is a problem.
    [[nodiscard]] reading read() const;

    /// read().energy_j alone, which takes a sixth of the time.
    [[nodiscard]] std::optional<double> energy_j() const;

    /// The driver's own version, "580.159.03"; empty when unknown.
    [[nodiscard]] std::string driver_version() const;

    /// The GPU's power limit in watts.
    [[nodiscard]] std::optional<double> power_limit_w() const;

  private:
    struct connection;
    std::unique_ptr<connection> connection_;
    std::string problem_;
};

}  // namespace carat::gpu
