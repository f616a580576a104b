#include "cli/device.hpp"

#include <charconv>

#include <carat/error.hpp>

#include "lab/gpu/gpu.hpp"
#include "lab/request/request.hpp"

namespace carat::cli {

std::optional<rows::device> choose_device(const std::string& text) {
    constexpr std::string_view prefix = "cuda:";
    if (!text.starts_with(prefix)) return request::parse_device(text);
    int device = 0;
    const char* const first = text.data() + prefix.size();
    const char* const last = text.data() + text.size();
    const auto [end, problem] = std::from_chars(first, last, device);
    if (problem != std::errc() || end != last || device < 0)
        throw error(error_code::invalid_argument,
                    "device '" + text + "' names no GPU: give its number, from 0, as in cuda:0");
    gpu::select(device);
    return rows::device::cuda;
}

}  // namespace carat::cli
