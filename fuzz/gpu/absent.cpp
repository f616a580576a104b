// A build without CUDA.
#include "cases.hpp"

namespace carat::fuzz {

std::string run_gpu_case(std::uint64_t, std::uint64_t, const surroundings&, tally&) {
    return why_no_gpu();
}

std::string why_no_gpu() {
    return "this build has no CUDA: configure with -DCARAT_CUDA=ON";
}

}  // namespace carat::fuzz
