#include "cli/product.hpp"

namespace carat::cli {

void add_product_flags(CLI::App& sub, product_flags& flags) {
    CLI::Option* size = sub.add_option("--size", flags.size, "N or MxNxK, for --m, --n and --k");
    for (CLI::Option* one : {sub.add_option("--m", flags.m, "rows of A and C"),
                             sub.add_option("--n", flags.n, "columns of B and C"),
                             sub.add_option("--k", flags.k, "columns of A, rows of B")})
        one->capture_default_str()->excludes(size);
}

request::shape shape_of(const product_flags& flags) {
    return flags.size.empty() ? request::parse_product(flags.m, flags.n, flags.k)
                              : request::parse_one_shape(flags.size);
}

}  // namespace carat::cli
