#include "chain.hpp"

#include <carat/carat.hpp>

#include "fuzz/numbers.hpp"
#include "fuzz/typed_calls.hpp"

namespace carat::fuzz {

namespace {

template <class A, class B>
void make_typed(const running& r, const gpu_worker& there) {
    const operand& to = r.on.a;
    const matrix_place& m = to.all[0];
    const matrix_view<const A> from(reinterpret_cast<const A*>(there.chained.data()), m.rows,
                                    m.cols);
    const matrix_view<const B> ones(reinterpret_cast<const B*>(there.ones.data()), m.cols, m.cols);
    for (std::size_t i = 0; i < 3; ++i)
        matrix_product(cuda{.stream = r.of.stream}, from, ones, view<A>(to, m));
}

void upload_values(dtype type, const std::vector<double>& values, std::vector<std::byte>& bytes,
                   device_bytes& there, cudaStream_t stream) {
    bytes.resize(values.size() * size_bytes(type));
    for (std::size_t i = 0; i < values.size(); ++i)
        store(type, values[i], bytes.data() + i * size_bytes(type));
    there.upload(bytes.data(), bytes.size(), stream);
}

}  // namespace

void upload_for_chain(const running& r, gpu_worker& there) {
    operand& a = r.on.a;
    const matrix_place& m = a.all[0];
    const cudaStream_t stream = r.of.stream;
    std::vector<std::byte> own(a.remembered().begin(), a.remembered().end());
    for (std::size_t i = 0; i < m.rows; ++i)
        for (std::size_t j = 0; j < m.cols; ++j) {
            const std::ptrdiff_t at = a.element(m, i, j) - a.remembered().data();
            std::fill_n(own.begin() + at, size_bytes(a.type), std::byte{0xff});
        }
    std::byte* const first = a.data(m) - (a.element(m.first) - a.remembered().data());
    must(cudaMemcpyAsync(first, own.data(), own.size(), cudaMemcpyHostToDevice, stream), "upload");
    std::vector<double> diagonal(m.cols * m.cols, 0);
    for (std::size_t i = 0; i < m.cols; ++i) diagonal[i * m.cols + i] = 1;
    std::vector<std::byte> values, ones;
    upload_values(a.type, a.values, values, there.chained, stream);
    upload_values(r.on.b.type, diagonal, ones, there.ones, stream);
    must(cudaStreamSynchronize(stream), "upload");
}

void make_a(const running& r, const gpu_worker& there) {
    switch (r.of.a_type) {
        case dtype::f64:
            return make_typed<double, double>(r, there);
        case dtype::f32:
            return make_typed<float, float>(r, there);
        case dtype::f16:
            return make_typed<f16, f16>(r, there);
        case dtype::bf16:
            return make_typed<bf16, bf16>(r, there);
        case dtype::e4m3:
            return make_typed<e4m3, e4m3>(r, there);
        default:
            return make_typed<e5m2, e4m3>(r, there);
    }
}

std::string check_made_a(const running& r) {
    operand& a = r.on.a;
    if (a.read(a.all[0]) != a.values) return "A, made by the call ahead, is another";
    a.restore_elements();
    return {};
}

}  // namespace carat::fuzz
