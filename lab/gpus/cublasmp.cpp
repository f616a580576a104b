#include "lab/gpus/cublasmp.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <iterator>
#include <optional>

#include <carat/error.hpp>

#include "distributed/exchange.hpp"
#include "distributed/gpu/nccl.hpp"

namespace carat::scaling {

namespace {

using ranks::gpu::check;
using ranks::gpu::check_nccl;
using ranks::gpu::driver;
using ranks::gpu::nccl;
using whole = std::int64_t;
using handle = void*;

// A matrix of a call: its local memory, where its part of the whole begins, and its descriptor.
#define CARAT_MP_IN const void*, whole, whole, handle
#define CARAT_MP_PRODUCT                                                                     \
    handle, handle, whole, whole, whole, const void*, CARAT_MP_IN, CARAT_MP_IN, const void*, \
        CARAT_MP_IN, void*, whole, whole, handle

// Names and values are those of cublasmp.h 0.10.
struct library {
    int (*create)(handle*, ranks::gpu::stream);
    int (*destroy)(handle);
    int (*grid_create)(whole, whole, int, handle, handle*);
    int (*grid_destroy)(handle);
    int (*allocate)(handle, void**, std::size_t);
    int (*release)(handle, void*);
    int (*matrix_create)(whole, whole, whole, whole, whole, whole, whole, int, handle, handle*);
    int (*matrix_destroy)(handle);
    int (*product_create)(handle*, int);
    int (*product_destroy)(handle);
    int (*set)(handle, int, const void*, std::size_t);
    int (*workspace)(CARAT_MP_PRODUCT, std::size_t*, std::size_t*);
    int (*multiply)(CARAT_MP_PRODUCT, void*, std::size_t, void*, std::size_t);
    int (*version)(int*);
};
constexpr int column_major_grid = 0, row_major_grid = 1;
constexpr int bf16_data = 14, f32_compute = 68;  // CUDA_R_16BF, CUBLAS_COMPUTE_32F
constexpr int attribute_transa = 0, attribute_transb = 1, attribute_algorithm = 3;
constexpr int is_transposed = 1, as_it_is = 0;

const library& cublasmp() {
    static const library found = [] {
        static_cast<void>(ranks::gpu::nccl_library());  // the one that it shall use
        const char* named = std::getenv("CARAT_CUBLASMP");
        const char* const file = named != nullptr && *named != '\0' ? named : "libcublasmp.so.0";
        void* const opened = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (opened == nullptr)
            throw error(error_code::unsupported,
                        std::string("no cuBLASMp here: ") + dlerror() +
                            ": install it, or name its file in CARAT_CUBLASMP");
        library all{};
        const auto take = [&](auto*& function, const char* symbol) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
                dlsym(opened, symbol));
            if (function == nullptr)
                throw error(error_code::unsupported,
                            std::string(file) + " exports no " + symbol + ": take version 0.10");
        };
        take(all.create, "cublasMpCreate");
        take(all.destroy, "cublasMpDestroy");
        take(all.grid_create, "cublasMpGridCreate");
        take(all.grid_destroy, "cublasMpGridDestroy");
        take(all.allocate, "cublasMpMalloc");
        take(all.release, "cublasMpFree");
        take(all.matrix_create, "cublasMpMatrixDescriptorCreate");
        take(all.matrix_destroy, "cublasMpMatrixDescriptorDestroy");
        take(all.product_create, "cublasMpMatmulDescriptorCreate");
        take(all.product_destroy, "cublasMpMatmulDescriptorDestroy");
        take(all.set, "cublasMpMatmulDescriptorSetAttribute");
        take(all.workspace, "cublasMpMatmul_bufferSize");
        take(all.multiply, "cublasMpMatmul");
        take(all.version, "cublasMpGetVersion");
        return all;
    }();
    return found;
}

void check_mp(int result, const char* call) {
    if (result == 0) return;
    throw error(error_code::device_failed,
                std::string(call) + " returned " + std::to_string(result));
}

int number_of(const std::string& algorithm) {
    static constexpr std::pair<const char*, int> known[] = {
        {"", 0}, {"split", 1}, {"atomic", 3}, {"serial", 5}};
    for (const auto& [name, number] : known)
        if (algorithm == name) return number;
    throw error(error_code::invalid_argument,
                "'" + algorithm + "' is no algorithm of cuBLASMp: split, atomic or serial");
}

// One GPU. cuBLASMp's matrices are by columns, so that it computes C^T = B^T A^T: its first operand
// is our B, its second our A.
class side {
  public:
    side(ranks::exchange& shared, int rank, int gpus, task what, const shape& s, int algorithm)
        : shared_(&shared), rank_(rank), gpus_(gpus), what_(what), size_(s) {
        ranks::gpu::use_device(rank);
        check(driver().stream_create(&stream_, 1), "cuStreamCreate");
        connect();
        const library& mp = cublasmp();
        check_mp(mp.create(&mp_, stream_), "cublasMpCreate");
        check_mp(mp.grid_create(gpus, 1, column_major_grid, nccl_, &tall_), "cublasMpGridCreate");
        check_mp(mp.grid_create(1, gpus, row_major_grid, nccl_, &flat_), "cublasMpGridCreate");
        describe(algorithm);
        std::size_t host = 0;
        check_mp(call(mp.workspace, &workspace_bytes_, &host), "cublasMpMatmul_bufferSize");
        check_mp(mp.allocate(grid(), &workspace_, workspace_bytes_), "cublasMpMalloc");
        host_workspace_.resize(host);
    }
    side(const side&) = delete;
    side& operator=(const side&) = delete;
    // What a failed call leaves behind ends with the process.
    void end() {
        const library& mp = cublasmp();
        driver().stream_wait(stream_);
        mp.release(grid(), workspace_);
        mp.release(what_ == task::scatter ? tall_ : flat_, a_);
        mp.product_destroy(product_);
        for (handle d : {x_, y_, z_}) mp.matrix_destroy(d);
        mp.grid_destroy(tall_);
        mp.grid_destroy(flat_);
        mp.destroy(mp_);
        ranks::gpu::nccl_library().destroy(nccl_);
        driver().stream_destroy(stream_);
    }
    void multiply() {
        check_mp(call(cublasmp().multiply, workspace_, workspace_bytes_,
                      static_cast<void*>(host_workspace_.data()), host_workspace_.size()),
                 "cublasMpMatmul");
    }
    [[nodiscard]] ranks::gpu::stream on() const { return stream_; }
    [[nodiscard]] const bf16* result() const { return c_->data(); }

  private:
    [[nodiscard]] handle grid() const { return what_ == task::scatter ? flat_ : tall_; }

    void connect() {
        const nccl& with = ranks::gpu::nccl_library();
        nccl::unique_id id{};
        std::vector<nccl::unique_id> all(static_cast<std::size_t>(gpus_));
        if (rank_ == 0) check_nccl(with.get_unique_id(&id), "ncclGetUniqueId");
        shared_->all_gather(rank_, &id, all.data(), sizeof id);
        nccl::config as_it_likes;
        check_nccl(with.init_rank(&nccl_, gpus_, all.front(), rank_, &as_it_likes),
                   "ncclCommInitRankConfig");
    }

    // X^T Y = Z: X is K x N, Y is K x M, and Z N x M.
    void describe(int algorithm) {
        const library& mp = cublasmp();
        const whole m = size_.m, n = size_.n, k = size_.k;
        const bool scatters = what_ == task::scatter;
        const whole held_k = scatters ? k / gpus_ : k;
        const whole x_cols = scatters ? n : n / gpus_, z_rows = scatters ? n : n / gpus_;
        const auto count = [](whole rows, whole cols) {
            return static_cast<std::size_t>(rows * cols);
        };
        b_.emplace(count(held_k, x_cols));
        // It may read what is gathered at once where it is registered.
        const std::size_t gathered = count(held_k, scatters ? m : m / gpus_);
        check_mp(mp.allocate(scatters ? tall_ : flat_, &a_, gathered * sizeof(bf16)),
                 "cublasMpMalloc");
        fill(a_, gathered);
        c_.emplace(count(z_rows, scatters ? m / gpus_ : m));
        const auto matrix = [&](whole rows, whole cols, whole block_rows, whole block_cols,
                                handle on, handle* made) {
            check_mp(mp.matrix_create(rows, cols, block_rows, block_cols, 0, 0, block_rows,
                                      bf16_data, on, made),
                     "cublasMpMatrixDescriptorCreate");
        };
        matrix(k, n, held_k, x_cols, scatters ? tall_ : flat_, &x_);
        matrix(k, m, held_k, m / gpus_, scatters ? tall_ : flat_, &y_);
        matrix(n, m, z_rows, m / gpus_, grid(), &z_);
        check_mp(mp.product_create(&product_, f32_compute), "cublasMpMatmulDescriptorCreate");
        const std::pair<int, int> attributes[] = {{attribute_transa, is_transposed},
                                                  {attribute_transb, as_it_is},
                                                  {attribute_algorithm, algorithm}};
        for (const auto& [which, value] : attributes)
            check_mp(mp.set(product_, which, &value, sizeof value),
                     "cublasMpMatmulDescriptorSetAttribute");
    }

    template <class Function, class... More>
    int call(Function* function, More... more) {
        static constexpr float one = 1, zero = 0;
        return function(mp_, product_, size_.n, size_.m, size_.k, &one, b_->data(), 1, 1, x_, a_, 1,
                        1, y_, &zero, nullptr, 1, 1, nullptr, c_->data(), 1, 1, z_, more...);
    }

    ranks::exchange* shared_;
    int rank_, gpus_;
    task what_;
    shape size_;
    ranks::gpu::stream stream_ = nullptr;
    handle nccl_ = nullptr, mp_ = nullptr, tall_ = nullptr, flat_ = nullptr, product_ = nullptr;
    handle x_ = nullptr, y_ = nullptr, z_ = nullptr;
    void* a_ = nullptr;
    std::optional<numbers> b_, c_;
    void* workspace_ = nullptr;
    std::size_t workspace_bytes_ = 0;
    std::vector<std::byte> host_workspace_;
};

figures of_member(ranks::exchange& shared, int rank, int gpus, task what, const shape& s,
                  int algorithm, const pace& at, turns& all, int team) {
    // Nothing is destroyed after an error: other ranks may still wait inside these libraries.
    auto* const own = new side(shared, rank, gpus, what, s, algorithm);
    const auto gather = [&](const void* mine, void* each, std::size_t bytes) {
        shared.all_gather(rank, mine, each, bytes);
    };
    figures found;
    found.trials_s =
        take_trials(all, team, {rank, gpus, own->on(), [&] { own->multiply(); }, gather}, at);
    check_entries(what == task::scatter ? task::scatter : task::gather, s, rank, gpus,
                  own->result());
    own->end();
    delete own;
    return found;
}

}  // namespace

team cublasmp_team(task what, const shape& size, int gpus, const std::string& algorithm,
                   const pace& at) {
    return {algorithm.empty() ? "cublasmp" : "cublasmp." + algorithm, gpus,
            [=](turns& all, int team) {
                figures found;
                std::mutex mutex;
                const int number = number_of(algorithm);
                if (size.m % gpus != 0 || size.n % gpus != 0 || size.k % gpus != 0)
                    throw error(error_code::unsupported,
                                "M, N and K must be multiples of the number of GPUs here");
                ranks::on_threads(gpus, [&](ranks::exchange& shared, int rank) {
                    const figures mine =
                        of_member(shared, rank, gpus, what, size, number, at, all, team);
                    const std::lock_guard hold(mutex);
                    if (rank == 0) found = mine;
                });
                return found;
            }};
}

}  // namespace carat::scaling
