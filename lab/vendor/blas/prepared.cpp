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
          shape_(int_shape_for_blas(p)),
          alpha_(static_cast<T>(p.alpha)),
          beta_(static_cast<T>(p.beta)) {}

    void take(const core::operands& data) override {
        const threads_held held(control_, threads_);
        const char* const which = shape_.swapped ? "A" : "B";
        packed_memory& to = packed_[data.b];
        if (to == nullptr) {
            const std::size_t bytes = calls_.size(which, &shape_.m, &shape_.n, &shape_.k, 1);
            to.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64})));
        }
        const char letter = shape_.swapped ? shape_.first_letter : shape_.second_letter;
        calls_.pack(which, &letter, &shape_.m, &shape_.n, &shape_.k, &alpha_,
                    static_cast<const T*>(data.b),
                    shape_.swapped ? &shape_.first_ld : &shape_.second_ld,
                    reinterpret_cast<T*>(to.get()), 1, 1);
    }

    void run(const core::operands& data) override {
        const threads_held held(control_, threads_);
        const auto* const packed = reinterpret_cast<const T*>(packed_.at(data.b).get());
        const auto* const a = static_cast<const T*>(data.a);
        const char p = 'P';
        calls_.compute(shape_.swapped ? &p : &shape_.first_letter,
                       shape_.swapped ? &shape_.second_letter : &p, &shape_.m, &shape_.n, &shape_.k,
                       shape_.swapped ? packed : a, &shape_.first_ld, shape_.swapped ? a : packed,
                       &shape_.second_ld, &beta_, static_cast<T*>(data.c), &shape_.c_ld, 1, 1);
    }

    [[nodiscard]] int threads() const override { return threads_; }

  private:
    packing_calls<T> calls_;
    const thread_control& control_;
    int threads_;
    shape_in<int> shape_;
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
    const int threads = granted(library.threads, s.threads);
    if (p.a_type == dtype::f64)
        return std::make_unique<compute_call<double>>(library, library.packing_f64, p, threads);
    return std::make_unique<compute_call<float>>(library, library.packing_f32, p, threads);
}

}  // namespace carat::vendor
