// oneDNN as its two rows share it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <carat/types.hpp>

#include "lab/rows/implementation.hpp"
#include "lab/vendor/common/shared_library.hpp"
#include "lab/vendor/common/thread_control.hpp"

namespace carat::vendor::onednn {

inline constexpr int success = 0;

template <class Input>
using gemm = int(char, char, std::int64_t, std::int64_t, std::int64_t, float, const Input*,
                 std::int64_t, const Input*, std::int64_t, float, float*, std::int64_t);

// Bytes into 32-bit integers, with offsets that are 0 here.
template <class Input>
using byte_gemm = int(char, char, char, std::int64_t, std::int64_t, std::int64_t, float,
                      const Input*, std::int64_t, Input, const std::int8_t*, std::int64_t,
                      std::int8_t, float, std::int32_t*, std::int64_t, const std::int32_t*);

struct onednn_library {
    byte_gemm<std::int8_t>* s8_gemm = nullptr;
    byte_gemm<std::uint8_t>* u8_gemm = nullptr;
    gemm<float>* sgemm = nullptr;
    gemm<bf16>* bf16_gemm = nullptr;  // null where it is missing or has no code for this CPU
    thread_control threads;
    // Its kernels for CPUs without VNNI add pairs of byte products in 16 bits, which saturate.
    bool sums_bytes_exactly = false;
    rows::library_facts facts;
    int major = 0;
    std::optional<shared_library> file;
    std::string missing;  // why there is no library; the rest is empty then
};

[[nodiscard]] const onednn_library& opened();

// Empty where sums of bytes are exact on this machine.
[[nodiscard]] std::string reason_against_sums_of_bytes(const onednn_library& library);

}  // namespace carat::vendor::onednn
