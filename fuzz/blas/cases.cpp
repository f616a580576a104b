// The drop-in and the reference get the same arguments. Results may differ by rounding; the
// reference computes the bound itself, from absolute values in double.
#include "cases.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "draw.hpp"
#include "forwarded.hpp"
#include "fuzz/arena.hpp"

namespace carat::fuzz {

namespace {

struct libraries {
    blas_library ours;
    blas_library reference;
};

// Found by the build, or on another machine in a folder that the environment names.
std::string place_of(const std::string& file) {
    const char* const folder = std::getenv("CARAT_FUZZ_LIBRARIES");
    return folder == nullptr ? file : folder + file.substr(file.rfind('/'));
}

// The first forwarded call binds the drop-in to the reference beside it.
libraries opened(const char* ours, const char* reference) {
    libraries all = {blas_library(place_of(ours)), blas_library(place_of(reference))};
    setenv("CARAT_BLAS_FALLBACK", all.reference.file().c_str(), 1);
    if (!all.ours.is_open() || !all.reference.is_open()) return all;
    const std::int64_t none = 0;
    double unused = 0;
    auto* const scale = reinterpret_cast<void (*)(const std::int64_t*, const double*, double*,
                                                  const std::int64_t*)>(all.ours.find("dscal_"));
    scale(&none, &unused, &unused, &none);
    return all;
}

const libraries& of_32_bits() {
    static const libraries all = opened(CARAT_FUZZ_BLAS, CARAT_FUZZ_REFERENCE);
    return all;
}
const libraries& of_64_bits() {
    static const libraries all = opened(CARAT_FUZZ_BLAS64, CARAT_FUZZ_REFERENCE64);
    return all;
}

template <class T, class I>
class blas_case {
  public:
    blas_case(const libraries& in, random_numbers& random, tally& count)
        : in_(in), random_(random), count_(count), of_(draw_arguments<T>(random)) {
        // No operand may be overwritten before it is read.
        const bool in_place = of_.which == routine::trmm || of_.which == routine::trsm;
        if (!in_place && of_.beta == 0)
            std::ranges::fill(of_.c, std::numeric_limits<T>::quiet_NaN());
    }

    std::string run() {
        const bool may_be_wrong = of_.which != routine::gemmtr && in_.ours.complains_here();
        if (may_be_wrong && random_.chance(10)) return with_a_wrong_argument();
        const std::vector<T> result = ours();
        if (const complaint c = take_complaint(); !c.routine.empty())
            return "xerbla was told of argument " + std::to_string(c.position);
        if (of_.which == routine::trsm) return check(result, of_.c, true);
        const std::vector<double> right = of_reference(wide(of_), wide(of_).c);
        return check(result, right, false);
    }

    [[nodiscard]] std::string describe() const {
        constexpr const char* interfaces[] = {"", " by columns", " by rows"};
        char text[200];
        std::snprintf(text, sizeof text, "%c%s%s%s %c%c%c%c%c m %ld n %ld k %ld alpha %g beta %g",
                      std::is_same_v<T, float> ? 's' : 'd',
                      routine_names[static_cast<std::size_t>(of_.which)],
                      interfaces[static_cast<std::size_t>(of_.how)],
                      sizeof(I) == 8 ? " of 64 bits" : "", of_.side, of_.uplo, of_.trans_a,
                      of_.trans_b, of_.diag, static_cast<long>(of_.m), static_cast<long>(of_.n),
                      static_cast<long>(of_.k), of_.alpha, of_.beta);
        return text;
    }

  private:
    static blas_arguments<double> wide(const blas_arguments<T>& g) {
        blas_arguments<double> w;
        w.which = g.which;
        w.how = g.how;
        w.side = g.side;
        w.uplo = g.uplo;
        w.trans_a = g.trans_a;
        w.trans_b = g.trans_b;
        w.diag = g.diag;
        w.m = g.m;
        w.n = g.n;
        w.k = g.k;
        w.lda = g.lda;
        w.ldb = g.ldb;
        w.ldc = g.ldc;
        w.alpha = static_cast<T>(g.alpha);
        w.beta = static_cast<T>(g.beta);
        w.a.assign(g.a.begin(), g.a.end());
        w.b.assign(g.b.begin(), g.b.end());
        w.c.assign(g.c.begin(), g.c.end());
        return w;
    }

    std::vector<double> of_reference(const blas_arguments<double>& g, std::vector<double> c) const {
        blas_caller<double, I>(in_.reference, g)(g.a.data(), g.b.data(), c.data());
        return c;
    }

    // Operands end at an inaccessible page.
    std::vector<T> ours() {
        thread_local arena memory[3];
        const std::vector<T>* const from[] = {&of_.a, &of_.b, &of_.c};
        T* there[3];
        for (int i = 0; i < 3; ++i) {
            const std::size_t bytes = from[i]->size() * sizeof(T);
            there[i] = reinterpret_cast<T*>(memory[i].place(bytes, flush::back, 0));
            if (bytes != 0) std::memcpy(there[i], from[i]->data(), bytes);
        }
        blas_caller<T, I>(in_.ours, of_)(there[0], there[1], there[2]);
        for (int i = 0; i < 2; ++i)
            if (!from[i]->empty() &&
                std::memcmp(there[i], from[i]->data(), from[i]->size() * sizeof(T)) != 0)
                operands_changed_ = true;
        return {there[2], there[2] + of_.c.size()};
    }

    std::string with_a_wrong_argument() {
        spoil(random_, of_);
        std::vector<T> c = of_.c;
        blas_caller<T, I>(in_.reference, of_)(of_.a.data(), of_.b.data(), c.data());
        const complaint theirs = take_complaint();
        if (theirs.routine.empty()) return {};  // an option that this routine hasn't
        const std::vector<T> result = ours();
        const complaint own = take_complaint();
        ++count_.refused;
        // Which of two arguments is reported by row-major CBLAS, whose operands the reference
        // exchanges: docs/blas.md.
        const bool alike = of_.how == blas_call::by_rows ? !own.routine.empty() : own == theirs;
        if (!alike)
            return "xerbla was told of " + own.routine + " " + std::to_string(own.position) +
                   ", by the reference of " + theirs.routine + " " +
                   std::to_string(theirs.position);
        return same_bits(result, of_.c) ? "" : "C was written after a wrong argument";
    }

    static bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
        return x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0;
    }

    // Whether the routine writes each entry of C.
    [[nodiscard]] std::vector<double> unwritten() const {
        blas_arguments<double> g = wide(of_);
        g.alpha = g.beta = 0;
        std::vector<double> c(g.c.size(), std::nan(""));
        return of_reference(g, c);
    }

    // |alpha| |A| |B| + |beta| |C|, computed by the reference.
    [[nodiscard]] std::vector<double> magnitude(const std::vector<double>& c) const {
        blas_arguments<double> g = wide(of_);
        for (double& x : g.a) x = std::abs(x);
        for (double& x : g.b) x = std::abs(x);
        g.alpha = of_.which == routine::trsm ? 1 : std::abs(g.alpha);
        g.beta = std::abs(g.beta);
        if (g.which == routine::trsm) g.which = routine::trmm;
        std::vector<double> sizes = c;
        for (double& x : sizes) x = std::abs(x);
        return of_reference(g, sizes);
    }

    // Computes A X, and what it should be, for trsm.
    [[nodiscard]] std::vector<double> product_with(const std::vector<T>& x) const {
        blas_arguments<double> g = wide(of_);
        g.which = routine::trmm;
        g.alpha = 1;
        return of_reference(g, std::vector<double>(x.begin(), x.end()));
    }

    template <class R>
    std::string check(const std::vector<T>& result, const std::vector<R>& right, bool solved) {
        if (std::string wrong = find_error(result, right, solved); !wrong.empty()) return wrong;
        if (operands_changed_) return "A or B was changed";
        count_.entries += result.size();
        return random_.chance(12) ? plant_errors(result, right, solved) : std::string();
    }

    template <class R>
    std::string find_error(const std::vector<T>& result, const std::vector<R>& right,
                           bool solved) const {
        const std::vector<double> untouched = unwritten();
        const std::vector<double> start(of_.c.begin(), of_.c.end());
        const std::vector<double> size =
            magnitude(solved ? std::vector<double>(result.begin(), result.end()) : start);
        const std::vector<double> is =
            solved ? product_with(result) : std::vector<double>(result.begin(), result.end());
        const auto terms = static_cast<double>(std::max({of_.m, of_.n, of_.k}) + 8);
        const double u = std::is_same_v<T, float> ? 0x1p-24 : 0x1p-53;
        for (std::size_t i = 0; i < result.size(); ++i) {
            if (std::isnan(untouched[i])) {
                if (std::memcmp(&result[i], &of_.c[i], sizeof(T)) != 0)
                    return "place " + std::to_string(i) + " of C must not be written";
                continue;
            }
            const double scale = solved ? static_cast<T>(of_.alpha) : 1;
            const double wanted = scale == 0 ? 0 : scale * static_cast<double>(right[i]);
            const double bound = 4 * terms * u * (size[i] + std::abs(wanted)) +
                                 terms * std::numeric_limits<T>::denorm_min();
            if (std::abs(is[i] - wanted) <= bound) continue;
            char text[160];
            std::snprintf(text, sizeof text, "place %zu of C is %.17g but must be %.17g +- %.3g%s",
                          i, is[i], wanted, bound, solved ? " after multiplying back" : "");
            return text;
        }
        return {};
    }

    template <class R>
    std::string plant_errors(std::vector<T> result, const std::vector<R>& right, bool solved) {
        if (result.empty()) return {};
        const std::size_t at = random_.below(result.size());
        const bool pad = std::isnan(unwritten()[at]);
        const auto kind = static_cast<std::size_t>(pad ? error_kind::pad : error_kind::entry);
        if (pad) {
            unsigned char bytes[sizeof(T)];
            std::memcpy(bytes, &result[at], sizeof(T));
            bytes[0] ^= 1;
            std::memcpy(&result[at], bytes, sizeof(T));
        } else {
            result[at] += static_cast<T>(std::abs(result[at]) + 1);
        }
        ++count_.planted[kind];
        if (find_error(result, right, solved).empty())
            return std::string("a planted error was not found: ") + error_kind_names[kind];
        ++count_.caught[kind];
        return {};
    }

    const libraries& in_;
    random_numbers& random_;
    tally& count_;
    blas_arguments<T> of_;
    bool operands_changed_ = false;
};

template <class T, class I>
std::string run_typed(const libraries& in, random_numbers& random, const surroundings& around,
                      tally& count) {
    blas_case<T, I> one(in, random, count);
    const std::string text = one.describe();
    tell_description(around, text);
    const std::string wrong = one.run();
    ++count.cases;
    return wrong.empty() ? wrong : text + ": " + wrong;
}

}  // namespace

std::string why_no_blas() {
    // Opened only in children, since libraries detect the instruction set when they are opened.
    for (const char* const file : {CARAT_FUZZ_BLAS, CARAT_FUZZ_REFERENCE})
        if (*file == 0 || access(place_of(file).c_str(), R_OK) != 0)
            return std::string(file) + " is not there";
    return {};
}

std::string run_blas_case(std::uint64_t seed, std::uint64_t number, const surroundings& in,
                          tally& count) {
    random_numbers random(seed ^ 0xb1a5, number);
    const libraries& usual = of_32_bits();
    const libraries& long_ones = of_64_bits();
    const bool wide = long_ones.ours.is_open() && long_ones.reference.is_open() && random.chance(4);
    const libraries& all = wide ? long_ones : usual;
    if (random.chance(5)) {
        ++count.cases;
        tell_description(in, "a routine of level 1 or 2");
        return run_forwarded(all.ours, all.reference, wide ? 8 : 4, random, count);
    }
    const bool in_double = random.chance(2);
    if (!wide) {
        const libraries wheels = {usual.ours.named("scipy_", ""), usual.reference};
        const libraries& some = random.chance(8) ? wheels : usual;
        return in_double ? run_typed<double, std::int32_t>(some, random, in, count)
                         : run_typed<float, std::int32_t>(some, random, in, count);
    }
    // The other library also has 64-bit names.
    const char* const prefix = random.chance(2) ? "" : "scipy_";
    const libraries suffixed = {usual.ours.named(prefix, "64_"), long_ones.reference};
    const libraries& some = random.chance(2) ? suffixed : long_ones;
    return in_double ? run_typed<double, std::int64_t>(some, random, in, count)
                     : run_typed<float, std::int64_t>(some, random, in, count);
}

}  // namespace carat::fuzz
