#include "distributed/gpu/place.hpp"

#include <string>
#include <vector>

#include <carat/error.hpp>
#include <carat/leave_sms.hpp>
#include <carat/product.hpp>
#include <carat/sums.hpp>

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

// Work that uses the memory may still run, and the driver need not wait for it. The stream has been
// made to wait for the messages of other ranks, so what they read here ends with it. What work that
// doesn't end may use is left to the end of the process.
void gpu_place::release(void* memory) noexcept {
    driver().set_context(context_);
    if (watch_->ends(stream_)) driver().release(reinterpret_cast<device_pointer>(memory));
}

void gpu_place::copy(const block& to, const block& from) {
    const std::size_t bytes = size_bytes(to.type);
    block x = to, y = from;
    if ((x.col_stride != 1 && x.cols > 1) || (y.col_stride != 1 && y.cols > 1)) {
        x = transposed(x);
        y = transposed(y);
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

void gpu_place::multiply(const block& a, const block& b, const block* e, const block& c,
                         const ending& last) {
    const carat::cuda where{static_cast<CUstream_st*>(stream_), device_};
    const leave_sms to_messages(messages_ > 0 ? sms_of_messages_ : 0);
    if (last.steps == nullptr) return carat::detail::multiply_on_gpu(where, a, b, e, c, nullptr);
    const carat::detail::epilogue_steps steps = steps_of(last, a, c);
    carat::detail::multiply_on_gpu(where, a, b, e, c, &steps);
}

void gpu_place::clear(const block& sums) {
    if (sums.data == nullptr) return;
    check(driver().fill_async(address(sums), 0, sums.rows * sums.cols * bytes_of_sum(sums.type),
                              stream_),
          "cuMemsetD8Async");
}

void gpu_place::add(const block& sums, const block& part) {
    // Kernels take neighbouring elements along a row.
    if (sums.col_stride != 1) return gpu::add(transposed(sums), transposed(part), stream_);
    gpu::add(sums, part, stream_);
}

void gpu_place::finish(const block& to, const block& sums, std::span<const block> parts,
                       double alpha, double beta, const block& c) {
    for (; parts.size() > most_parts; parts = parts.subspan(1)) add(sums, parts.front());
    if (to.col_stride == 1) return gpu::finish(to, sums, parts, alpha, beta, c, stream_);
    std::vector<block> turned;
    for (const block& part : parts) turned.push_back(transposed(part));
    gpu::finish(transposed(to), transposed(sums), turned, alpha, beta, transposed(c), stream_);
}

void gpu_place::finish(const block& to, const block& sums, double beta, const block& c,
                       const ending& last) {
    block e = c;
    e.factor = beta;
    carat::detail::multiply_sums(
        carat::cuda{static_cast<CUstream_st*>(stream_), device_}, sums, beta == 0 ? nullptr : &e,
        to, *last.steps, static_cast<std::size_t>(last.row), static_cast<std::size_t>(last.col));
}

}  // namespace carat::distributed::gpu
