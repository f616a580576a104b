// What the matmul row calls of oneDNN, of either version.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <carat/types.hpp>

#include "lab/vendor/onednn/library.hpp"

namespace carat::vendor::onednn {

// dnnl_types.h
enum data_type { type_bf16 = 2, type_f32 = 3, type_s32 = 4, type_s8 = 5, type_u8 = 6 };
enum argument {
    argument_source = 1,
    argument_destination = 17,
    argument_weights = 33,
    argument_bias = 41
};
constexpr int engine_cpu = 1;
constexpr unsigned stream_default = 1;
using handle = void*;
using sizes = std::array<std::int64_t, 12>;
struct bound_argument {
    int which;
    handle memory;
};
// Larger than any descriptor of version 2, where the caller owns them.
struct alignas(64) descriptor {
    std::array<std::byte, 8192> bytes;
};

[[nodiscard]] inline data_type type_of(dtype type) {
    switch (type) {
        case dtype::bf16:
            return type_bf16;
        case dtype::i32:
            return type_s32;
        case dtype::i8:
            return type_s8;
        case dtype::u8:
            return type_u8;
        default:
            return type_f32;
    }
}

struct matmul_library {
    int (*create_engine)(handle*, int, std::size_t);
    int (*create_stream)(handle*, handle, unsigned);
    int (*create_primitive)(handle*, handle);
    int (*create_memory)(handle*, const void*, handle, void*);
    int (*set_data)(handle, void*);
    int (*execute)(handle, handle, int, const bound_argument*);
    int (*wait)(handle);
    int (*destroy_stream)(handle);
    int (*destroy_primitive)(handle);
    int (*destroy_description)(handle);
    int (*destroy_memory)(handle);
    int (*create_attributes)(handle*);
    int (*destroy_attributes)(handle);
    int (*create_steps)(handle*);
    int (*destroy_steps)(handle);
    int (*set_steps)(handle, handle);
    // Version 2.
    int (*init_layout)(void*, int, const std::int64_t*, int, const std::int64_t*) = nullptr;
    int (*init_matmul)(void*, const void*, const void*, const void*, const void*) = nullptr;
    int (*describe_2)(handle*, const void*, handle, handle, handle) = nullptr;
    int (*append_sum_2)(handle, float) = nullptr;
    int (*append_activation_2)(handle, float, int, float, float) = nullptr;
    // Version 3.
    int (*create_layout)(handle*, int, const std::int64_t*, int, const std::int64_t*) = nullptr;
    int (*destroy_layout)(handle) = nullptr;
    int (*describe_3)(handle*, handle, handle, handle, handle, handle, handle) = nullptr;
    int (*append_sum_3)(handle, float, std::int32_t, int) = nullptr;
    int (*append_activation_3)(handle, int, float, float) = nullptr;
    handle engine = nullptr;
    std::string missing;
};

// Throws rejected.
void check(int status, const char* what);

// Found by the first who asks.
[[nodiscard]] const matmul_library& matmul();

// Something of the library's that is destroyed with its owner.
class owned {
  public:
    explicit owned(int (*destroy)(handle)) : destroy_(destroy) {}
    ~owned() {
        if (made_ != nullptr) destroy_(made_);
    }
    owned(const owned&) = delete;
    owned& operator=(const owned&) = delete;

    [[nodiscard]] handle* out() { return &made_; }
    [[nodiscard]] handle get() const { return made_; }

  private:
    int (*destroy_)(handle);
    handle made_ = nullptr;
};

}  // namespace carat::vendor::onednn
