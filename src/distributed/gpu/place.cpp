#include "distributed/gpu/place.hpp"

#include <string>
#include <utility>

#include <carat/error.hpp>
#include <carat/product.hpp>

#include "distributed/gpu/sums.hpp"

namespace carat::distributed::gpu {

namespace {

device_pointer address(const block& b) {
    return reinterpret_cast<device_pointer>(b.data);
}

}  // namespace

void* gpu_place::allocate(std::size_t bytes) {
    device_pointer found = 0;
    const status result = driver().allocate(&found, bytes);
    if (result != 0) check(result, ("cuMemAlloc of " + std::to_string(bytes) + " bytes").c_str());
    return reinterpret_cast<void*>(found);
}

// The driver waits for work that uses the memory.
void gpu_place::release(void* memory) noexcept {
    driver().set_context(context_);
    driver().release(reinterpret_cast<device_pointer>(memory));
}

void gpu_place::copy(const block& to, const block& from) {
    const std::size_t bytes = size_bytes(to.type);
    block x = to, y = from;
    const auto turn = [](block& b) {
        std::swap(b.rows, b.cols);
        std::swap(b.row_stride, b.col_stride);
    };
    if ((x.col_stride != 1 && x.cols > 1) || (y.col_stride != 1 && y.cols > 1)) {
        turn(x);
        turn(y);
    }
    if ((x.col_stride != 1 && x.cols > 1) || (y.col_stride != 1 && y.cols > 1))
        throw error(error_code::unsupported,
                    "distributed product: on GPUs the local matrices of an operand must all be by "
                    "rows or all by columns");
    if (x.rows == 0 || x.cols == 0) return;
    copy_2d what;
    what.src = address(y);
    what.dst = address(x);
    what.width = x.cols * bytes;
    what.height = x.rows;
    // The pitch of a single line is not used, but must not be less than the line.
    what.src_pitch = x.rows == 1 ? what.width : static_cast<std::size_t>(y.row_stride) * bytes;
    what.dst_pitch = x.rows == 1 ? what.width : static_cast<std::size_t>(x.row_stride) * bytes;
    check(driver().copy_2d_async(&what, stream_), "cuMemcpy2DAsync");
}

void gpu_place::multiply(const block& a, const block& b, const block* e, const block& c) {
    const carat::cuda where{static_cast<CUstream_st*>(stream_), device_};
    carat::detail::multiply_on_gpu(where, a, b, e, c, nullptr);
}

void gpu_place::clear(const block& sums) {
    if (sums.data == nullptr) return;
    check(driver().fill_async(address(sums), 0, sums.rows * sums.cols * bytes_of_sum(sums.type),
                              stream_),
          "cuMemsetD8Async");
}

void gpu_place::add(const block& sums, const block& part) {
    gpu::add(sums, part, stream_);
}

void gpu_place::finish(const block& to, const block& sums, double alpha, double beta,
                       const block& c) {
    gpu::finish(to, sums, alpha, beta, c, stream_);
}

}  // namespace carat::distributed::gpu
