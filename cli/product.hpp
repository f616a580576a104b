// The one product that run and explain take: --size, or --m, --n and --k.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "lab/request/request.hpp"

namespace carat::cli {

struct product_flags {
    std::string m = "1024", n = "1024", k = "1024", size;
};

void add_product_flags(CLI::App& sub, product_flags& flags);

// Throws carat::error on what is no size, or several.
[[nodiscard]] request::shape shape_of(const product_flags& flags);

}  // namespace carat::cli
