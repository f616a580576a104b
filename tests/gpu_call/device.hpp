// What the tests of the call on a GPU share: matrices with a copy on either side and canaries
// around them, streams, and the reason to skip.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <carat/carat.hpp>

#include "tests/support/refusal.hpp"
#include "tests/support/whole.hpp"

namespace carat::test {

inline void must(cudaError_t status, const char* what) {
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

// The GPU's, or what CARAT_TEST_CAPABILITY says: that of the library's code where it is older.
inline int compute_capability() {
    if (const char* said = std::getenv("CARAT_TEST_CAPABILITY")) {
        const int number = std::atoi(said);
        if (number > 0) return number;
        throw std::runtime_error("CARAT_TEST_CAPABILITY=" + std::string(said) +
                                 ": not a compute capability; use a number such as 75");
    }
    int major = 0;
    int minor = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
    return 10 * major + minor;
}

// Why no test here can run; empty where they can.
inline std::string reason_to_skip() {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0)
        return "no GPU test can run: no GPU answers";
    if (compute_capability() >= 75) return {};
    return "no GPU test can run: the engine begins at compute capability 7.5";
}

// Ends the test in progress, as skipped, on GPUs older than `first`. Not for other threads.
inline void skip_before(int first, const char* what) {
    static const int here = compute_capability();
    if (here >= first) return;
    GTEST_MESSAGE_(what, testing::TestPartResult::kSkip)
        << " begins at compute capability " << first / 10 << '.' << first % 10;
    throw testing::AssertionException(
        testing::TestPartResult(testing::TestPartResult::kSkip, __FILE__, __LINE__, what));
}
inline void skip_without(dtype type) {
    if (type == dtype::bf16) skip_before(80, "bf16");
    if (is_fp8(type)) skip_before(89, "fp8");
}
inline void skip_without(f32_as how) {
    if (how != f32_as::f32) skip_before(80, "f32 on tensor cores");
}

class gpu_test : public testing::Test {
  protected:
    void SetUp() override {
        if (const std::string why = reason_to_skip(); !why.empty()) GTEST_SKIP() << why;
    }
    // Whether the GPU reads all of the host's memory, so that none is refused.
    static bool reads_host_memory() {
        int reads_all = 0;
        must(cudaDeviceGetAttribute(&reads_all, cudaDevAttrPageableMemoryAccess, 0), "attribute");
        return reads_all != 0;
    }
};

struct stream_destroy {
    void operator()(cudaStream_t s) const noexcept { cudaStreamDestroy(s); }
};
using stream = std::unique_ptr<CUstream_st, stream_destroy>;

inline stream make_stream() {
    cudaStream_t made = nullptr;
    must(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreate");
    return stream(made);
}

// What `work` starts on a stream, captured to be launched any number of times.
class graph {
  public:
    template <class Work>
    explicit graph(const Work& work) {
        const stream capturing = make_stream();
        must(cudaStreamBeginCapture(capturing.get(), cudaStreamCaptureModeGlobal), "capture");
        work(cuda{.stream = capturing.get()});
        must(cudaStreamEndCapture(capturing.get(), &all_), "capture");
    }
    graph(const graph&) = delete;
    graph& operator=(const graph&) = delete;
    ~graph() {
        if (ready_ != nullptr) cudaGraphExecDestroy(ready_);
        cudaGraphDestroy(all_);
    }
    void launch(cudaStream_t on) {
        if (ready_ == nullptr) must(cudaGraphInstantiate(&ready_, all_, 0), "instantiate");
        must(cudaGraphLaunch(ready_, on), "replay");
    }
    [[nodiscard]] cudaGraph_t get() const { return all_; }

  private:
    cudaGraph_t all_ = nullptr;
    cudaGraphExec_t ready_ = nullptr;
};

struct device_free {
    void operator()(void* memory) const noexcept { cudaFree(memory); }
};
using device_memory = std::unique_ptr<void, device_free>;

// The host learns that a copy is done once it is staged; non-default streams do not wait for it.
inline void copy_there(void* to, const void* from, std::size_t bytes) {
    must(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "upload");
    must(cudaDeviceSynchronize(), "upload");
}

inline device_memory on_device(const void* from, std::size_t bytes) {
    void* memory = nullptr;
    must(cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)), "cudaMalloc");
    device_memory owned(memory);
    if (from != nullptr) copy_there(memory, from, bytes);
    return owned;
}

struct strides {
    std::ptrdiff_t row;
    std::ptrdiff_t col;
};

// A matrix on the GPU and its elements here, poison in every place around them.
template <class T>
class mirrored {
  public:
    static constexpr std::size_t margin = 128;

    mirrored(std::size_t rows, std::size_t cols, strides at, std::size_t offset = 0)
        : rows_(rows), cols_(cols), at_(at) {
        skip_without(dtype_of_v<T>);
        const auto reach = [](std::size_t count, std::ptrdiff_t step) {
            return count == 0 ? 0 : static_cast<std::ptrdiff_t>(count - 1) * step;
        };
        const std::ptrdiff_t down = reach(rows, at.row);
        const std::ptrdiff_t right = reach(cols, at.col);
        const auto low = std::min<std::ptrdiff_t>(down, 0) + std::min<std::ptrdiff_t>(right, 0);
        const auto high = std::max<std::ptrdiff_t>(down, 0) + std::max<std::ptrdiff_t>(right, 0);
        first_ = margin + offset + static_cast<std::size_t>(-low);
        elements_.assign(first_ + static_cast<std::size_t>(high) + 1 + margin, poison());
        memory_ = on_device(nullptr, elements_.size() * sizeof(T));
    }

    // The elements here.
    [[nodiscard]] matrix_view<T> host() {
        return {elements_.data() + first_, rows_, cols_, at_.row, at_.col};
    }
    [[nodiscard]] T& here(std::size_t i, std::size_t j) { return host()(i, j); }
    template <class F>
    mirrored& fill(const F& value) {
        for (std::size_t i = 0; i < rows_; ++i)
            for (std::size_t j = 0; j < cols_; ++j) here(i, j) = T(value(i, j));
        return upload();
    }
    mirrored& fill_random(unsigned operand) {
        return fill([&](std::size_t i, std::size_t j) { return random(operand, i, j); });
    }
    mirrored& fill_whole(unsigned operand) {
        return fill([&](std::size_t i, std::size_t j) { return whole(operand, i, j); });
    }
    mirrored& upload() {
        copy_there(memory_.get(), elements_.data(), elements_.size() * sizeof(T));
        return *this;
    }
    // Every place, in the same memory.
    mirrored& fill_poison() {
        std::ranges::fill(elements_, poison());
        return upload();
    }
    // Waits for all work on the GPU.
    mirrored& download() {
        must(cudaDeviceSynchronize(), "the work on the GPU");
        must(cudaMemcpy(elements_.data(), memory_.get(), elements_.size() * sizeof(T),
                        cudaMemcpyDeviceToHost),
             "download");
        return *this;
    }
    [[nodiscard]] matrix_view<T> view() const {
        return {static_cast<T*>(memory_.get()) + first_, rows_, cols_, at_.row, at_.col};
    }
    [[nodiscard]] const std::vector<T>& elements() const { return elements_; }
    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] std::size_t cols() const { return cols_; }

    // Every place that is no element still holds poison.
    [[nodiscard]] bool is_whole_around() {
        std::vector<T> rest = elements_;
        std::swap(rest, elements_);
        for (std::size_t i = 0; i < rows_; ++i)
            for (std::size_t j = 0; j < cols_; ++j) here(i, j) = poison();
        std::swap(rest, elements_);
        return std::ranges::all_of(rest, [](const T& x) {
            const T expected = poison();
            return std::memcmp(&x, &expected, sizeof(T)) == 0;
        });
    }

  private:
    static T poison() {
        if constexpr (std::is_integral_v<T>)
            return T{113};
        else
            return T(std::numeric_limits<double>::quiet_NaN());
    }

    std::size_t rows_;
    std::size_t cols_;
    strides at_;
    std::size_t first_ = 0;
    std::vector<T> elements_;
    device_memory memory_;
};

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
}

template <class I, class O>
struct types {
    using in = I;
    using out = O;
};

}  // namespace carat::test
