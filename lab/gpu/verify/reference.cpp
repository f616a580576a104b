// The reference of timed data in a GPU's memory, and what its kernels' findings mean.
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "lab/gpu/verify/kernels.hpp"
#include "lab/gpu/verify/verify.hpp"
#include "lab/verify/bound.hpp"
#include "lab/verify/poison.hpp"
#include "lab/verify/source.hpp"

namespace carat::gpu {

namespace {

bool is_integer(const core::problem& p) {
    return p.c_type == dtype::i32 || p.c_type == dtype::i8;
}

// f32 magnitudes are sums of k roundings.
double inflated(const core::problem& p, double factor) {
    return factor * (1 + 2 * (static_cast<double>(p.k) + 2) * 0x1p-24);
}

// The bound of verify::bound is linear in D and in the value, with all k terms and the most that
// lines can hold: so four of its values tell all of it.
tolerance tolerance_of(const core::problem& p, const verify::bound& allowed, double largest) {
    const double line = largest * static_cast<double>(p.k);
    const verify::bound::entry nothing{.terms = p.k, .neighbours = line};
    verify::bound::entry magnitude = nothing;
    magnitude.magnitude = 1;
    verify::bound::entry value = nothing;
    value.value = 1;
    tolerance t{};
    t.constant = allowed.of(nothing);
    t.of_magnitude = inflated(p, allowed.of(magnitude) - t.constant);
    t.of_value = allowed.of(value) - t.constant;
    t.least_unit = allowed.unit(0);
    t.unit_of_magnitude = allowed.unit(0x1p100) * 0x1p-100;
    return t;
}

}  // namespace

double read_element(const core::problem& p, const void* c, std::int64_t i, std::int64_t j,
                    bool& unwritten) {
    std::array<std::byte, 8> element{};
    const std::size_t size = size_bytes(p.c_type);
    const std::int64_t index = i * p.c_layout.row_stride + j * p.c_layout.col_stride;
    const auto* from = static_cast<const std::byte*>(c) + index * static_cast<std::int64_t>(size);
    CARAT_CUDA_CHECK(
        cudaMemcpyAsync(element.data(), from, size, cudaMemcpyDeviceToHost, cuda::stream_in_use()));
    CARAT_CUDA_CHECK(cudaStreamSynchronize(cuda::stream_in_use()));
    unwritten = verify::is_poison(p.c_type, element.data(), 0);
    return verify::source{element.data(), p.c_type, 1, 1, core::row_major(1)}.at(0, 0);
}

void poison(const core::problem& p, void* c) {
    if (p.m == 0 || p.n == 0) return;
    const verify::element_pattern pattern = verify::poison_of(p.c_type);
    const std::int64_t elements = core::extent_elements(p.m, p.n, p.c_layout);
    start_pattern(pattern.bits, pattern.size, 1, elements, core::row_major(elements), c);
    CARAT_CUDA_CHECK(cudaStreamSynchronize(cuda::stream_in_use()));
}

verify::verdict check_padding(const core::problem& p, const void* c) {
    const verify::padding at = verify::padding_of(p);
    const std::size_t size = size_bytes(p.c_type);
    const std::size_t gap_bytes = static_cast<std::size_t>(at.size) * size;
    std::vector<std::byte> gaps(static_cast<std::size_t>(at.gaps) * gap_bytes);
    if (!gaps.empty()) {
        const auto* first =
            static_cast<const std::byte*>(c) + at.length * static_cast<std::int64_t>(size);
        CARAT_CUDA_CHECK(cudaMemcpy2DAsync(
            gaps.data(), gap_bytes, first, static_cast<std::size_t>(at.stride) * size, gap_bytes,
            static_cast<std::size_t>(at.gaps), cudaMemcpyDeviceToHost, cuda::stream_in_use()));
        CARAT_CUDA_CHECK(cudaStreamSynchronize(cuda::stream_in_use()));
    }
    for (std::int64_t i = 0; i < at.gaps * at.size; ++i)
        if (!verify::is_poison(p.c_type, gaps.data(), i))
            return verify::overwritten_padding(i / at.size, i % at.size);
    verify::verdict v;
    v.passed = true;
    v.how = verify::method::exact;
    return v;
}

struct reference::impl {
    core::problem problem;
    cuda::device_memory sums;
    cuda::device_memory magnitudes;
    float largest = 0;  // of A and B
};

reference::reference(const core::problem& p, const core::operands& data)
    : impl_(std::make_unique<impl>()) {
    impl_->problem = p;
    const std::size_t entries =
        static_cast<std::size_t>(core::checked_product(p.m, p.n, "C entries"));
    if (entries == 0) return;
    impl_->sums = cuda::allocate(entries * (is_integer(p) ? 4 : 8));
    if (!is_integer(p)) impl_->magnitudes = cuda::allocate(entries * 4);
    auto* const magnitudes = static_cast<float*>(impl_->magnitudes.get());
    start_reference(p, data, impl_->sums.get(), magnitudes);
    if (p.alpha != 1 || p.beta != 0) start_factors(p, data.c, impl_->sums.get(), magnitudes);
    const cuda::device_memory largest = cuda::allocate(sizeof(float));
    cudaStream_t stream = cuda::stream_in_use();
    CARAT_CUDA_CHECK(cudaMemsetAsync(largest.get(), 0, sizeof(float), stream));
    auto* bits = static_cast<unsigned*>(largest.get());
    start_largest(p.a_type, data.a, p.m, p.k, p.a_layout, bits);
    start_largest(p.b_type, data.b, p.k, p.n, p.b_layout, bits);
    CARAT_CUDA_CHECK(cudaMemcpyAsync(&impl_->largest, largest.get(), sizeof(float),
                                     cudaMemcpyDeviceToHost, stream));
    CARAT_CUDA_CHECK(cudaStreamSynchronize(stream));
}

reference::reference(reference&&) noexcept = default;
reference& reference::operator=(reference&&) noexcept = default;
reference::~reference() = default;

verify::verdict reference::check(const void* c, std::string_view computes_in) const {
    const core::problem& p = impl_->problem;
    verify::verdict v;
    v.passed = true;
    if (p.m == 0 || p.n == 0) return v;
    const verify::precision claimed = verify::precision_of(computes_in, p);
    tolerance t{};
    if (!is_integer(p))
        t = tolerance_of(p, verify::bound(claimed, p, false), static_cast<double>(impl_->largest));
    const found_memory found;
    start_comparison(p, c, impl_->sums.get(), static_cast<const float*>(impl_->magnitudes.get()), t,
                     found.on_device());
    const found_on_host seen = found.read();
    v.max_abs_error = seen.largest_error;
    v.error_ulp = is_integer(p) ? seen.largest_error : seen.largest_in_units;
    v.bound_ulp = is_integer(p) ? 0 : t.of_magnitude / t.unit_of_magnitude;
    v.wrong = seen.wrong;
    v.passed = seen.wrong == 0;
    if (v.passed) return v;
    v.row = seen.first / p.n;
    v.col = seen.first % p.n;
    bool unwritten = false;
    const double got = read_element(p, c, v.row, v.col, unwritten);
    v.reason = unwritten ? fmt::format("C({}, {}) was never written", v.row, v.col)
                         : fmt::format(
                               "C({}, {}) is {}: errors up to {:.3g} ulp of |A||B|, about "
                               "{:.3g} allowed for {}",
                               v.row, v.col, got, v.error_ulp, v.bound_ulp, claimed.name);
    v.reason += fmt::format(" ({} of {} entries are wrong)", v.wrong, p.m * p.n);
    return v;
}

}  // namespace carat::gpu
