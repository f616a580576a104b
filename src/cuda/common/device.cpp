#include "cuda/common/device.hpp"

#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>

#include <carat/error.hpp>

#include "cuda/common/error.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/common/probe.hpp"
#include "cuda/common/scope.hpp"

namespace carat::cuda {

namespace {

std::string dotted(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// No GPU can be used at all: why.
std::string no_gpu(cudaError_t status) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    if (driver == 0)
        return "no NVIDIA driver is installed (libcuda.so.1 was not found): install one for CUDA " +
               dotted(CUDART_VERSION) + " or newer";
    if (status == cudaErrorInsufficientDriver)
        return "the NVIDIA driver knows CUDA " + dotted(driver) + " and this build needs " +
               dotted(CUDART_VERSION) + ": update the driver";
    if (status == cudaSuccess || status == cudaErrorNoDevice) {
        const bool hidden = std::getenv("CUDA_VISIBLE_DEVICES") != nullptr;
        return std::string("the NVIDIA driver offers no GPU") +
               (hidden ? ": CUDA_VISIBLE_DEVICES is set, does it hide it?"
                       : ": is one installed, and passed through to this machine?");
    }
    return std::string("the NVIDIA driver does not answer: ") + cudaGetErrorString(status) + " (" +
           cudaGetErrorName(status) + ")";
}

std::string numbered(const std::string& text, int count) {
    return std::to_string(count) + " " + text + (count == 1 ? "" : "s");
}

int attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    CARAT_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

// The driver takes a while to answer.
device_facts facts_of(int device) {
    cudaDeviceProp p{};
    CARAT_CUDA_CHECK(cudaGetDeviceProperties(&p, device));
    std::array<char, 32> bus{};
    CARAT_CUDA_CHECK(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), device));
    device_facts facts;
    facts.name = p.name;
    facts.pci_bus_id = bus.data();
    facts.compute_capability = p.major * 10 + p.minor;
    facts.multiprocessors = p.multiProcessorCount;
    facts.clock_mhz = attribute(cudaDevAttrClockRate, device) / 1000;
    facts.memory_clock_mhz = attribute(cudaDevAttrMemoryClockRate, device) / 1000;
    // Kilohertz, both edges of the clock.
    facts.memory_bytes_per_s = 2e3 * attribute(cudaDevAttrMemoryClockRate, device) *
                               attribute(cudaDevAttrGlobalMemoryBusWidth, device) / 8;
    facts.memory_bytes = p.totalGlobalMem;
    facts.l2_bytes = static_cast<std::size_t>(p.l2CacheSize);
    facts.shared_bytes_per_multiprocessor = p.sharedMemPerMultiprocessor;
    facts.shared_bytes_per_block = p.sharedMemPerBlockOptin;
    facts.registers_per_multiprocessor = p.regsPerMultiprocessor;
    facts.threads_per_multiprocessor = p.maxThreadsPerMultiProcessor;
    CARAT_CUDA_CHECK(cudaDriverGetVersion(&facts.driver_version));
    CARAT_CUDA_CHECK(cudaRuntimeGetVersion(&facts.runtime_version));
    return facts;
}

std::string find_reason(int device) {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    cudaGetLastError();
    if (status != cudaSuccess || count == 0) return no_gpu(status);
    if (device < 0 || device >= count)
        return "there is no GPU " + std::to_string(device) + ": this machine has " +
               numbered("GPU", count) + ", numbered from 0";
    cudaDeviceProp facts{};
    if (const cudaError_t s = cudaGetDeviceProperties(&facts, device); s != cudaSuccess)
        return "GPU " + std::to_string(device) + " does not answer: " + cudaGetErrorString(s);
    const std::string named = "GPU " + std::to_string(device) + " (" + facts.name + ")";
    if (attribute(cudaDevAttrComputeMode, device) == cudaComputeModeProhibited)
        return named + " is in prohibited compute mode: nvidia-smi -c 0 lifts it";
    int before = device;
    cudaGetDevice(&before);
    if (cudaSetDevice(device) != cudaSuccess) return named + " can't be used: it is busy or broken";
    find_room_for_code(device);
    const cudaError_t code = load_probe();
    cudaGetLastError();
    if (code != cudaSuccess) cudaSetDevice(before);
    if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction) {
        const std::string own = std::to_string(facts.major) + "." + std::to_string(facts.minor);
        return "this build has kernels for compute capability " CARAT_CUDA_CODE " and " + named +
               " has " + own + ": configure with -DCARAT_GPUS=native";
    }
    if (code != cudaSuccess) return named + " can't be used: " + cudaGetErrorString(code);
    return {};
}

int asked_by_environment() {
    const char* text = std::getenv("CARAT_CUDA_DEVICE");
    if (text == nullptr || *text == '\0') return 0;
    const std::string_view digits(text);
    int device = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), device);
    if (problem != std::errc() || end != digits.data() + digits.size())
        throw error(error_code::invalid_argument, "CARAT_CUDA_DEVICE=" + std::string(digits) +
                                                      ": give the number of a GPU, from 0");
    return device;
}

std::atomic<int>& in_use() {
    static std::atomic<int> device = asked_by_environment();
    return device;
}

// Throws carat::error(out_of_memory), and nothing is known then.
std::string known_reason(int device) {
    static std::mutex guard;
    static std::map<int, std::string> known;
    const std::scoped_lock lock(guard);
    const auto found = known.find(device);
    return found != known.end() ? found->second
                                : known.emplace(device, find_reason(device)).first->second;
}

}  // namespace

int device_count() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    cudaGetLastError();
    return status == cudaSuccess ? count : 0;
}

std::string unavailable(int device) {
    try {
        return known_reason(device);
    } catch (const error& no_memory) {
        return no_memory.what();
    }
}

void require(int device) {
    if (const std::string why = known_reason(device); !why.empty())
        throw error(error_code::unsupported, why);
}

int device_in_use() {
    if (const call_scope* call = call_scope::innermost()) return call->device();
    return in_use();
}

std::string unavailable_in_use() {
    return unavailable(device_in_use());
}

void select_device(int device) {
    require(device);
    CARAT_CUDA_CHECK(cudaSetDevice(device));
    in_use() = device;
}

device_facts describe(int device) {
    require(device);
    static std::mutex guard;
    static std::map<int, device_facts> known;
    const std::scoped_lock lock(guard);
    const auto found = known.find(device);
    return found != known.end() ? found->second
                                : known.emplace(device, facts_of(device)).first->second;
}

}  // namespace carat::cuda
