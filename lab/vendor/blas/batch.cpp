// Batches of BLAS libraries that have a call for them: MKL's, which OpenBLAS took over.
#include <fmt/format.h>
#include <limits>
#include <map>
#include <vector>

#include "lab/vendor/blas/fortran_blas.hpp"
#include "lab/vendor/common/blas_shape.hpp"

namespace carat::vendor {

namespace {

// The addresses of all products' matrices, in no order.
template <class T>
struct addresses {
    std::vector<const T*> first, second;
    std::vector<T*> c;

    addresses(const rows::operation& all, const core::operands& data, bool swapped) {
        for (std::int64_t i = 0; i < all.count; ++i) {
            const core::operands one = product_at(all, data, shuffled(all, i));
            first.push_back(static_cast<const T*>(swapped ? one.b : one.a));
            second.push_back(static_cast<const T*>(swapped ? one.a : one.b));
            c.push_back(static_cast<T*>(one.c));
        }
    }
};

template <class T>
class batch_call final : public rows::runnable {
  public:
    batch_call(const blas_library& library, const batch_calls<T>& calls, const rows::operation& all,
               int threads)
        : calls_(calls),
          control_(library.threads),
          threads_(threads),
          all_(all),
          shape_(int_shape_for_blas(all.one)) {
        const rows::distances apart = distances_of(all);
        first_step_ = static_cast<int>(shape_.swapped ? apart.b : apart.a);
        second_step_ = static_cast<int>(shape_.swapped ? apart.a : apart.b);
        c_step_ = static_cast<int>(apart.c);
    }

    void expect(const core::operands& data) override {
        if (all_.lies == rows::placement::pointers)
            places_.try_emplace(data.c, all_, data, shape_.swapped);
    }

    void run(const core::operands& data) override {
        const threads_held held(control_, threads_);
        if (all_.lies == rows::placement::pointers) return run_anywhere(data);
        const shape_in<int>& x = shape_;
        calls_.strided(&x.first_letter, &x.second_letter, &x.m, &x.n, &x.k, &alpha_,
                       x.first<T>(data), &x.first_ld, &first_step_, x.second<T>(data), &x.second_ld,
                       &second_step_, &beta_, static_cast<T*>(data.c), &x.c_ld, &c_step_, &count_,
                       1, 1);
    }

    [[nodiscard]] int threads() const override { return threads_; }

  private:
    void run_anywhere(const core::operands& data) {
        const int groups = 1;
        const auto& at = places_.try_emplace(data.c, all_, data, shape_.swapped).first->second;
        const shape_in<int>& x = shape_;
        calls_.grouped(&x.first_letter, &x.second_letter, &x.m, &x.n, &x.k, &alpha_,
                       at.first.data(), &x.first_ld, at.second.data(), &x.second_ld, &beta_,
                       at.c.data(), &x.c_ld, &groups, &count_, 1, 1);
    }

    batch_calls<T> calls_;
    const thread_control& control_;
    int threads_;
    rows::operation all_;
    shape_in<int> shape_;
    int count_ = static_cast<int>(all_.count);
    int first_step_ = 0, second_step_ = 0, c_step_ = 0;
    T alpha_ = static_cast<T>(all_.one.alpha);
    T beta_ = static_cast<T>(all_.one.beta);
    std::map<const void*, addresses<T>> places_;
};

// Whether there is a call for these types that is told places so.
bool has_call(const blas_library& library, const rows::operation& all) {
    const auto has = [&](const auto& calls) {
        return all.lies == rows::placement::strided ? calls.strided != nullptr
                                                    : calls.grouped != nullptr;
    };
    if (is_degenerate(all.one)) return false;
    if (all.one.a_type == dtype::f64) return has(library.batch_f64);
    return all.one.a_type == dtype::f32 && has(library.batch_f32);
}

}  // namespace

std::string reason_against(const blas_library& library, const rows::operation& all) {
    if (!all.last.is_none()) return library.facts.name + " has no epilogues";
    if (all.prepared) return reason_against_prepared(library, all.one);
    if (all.is_listed()) return reason_against_group(library, all);
    if (!has_call(library, all)) {
        if (library.loops) return {};
        return fmt::format("{} has no batches of {}{}", library.facts.name, name(all.one.a_type),
                           all.lies == rows::placement::pointers ? " by pointers" : "");
    }
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
    if (all.is_listed()) return prepare_group(library, all, s);
    if (!has_call(library, all))
        return loop_over([&](const core::problem& p) { return prepare(library, p, s); }, all);
    const int threads = granted(library.threads, s.threads);
    if (all.one.a_type == dtype::f64)
        return std::make_unique<batch_call<double>>(library, library.batch_f64, all, threads);
    return std::make_unique<batch_call<float>>(library, library.batch_f32, all, threads);
}

}  // namespace carat::vendor
