// Compares calls of one product or a group with cuBLAS: carat_benchmark_gpu_calls [seed [cases
// [track|all [type|all [multiple [least [most]]]]]]], the last two in operations, 2e8 and 1e12 if
// they are left out. drawn_calls.hpp says what is drawn. A case is a line of
// JSON: ratio is the time of cuBLAS's fastest way (its default or what its heuristics propose;
// groups in one call or one for each product) over carat's; graph_ratio the same of calls that are
// replayed from a graph, without the host. The results are compared. Lines with the geometric mean
// and the fifth percentile of both end each track of a type.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <carat/error.hpp>

#include "benchmarks/gpu_call/drawn_calls.hpp"
#include "benchmarks/gpu_call/turns.hpp"
#include "core/dtype_traits.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/handles.hpp"
#include "lab/rows/cuda/table.hpp"
#include "lab/vendor/cublas/library.hpp"
#include "lab/vendor/cublas/table.hpp"

namespace {

using namespace carat;
using benchmark::call_track;
using benchmark::call_type;
using benchmark::memory;
using benchmark::must;
using benchmark::peer;
using benchmark::stopwatch;

using ready = std::shared_ptr<rows::runnable>;

std::size_t bytes_of(const rows::whole_matrix& of, dtype type) {
    return static_cast<std::size_t>(core::extent_elements(of.rows, of.cols, of.where)) *
           size_bytes(type);
}

// Numbers that 16 bits hold, for all candidates.
std::vector<unsigned char> bias_of(const rows::operation& all) {
    std::vector<unsigned char> bytes(static_cast<std::size_t>(bias_bytes(all)));
    if (bytes.empty()) return bytes;
    const auto behind = static_cast<const unsigned char*>(stored_bias(all, bytes.data()));
    const std::size_t first = static_cast<std::size_t>(behind - bytes.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(all.one.n); ++i) {
        const double x = static_cast<double>(i % 13) / 8 - 0.75;
        const dtype own = bias_type_of(all);
        const dtype stored = stored_bias_type_of(all);
        benchmark::put(own, x, bytes.data() + i * size_bytes(own));
        benchmark::put(stored, x, bytes.data() + first + i * size_bytes(stored));
    }
    return bytes;
}

class call_operands {
  public:
    call_operands(const rows::operation& all, std::mt19937_64& random)
        : type_(all.one.c_type),
          a_(bytes_of(whole_a(all), all.one.a_type)),
          b_(bytes_of(whole_b(all), all.one.b_type)),
          c_(bytes_of(whole_c(all), all.one.c_type)),
          bias_(std::max<std::size_t>(1, static_cast<std::size_t>(bias_bytes(all)))) {
        a_.fill(all.one.a_type, random);
        b_.fill(all.one.b_type, random);
        const std::vector<unsigned char> bias = bias_of(all);
        if (!bias.empty())
            must(cudaMemcpy(bias_.get(), bias.data(), bias.size(), cudaMemcpyHostToDevice));
        refill();
    }

    // C as it was at first.
    void refill() {
        std::mt19937_64 same(1);
        c_.fill(type_, same);
    }
    [[nodiscard]] core::operands get() const {
        return {.a = a_.get(), .b = b_.get(), .c = c_.get(), .bias = bias_.get()};
    }
    [[nodiscard]] std::vector<unsigned char> c() const {
        std::vector<unsigned char> bytes(c_.bytes());
        must(cudaMemcpy(bytes.data(), c_.get(), bytes.size(), cudaMemcpyDeviceToHost));
        return bytes;
    }

  private:
    dtype type_;
    memory a_, b_, c_, bias_;
};

// The largest difference, divided by what two orders of summation may differ by: at most 1 is
// equal.
template <class T>
double difference(const std::vector<unsigned char>& one, const std::vector<unsigned char>& two,
                  double of_sums, double of_element) {
    double worst = 0;
    constexpr std::size_t step = 7;  // elements
    for (std::size_t at = 0; at + sizeof(T) <= one.size(); at += step * sizeof(T)) {
        T x, y;
        std::memcpy(&x, one.data() + at, sizeof x);
        std::memcpy(&y, two.data() + at, sizeof y);
        const double first = static_cast<double>(x);
        const double allowed = of_sums + of_element * std::fabs(first);
        const double apart = std::fabs(first - static_cast<double>(y));
        if (!(apart <= allowed)) worst = std::max(worst, apart / std::max(allowed, 1e-30));
    }
    return worst;
}

double difference(const rows::operation& all, const call_type& t,
                  const std::vector<unsigned char>& one, const std::vector<unsigned char>& two) {
    const double depth = std::sqrt(static_cast<double>(all.one.k));
    const double of_product = t.in == dtype::f64                        ? 1e-13
                              : t.in == dtype::i8                       ? 0
                              : t.how == core::gpu_arithmetic::fast_fp8 ? 5e-2
                              : t.in == dtype::e4m3                     ? 1e-2
                              : t.how == core::gpu_arithmetic::tf32     ? 5e-3
                                                                        : 1e-4;
    // GELU uses an approximated tanh, and cuBLAS also rounds what it adds to C.
    const double rounding = is_floating(all.one.c_type) ? core::unit_roundoff(all.one.c_type) : 0;
    const double of_sums = depth * (of_product + (all.one.beta == 0 ? 0 : 4 * rounding)) +
                           (all.last.is_none() ? 0 : 4e-3);
    return core::visit(all.one.c_type, [&](auto tag) {
        using element = typename decltype(tag)::type;
        return difference<element>(one, two, of_sums, 4 * rounding);
    });
}

ready prepared(const rows::implementation& row, const rows::operation& all) {
    if (!reason_against(row, all, {}).empty()) return nullptr;
    try {
        return prepare(row, all, {});
    } catch (const error&) {
        return nullptr;  // it has no such kernel after all
    }
}

const rows::implementation& own_row(const call_type& t) {
    return rows::cuda::row_of(t.how);
}

// Takes only the first proposed kernel for many sizes: trying all would take longer than measuring.
std::vector<std::string> rows_beside(const call_type& t, const rows::operation& all) {
    constexpr std::size_t few = 16;
    const std::set<std::int64_t> sizes(all.rows.begin(), all.rows.end());
    const std::string how = t.how == core::gpu_arithmetic::tf32       ? "_tf32"
                            : t.how == core::gpu_arithmetic::fast_fp8 ? "_fp8_fast"
                                                                      : "";
    return {"vendor.cublas" + how, "vendor.cublaslt" + how + (sizes.size() <= few ? "_best" : "")};
}

std::vector<peer> peers_of(const call_type& t, const rows::operation& all,
                           const core::operands& data) {
    std::vector<peer> found;
    for (const std::string& name : rows_beside(t, all))
        for (const rows::implementation* const row : vendor::cublas::table()) {
            if (row->name != name) continue;
            const ready product = prepared(*row, all);
            if (product == nullptr) continue;
            product->expect(data);
            found.push_back({[=] {
                                 product->run(data);
                                 return true;
                             },
                             name.substr(name.find('.') + 1)});
        }
    return found;
}

std::string in_words(const rows::operation& all) {
    const core::problem& p = all.one;
    const auto letter = [](const core::layout& at) { return at.col_stride == 1 ? 'n' : 't'; };
    const auto leading = [](const core::layout& at) {
        return std::to_string(std::max(at.row_stride, at.col_stride));
    };
    std::string text = "\"m\": " + std::to_string(p.m) + ", \"n\": " + std::to_string(p.n) +
                       ", \"k\": " + std::to_string(p.k);
    if (all.is_group()) return text + ", \"groups\": " + std::to_string(all.rows.size());
    text += std::string(", \"layout\": \"") + letter(p.a_layout) + letter(p.b_layout) +
            letter(p.c_layout) + "\", \"ld\": [" + leading(p.a_layout) + ", " +
            leading(p.b_layout) + ", " + leading(p.c_layout) + "]";
    return all.last.is_none() ? text : text + ", \"epilogue\": \"" + describe(all.last) + "\"";
}

std::string plan_of(const ready& own) {
    std::string why = own->planned().why;
    std::erase(why, '"');
    return why.substr(0, why.find('\n'));
}

class calls {
  public:
    calls(std::uint64_t seed, const benchmark::call_domain& of)
        : seed_(seed), domain_(of), clock_(cuda::stream_in_use()) {}

    void measure(call_track track, const call_type& t, long long cases) {
        std::mt19937_64 random(seed_);
        benchmark::track_ratios ratios;
        for (long long i = 0; i < cases; ++i)
            ratios.add(measure_one(track, t, drawn_call(track, t, domain_, random)));
        ratios.summarise(words(track, t));
    }
    [[nodiscard]] bool all_agree() const { return agree_; }

  private:
    static std::string words(call_track track, const call_type& t) {
        const std::string_view name = benchmark::call_tracks()[static_cast<std::size_t>(track)];
        return "\"track\": \"" + std::string(name) + "\", \"type\": \"" + std::string(t.name) +
               "\", ";
    }

    benchmark::both_times measure_one(call_track track, const call_type& t,
                                      const rows::operation& all) {
        constexpr double turn_s = 3e-3;
        constexpr int turns = 5;
        std::mt19937_64 random(seed_);
        call_operands operands(all, random);
        const core::operands data = operands.get();
        const ready own = prepared(own_row(t), all);
        if (own == nullptr) {
            std::fprintf(stderr, "carat has no kernel for %s\n", in_words(all).c_str());
            std::exit(1);
        }
        own->expect(data);
        const peer here{[&] {
            own->run(data);
            return true;
        }};
        const peer other = fastest_peer(clock_, peers_of(t, all, data));
        const benchmark::both_times taken = take_both(clock_, here.start, other, turn_s, turns);
        const double off = compare(operands, here, other, all, t);
        std::printf(
            "{%s%s, %s, \"carat_tflops\": %.2f, \"agree\": %s, \"plan\": \"%s\", "
            "\"peer_kernels\": \"%s\"}\n",
            words(track, t).c_str(), in_words(all).c_str(), text_of(taken, other.name).c_str(),
            2e-12 * multiply_adds(all) / taken.calls.own_s, off == 0 ? "true" : "false",
            plan_of(own).c_str(), benchmark::kernels_of(other.start, clock_.stream()).c_str());
        std::fflush(stdout);
        agree_ = agree_ && off == 0;
        return taken;
    }

    // 0: both write the same.
    double compare(call_operands& operands, const peer& own, const peer& other,
                   const rows::operation& all, const call_type& t) const {
        if (!other.start) return 0;
        std::vector<std::vector<unsigned char>> written;
        for (const peer* const one : {&own, &other}) {
            operands.refill();
            must(cudaDeviceSynchronize());  // of copies that are still under way
            (void)one->start();
            must(cudaStreamSynchronize(cuda::stream_in_use()));
            written.push_back(operands.c());
        }
        return difference(all, t, written[0], written[1]);
    }

    std::uint64_t seed_;
    benchmark::call_domain domain_;
    stopwatch clock_;
    bool agree_ = true;
};

std::string why_not() {
    const std::string why = cuda::unavailable_in_use();
    return why.empty() ? vendor::cublas::unavailable() : why;
}

}  // namespace

int main(int argc, char** argv) {
    const auto number = [&](int i, long long otherwise) {
        return argc > i ? std::atoll(argv[i]) : otherwise;
    };
    const auto word = [&](int i) { return argc > i ? std::string_view(argv[i]) : "all"; };
    if (const std::string why = why_not(); !why.empty()) {
        std::fprintf(stderr, "carat_benchmark_gpu_calls: %s\n", why.c_str());
        return 2;
    }
    benchmark::call_domain of;
    of.multiple = std::max(1LL, number(5, of.multiple));
    if (argc > 6) of.least_operations = std::atof(argv[6]);
    if (argc > 7) of.most_operations = std::atof(argv[7]);
    calls all(static_cast<std::uint64_t>(number(1, 1)), of);
    const auto tracks = benchmark::call_tracks();
    for (std::size_t i = 0; i < tracks.size(); ++i)
        for (const call_type& t : benchmark::call_types()) {
            const auto track = static_cast<call_track>(i);
            if (word(3) != "all" && word(3) != tracks[i]) continue;
            if (word(4) != "all" && word(4) != t.name) continue;
            if (is_offered(track, t)) all.measure(track, t, number(2, 20));
        }
    if (all.all_agree()) return 0;
    std::fprintf(stderr, "carat_benchmark_gpu_calls: carat and cuBLAS differ\n");
    return 1;
}
