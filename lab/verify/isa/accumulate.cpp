// Error-free transformations over a row of sums: a b = p + e exactly and s + p = t + r exactly, so
// the errors e and r are not lost but summed. Four steps of p for each load and store of the sums;
// the loop over j is the compiler's to vectorise.
#include "lab/verify/accumulate.hpp"

namespace carat::verify::CARAT_ISA {

namespace {

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline double product_error(double a, double b, double p) {
    return __builtin_fma(a, b, -p);
}
#else
// Replaces a fused multiply-add: halves of 26 and 27 bits, split by a mask so that nothing
// overflows (Dekker 1971 rounds instead). The last product may round, by 2^-106 of p.
inline double upper_half(double x) {
    const auto bits = __builtin_bit_cast(std::uint64_t, x) & ~((std::uint64_t{1} << 27) - 1);
    return __builtin_bit_cast(double, bits);
}

inline double product_error(double a, double b, double p) {
    const double a1 = upper_half(a);
    const double b1 = upper_half(b);
    const double a2 = a - a1;
    const double b2 = b - b1;
    return ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2;
}
#endif

// Knuth's two-sum: no assumption on which of s and p is larger.
inline void add_product(double a, double b, double& s, double& errors, double& absolute) {
    const double p = a * b;
    const double e = product_error(a, b, p);
    const double t = s + p;
    const double p_seen = t - s;
    const double r = (s - (t - p_seen)) + (p - p_seen);
    s = t;
    errors += e + r;
    absolute += __builtin_fabs(p);
}

}  // namespace

void twofold(const double* __restrict a, const double* __restrict b, std::int64_t depth,
             std::int64_t width, const sums& to) {
    double* __restrict high = to.high;
    double* __restrict low = to.low;
    double* __restrict absolute = to.absolute;
    for (std::int64_t p = 0; p < depth; p += depth_step, a += depth_step) {
        const double* b0 = b + p * block_cols;
        const double* b1 = b0 + block_cols;
        const double* b2 = b1 + block_cols;
        const double* b3 = b2 + block_cols;
        for (std::int64_t j = 0; j < width; ++j) {
            double s = high[j];
            double errors = low[j];
            double d = absolute[j];
            add_product(a[0], b0[j], s, errors, d);
            add_product(a[1], b1[j], s, errors, d);
            add_product(a[2], b2[j], s, errors, d);
            add_product(a[3], b3[j], s, errors, d);
            high[j] = s;
            low[j] = errors;
            absolute[j] = d;
        }
    }
}

void plain(const double* __restrict a, const double* __restrict b, std::int64_t depth,
           std::int64_t width, const sums& to) {
    double* __restrict high = to.high;
    double* __restrict absolute = to.absolute;
    for (std::int64_t p = 0; p < depth; p += depth_step, a += depth_step) {
        const double* b0 = b + p * block_cols;
        const double* b1 = b0 + block_cols;
        const double* b2 = b1 + block_cols;
        const double* b3 = b2 + block_cols;
        for (std::int64_t j = 0; j < width; ++j) {
            const double p0 = a[0] * b0[j];
            const double p1 = a[1] * b1[j];
            const double p2 = a[2] * b2[j];
            const double p3 = a[3] * b3[j];
            high[j] += (p0 + p1) + (p2 + p3);
            absolute[j] += (__builtin_fabs(p0) + __builtin_fabs(p1)) +
                           (__builtin_fabs(p2) + __builtin_fabs(p3));
        }
    }
}

}  // namespace carat::verify::CARAT_ISA
