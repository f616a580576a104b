// A network layer on a GPU, y = gelu(x W + b), in the program's memory and on its stream. If there
// is no GPU that carat has kernels for, it says why.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <span>
#include <vector>

#include <carat/carat.hpp>

namespace {

template <class T>
T* on_gpu(std::size_t count, double value) {
    T* memory = nullptr;
    if (const cudaError_t status = cudaMalloc(&memory, count * sizeof(T)); status != cudaSuccess) {
        std::printf("no memory on a GPU: %s\n", cudaGetErrorString(status));
        std::exit(0);
    }
    const std::vector<T> values(count, T(value));
    cudaMemcpy(memory, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    return memory;
}

}  // namespace

int main() {
    constexpr std::size_t rows = 16, in = 4096, out = 1024;
    const carat::matrix_view x(on_gpu<carat::bf16>(rows * in, 0.5), rows, in);
    const carat::matrix_view w(on_gpu<carat::bf16>(in * out, 0.25), in, out);
    const carat::matrix_view y(on_gpu<carat::bf16>(rows * out, 0), rows, out);
    const std::span<const float> b(on_gpu<float>(out, -500), out);
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    try {
        carat::matrix_product(carat::cuda{stream}, x, w, y, carat::bias(b) | carat::gelu);
    } catch (const carat::error& why) {
        std::printf("%s\n", why.what());
        return 0;
    }
    cudaStreamSynchronize(stream);
    carat::bf16 first;
    cudaMemcpy(&first, y.data(), sizeof(first), cudaMemcpyDeviceToHost);
    std::printf("%g\n", static_cast<double>(first));  // gelu(4096 / 8 - 500) = 12
}
