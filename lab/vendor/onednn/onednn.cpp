// oneDNN through its plain matrix-product calls: row-major, 64-bit sizes, the same from version 2
// to
// 3. It has no f64. Its primitive for a matrix product is a row of its own, matmul.cpp.
#include <array>
#include <fmt/format.h>
#include <limits>

#include <carat/error.hpp>
#include <carat/types.hpp>

#include "lab/vendor/common/blas_shape.hpp"
#include "lab/vendor/common/held_call.hpp"
#include "lab/vendor/common/kernel_note.hpp"
#include "lab/vendor/common/scale_only.hpp"
#include "lab/vendor/onednn/library.hpp"
#include "lab/vendor/rows.hpp"

namespace carat::vendor {

namespace {

using namespace onednn;

constexpr int runtime_sequential = 1;

struct dnnl_version_fields {
    int major, minor, patch;
    const char* hash;
    unsigned cpu_runtime;
};

void require_success(int status) {
    if (status != success)
        throw error(error_code::unsupported, fmt::format("oneDNN failed, status {}", status));
}

// Row-major: BLAS's second operand comes first, and N before M.
template <class Input>
std::unique_ptr<rows::runnable> prepare_gemm(gemm<Input>* function, const core::problem& p,
                                             int threads) {
    const auto call = [function, x = shape_for_blas(p), alpha = static_cast<float>(p.alpha),
                       beta = static_cast<float>(p.beta)](const core::operands& data) {
        require_success(function(x.second_letter, x.first_letter, x.n, x.m, x.k, alpha,
                                 x.second<Input>(data), x.second_ld, x.first<Input>(data),
                                 x.first_ld, beta, static_cast<float*>(data.c), x.c_ld));
    };
    return holding_threads(opened().threads, threads, call);
}

// The same of bytes; its first operand may be unsigned.
template <class Input>
std::unique_ptr<rows::runnable> prepare_gemm(byte_gemm<Input>* function, const core::problem& p,
                                             int threads) {
    const auto call = [function, x = shape_for_blas(p),
                       beta = static_cast<float>(p.beta)](const core::operands& data) {
        const std::int32_t offset = 0;
        require_success(function(x.second_letter, x.first_letter, 'F', x.n, x.m, x.k, 1,
                                 x.second<Input>(data), x.second_ld, 0, x.first<std::int8_t>(data),
                                 x.first_ld, 0, beta, static_cast<std::int32_t*>(data.c), x.c_ld,
                                 &offset));
    };
    return holding_threads(opened().threads, threads, call);
}

// dnnl_cpu_isa_t: a bit for each set of instructions; these mean the same in versions 2 and 3.
constexpr int bit_avx2 = 0x4, bit_avx_vnni = 0x8, bit_avx512 = 0x20, bit_vnni = 0x40,
              bit_bf16 = 0x80, bit_amx = 0x200;

std::string_view name_of(int instructions) {
    if ((instructions & bit_amx) != 0) return "AVX-512 and AMX";
    if ((instructions & bit_bf16) != 0) return "AVX-512 with bf16";
    if ((instructions & bit_vnni) != 0) return "AVX-512 with VNNI";
    if ((instructions & bit_avx512) != 0) return "AVX-512";
    return (instructions & bit_avx2) != 0 ? "AVX2" : "below AVX2";
}

core::isa level_of(int instructions) {
    if ((instructions & bit_avx512) != 0) return core::isa::avx512;
    return (instructions & bit_avx2) != 0 ? core::isa::avx2 : core::isa::baseline;
}

// It is exported by all builds but has code only for some CPUs, and tells by its status.
gemm<bf16>* find_bf16_gemm(const shared_library& file) {
    auto* const found = file.function<gemm<bf16>>("dnnl_gemm_bf16bf16f32");
    if (found == nullptr) return nullptr;
    const bf16 a{1}, b{1};
    float c = 0;
    const int status = found('N', 'N', 1, 1, 1, 1, &a, 1, &b, 1, 0, &c, 1);
    return status == success && c == 1 ? found : nullptr;
}

onednn_library connect(const shared_library& file) {
    onednn_library library;
    const auto* version = file.required<const dnnl_version_fields*()>("dnnl_version")();
    const bool serial = version->cpu_runtime == runtime_sequential;
    if (!serial) library.threads = openmp_threads(file);
    library.file = file;
    library.major = version->major;
    library.sgemm = file.required<gemm<float>>("dnnl_sgemm");
    library.bf16_gemm = find_bf16_gemm(file);
    library.s8_gemm = file.function<byte_gemm<std::int8_t>>("dnnl_gemm_s8s8s32");
    library.u8_gemm = file.function<byte_gemm<std::uint8_t>>("dnnl_gemm_u8s8s32");
    const int instructions = file.required<int()>("dnnl_get_effective_cpu_isa")();
    library.sums_bytes_exactly = (instructions & (bit_avx_vnni | bit_vnni)) != 0;
    library.facts = {"oneDNN",
                     fmt::format("{}.{}.{}, {}", version->major, version->minor, version->patch,
                                 serial ? "serial" : "OpenMP"),
                     file.path(), std::string(name_of(instructions)),
                     kernel_note(level_of(instructions), "ONEDNN_MAX_CPU_ISA", {})};
    return library;
}

constexpr std::array<std::string_view, 3> files = {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"};
constexpr library_search search = {"oneDNN", files,
                                   "./dev peers, or apt install libdnnl2 (Debian 12) or libdnnl3"};

}  // namespace

const onednn_library& onednn::opened() {
    static const onednn_library library = [] {
        onednn_library found;
        std::string missing = open_first(search, [&](const auto& file) { found = connect(file); });
        found.missing = std::move(missing);
        return found;
    }();
    return library;
}

std::string onednn::reason_against_sums_of_bytes(const onednn_library& library) {
    if (library.sums_bytes_exactly) return {};
    return fmt::format(
        "oneDNN {} adds products of bytes in 16 bits where there is no VNNI, and sums "
        "beyond them are wrong",
        library.facts.version);
}

namespace {

std::string reason_against_bytes(const onednn_library& library, const core::problem& p) {
    if (is_degenerate(p)) return core::reason_against_factors(p);
    const bool is_unsigned = p.a_type == dtype::u8;
    if (is_unsigned ? library.u8_gemm == nullptr : library.s8_gemm == nullptr)
        return fmt::format("oneDNN {} has no product of bytes", library.facts.version);
    if (std::string why = reason_against_sums_of_bytes(library); !why.empty()) return why;
    // Its operands are signed, but for the first one of a product by rows.
    if (is_unsigned && !shape_for_blas(p).swapped)
        return fmt::format("oneDNN {} multiplies u8 by i8 into a C by rows only",
                           library.facts.version);
    return reason_against_float_scaling(p);
}

std::string unsupported(const core::problem& p, const core::settings& s) {
    const onednn_library& library = opened();
    if (p.a_type == dtype::bf16 && library.bf16_gemm == nullptr)
        return fmt::format("oneDNN {} has no bf16 product for this CPU", library.facts.version);
    std::string why = reason_against_shape(p, std::numeric_limits<std::int64_t>::max());
    if (why.empty() && is_byte_integer(p.a_type)) why = reason_against_bytes(library, p);
    return why.empty() ? reason_against_threads(library.threads, s.threads) : why;
}

std::unique_ptr<rows::runnable> prepare(const core::problem& p, const core::settings& s) {
    const onednn_library& library = opened();
    if (is_degenerate(p) && p.c_type == dtype::i32)
        return std::make_unique<scale_only<std::uint32_t>>(p);
    if (is_degenerate(p)) return std::make_unique<scale_only<float>>(p);
    if (p.a_type == dtype::bf16) return prepare_gemm(library.bf16_gemm, p, s.threads);
    if (p.a_type == dtype::i8) return prepare_gemm(library.s8_gemm, p, s.threads);
    if (p.a_type == dtype::u8) return prepare_gemm(library.u8_gemm, p, s.threads);
    return prepare_gemm(library.sgemm, p, s.threads);
}

constexpr std::array signatures = {
    core::signature{dtype::f32, dtype::f32, dtype::f32, "f32"},
    core::signature{dtype::bf16, dtype::bf16, dtype::f32, "f32"},
    core::signature{dtype::i8, dtype::i8, dtype::i32, "i32 modulo 2^32"},
    core::signature{dtype::u8, dtype::i8, dtype::i32, "i32 modulo 2^32"},
};

constexpr rows::implementation make_row() {
    rows::implementation row;
    row.name = "vendor.onednn";
    row.summary = "oneDNN: kernels generated at run time for this CPU's instructions";
    row.signatures = signatures;
    row.threaded = true;
    row.unavailable = [] { return opened().missing; };
    row.unsupported = unsupported;
    row.prepare = prepare;
    row.library = [] { return opened().facts; };
    return row;
}

}  // namespace

constexpr rows::implementation onednn_row = make_row();

}  // namespace carat::vendor
