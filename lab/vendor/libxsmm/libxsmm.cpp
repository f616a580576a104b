// libxsmm writes machine code for one product: sizes, leading dimensions and beta are constants in
// it. It packs nothing and has no threads, so it shines while everything stays in a near cache.
// Version 1 only: version 2 gave the same function names other arguments.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <limits>

#include "lab/rows/operation.hpp"
#include "lab/vendor/common/blas_shape.hpp"
#include "lab/vendor/common/held_call.hpp"
#include "lab/vendor/common/kernel_note.hpp"
#include "lab/vendor/common/scale_only.hpp"
#include "lab/vendor/common/shared_library.hpp"
#include "lab/vendor/rows.hpp"

namespace carat::vendor {

namespace {

template <class T>
using kernel = void(const T*, const T*, T*);

// Leading dimensions, alpha, beta, flags and prefetch strategy are optional, hence by address.
template <class T>
using dispatch = kernel<T>*(int m, int n, int k, const int* lda, const int* ldb, const int* ldc,
                            const T* alpha, const T* beta, const int* flags, const int* prefetch);

struct libxsmm_library {
    dispatch<double>* dispatch_f64 = nullptr;
    dispatch<float>* dispatch_f32 = nullptr;
    rows::library_facts facts;
    std::string missing;
};

constexpr int flag_transposed_a = 1;
constexpr int flag_transposed_b = 2;

// Machine code for `p`, generated at the first request and kept by libxsmm; null when it has none.
template <class T>
kernel<T>* find_kernel(dispatch<T>* function, const core::problem& p) {
    const shape_in<int> s = int_shape_for_blas(p);
    const T alpha = static_cast<T>(p.alpha), beta = static_cast<T>(p.beta);
    const int flags = (s.first_letter == 'T' ? flag_transposed_a : 0) |
                      (s.second_letter == 'T' ? flag_transposed_b : 0);
    const int no_prefetch = 0;
    return function(s.m, s.n, s.k, &s.first_ld, &s.second_ld, &s.c_ld, &alpha, &beta, &flags,
                    &no_prefetch);
}

core::isa level_of(std::string_view architecture) {
    static constexpr std::array avx512 = {"skx", "clx", "cpx", "spr", "knl", "knm"};
    if (std::ranges::find(avx512, architecture) != avx512.end()) return core::isa::avx512;
    return architecture == "hsw" ? core::isa::avx2 : core::isa::baseline;
}

libxsmm_library connect(const shared_library& file) {
    if (file.exports("libxsmm_dispatch_gemm"))
        throw rejected("is version 2, whose functions take other arguments");
    libxsmm_library library;
    library.dispatch_f64 = file.required<dispatch<double>>("libxsmm_dmmdispatch");
    library.dispatch_f32 = file.required<dispatch<float>>("libxsmm_smmdispatch");
    file.required<void()>("libxsmm_init")();
    // It has no call that tells its version; the file's name does.
    const std::string name = std::filesystem::path(file.path()).filename();
    const std::size_t suffix = name.find(".so.");
    library.facts = {"libxsmm",
                     suffix == std::string::npos ? "not told" : name.substr(suffix + 4),
                     file.path(),
                     file.required<const char*()>("libxsmm_get_target_arch")(),
                     {}};
    library.facts.note = kernel_note(level_of(library.facts.kernel), "LIBXSMM_TARGET",
                                     core::has(core::isa::avx512) ? "clx" : "hsw");
    return library;
}

constexpr std::array<std::string_view, 2> files = {"libxsmm.so.1", "libxsmm.so"};
constexpr library_search search = {"libxsmm", files,
                                   "./dev peers (it links one from the package libxsmm-dev)"};

const libxsmm_library& opened() {
    static const libxsmm_library library = [] {
        libxsmm_library found;
        std::string missing = open_first(search, [&](const auto& file) { found = connect(file); });
        found.missing = std::move(missing);
        return found;
    }();
    return library;
}

// Its code moves from line to line of an operand, and back over all of them, by bytes in 32 bits.
// Beyond those it crashes.
std::string reason_against_reach(const core::problem& p) {
    constexpr std::int64_t most_bytes = std::int64_t{1} << 31;
    const std::int64_t most = most_bytes / static_cast<std::int64_t>(size_bytes(p.a_type));
    const blas_shape s = shape_for_blas(p);
    struct operand {
        const char* name;
        std::int64_t lines;
        std::int64_t ld;
    };
    const operand all[] = {{s.swapped ? "B" : "A", s.first_letter == 'N' ? s.k : s.m, s.first_ld},
                           {s.swapped ? "A" : "B", s.second_letter == 'N' ? s.n : s.k, s.second_ld},
                           {"C", s.n, s.c_ld}};
    for (const operand& o : all)
        if (o.lines > most / o.ld)
            return fmt::format(
                "{} is {} lines, each {} elements after the last: the code that it "
                "generates reaches {} bytes of an operand",
                o.name, o.lines, o.ld, most_bytes);
    return {};
}

std::string unsupported(const core::problem& p, const core::settings&) {
    std::string why = reason_against_shape(p, std::numeric_limits<int>::max());
    if (!why.empty() || is_degenerate(p)) return why;
    if (why = reason_against_reach(p); !why.empty()) return why;
    if (p.alpha != 1 || (p.beta != 0 && p.beta != 1))
        return fmt::format("alpha is {} and beta {}: it takes alpha 1 and beta 0 or 1", p.alpha,
                           p.beta);
    const bool generated = p.a_type == dtype::f64
                               ? find_kernel(opened().dispatch_f64, p) != nullptr
                               : find_kernel(opened().dispatch_f32, p) != nullptr;
    if (generated) return {};
    return "it generates no code for such operands; it likes A, B and C all by rows or all by "
           "columns";
}

std::unique_ptr<rows::runnable> prepare(const core::problem& p, const core::settings&) {
    static const thread_control serial;
    const auto with = [&]<class T>(dispatch<T>* function) -> std::unique_ptr<rows::runnable> {
        if (is_degenerate(p)) return std::make_unique<scale_only<T>>(p);
        return holding_threads(
            serial, 1,
            [code = find_kernel(function, p), x = shape_for_blas(p)](const core::operands& data) {
                code(x.first<T>(data), x.second<T>(data), static_cast<T*>(data.c));
            });
    };
    return p.a_type == dtype::f64 ? with(opened().dispatch_f64) : with(opened().dispatch_f32);
}

std::string unsupported_operation(const rows::operation& all, const core::settings&) {
    return reason_against_epilogue(all);
}

// Its batches are calls of one kernel, the way its own samples take.
std::unique_ptr<rows::runnable> prepare_operation(const rows::operation& all,
                                                  const core::settings& s) {
    return loop_over([&](const core::problem& p) { return prepare(p, s); }, all);
}

constexpr std::array signatures = {
    core::signature{dtype::f64, dtype::f64, dtype::f64, "f64"},
    core::signature{dtype::f32, dtype::f32, dtype::f32, "f32"},
};

constexpr rows::implementation make_row() {
    rows::implementation row;
    row.name = "vendor.libxsmm";
    row.summary = "libxsmm: machine code generated for one small product, serial";
    row.signatures = signatures;
    row.unavailable = [] { return opened().missing; };
    row.unsupported = unsupported;
    row.prepare = prepare;
    row.library = [] { return opened().facts; };
    row.unsupported_operation = unsupported_operation;
    row.prepare_operation = prepare_operation;
    row.takes_groups = true;
    return row;
}

}  // namespace

constexpr rows::implementation libxsmm_row = make_row();

}  // namespace carat::vendor
