#include "lab/gpu/nvml.hpp"

#include <array>
#include <dlfcn.h>

namespace carat::gpu {

namespace {

// The library's binary interface, from its public reference: functions return 0 on success, a
// device is an opaque pointer, and clocks, sensors and fields are numbered.
using status = int;
using device = struct opaque*;
constexpr int clock_of_multiprocessors = 1;
constexpr int clock_of_memory = 2;
constexpr int sensor_of_the_chip = 0;

struct interface {
    status (*initialise)() = nullptr;
    const char* (*text)(status) = nullptr;
    status (*find)(const char*, device*) = nullptr;
    status (*clock)(device, int, unsigned*) = nullptr;
    status (*power_mw)(device, unsigned*) = nullptr;
    status (*power_limit_mw)(device, unsigned*) = nullptr;
    status (*energy_mj)(device, unsigned long long*) = nullptr;
    status (*temperature)(device, int, unsigned*) = nullptr;
    status (*throttle)(device, unsigned long long*) = nullptr;
    status (*driver)(char*, unsigned) = nullptr;
};

struct library {
    interface call;
    std::string problem;
};

library open_library() {
    library all;
    void* handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        all.problem = "NVML is not here (libnvidia-ml.so.1): it comes with the NVIDIA driver";
        return all;
    }
    const auto take = [&](auto& function, const char* symbol) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, symbol));
    };
    take(all.call.initialise, "nvmlInit_v2");
    take(all.call.text, "nvmlErrorString");
    take(all.call.find, "nvmlDeviceGetHandleByPciBusId_v2");
    take(all.call.clock, "nvmlDeviceGetClockInfo");
    take(all.call.power_mw, "nvmlDeviceGetPowerUsage");
    take(all.call.power_limit_mw, "nvmlDeviceGetEnforcedPowerLimit");
    take(all.call.energy_mj, "nvmlDeviceGetTotalEnergyConsumption");
    take(all.call.temperature, "nvmlDeviceGetTemperature");
    take(all.call.throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
    take(all.call.driver, "nvmlSystemGetDriverVersion");
    if (all.call.initialise == nullptr || all.call.find == nullptr)
        all.problem = "NVML is too old (libnvidia-ml.so.1 lacks nvmlInit_v2): update the driver";
    else if (const status s = all.call.initialise(); s != 0)
        all.problem = std::string("NVML does not start: ") +
                      (all.call.text != nullptr ? all.call.text(s) : std::to_string(s).c_str());
    return all;
}

// Opened by the first query and never closed.
const library& nvml() {
    static const library all = open_library();
    return all;
}

// What `function` writes through its last argument; empty if it is absent or fails.
template <class Value, class Function, class... Arguments>
std::optional<Value> ask(Function* function, Arguments... arguments) {
    Value value{};
    if (function == nullptr || function(arguments..., &value) != 0) return std::nullopt;
    return value;
}

template <class To, class From>
std::optional<To> scaled(std::optional<From> value, double factor) {
    if (!value) return std::nullopt;
    return static_cast<To>(static_cast<double>(*value) * factor);
}

}  // namespace

struct monitor::connection {
    device gpu = nullptr;
};

monitor::monitor(const std::string& pci_bus_id)
    : connection_(std::make_unique<connection>()), problem_(nvml().problem) {
    if (!problem_.empty()) return;
    const status s = nvml().call.find(pci_bus_id.c_str(), &connection_->gpu);
    if (s != 0) problem_ = "NVML knows no GPU at " + pci_bus_id;
}

monitor::monitor(monitor&&) noexcept = default;
monitor& monitor::operator=(monitor&&) noexcept = default;
monitor::~monitor() = default;

reading monitor::read() const {
    if (!problem_.empty()) return {};
    const interface& call = nvml().call;
    const device gpu = connection_->gpu;
    reading now;
    now.clock_mhz = scaled<int>(ask<unsigned>(call.clock, gpu, clock_of_multiprocessors), 1);
    now.memory_clock_mhz = scaled<int>(ask<unsigned>(call.clock, gpu, clock_of_memory), 1);
    now.power_w = scaled<double>(ask<unsigned>(call.power_mw, gpu), 1e-3);
    now.energy_j = energy_j();
    now.temperature_c = scaled<int>(ask<unsigned>(call.temperature, gpu, sensor_of_the_chip), 1);
    now.throttle_reasons = ask<unsigned long long>(call.throttle, gpu);
    return now;
}

std::optional<double> monitor::energy_j() const {
    if (!problem_.empty()) return std::nullopt;
    return scaled<double>(ask<unsigned long long>(nvml().call.energy_mj, connection_->gpu), 1e-3);
}

std::string monitor::driver_version() const {
    std::array<char, 96> text{};
    if (!nvml().problem.empty() || nvml().call.driver == nullptr ||
        nvml().call.driver(text.data(), static_cast<unsigned>(text.size())) != 0)
        return {};
    return text.data();
}

std::optional<double> monitor::power_limit_w() const {
    if (!problem_.empty()) return std::nullopt;
    return scaled<double>(ask<unsigned>(nvml().call.power_limit_mw, connection_->gpu), 1e-3);
}

std::vector<std::string> throttle_names(std::uint64_t bits) {
    static constexpr std::pair<std::uint64_t, const char*> reasons[] = {
        {0x04, "sw_power_cap"},        {0x08, "hw_slowdown"},
        {0x10, "sync_boost"},          {0x20, "sw_thermal_slowdown"},
        {0x40, "hw_thermal_slowdown"}, {0x80, "hw_power_brake_slowdown"}};
    std::vector<std::string> names;
    for (const auto& [bit, name] : reasons)
        if ((bits & bit) != 0) names.emplace_back(name);
    return names;
}

}  // namespace carat::gpu
