// The end of sums in a GPU's memory has the bits that the host has: any number of parts, rows of
// whole quads and others, and C by rows or by columns.
#include <array>
#include <gtest/gtest.h>
#include <random>

#include "distributed/exchange.hpp"
#include "distributed/gpu/place.hpp"
#include "distributed/host_place.hpp"
#include "tests/distributed/several_gpus.hpp"

namespace carat::test {
namespace {

using ranks::block;

struct layout_of {
    std::size_t rows, cols, line;  // elements from one line to the next
    bool by_columns;
};

std::size_t elements_of(const layout_of& l) {
    return l.line * (l.by_columns ? l.cols : l.rows);
}

// A matrix on both sides, with the same small whole numbers at first.
class both_sides {
  public:
    both_sides(const layout_of& l, dtype type, std::mt19937& engine)
        : host_(elements_of(l) * size_bytes(type)) {
        const block all = view_of(l, type, host_.data());
        for (std::size_t i = 0; i < elements_of(l); ++i) set(type, i, int(engine() % 9) - 4);
        ranks::gpu::check(ranks::gpu::driver().allocate(&at_, host_.size()), "cuMemAlloc");
        ranks::gpu::upload(at_, host_.data(), host_.size());
        on_host = all;
        on_gpu = all;
        on_gpu.data = reinterpret_cast<void*>(at_);
    }
    both_sides(const both_sides&) = delete;
    both_sides& operator=(const both_sides&) = delete;
    ~both_sides() { ranks::gpu::driver().release(at_); }

    [[nodiscard]] bool has_same_bits() const {
        std::vector<std::byte> found(host_.size());
        ranks::gpu::check(ranks::gpu::driver().download(found.data(), at_, found.size()),
                          "cuMemcpyDtoH");
        return found == host_;
    }

    block on_host, on_gpu;

  private:
    static block view_of(const layout_of& l, dtype type, void* data) {
        const auto line = static_cast<std::ptrdiff_t>(l.line);
        return {data, l.rows,  l.cols, l.by_columns ? 1 : line, l.by_columns ? line : 1, type,
                1,    nullptr, {}};
    }
    void set(dtype type, std::size_t i, int value) {
        const auto as = [&](auto number) {
            std::memcpy(&host_[i * sizeof number], &number, sizeof number);
        };
        if (type == dtype::f64) as(double(value));
        if (type == dtype::f32) as(float(value));
        if (type == dtype::f16) as(f16(double(value)));
        if (type == dtype::bf16) as(bf16(double(value)));
    }

    std::vector<std::byte> host_;
    ranks::gpu::device_pointer at_ = 0;
};

class gpu_sums : public testing::Test {
  protected:
    void SetUp() override {
        try {
            if (ranks::gpu::device_count() < 1) GTEST_SKIP() << "there is no GPU";
        } catch (const error& why) {
            GTEST_SKIP() << why.what();
        }
    }

    static void expect_same_bits(dtype to, const layout_of& l, std::size_t parts, double beta) {
        ranks::exchange alone(1);
        ranks::gpu::watch over(&alone);
        ranks::gpu::gpu_place gpu(0, nullptr, over);
        const auto host = ranks::host(1);
        std::mt19937 engine(static_cast<unsigned>(parts + l.cols));
        const dtype sum = to == dtype::f64 ? dtype::f64 : dtype::f32;
        const layout_of dense{l.rows, l.cols, l.by_columns ? l.rows : l.cols, l.by_columns};
        both_sides sums(dense, sum, engine), c(l, to, engine);
        std::vector<std::unique_ptr<both_sides>> all;
        std::vector<block> host_parts, gpu_parts;
        for (std::size_t p = 0; p < parts; ++p) {
            const auto& part = all.emplace_back(std::make_unique<both_sides>(dense, sum, engine));
            host_parts.push_back(part->on_host);
            gpu_parts.push_back(part->on_gpu);
        }
        host->finish(c.on_host, sums.on_host, host_parts, -0.5, beta, c.on_host);
        gpu.finish(c.on_gpu, sums.on_gpu, gpu_parts, -0.5, beta, c.on_gpu);
        ranks::gpu::check(ranks::gpu::driver().stream_wait(nullptr), "cuStreamSynchronize");
        EXPECT_TRUE(c.has_same_bits())
            << name(to) << ", " << l.rows << " x " << l.cols << ", lines of " << l.line
            << (l.by_columns ? " by columns, " : ", ") << parts << " parts, beta " << beta;
    }
};

TEST_F(gpu_sums, have_the_bits_of_the_host) {
    constexpr std::array layouts = {layout_of{5, 8, 8, false},    layout_of{300, 1028, 1028, false},
                                    layout_of{5, 7, 7, false},    layout_of{5, 8, 9, false},
                                    layout_of{5, 8, 12, false},   layout_of{8, 5, 8, true},
                                    layout_of{260, 3, 264, true}, layout_of{7, 5, 9, true}};
    for (const dtype to : {dtype::f64, dtype::f32, dtype::f16, dtype::bf16})
        for (const layout_of& l : layouts)
            for (const std::size_t parts : {0U, 1U, 3U, 7U, 9U})
                for (const double beta : {0.0, 2.0}) expect_same_bits(to, l, parts, beta);
}

}  // namespace
}  // namespace carat::test
