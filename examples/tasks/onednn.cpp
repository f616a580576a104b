// Seven tasks with oneDNN 2; see docs/choose.md. It prints no result of a task that it
// has no kernel for here.
#include <cstdint>
#include <cstring>
#include <dnnl.hpp>

#include "operands.hpp"

using dnnl::memory;
using type = memory::data_type;

// A row-major matrix, or several.
template <class... Size>
memory::desc described(type of, Size... sizes) {
    const memory::dims dims{static_cast<memory::dim>(sizes)...};
    return {dims, of, dims.size() == 3 ? memory::format_tag::abc : memory::format_tag::ab};
}

// task set-up
const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
dnnl::stream stream(cpu);
// end

void layer(std::vector<float>& a, std::vector<float>& b, std::vector<float>& v) {
    std::vector<float> y(m * n);
    // task layer
    dnnl::post_ops steps;
    steps.append_eltwise(1, dnnl::algorithm::eltwise_gelu_tanh, 0, 0);
    dnnl::primitive_attr how;
    how.set_post_ops(steps);
    const memory::desc of_a = described(type::f32, m, k), of_b = described(type::f32, k, n);
    const memory::desc of_v = described(type::f32, 1, n), of_y = described(type::f32, m, n);
    const dnnl::matmul::primitive_desc plan({of_a, of_b, of_v, of_y}, how, cpu);
    dnnl::matmul(plan).execute(stream, {{DNNL_ARG_SRC, memory(of_a, cpu, a.data())},
                                        {DNNL_ARG_WEIGHTS, memory(of_b, cpu, b.data())},
                                        {DNNL_ARG_BIAS, memory(of_v, cpu, v.data())},
                                        {DNNL_ARG_DST, memory(of_y, cpu, y.data())}});
    stream.wait();
    // end
    print("layer", y.data());
}

void half_words(std::vector<float>& a, std::vector<float>& b) {
    std::vector<float> c(m * n);
    std::vector<std::uint16_t> a16, b16;
    for (auto [from, to] : {std::pair{&a, &a16}, std::pair{&b, &b16}})
        for (const float x : *from) {
            std::uint32_t bits;
            std::memcpy(&bits, &x, sizeof bits);
            to->push_back(static_cast<std::uint16_t>(bits >> 16));
        }
    // task bf16
    const memory::desc of_a = described(type::bf16, m, k), of_b = described(type::bf16, k, n);
    const memory::desc of_c = described(type::f32, m, n);
    const dnnl::matmul::primitive_desc plan({of_a, of_b, of_c}, cpu);
    dnnl::matmul(plan).execute(stream, {{DNNL_ARG_SRC, memory(of_a, cpu, a16.data())},
                                        {DNNL_ARG_WEIGHTS, memory(of_b, cpu, b16.data())},
                                        {DNNL_ARG_DST, memory(of_c, cpu, c.data())}});
    stream.wait();
    // end
    print("bf16", c.data());
}

void batch() {
    auto a = numbers<float>(m, k, 1, products), b = numbers<float>(k, n, 2, products);
    std::vector<float> c(products * m * n);
    // task batch
    const memory::desc of_a = described(type::f32, products, m, k);
    const memory::desc of_b = described(type::f32, products, k, n);
    const memory::desc of_c = described(type::f32, products, m, n);
    const dnnl::matmul::primitive_desc plan({of_a, of_b, of_c}, cpu);
    dnnl::matmul(plan).execute(stream, {{DNNL_ARG_SRC, memory(of_a, cpu, a.data())},
                                        {DNNL_ARG_WEIGHTS, memory(of_b, cpu, b.data())},
                                        {DNNL_ARG_DST, memory(of_c, cpu, c.data())}});
    stream.wait();
    // end
    print("batch", c.data(), c.size());
}

void prepared(std::vector<float>& a, std::vector<float>& b) {
    std::vector<float> c(m * n);
    // task prepared
    const memory::desc of_a = described(type::f32, m, k), of_c = described(type::f32, m, n);
    const memory::desc any({k, n}, type::f32, memory::format_tag::any);
    const dnnl::matmul::primitive_desc plan({of_a, any, of_c}, cpu);
    memory plain(described(type::f32, k, n), cpu, b.data()), ready(plan.weights_desc(), cpu);
    dnnl::reorder(plain, ready).execute(stream, plain, ready);
    const dnnl::matmul product(plan);
    for (int use = 0; use < 2; ++use)
        product.execute(stream, {{DNNL_ARG_SRC, memory(of_a, cpu, a.data())},
                                 {DNNL_ARG_WEIGHTS, ready},
                                 {DNNL_ARG_DST, memory(of_c, cpu, c.data())}});
    stream.wait();
    // end
    print("prepared", c.data());
}

int main() {
    auto a = numbers<float>(m, k, 1), b = numbers<float>(k, n, 2), bt = numbers<float>(n, k, 3);
    auto e = numbers<float>(m, n, 4), v = numbers<float>(1, n, 5);
    std::vector<float> c(m * n);

    // task product
    dnnl::sgemm('N', 'N', m, n, k, 1, a.data(), k, b.data(), n, 0, c.data(), n);
    // end
    print("product", c.data());

    // task scaled
    c = e;
    dnnl::sgemm('N', 'T', m, n, k, 2, a.data(), k, bt.data(), k, 1, c.data(), n);
    // end
    print("scaled", c.data());

    const auto a8 = numbers<std::int8_t>(m, k, 1), b8 = numbers<std::int8_t>(k, n, 2);
    std::vector<std::int32_t> c32(m * n);
    // task bytes
    const std::int32_t offset = 0;
    dnnl::gemm_s8s8s32('N', 'N', 'F', m, n, k, 1, a8.data(), k, 0, b8.data(), n, 0, 0, c32.data(),
                       n, &offset);
    // end
    print("bytes", c32.data());

    layer(a, b, v);
    batch();
    prepared(a, b);
    try {
        half_words(a, b);
    } catch (const dnnl::error& why) {
        std::fprintf(stderr, "bf16: %s\n", why.what());
    }
}
