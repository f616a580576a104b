#include "lab/judge/peer.hpp"

#include <cstdio>
#include <map>
#include <memory>
#include <tuple>

#include <carat/carat_kernel.h>

#include "core/dtype_traits.hpp"
#include "lab/catalogue/catalogue.hpp"
#include "lab/judge/device/gpu_memory.hpp"
#include "lab/judge/serve.hpp"

namespace carat::judge {

namespace {

dtype type_of(std::int32_t kernel_type) {
    switch (kernel_type) {
        case CARAT_F32:
            return dtype::f32;
        case CARAT_F16:
            return dtype::f16;
        case CARAT_BF16:
            return dtype::bf16;
        case CARAT_I8:
            return dtype::i8;
        default:
            return dtype::f64;
    }
}

core::problem problem_of(const call& row) {
    core::problem p = core::row_major_problem(type_of(row.type), row.m, row.n, row.k);
    p.c_type = core::accumulator_of(p.a_type);
    p.a_layout.row_stride = row.lda;
    p.b_layout.row_stride = row.ldb;
    p.c_layout.row_stride = row.ldc;
    p.alpha = row.alpha;
    p.beta = row.beta;
    return p;
}

class peer_service final : public service {
  public:
    explicit peer_service(const rows::implementation& entry) : entry_(entry) {}

    void load(header& to) override {
        to.version = CARAT_KERNEL_VERSION;
        std::snprintf(to.name, sizeof to.name, "%.*s", static_cast<int>(entry_.name.size()),
                      entry_.name.data());
    }

    // Prepared once for all calls that differ only in their data.
    bool prepare(const call& row, std::int32_t index, char* memory) override {
        const auto key = std::tuple(row.m, row.n, row.k, row.lda, row.ldb, row.ldc, row.type);
        std::unique_ptr<rows::runnable>& ready = ready_[key];
        const core::settings how = {entry_.threaded ? row.threads : 1, {}};
        if (ready == nullptr) ready = entry_.prepare(problem_of(row), how);
        calls_.resize(static_cast<std::size_t>(index) + 1);
        calls_.back() = {ready.get(), {memory + row.a, memory + row.b, memory + row.c}};
        ready->expect(calls_.back().data);
        return true;
    }

    void* own_stream() override {
        return entry_.where == rows::device::cuda ? stream_of_products() : nullptr;
    }

    std::int64_t run(std::int32_t index) override {
        const ready_call& c = calls_[static_cast<std::size_t>(index)];
        c.how->run(c.data);
        return 0;
    }

  private:
    struct ready_call {
        rows::runnable* how;
        core::operands data;
    };
    const rows::implementation& entry_;
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                        std::int64_t, std::int32_t>,
             std::unique_ptr<rows::runnable>>
        ready_;
    std::vector<ready_call> calls_;
};

// A precision such as tf32 for f32 products.
bool computes_in_less(const rows::implementation& entry, const core::problem& p) {
    const core::signature* types = rows::find_signature(entry, p);
    return entry.where == rows::device::cuda && types != nullptr && p.a_type == p.c_type &&
           types->computes_in != name(p.c_type);
}

}  // namespace

int serve_peer(const std::string& name) {
    // A target's process cannot read this one.
    prctl(PR_SET_DUMPABLE, 0);
    peer_service what(lab::catalogue().find(name));
    return serve(what);
}

std::vector<std::string> peers_for(const core::problem& p, rows::device where, int threads) {
    std::vector<std::string> names;
    const std::string_view engine = where == rows::device::cpu ? "cpu.engine" : "cuda.engine";
    for (const rows::implementation* entry : lab::catalogue().entries()) {
        const bool wanted = entry->name == engine || entry->name.starts_with("vendor.");
        if (entry->where != where || !wanted || computes_in_less(*entry, p)) continue;
        const core::settings how = {entry->threaded ? threads : 1, {}};
        if (rows::reason_against(*entry, p, how).empty()) names.emplace_back(entry->name);
    }
    return names;
}

}  // namespace carat::judge
