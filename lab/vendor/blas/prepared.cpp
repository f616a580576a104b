// A B that is packed once, by BLAS libraries that have calls for it: MKL's gemm_pack, which takes
// alpha in, and gemm_compute.
#include <fmt/format.h>
#include <map>
#include <memory>
#include <new>

#include "lab/vendor/blas/fortran_blas.hpp"
#include "lab/vendor/common/blas_shape.hpp"

namespace carat::vendor {

namespace {

struct free_aligned {
    void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{64}); }
};
using packed_memory = std::unique_ptr<std::byte, free_aligned>;

// BLAS stores by columns, so a B stored by rows is its first operand.
template <class T>
class compute_call final : public rows::runnable {
  public:
    compute_call(const blas_library& library, const packing_calls<T>& calls, const core::problem& p,
                 int threads)
        : calls_(calls),
          control_(library.threads),
          threads_(threads),
          shape_(shape_for_blas(p)),
          alpha_(static_cast<T>(p.alpha)),
          beta_(static_cast<T>(p.beta)) {}

    void take(const core::operands& data) override {
        const threads_held held(control_, threads_);
        const char* const which = shape_.swapped ? "A" : "B";
        packed_memory& to = packed_[data.b];
        if (to == nullptr) {
            const std::size_t bytes = calls_.size(which, &m_, &n_, &k_, 1);
            to.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64})));
        }
        const char letter = shape_.swapped ? shape_.first_letter : shape_.second_letter;
        calls_.pack(which, &letter, &m_, &n_, &k_, &alpha_, static_cast<const T*>(data.b),
                    shape_.swapped ? &first_ld_ : &second_ld_, reinterpret_cast<T*>(to.get()), 1,
                    1);
    }

    void run(const core::operands& data) override {
        const threads_held held(control_, threads_);
        const auto* const packed = reinterpret_cast<const T*>(packed_.at(data.b).get());
        const auto* const a = static_cast<const T*>(data.a);
        const char p = 'P';
        calls_.compute(shape_.swapped ? &p : &shape_.first_letter,
                       shape_.swapped ? &shape_.second_letter : &p, &m_, &n_, &k_,
                       shape_.swapped ? packed : a, &first_ld_, shape_.swapped ? a : packed,
                       &second_ld_, &beta_, static_cast<T*>(data.c), &c_ld_, 1, 1);
    }

    [[nodiscard]] int threads() const override { return threads_; }

  private:
    packing_calls<T> calls_;
    const thread_control& control_;
    int threads_;
    blas_shape shape_;
    int m_ = static_cast<int>(shape_.m);
    int n_ = static_cast<int>(shape_.n);
    int k_ = static_cast<int>(shape_.k);
    int first_ld_ = static_cast<int>(shape_.first_ld);
    int second_ld_ = static_cast<int>(shape_.second_ld);
    int c_ld_ = static_cast<int>(shape_.c_ld);
    T alpha_;
    T beta_;
    std::map<const void*, packed_memory> packed_;
};

}  // namespace

std::string reason_against_prepared(const blas_library& library, const core::problem& p) {
    const bool packs = p.a_type == dtype::f64   ? library.packing_f64.pack != nullptr
                       : p.a_type == dtype::f32 ? library.packing_f32.pack != nullptr
                                                : false;
    if (is_degenerate(p) || !packs)
        return fmt::format("{} packs no operands of {} beforehand", library.facts.name,
                           name(p.a_type));
    return {};
}

std::unique_ptr<rows::runnable> prepare_packed(const blas_library& library, const core::problem& p,
                                               const core::settings& s) {
    const int threads = library.threads.confirm ? library.threads.confirm(s.threads) : 1;
    if (p.a_type == dtype::f64)
        return std::make_unique<compute_call<double>>(library, library.packing_f64, p, threads);
    return std::make_unique<compute_call<float>>(library, library.packing_f32, p, threads);
}

}  // namespace carat::vendor
