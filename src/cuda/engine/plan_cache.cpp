#include "cuda/engine/plan_cache.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/left_sms.hpp"

namespace carat::cuda_call {

namespace {

std::uint64_t hash_of(const plan_key& key) {
    std::uint64_t hash = 0;
    for (const std::int64_t x : key.of) {
        hash = (hash ^ static_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

}  // namespace

plan_key key_of(int device, const core::problem& p, std::int64_t batch, std::uint32_t flags) {
    const std::int64_t types = static_cast<std::int64_t>(p.a_type) << 16 |
                               static_cast<std::int64_t>(p.b_type) << 8 |
                               static_cast<std::int64_t>(p.c_type);
    const std::int64_t place = std::int64_t{core::left_sms()} << 32 | std::int64_t{device};
    return {{types << 32 | std::int64_t{flags}, place, p.m, p.n, p.k, p.a_layout.row_stride,
             p.a_layout.col_stride, p.b_layout.row_stride, p.b_layout.col_stride,
             p.c_layout.row_stride, p.c_layout.col_stride, std::bit_cast<std::int64_t>(p.alpha),
             std::bit_cast<std::int64_t>(p.beta), batch}};
}

const plan* plan_cache::find(const plan_key& key) {
    const std::uint64_t hash = hash_of(key);
    for (entry& e : entries_)
        if (e.hash == hash && e.last_used != 0 && e.key == key) {
            e.last_used = ++now_;
            return &e.made;
        }
    return nullptr;
}

const plan& plan_cache::keep(const plan_key& key, plan made) {
    entry& oldest = *std::ranges::min_element(entries_, {}, &entry::last_used);
    oldest = {hash_of(key), ++now_, key, std::move(made)};
    return oldest.made;
}

}  // namespace carat::cuda_call
