// Batches and groups of BLAS libraries that have calls for them: MKL's for products at one
// distance, which OpenBLAS took over, and MKL's gemm_batch, whose products lie anywhere.
#include <fmt/format.h>
#include <limits>
#include <map>
#include <vector>

#include "lab/vendor/blas/fortran_blas.hpp"
#include "lab/vendor/common/blas_shape.hpp"

namespace carat::vendor {

namespace {

bool is_at_one_distance(const rows::operation& all) {
    return !all.is_listed() && all.lies == rows::placement::strided;
}

template <class T>
class strided_call final : public rows::runnable {
  public:
    strided_call(const blas_library& library, fortran_gemm_strided<T>* gemm,
                 const rows::operation& all, int threads)
        : gemm_(gemm),
          control_(library.threads),
          threads_(threads),
          shape_(int_shape_for_blas(all.one)),
          count_(static_cast<int>(all.count)),
          alpha_(static_cast<T>(all.one.alpha)),
          beta_(static_cast<T>(all.one.beta)) {
        const rows::distances apart = distances_of(all);
        first_step_ = static_cast<int>(shape_.swapped ? apart.b : apart.a);
        second_step_ = static_cast<int>(shape_.swapped ? apart.a : apart.b);
        c_step_ = static_cast<int>(apart.c);
    }

    void run(const core::operands& data) override {
        const threads_held held(control_, threads_);
        const shape_in<int>& x = shape_;
        gemm_(&x.first_letter, &x.second_letter, &x.m, &x.n, &x.k, &alpha_, x.first<T>(data),
              &x.first_ld, &first_step_, x.second<T>(data), &x.second_ld, &second_step_, &beta_,
              static_cast<T*>(data.c), &x.c_ld, &c_step_, &count_, 1, 1);
    }

    [[nodiscard]] int threads() const override { return threads_; }

  private:
    fortran_gemm_strided<T>* gemm_;
    const thread_control& control_;
    int threads_;
    shape_in<int> shape_;
    int count_;
    int first_step_ = 0, second_step_ = 0, c_step_ = 0;
    T alpha_, beta_;
};

// What the call is told of each group: all products of a batch are one, those of a list one each.
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
            product.push_back(place);
            swapped.push_back(shape.swapped);
            if (!all.is_listed() && !count.empty())
                ++count.back();
            else
                add_group(shape, p);
        }
    }

  private:
    void add_group(const shape_in<int>& shape, const core::problem& p) {
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
    }
};

template <class T>
struct addresses {
    std::vector<const T*> first, second;
    std::vector<T*> c;
};

template <class T>
class grouped_call final : public rows::runnable {
  public:
    grouped_call(const blas_library& library, fortran_gemm_grouped<T>* gemm,
                 const rows::operation& all, int threads)
        : gemm_(gemm), control_(library.threads), threads_(threads), all_(all), told_(all) {}

    void expect(const core::operands& data) override { (void)places_of(data); }

    void run(const core::operands& data) override {
        const threads_held held(control_, threads_);
        const addresses<T>& at = places_of(data);
        const auto groups = static_cast<int>(told_.m.size());
        gemm_(told_.first_letter.data(), told_.second_letter.data(), told_.m.data(), told_.n.data(),
              told_.k.data(), told_.alpha.data(), at.first.data(), told_.first_ld.data(),
              at.second.data(), told_.second_ld.data(), told_.beta.data(), at.c.data(),
              told_.c_ld.data(), &groups, told_.count.data(), 1, 1);
    }

    [[nodiscard]] int threads() const override { return threads_; }

  private:
    const addresses<T>& places_of(const core::operands& data) {
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
    std::map<const void*, addresses<T>> places_;
};

// Whether there is a call for these types that is told places so.
bool has_call(const blas_library& library, const rows::operation& all) {
    const auto has = [&](const auto& calls) {
        return is_at_one_distance(all) ? calls.strided != nullptr : calls.grouped != nullptr;
    };
    if (is_degenerate(all.one)) return false;
    if (all.one.a_type == dtype::f64) return has(library.batch_f64);
    return all.one.a_type == dtype::f32 && has(library.batch_f32);
}

template <class T>
std::unique_ptr<rows::runnable> prepare(const blas_library& library, const batch_calls<T>& calls,
                                        const rows::operation& all, int threads) {
    if (is_at_one_distance(all))
        return std::make_unique<strided_call<T>>(library, calls.strided, all, threads);
    return std::make_unique<grouped_call<T>>(library, calls.grouped, all, threads);
}

}  // namespace

std::string reason_against(const blas_library& library, const rows::operation& all) {
    if (!all.last.is_none()) return library.facts.name + " has no epilogues";
    if (all.prepared) return reason_against_prepared(library, all.one);
    if (!has_call(library, all)) {
        if (library.loops) return {};
        return fmt::format("{} has no {} of {}{}", library.facts.name,
                           all.is_listed() ? "groups" : "batches", name(all.one.a_type),
                           all.lies == rows::placement::pointers ? " by pointers" : "");
    }
    if (all.is_listed()) return {};
    const rows::distances apart = distances_of(all);
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    for (const std::int64_t value : {all.count, apart.a, apart.b, apart.c})
        if (value > most)
            return fmt::format("the batch has {}: this library's integers end at {}", value, most);
    return {};
}

std::unique_ptr<rows::runnable> prepare(const blas_library& library, const rows::operation& all,
                                        const core::settings& s) {
    if (all.prepared) return prepare_packed(library, all.one, s);
    if (!has_call(library, all))
        return loop_over([&](const core::problem& p) { return prepare(library, p, s); }, all);
    const int threads = granted(library.threads, s.threads);
    if (all.one.a_type == dtype::f64) return prepare(library, library.batch_f64, all, threads);
    return prepare(library, library.batch_f32, all, threads);
}

}  // namespace carat::vendor
