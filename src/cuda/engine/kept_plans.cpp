#include "cuda/engine/kept_plans.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <carat/error.hpp>

#include "core/left_sms.hpp"
#include "cuda/engine/select.hpp"

namespace carat::gpu_engine {

namespace {

/// Everything that a plan depends on: all but addresses and values.
struct plan_key {
    std::array<std::int64_t, 16> of{};

    bool operator==(const plan_key&) const = default;
};

std::int64_t types_of(const core::problem& p) {
    return static_cast<std::int64_t>(p.a_type) << 16 | static_cast<std::int64_t>(p.b_type) << 8 |
           static_cast<std::int64_t>(p.c_type);
}

std::int64_t flags_of(const core::gpu_call& call) {
    const core::product_set& products = call.products;
    std::int64_t flags =
        static_cast<std::int64_t>(call.arithmetic) << 4 | static_cast<std::int64_t>(products.are);
    for (const bool flag : {call.batch_invariant, call.epilogue.changes_sums, call.epilogue.is_glu,
                            call.epilogue.adds_residual, call.aligned.a, call.aligned.b,
                            call.aligned.c, products.one_a, products.one_b})
        flags = flags << 1 | std::int64_t{flag};
    return flags;
}

std::int64_t launch_of(const carat::plan::gpu_plan& with) {
    std::int64_t of = 0;
    for (const int part : {with.split_k, with.cluster_m, with.cluster_n, with.ctas_per_sm})
        of = of << 8 | part;
    return of << 2 | std::int64_t{with.swap_ab} << 1 | std::int64_t{!with.family.empty()};
}

plan_key key_of(int device, const core::gpu_call& call, const carat::plan::gpu_plan& with) {
    const core::problem& p = call.problem;
    const std::int64_t place = std::int64_t{core::left_sms()} << 32 | std::int64_t{device};
    return {{types_of(p) << 32 | flags_of(call), place, p.m, p.n, p.k, p.a_layout.row_stride,
             p.a_layout.col_stride, p.b_layout.row_stride, p.b_layout.col_stride,
             p.c_layout.row_stride, p.c_layout.col_stride, std::bit_cast<std::int64_t>(p.alpha),
             std::bit_cast<std::int64_t>(p.beta), call.products.count,
             static_cast<std::int64_t>(with.row), launch_of(with)}};
}

std::uint64_t hash_of(const plan_key& key) {
    std::uint64_t hash = 0;
    for (const std::int64_t x : key.of) {
        hash = (hash ^ static_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

// The most recently used ones.
class plan_cache {
  public:
    static constexpr std::size_t most = 64;

    // Null where there is none for this.
    [[nodiscard]] const kept_plan* find(const plan_key& key) {
        const std::uint64_t hash = hash_of(key);
        for (entry& e : entries_)
            if (e.hash == hash && e.last_used != 0 && e.key == key) {
                e.last_used = ++now_;
                return &e.made;
            }
        return nullptr;
    }

    const kept_plan& keep(const plan_key& key, kept_plan made) {
        if (entries_.empty()) entries_.resize(most);
        entry& oldest = *std::ranges::min_element(entries_, {}, &entry::last_used);
        oldest = {hash_of(key), ++now_, key, std::move(made)};
        return oldest.made;
    }

  private:
    struct entry {
        std::uint64_t hash = 0;
        std::uint64_t last_used = 0;  // 0: empty
        plan_key key;
        kept_plan made;
    };

    // They lie on the heap: thread-local arrays took 10 KiB of every stack.
    std::vector<entry> entries_;
    std::uint64_t now_ = 0;
};

const kept_plan& found_or(const plan_key& key, const auto& make) {
    static thread_local plan_cache kept;
    if (const kept_plan* const known = kept.find(key)) return *known;
    return kept.keep(key, kept_plan(make()));
}

}  // namespace

kept_plan::kept_plan(std::unique_ptr<const cuda::gemm_product> product)
    : product_(std::move(product)),
      cache_(product_ == nullptr ? nullptr : product_->make_cache()) {}

bool kept_plan::run(cuda::bindings with) const {
    with.kept = cache_.get();
    return product_->run(with);
}

core::plan_facts kept_plan::planned() const {
    return is_none() ? core::plan_facts{} : product_->planned();
}

const kept_plan& plan_for(const core::gpu_call& call, int device) {
    return found_or(key_of(device, call, {}), [&] {
        const core::settings s = settings_for(call);
        if (const std::string why = reason_against(call, s); !why.empty())
            throw error(error_code::unsupported, "on a GPU: " + why);
        return prepare(call, s);
    });
}

const kept_plan& plan_for(const core::gpu_call& call, const carat::plan::gpu_plan& with,
                          int device) {
    return found_or(key_of(device, call, with), [&] { return prepare(call, with); });
}

}  // namespace carat::gpu_engine
