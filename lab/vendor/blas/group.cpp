// Groups of BLAS libraries that have a call for products of different sizes: MKL's gemm_batch, of
// which each product is a group of its own.
#include <fmt/format.h>
#include <map>
#include <vector>

#include "lab/vendor/blas/fortran_blas.hpp"
#include "lab/vendor/common/blas_shape.hpp"

namespace carat::vendor {

namespace {

// What the call is told of each product.
template <class T>
struct told {
    std::vector<char> first_letter, second_letter;
    std::vector<int> m, n, k, first_ld, second_ld, c_ld, count;
    std::vector<T> alpha, beta;
    std::vector<std::int64_t> product;
    std::vector<bool> swapped;

    explicit told(const rows::operation& all) {
        for (std::int64_t i = 0; i < all.count; ++i) {
            const std::int64_t place = shuffled(all, i);
            const core::problem p = problem_of(all, place);
            if (p.m == 0) continue;
            const shape_in<int> shape = int_shape_for_blas(p);
            first_letter.push_back(shape.first_letter);
            second_letter.push_back(shape.second_letter);
            m.push_back(shape.m);
            n.push_back(shape.n);
            k.push_back(shape.k);
            first_ld.push_back(shape.first_ld);
            second_ld.push_back(shape.second_ld);
            c_ld.push_back(shape.c_ld);
            alpha.push_back(static_cast<T>(p.alpha));
            beta.push_back(static_cast<T>(p.beta));
            count.push_back(1);
            product.push_back(place);
            swapped.push_back(shape.swapped);
        }
    }
};

template <class T>
struct addresses_of_group {
    std::vector<const T*> first, second;
    std::vector<T*> c;
};

template <class T>
class group_call final : public rows::runnable {
  public:
    group_call(const blas_library& library, fortran_gemm_grouped<T>* gemm,
               const rows::operation& all, int threads)
        : gemm_(gemm), control_(library.threads), threads_(threads), all_(all), told_(all) {}

    void expect(const core::operands& data) override { (void)places_of(data); }

    void run(const core::operands& data) override {
        const threads_held held(control_, threads_);
        const addresses_of_group<T>& at = places_of(data);
        const auto groups = static_cast<int>(told_.m.size());
        gemm_(told_.first_letter.data(), told_.second_letter.data(), told_.m.data(), told_.n.data(),
              told_.k.data(), told_.alpha.data(), at.first.data(), told_.first_ld.data(),
              at.second.data(), told_.second_ld.data(), told_.beta.data(), at.c.data(),
              told_.c_ld.data(), &groups, told_.count.data(), 1, 1);
    }

    [[nodiscard]] int threads() const override { return threads_; }

  private:
    const addresses_of_group<T>& places_of(const core::operands& data) {
        const auto [found, is_new] = places_.try_emplace(data.c);
        if (!is_new) return found->second;
        const rows::distances apart = distances_of(all_);
        for (std::size_t i = 0; i < told_.product.size(); ++i) {
            const core::operands one = product_at(all_, apart, data, told_.product[i]);
            const bool swapped = told_.swapped[i];
            found->second.first.push_back(static_cast<const T*>(swapped ? one.b : one.a));
            found->second.second.push_back(static_cast<const T*>(swapped ? one.a : one.b));
            found->second.c.push_back(static_cast<T*>(one.c));
        }
        return found->second;
    }

    fortran_gemm_grouped<T>* gemm_;
    const thread_control& control_;
    int threads_;
    rows::operation all_;
    told<T> told_;
    std::map<const void*, addresses_of_group<T>> places_;
};

bool has_grouped_call(const blas_library& library, const rows::operation& all) {
    if (is_degenerate(all.one)) return false;
    if (all.one.a_type == dtype::f64) return library.batch_f64.grouped != nullptr;
    return all.one.a_type == dtype::f32 && library.batch_f32.grouped != nullptr;
}

}  // namespace

std::string reason_against_group(const blas_library& library, const rows::operation& all) {
    if (has_grouped_call(library, all) || library.loops) return {};
    return fmt::format("{} has no groups of {}", library.facts.name, name(all.one.a_type));
}

std::unique_ptr<rows::runnable> prepare_group(const blas_library& library,
                                              const rows::operation& all, const core::settings& s) {
    if (!has_grouped_call(library, all))
        return loop_over([&](const core::problem& p) { return prepare(library, p, s); }, all);
    const int threads = granted(library.threads, s.threads);
    if (all.one.a_type == dtype::f64)
        return std::make_unique<group_call<double>>(library, library.batch_f64.grouped, all,
                                                    threads);
    return std::make_unique<group_call<float>>(library, library.batch_f32.grouped, all, threads);
}

}  // namespace carat::vendor
