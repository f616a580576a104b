// The exact passes in a GPU's memory. What lines are made of comes from the host (a few MB); an
// element costs a look-up or one multiplication, an entry two of them, so memory sets the pace.
#include <algorithm>
#include <vector>

#include "cuda/common/handles.hpp"
#include "lab/gpu/verify/elements.cuh"
#include "lab/gpu/verify/kernels.hpp"
#include "lab/gpu/verify/verify.hpp"
#include "lab/verify/exact_tables.hpp"

namespace carat::gpu {

namespace {

constexpr unsigned threads = 256;

// A vector's copy in a GPU's memory.
template <class T>
class copied {
  public:
    explicit copied(const std::vector<T>& from) : memory_(cuda::allocate(bytes_of(from))) {
        CARAT_CUDA_CHECK(cudaMemcpyAsync(memory_.get(), from.data(), from.size() * sizeof(T),
                                         cudaMemcpyHostToDevice, cuda::stream_in_use()));
    }
    [[nodiscard]] const T* data() const { return static_cast<const T*>(memory_.get()); }

  private:
    static std::size_t bytes_of(const std::vector<T>& from) {
        return std::max<std::size_t>(from.size() * sizeof(T), 1);
    }
    cuda::device_memory memory_;
};

// A thread for each element: x along the shorter stride, y along the other, both from a few blocks.
struct element_loop {
    std::int64_t lines;
    std::int64_t depth;
    bool along_lines;  // the shorter stride is that from line to line

    [[nodiscard]] std::int64_t inner() const { return along_lines ? lines : depth; }
    [[nodiscard]] std::int64_t outer() const { return along_lines ? depth : lines; }
    [[nodiscard]] dim3 blocks() const {
        return {static_cast<unsigned>(
                    std::min<std::int64_t>((inner() + threads - 1) / threads, 1 << 16)),
                static_cast<unsigned>(std::min<std::int64_t>(outer(), 1 << 15))};
    }

    template <class Work>
    __device__ void run(const Work& work) const {
        const std::int64_t all_inner = along_lines ? lines : depth;
        const std::int64_t all_outer = along_lines ? depth : lines;
        for (std::int64_t y = blockIdx.y; y < all_outer; y += gridDim.y)
            for (std::int64_t x = std::int64_t{blockIdx.x} * threads + threadIdx.x; x < all_inner;
                 x += std::int64_t{gridDim.x} * threads)
                work(along_lines ? x : y, along_lines ? y : x);
    }
};

// Lines as rows, whichever operand they are of.
template <class T>
__global__ void fill_sums(device_matrix<T> to, element_loop all, const double* values,
                          const int* bases, const verify::element_change* changes) {
    all.run([&](std::int64_t line, std::int64_t k) {
        const verify::element_change change = changes[line];
        const double added = change.k == k ? static_cast<double>(change.added) : 0;
        to.at(line, k) = narrowed<T>(values[k * verify::base_lines + bases[line]] + added);
    });
}

template <class T>
__global__ void fill_significands(device_matrix<T> to, element_loop all, verify::line_rules rules,
                                  const std::uint64_t* words, const double* scales,
                                  const std::uint64_t* depth_words) {
    all.run([&](std::int64_t line, std::int64_t k) {
        double value = 0;
        if (k % 2 == rules.parity)
            value = scales[line] *
                    static_cast<double>(verify::significand(rules, words[line], depth_words[k]));
        to.at(line, k) = narrowed<T>(value);
    });
}

// Runs after the kernel above and fills what it left zero and a line picks.
template <class T>
__global__ void fill_picks(device_matrix<T> to, std::int64_t lines, std::int64_t picks,
                           const double* scales, const std::int64_t* places,
                           const std::int64_t* signs) {
    const std::int64_t index = std::int64_t{blockIdx.x} * threads + threadIdx.x;
    if (index >= lines * picks || places[index] < 0) return;
    const std::int64_t line = index / picks;
    to.at(line, places[index]) = narrowed<T>(scales[line] * static_cast<double>(signs[index]));
}

template <class T>
void start_sums(const verify::line_rules& r, const device_matrix<T>& to) {
    std::vector<int> bases;
    std::vector<verify::element_change> changes;
    for (std::int64_t line = 0; line < r.lines; ++line) {
        bases.push_back(verify::base_of(r, line));
        changes.push_back(verify::change_of(r, line));
    }
    const copied values(verify::base_values(r, 0));
    const copied base_table(bases);
    const copied change_table(changes);
    const element_loop all{r.lines, r.depth, to.row_stride < to.col_stride};
    fill_sums<<<all.blocks(), threads, 0, cuda::stream_in_use()>>>(
        to, all, values.data(), base_table.data(), change_table.data());
    CARAT_CUDA_CHECK(cudaGetLastError());
    CARAT_CUDA_CHECK(cudaStreamSynchronize(cuda::stream_in_use()));
}

template <class T>
void start_significands(const verify::line_rules& r, const device_matrix<T>& to) {
    std::vector<std::uint64_t> words;
    std::vector<double> scales;
    std::vector<std::int64_t> places;
    std::vector<std::int64_t> signs;
    for (std::int64_t line = 0; line < r.lines; ++line) {
        words.push_back(verify::word(r, verify::stream::line, line));
        scales.push_back(verify::scale_of(r, line));
        for (std::int64_t pick = 0; pick < r.picks; ++pick) {
            places.push_back(verify::pick_of(r, line, pick));
            signs.push_back(verify::pick_sign(r, line, pick));
        }
    }
    std::vector<std::uint64_t> depth_words;
    for (std::int64_t k = 0; k < r.depth; ++k)
        depth_words.push_back(verify::word(r, verify::stream::depth, k));
    const copied word_table(words);
    const copied scale_table(scales);
    const copied depth_table(depth_words);
    const copied place_table(places);
    const copied sign_table(signs);
    const element_loop all{r.lines, r.depth, to.row_stride < to.col_stride};
    cudaStream_t stream = cuda::stream_in_use();
    fill_significands<<<all.blocks(), threads, 0, stream>>>(to, all, r, word_table.data(),
                                                            scale_table.data(), depth_table.data());
    const auto blocks = static_cast<unsigned>((r.lines * r.picks + threads - 1) / threads);
    fill_picks<<<blocks, threads, 0, stream>>>(to, r.lines, r.picks, scale_table.data(),
                                               place_table.data(), sign_table.data());
    CARAT_CUDA_CHECK(cudaGetLastError());
    CARAT_CUDA_CHECK(cudaStreamSynchronize(stream));
}

void fill_lines(verify::exact_kind kind, const verify::line_rules& r, dtype type, const void* data,
                const core::layout& where) {
    if (r.lines == 0 || r.depth == 0) return;
    with_device_type(type, [&](auto element) {
        const auto to = matrix_of<decltype(element)>(data, where);
        if (kind == verify::exact_kind::sums)
            start_sums(r, to);
        else
            start_significands(r, to);
    });
}

template <class T>
__global__ void fill_initial(device_matrix<T> to, verify::factors with, std::int64_t rows,
                             std::int64_t cols) {
    for (std::int64_t i = blockIdx.y; i < rows; i += gridDim.y)
        for (std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x; j < cols;
             j += std::int64_t{gridDim.x} * threads)
            to.at(i, j) = narrowed<T>(with.initial(i, j));
}

// A thread for each entry, from a few blocks.
dim3 blocks_of_entries(const core::problem& p) {
    return {static_cast<unsigned>(std::min<std::int64_t>((p.n + threads - 1) / threads, 1 << 16)),
            static_cast<unsigned>(std::min<std::int64_t>(p.m, 1 << 15))};
}

template <class View, class T>
__global__ void compare(View product, verify::factors with, device_matrix<const T> c,
                        std::int64_t rows, std::int64_t cols, found_on_device* found) {
    for (std::int64_t i = blockIdx.y; i < rows; i += gridDim.y)
        for (std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x; j < cols;
             j += std::int64_t{gridDim.x} * threads) {
            const double got = widened(c.at(i, j));
            const double entry = product.entry(i, j);
            const double right = with.of(entry, i, j);
            if (got == right) continue;
            const double rounded = widened(narrowed<T>(right));
            if (got == rounded) continue;
            // cuBLAS rounds to C's type before it adds beta C.
            const double before_c = widened(narrowed<T>(with.before_c(entry, j)));
            if (got == widened(narrowed<T>(with.with_c(before_c, i, j)))) continue;
            if (!(fabs(got - right) <= with.tolerance(entry, right, j)))
                found->add(i * cols + j, got - rounded);
        }
}

// `on_host` finds what the first wrong entry should have been.
template <class View>
verify::verdict compared(const verify::exact_pass& pass, const View& product, const View& on_host,
                         const core::problem& p, const void* c) {
    const found_memory found;
    with_device_type(p.c_type, [&](auto element) {
        using T = decltype(element);
        compare<<<blocks_of_entries(p), threads, 0, cuda::stream_in_use()>>>(
            product, pass.with(), matrix_of<const T>(c, p.c_layout), p.m, p.n, found.on_device());
    });
    CARAT_CUDA_CHECK(cudaGetLastError());
    const found_on_host seen = found.read();
    verify::mismatches all;
    bool unwritten = false;
    if (seen.wrong > 0) {
        all.wrong = seen.wrong;
        all.row = seen.first / p.n;
        all.col = seen.first % p.n;
        all.largest_error = seen.largest_error;
        all.got = read_element(p, c, all.row, all.col, unwritten);
        all.expected = verify::stored(
            p.c_type, pass.with().of(on_host.entry(all.row, all.col), all.row, all.col));
    }
    return pass.conclude(all, unwritten);
}

verify::verdict check_sums(const verify::exact_pass& pass, const core::problem& p, const void* c) {
    const verify::sums_tables tables(pass.rows(), pass.cols(), 0);
    const copied row_bases(tables.rows.bases);
    const copied column_bases(tables.cols.bases);
    const copied row_changes(tables.rows.changes);
    const copied column_changes(tables.cols.changes);
    const copied row_terms(tables.row_terms);
    const copied column_terms(tables.column_terms);
    const verify::sums_view there{row_bases.data(),
                                  column_bases.data(),
                                  row_changes.data(),
                                  column_changes.data(),
                                  row_terms.data(),
                                  column_terms.data(),
                                  p.n};
    return compared(pass, there, verify::view_of(tables), p, c);
}

verify::verdict check_significands(const verify::exact_pass& pass, const core::problem& p,
                                   const void* c) {
    const verify::significands_tables tables(pass.rows(), pass.cols());
    const copied row_words(tables.rows.words);
    const copied column_words(tables.cols.words);
    const copied row_scales(tables.rows.scales);
    const copied column_scales(tables.cols.scales);
    const copied row_picks(tables.rows.picks);
    const copied column_picks(tables.cols.picks);
    const verify::significands_view there{
        pass.rows(),       pass.cols(),          row_words.data(), column_words.data(),
        row_scales.data(), column_scales.data(), row_picks.data(), column_picks.data()};
    return compared(pass, there, verify::view_of(tables, pass.rows(), pass.cols()), p, c);
}

}  // namespace

void fill(const verify::exact_pass& pass, const core::problem& p, const core::operands& data) {
    fill_lines(pass.kind(), pass.rows(), p.a_type, data.a, p.a_layout);
    fill_lines(pass.kind(), pass.cols(), p.b_type, data.b,
               {p.b_layout.col_stride, p.b_layout.row_stride});
}

void fill_c(const verify::exact_pass& pass, const core::problem& p, void* c) {
    if (p.m == 0 || p.n == 0) return;
    with_device_type(p.c_type, [&](auto element) {
        fill_initial<<<blocks_of_entries(p), threads, 0, cuda::stream_in_use()>>>(
            matrix_of<decltype(element)>(c, p.c_layout), pass.with(), p.m, p.n);
    });
    CARAT_CUDA_CHECK(cudaGetLastError());
    CARAT_CUDA_CHECK(cudaStreamSynchronize(cuda::stream_in_use()));
}

verify::verdict check(const verify::exact_pass& pass, const core::problem& p, const void* c) {
    if (p.m == 0 || p.n == 0 || p.k == 0) return pass.conclude({}, false);
    return pass.kind() == verify::exact_kind::sums ? check_sums(pass, p, c)
                                                   : check_significands(pass, p, c);
}

}  // namespace carat::gpu
