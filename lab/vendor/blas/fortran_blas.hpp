// A BLAS library behind the one interface that all of them share: Fortran's dgemm_. A vendor's file
// states where its library lies, how to set its threads and what it tells about itself; the rest of
// a catalogue row follows from that here.
#pragma once

#include <array>
#include <memory>
#include <string>

#include <carat/types.hpp>

#include "lab/rows/implementation.hpp"
#include "lab/rows/operation.hpp"
#include "lab/vendor/common/shared_library.hpp"
#include "lab/vendor/common/thread_control.hpp"

namespace carat::vendor {

// Fortran passes everything by address, and the lengths of the two letters after the rest.
template <class Input, class Output>
using fortran_gemm = void(const char*, const char*, const int*, const int*, const int*,
                          const Output*, const Input*, const int*, const Input*, const int*,
                          const Output*, Output*, const int*, std::size_t, std::size_t);

// Calls for products at one distance, and for groups of products anywhere.
template <class T>
using fortran_gemm_strided = void(const char*, const char*, const int*, const int*, const int*,
                                  const T*, const T*, const int*, const int*, const T*, const int*,
                                  const int*, const T*, T*, const int*, const int*, const int*,
                                  std::size_t, std::size_t);
template <class T>
using fortran_gemm_grouped = void(const char*, const char*, const int*, const int*, const int*,
                                  const T*, const T* const*, const int*, const T* const*,
                                  const int*, const T*, T* const*, const int*, const int*,
                                  const int*, std::size_t, std::size_t);

template <class T>
struct batch_calls {
    fortran_gemm_strided<T>* strided = nullptr;
    fortran_gemm_grouped<T>* grouped = nullptr;
};

// Calls for an operand that is packed once; "A" or "B" says which of the two it is.
template <class T>
struct packing_calls {
    std::size_t (*size)(const char*, const int*, const int*, const int*, std::size_t) = nullptr;
    void (*pack)(const char*, const char*, const int*, const int*, const int*, const T*, const T*,
                 const int*, T*, std::size_t, std::size_t) = nullptr;
    void (*compute)(const char*, const char*, const int*, const int*, const int*, const T*,
                    const int*, const T*, const int*, const T*, T*, const int*, std::size_t,
                    std::size_t) = nullptr;
};

// MKL's of signed by unsigned bytes into 32-bit integers, with offsets that are 0 here.
using fortran_byte_gemm = void(const char*, const char*, const char*, const int*, const int*,
                               const int*, const float*, const std::int8_t*, const int*,
                               const std::int8_t*, const std::uint8_t*, const int*,
                               const std::int8_t*, const float*, std::int32_t*, const int*,
                               const std::int32_t*);

struct blas_library {
    fortran_gemm<double, double>* dgemm = nullptr;
    fortran_gemm<float, float>* sgemm = nullptr;
    fortran_gemm<bf16, float>* sbgemm = nullptr;  // few have it
    fortran_byte_gemm* byte_gemm = nullptr;       // MKL alone
    batch_calls<double> batch_f64;                // MKL and newer OpenBLAS
    batch_calls<float> batch_f32;
    packing_calls<double> packing_f64;  // MKL
    packing_calls<float> packing_f32;
    bool loops = false;  // a batch that it has no call for is measured as a loop
    thread_control threads;
    rows::library_facts facts;
    std::string missing;  // why there is no library; the rest is empty then
};

// Why a library is refused that would read carat's integers and what lies behind them.
inline constexpr const char* wide_integers =
    "takes 64-bit integers; carat passes 32 bits, so install a build of those";

inline constexpr std::array blas_signatures = {
    core::signature{dtype::f64, dtype::f64, dtype::f64, "f64"},
    core::signature{dtype::f32, dtype::f32, dtype::f32, "f32"},
};
inline constexpr std::array blas_signatures_with_bf16 = {
    blas_signatures[0],
    blas_signatures[1],
    core::signature{dtype::bf16, dtype::bf16, dtype::f32, "f32"},
};

inline constexpr std::array blas_signatures_with_bytes = {
    blas_signatures[0],
    blas_signatures[1],
    blas_signatures_with_bf16[2],
    core::signature{dtype::u8, dtype::i8, dtype::i32, "i32 modulo 2^32"},
};

struct blas_vendor {
    library_search search;
    // Fills in everything but dgemm and sgemm. Throws rejected when the library isn't this
    // vendor's.
    void (*connect)(const shared_library&, blas_library&);
    std::span<const core::signature> signatures = blas_signatures;
    bool threaded = true;
};

[[nodiscard]] blas_library open_blas(const blas_vendor& vendor);
[[nodiscard]] std::string reason_against(const blas_library& library, const core::problem& p,
                                         const core::settings& s);
[[nodiscard]] std::unique_ptr<rows::runnable> prepare(const blas_library& library,
                                                      const core::problem& p,
                                                      const core::settings& s);

[[nodiscard]] std::string reason_against(const blas_library& library, const rows::operation& all);
[[nodiscard]] std::unique_ptr<rows::runnable> prepare(const blas_library& library,
                                                      const rows::operation& all,
                                                      const core::settings& s);

// The same with a prepared B.
[[nodiscard]] std::string reason_against_prepared(const blas_library& library,
                                                  const core::problem& p);
[[nodiscard]] std::unique_ptr<rows::runnable> prepare_packed(const blas_library& library,
                                                             const core::problem& p,
                                                             const core::settings& s);

// The vendor's library, opened by the first call, whichever thread makes it.
template <const blas_vendor& Vendor>
[[nodiscard]] const blas_library& opened() {
    static const blas_library library = open_blas(Vendor);
    return library;
}

template <const blas_vendor& Vendor>
[[nodiscard]] constexpr rows::implementation blas_row(std::string_view name,
                                                      std::string_view summary) {
    rows::implementation row;
    row.name = name;
    row.summary = summary;
    row.signatures = Vendor.signatures;
    row.threaded = Vendor.threaded;
    row.unavailable = [] { return opened<Vendor>().missing; };
    row.unsupported = [](const core::problem& p, const core::settings& s) {
        return reason_against(opened<Vendor>(), p, s);
    };
    row.prepare = [](const core::problem& p, const core::settings& s) {
        return prepare(opened<Vendor>(), p, s);
    };
    row.library = [] { return opened<Vendor>().facts; };
    row.unsupported_operation = [](const rows::operation& all, const core::settings&) {
        return reason_against(opened<Vendor>(), all);
    };
    row.prepare_operation = [](const rows::operation& all, const core::settings& s) {
        return prepare(opened<Vendor>(), all, s);
    };
    row.takes_groups = true;
    row.takes_prepared = true;
    return row;
}

}  // namespace carat::vendor
