// Epilogues of products with a GPU for each rank: the bits of one product on the CPU, with small
// whole numbers and halves, so that no order of sums changes them.
#include <gtest/gtest.h>
#include <iterator>

#include <carat/error.hpp>

#include "tests/distributed/epilogue_trial.hpp"
#include "tests/distributed/several_gpus.hpp"

namespace carat::test {
namespace {

// Values in a GPU's memory.
template <class T>
class values_on_gpu {
  public:
    explicit values_on_gpu(const std::vector<T>& values) : count_(values.size()) {
        using ranks::gpu::check, ranks::gpu::driver;
        check(driver().allocate(&at_, std::max<std::size_t>(1, count_) * sizeof(T)), "cuMemAlloc");
        ranks::gpu::upload(at_, values.data(), count_ * sizeof(T));
    }
    values_on_gpu(const values_on_gpu&) = delete;
    values_on_gpu& operator=(const values_on_gpu&) = delete;
    ~values_on_gpu() { ranks::gpu::driver().release(at_); }
    [[nodiscard]] std::span<const T> get() const {
        return {reinterpret_cast<const T*>(at_), count_};
    }

  private:
    std::size_t count_;
    ranks::gpu::device_pointer at_ = 0;
};

template <class T>
void multiply_on_gpu(ranks::communicator& comm, epilogue_trial<T>& all, std::mutex& collecting) {
    rank_parts own = all.parts(comm.rank());
    on_gpu my_a(own.a), my_b(own.b), my_c(own.c);
    const values_on_gpu<T> columns(taken(all.columns, own.c.of.cols)),
        rows(taken(all.rows, own.c.of.rows));
    const auto last = chain<T>(columns.get(), rows.get(), relu);
    product_of(comm, all.t, all.layouts, my_a, my_b, my_c, &last)();
    ranks::gpu::check(ranks::gpu::driver().stream_wait(ranks::place_of(comm).stream), "wait");
    my_c.fetch();
    const std::lock_guard hold(collecting);
    own.c.give(all.result);
}

// All trials with one set of communicators.
template <class T>
void expect_bits_of_one_product(const std::vector<trial>& trials, const gpus& on) {
    std::vector<epilogue_trial<T>> all;
    for (const trial& t : trials) all.emplace_back(t, relu);
    std::mutex collecting;
    ranks::with_gpus(
        on.count,
        [&](ranks::communicator& comm) {
            for (epilogue_trial<T>& one : all) multiply_on_gpu(comm, one, collecting);
        },
        on.by);
    for (const epilogue_trial<T>& one : all) EXPECT_EQ(one.wrong(), "");
}

std::vector<trial> trials_of(const element_types& types, int size) {
    std::vector<trial> trials;
    unsigned seed = 1;
    for (const kind c : all_kinds)
        for (const double beta : {0.0, 2.0}) {
            trial t{.m = 37, .n = 29, .k = 31, .size = size, .types = types, .c = c};
            t.a = all_kinds[seed % std::size(all_kinds)];
            t.b = all_kinds[seed / 2 % std::size(all_kinds)];
            t.alpha = seed % 3 == 0 ? -2 : 1;
            t.beta = beta;
            t.seed = ++seed;
            trials.push_back(t);
            t.k = 300;
            t.along = ranks::dimension::k;
            trials.push_back(t);
        }
    trial large{.m = 1024, .n = 768, .k = 600, .size = size, .types = types, .a = kind::columns};
    large.along = ranks::dimension::k;  // in turns
    trials.push_back(large);
    return trials;
}

class gpu_epilogues : public several_gpus {};
INSTANTIATE_TEST_SUITE_P(all, gpu_epilogues, testing::ValuesIn(several_gpus::counts),
                         several_gpus::name);

TEST_P(gpu_epilogues, have_the_bits_of_one_product) {
    expect_bits_of_one_product<double>(trials_of(all_types[0], GetParam().count), GetParam());
    for (const element_types& types : std::span(all_types).subspan(1, 5))
        expect_bits_of_one_product<float>(trials_of(types, GetParam().count), GetParam());
}

}  // namespace
}  // namespace carat::test
