#include "cli/call.hpp"

#include <carat/error.hpp>

#include "cli/checks.hpp"
#include "lab/request/request.hpp"

namespace carat::cli {

void add_call_flags(CLI::App& sub, call_flags& flags) {
    sub.add_option(
           "--batch", flags.batch,
           "how many products of each size, contiguous in memory; 64:pointers: each given by its "
           "address; 64:listed: as a list whose sizes could differ")
        ->capture_default_str();
    sub.add_option(
        "--groups", flags.groups,
        "a group of products with the same N and K, each with a B of its own: the rows of each "
        "(100,28,0, or uneven:SEED:ROWS/PRODUCTS), which add up to the M of --size. "
        "With :device appended carat reads them from the GPU's memory; other "
        "implementations get them from the host");
    if (sub.get_name() != "compare")  // whose --alpha is the level of its tests
        sub.add_option("--alpha", flags.alpha, "C = alpha A B + beta C: multiples of 0.25")
            ->check(number(-4, 4))
            ->capture_default_str();
    sub.add_option("--beta", flags.beta, "0 does not read C")
        ->check(number(-4, 4))
        ->capture_default_str();
    sub.add_option("--e", flags.e, "what beta multiplies: c itself, or another matrix")
        ->check(CLI::IsMember({"c", "other"}))
        ->capture_default_str();
    sub.add_option("--scale-by", flags.scale_by,
                   "blocks: e4m3 has an f32 scale for each row of A by 128 of K and each 128 x 128 "
                   "of B")
        ->check(CLI::IsMember({"none", "blocks"}))
        ->capture_default_str();
    sub.add_option("--out", flags.out,
                   "type of C: bf16, f16 or f32 (default: what the type is summed in)");
    sub.add_flag("--prepared", flags.prepared,
                 "B is packed once, by the library's own call for that; packing is not timed");
    sub.add_option("--epilogue", flags.epilogue,
                   "bias, relu, gelu, silu, bias+gelu ...: C = f(alpha A B + bias) + beta C");
}

rows::call call_of(const call_flags& flags) {
    rows::call asked;
    request::parse_batch(flags.batch, asked);
    request::parse_groups(flags.groups, asked);
    asked.prepared = flags.prepared;
    if (asked.prepared && !asked.is_one_product())
        throw error(error_code::invalid_argument,
                    "--prepared takes one product: leave --batch and --groups out");
    asked.alpha = flags.alpha;
    asked.beta = flags.beta;
    asked.other_e = flags.e == "other";
    if (asked.other_e && asked.beta == 0)
        throw error(error_code::invalid_argument,
                    "--e other is a matrix that --beta multiplies, which is 0: add --beta 1");
    asked.block_scales = flags.scale_by == "blocks";
    if (asked.block_scales &&
        (!asked.is_one_product() || asked.prepared || asked.other_e || !flags.epilogue.empty()))
        throw error(error_code::invalid_argument,
                    "--scale-by blocks takes one product: leave --batch, --groups, --prepared, "
                    "--e and --epilogue out");
    if (!flags.epilogue.empty()) asked.last = request::parse_epilogue(flags.epilogue);
    if (!flags.out.empty()) asked.out = request::parse_out(flags.out);
    return asked;
}

}  // namespace carat::cli
