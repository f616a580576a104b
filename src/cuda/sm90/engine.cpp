// The Hopper engine: tensor cores fed by the bulk copy engine. Preparing a product chooses a kernel
// and takes the memory that packing needs; running it starts at most three kernels.
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/turn.hpp"
#include "cuda/common/device.hpp"
#include "cuda/common/kernel.hpp"
#include "cuda/common/scale.hpp"
#include "cuda/sm90/kernels.hpp"
#include "cuda/sm90/operand.hpp"
#include "cuda/sm90/table.hpp"

namespace carat::cuda::sm90 {

namespace {

// C = A B as C^T = B^T A^T where that makes rows of C contiguous.
core::problem turned(const core::problem& p) {
    return p.c_layout.row_stride >= p.c_layout.col_stride ? p : core::swapped(p);
}

output output_of(dtype type) {
    if (type == dtype::f16) return output::f16;
    if (type == dtype::bf16) return output::bf16;
    return type == dtype::i32 ? output::i32 : output::f32;
}

std::int64_t tiles(std::int64_t extent, int tile) {
    return (extent + tile - 1) / tile;
}

// Rounds of a full GPU that tiles of this width need, in units of a wide tile's time. A narrow tile
// is half the work and takes a little more than half the time, since it reads more for each flop.
double rounds(const core::problem& p, int tile_n, int multiprocessors) {
    const int cluster = tile_n == 256 ? 2 : 1;
    const double blocks =
        static_cast<double>(tiles(p.m, 128 * cluster) * cluster * tiles(p.n, tile_n));
    return std::ceil(blocks / multiprocessors) * (tile_n == 256 ? 1 : 0.6);
}

int chosen_tile_n(const core::problem& p) {
    const int multiprocessors = cuda::describe(device_in_use()).multiprocessors;
    return rounds(p, 256, multiprocessors) <= rounds(p, 128, multiprocessors) ? 256 : 128;
}

template <class Factor>
const kernel<Factor>& kernel_for(dtype type, int tile_n, major a, major b) {
    if constexpr (std::is_same_v<Factor, std::uint32_t>) {
        return i8_kernel(tile_n);
    } else {
        if (type == dtype::f16) return f16_kernel(tile_n, a, b);
        if (type == dtype::bf16) return bf16_kernel(tile_n, a, b);
        return tf32_kernel(tile_n);
    }
}

template <class Factor>
Factor factor(double value) {
    if constexpr (std::is_same_v<Factor, std::uint32_t>)
        return static_cast<Factor>(static_cast<std::int64_t>(value));
    else
        return static_cast<Factor>(value);
}

bool is_degenerate(const core::problem& p) {
    return p.m == 0 || p.n == 0 || p.k == 0 || p.alpha == 0;
}

template <class Factor>
class product final : public core::runnable {
  public:
    product(const core::problem& p, int tile_n)
        : problem_(turned(p)),
          was_turned_(p.c_layout.row_stride < p.c_layout.col_stride),
          tile_n_(tile_n),
          a_({problem_.a_type, problem_.m, problem_.k, problem_.a_layout.row_stride,
              problem_.a_layout.col_stride}),
          b_({problem_.b_type, problem_.n, problem_.k, problem_.b_layout.col_stride,
              problem_.b_layout.row_stride}) {
        choose();
    }

    void run(const core::operands& given) override {
        core::operands data = given;
        if (was_turned_) std::swap(data.a, data.b);
        if (!is_aligned(data.a) || !is_aligned(data.b)) pack_the_unaligned(data);
        const cudaStream_t stream = stream_in_use();
        const auto& k = *kernel_;
        const CUtensorMap a = a_.map(data.a, k.tile_m, depth_of_box(), stream);
        const CUtensorMap b = b_.map(data.b, k.tile_n / k.cluster, depth_of_box(), stream);
        const arguments<Factor> with = arguments_for(data.c);
        // Where C goes out element by element, nothing looks at its map.
        const CUtensorMap c = with.c.in_boxes ? map_of(data.c) : a;
        k.launch(a, b, c, with, blocks_, stream);
    }

    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override { return {facts_}; }

  private:
    static bool is_aligned(const void* data) {
        return reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
    }

    [[nodiscard]] int depth_of_box() const {
        return 128 / static_cast<int>(size_bytes(problem_.a_type));
    }

    void pack_the_unaligned(const core::operands& data) {
        if (!is_aligned(data.a)) a_.require_packing();
        if (!is_aligned(data.b)) b_.require_packing();
        choose();
    }

    void choose() {
        kernel_ = &kernel_for<Factor>(problem_.a_type, tile_n_, a_.contiguous(), b_.contiguous());
        const kernel<Factor>& k = *kernel_;
        facts_ = load_kernel(k.name, k.function, k.threads, k.shared_bytes);
        const std::int64_t clusters =
            tiles(problem_.m, k.tile_m * k.cluster) * tiles(problem_.n, k.tile_n);
        blocks_ =
            static_cast<int>(std::min<std::int64_t>(clusters, resident_clusters())) * k.cluster;
    }

    // Clusters that the GPU holds at once: its groups of multiprocessors are not all of one size.
    [[nodiscard]] int resident_clusters() const {
        const kernel<Factor>& k = *kernel_;
        cudaLaunchConfig_t how{};
        how.gridDim = dim3(static_cast<unsigned>(k.cluster));
        how.blockDim = dim3(static_cast<unsigned>(k.threads));
        how.dynamicSmemBytes = static_cast<std::size_t>(k.shared_bytes);
        cudaLaunchAttribute in_clusters{};
        in_clusters.id = cudaLaunchAttributeClusterDimension;
        in_clusters.val.clusterDim = {static_cast<unsigned>(k.cluster), 1, 1};
        how.attrs = &in_clusters;
        how.numAttrs = 1;
        int clusters = 0;
        CARAT_CUDA_CHECK(cudaOccupancyMaxActiveClusters(&clusters, k.function, &how));
        return std::max(1, clusters);
    }

    [[nodiscard]] CUtensorMap map_of(void* c) const {
        const core::problem& p = problem_;
        return describe({c, p.c_type, p.n, p.m, p.c_layout.row_stride, 64});
    }

    [[nodiscard]] arguments<Factor> arguments_for(void* c) const {
        const core::problem& p = problem_;
        const kernel<Factor>& k = *kernel_;
        // The copy engine writes whole 16 bytes, and would write them beyond the end of a row.
        const auto bytes = static_cast<std::int64_t>(size_bytes(p.c_type));
        const bool in_boxes = p.beta == 0 && p.c_layout.col_stride == 1 && is_aligned(c) &&
                              p.n * bytes % 16 == 0 &&
                              (p.m == 1 || p.c_layout.row_stride * bytes % 16 == 0);
        return {
            .c = {c, p.c_layout.row_stride, p.c_layout.col_stride, output_of(p.c_type), in_boxes},
            .m = static_cast<int>(p.m),
            .n = static_cast<int>(p.n),
            .k_tiles = static_cast<int>(tiles(p.k, depth_of_box())),
            .tiles_m = static_cast<int>(tiles(p.m, k.tile_m * k.cluster)),
            .tiles_n = static_cast<int>(tiles(p.n, k.tile_n)),
            .alpha = factor<Factor>(p.alpha),
            .beta = factor<Factor>(p.beta)};
    }

    core::problem problem_;
    bool was_turned_;
    int tile_n_;
    operand a_;
    operand b_;
    const kernel<Factor>* kernel_ = nullptr;
    core::kernel_facts facts_;
    int blocks_ = 0;
};

class scaling final : public core::runnable {
  public:
    explicit scaling(const core::problem& p) : problem_(p) {}
    void run(const core::operands& data) override { scale_c(problem_, data.c); }

  private:
    core::problem problem_;
};

// TileN 0: the width that suits the problem.
template <int TileN>
std::unique_ptr<core::runnable> prepare(const core::problem& p, const core::settings&) {
    if (is_degenerate(p)) return std::make_unique<scaling>(p);
    const int tile_n = TileN == 0 ? chosen_tile_n(turned(p)) : TileN;
    if (p.a_type == dtype::i8) return std::make_unique<product<std::uint32_t>>(p, tile_n);
    return std::make_unique<product<float>>(p, tile_n);
}

std::string unsupported(const core::problem& p, const core::settings&) {
    const int own = cuda::describe(device_in_use()).compute_capability;
    if (own != 90)
        return "it is made of instructions that only compute capability 9.0 has, and this GPU "
               "has " +
               std::to_string(own) + ": take another implementation";
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 512;
    if (std::max({p.m, p.n, p.k}) > most || tiles(p.m, 128) * tiles(p.n, 128) > most)
        return "sizes beyond 2^31 are not for this engine: take another implementation";
    const auto whole = [](double x) { return std::abs(x) <= 0x1p31 && x == std::floor(x); };
    if (p.c_type == dtype::i32 && !(whole(p.alpha) && whole(p.beta)))
        return "alpha and beta must be whole numbers of 32 bits for i32";
    return {};
}

constexpr core::signature native_types[] = {
    {dtype::f16, dtype::f16, dtype::f32, "f32"},
    {dtype::f16, dtype::f16, dtype::f16, "f32, rounded once"},
    {dtype::bf16, dtype::bf16, dtype::f32, "f32"},
    {dtype::bf16, dtype::bf16, dtype::bf16, "f32, rounded once"},
    {dtype::i8, dtype::i8, dtype::i32, "i32"}};
constexpr core::signature tf32_types[] = {{dtype::f32, dtype::f32, dtype::f32, "tf32"}};

template <int TileN>
constexpr core::implementation row(std::string_view name, std::string_view summary,
                                   std::span<const core::signature> types = native_types) {
    return {.name = name,
            .summary = summary,
            .where = core::device::cuda,
            .signatures = types,
            .unavailable = unavailable_in_use,
            .unsupported = unsupported,
            .prepare = prepare<TileN>};
}

constexpr core::implementation chosen =
    row<0>("cuda.engine", "carat's Hopper kernels, the one that suits the problem");
constexpr core::implementation wide = row<256>(
    "cuda.engine.sm90_128x256", "tiles of 128 x 256, clusters of two blocks share what they load");
constexpr core::implementation narrow =
    row<128>("cuda.engine.sm90_128x128", "tiles of 128 x 128, for smaller products");
constexpr core::implementation in_tf32 =
    row<0>("cuda.engine.tf32", "carat's Hopper kernels on f32 data, rounded to tf32", tf32_types);

}  // namespace

core::table table() {
    static constexpr const core::implementation* rows[] = {&chosen, &wide, &narrow, &in_tf32};
    return rows;
}

}  // namespace carat::cuda::sm90
