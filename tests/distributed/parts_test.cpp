// Ranks whose messages don't travel beside products, as processes of one machine: K is multiplied
// in the parts in which ranks hold it, where they lie or arrived.
#include <gtest/gtest.h>

#include "tests/distributed/trial.hpp"

namespace carat::test {
namespace {

class without_overlap final : public ranks::communicator {
  public:
    explicit without_overlap(ranks::communicator& to) : to_(&to) {}
    int rank() const override { return to_->rank(); }
    int size() const override { return to_->size(); }
    void all_gather(const void* mine, void* all, std::size_t bytes) override {
        to_->all_gather(mine, all, bytes);
    }
    std::unique_ptr<ranks::transfer> start(std::span<const ranks::message> sends,
                                           std::span<const ranks::message> receives) override {
        return to_->start(sends, receives);
    }
    ranks::place& where() override { return to_->where(); }
    bool overlaps() const override { return false; }

  private:
    ranks::communicator* to_;
};

const runner quietly = [](int size, const std::function<void(ranks::communicator&)>& work) {
    ranks::with_threads(size, [&](ranks::communicator& comm) {
        without_overlap quiet(comm);
        work(quiet);
    });
};

class parts : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(all, parts, testing::Values(1, 2, 3, 4, 6, 7, 12, 16),
                         testing::PrintToStringParamName());

TEST_P(parts, every_layout_and_type_is_exact) {
    std::mt19937 engine(static_cast<unsigned>(GetParam()));
    for (int i = 0; i < 30; ++i) {
        trial t{.m = 30, .n = 40, .k = 500, .size = GetParam()};
        for (std::int64_t* size : {&t.m, &t.n, &t.k})
            *size += static_cast<std::int64_t>(engine() % 300);
        t.types = all_types[engine() % std::size(all_types)];
        t.a = all_kinds[engine() % std::size(all_kinds)];
        t.b = i % 3 == 0 ? t.a : all_kinds[engine() % std::size(all_kinds)];
        t.c = i % 3 == 0 ? t.a : all_kinds[engine() % std::size(all_kinds)];
        t.beta = i % 2 == 0 ? 0 : 2;
        t.seed = static_cast<unsigned>(engine());
        EXPECT_EQ(wrong(t, quietly, verify::exact_kind::sums), "");
    }
}

// A and B by blocks of a 4 x 4 grid: three blocks of each arrive, and the workspace has room for
// them alone.
TEST(parts_of_k, lie_where_they_arrive) {
    const auto of_a = ranks::distribution::by_blocks(512, 1024, 4, 4);
    const auto of_b = ranks::distribution::by_blocks(1024, 512, 4, 4);
    const auto of_c = ranks::distribution::by_blocks(512, 512, 4, 4);
    std::mutex collecting;
    std::vector<ranks::traffic> moved;
    quietly(16, [&](ranks::communicator& comm) {
        const auto local = [&](const ranks::distribution& where) {
            local_part x(where, comm.rank(), dtype::f64, true);
            x.line = x.rows;  // dense
            return x;
        };
        local_part a = local(of_a), b = local(of_b), c = local(of_c);
        ranks::product multiply(comm, {a.view(dtype::f64, 1), of_a}, {b.view(dtype::f64, 1), of_b},
                                std::nullopt, {c.view(dtype::f64, 1), of_c}, {});
        const std::lock_guard hold(collecting);
        moved.push_back(multiply.moved());
    });
    for (const ranks::traffic& of_rank : moved) {
        EXPECT_EQ(of_rank.words(), 6 * 128 * 256);
        EXPECT_EQ(of_rank.workspace_bytes, 6U * 128 * 256 * 8);
    }
}

}  // namespace
}  // namespace carat::test
