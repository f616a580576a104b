// When messages leave: where K is cut, a rank multiplies what others hold of C first and sends it
// before the next part.
#include <array>
#include <atomic>
#include <gtest/gtest.h>

#include <carat/carat.hpp>

#include "distributed/host_place.hpp"
#include "tests/distributed/trial.hpp"

namespace carat::test {
namespace {

using ranks::block;
using ranks::ending;

// Passes everything on, and writes a letter for each product and each message sent.
class noting_place final : public ranks::place {
  public:
    noting_place(ranks::place& to, std::string& notes) : to_(&to), notes_(&notes) {}
    void* allocate(std::size_t bytes) override { return to_->allocate(bytes); }
    void release(void* memory) noexcept override { to_->release(memory); }
    void copy(const block& to, const block& from) override { to_->copy(to, from); }
    void multiply(const block& a, const block& b, const block* e, const block& c,
                  const ending& last) override {
        *notes_ += 'P';
        to_->multiply(a, b, e, c, last);
    }
    void clear(const block& sums) override { to_->clear(sums); }
    void add(const block& sums, const block& part) override { to_->add(sums, part); }
    bool fits(const block& sums, double alpha, double beta, const block& c) override {
        return to_->fits(sums, alpha, beta, c);
    }
    void finish(const block& to, const block& sums, std::span<const block> parts, double alpha,
                double beta, const block& c) override {
        to_->finish(to, sums, parts, alpha, beta, c);
    }
    void finish(const block& to, const block& sums, double beta, const block& c,
                const ending& last) override {
        to_->finish(to, sums, beta, c, last);
    }
    bool is_host() const override { return true; }
    int units_of_messages() const override { return units; }

    int units = 0;

  private:
    ranks::place* to_;
    std::string* notes_;
};

class noting_communicator final : public ranks::communicator {
  public:
    explicit noting_communicator(ranks::communicator& to) : to_(&to), place_(to.where(), notes) {}
    int rank() const override { return to_->rank(); }
    int size() const override { return to_->size(); }
    void all_gather(const void* mine, void* all, std::size_t bytes) override {
        to_->all_gather(mine, all, bytes);
    }
    std::unique_ptr<ranks::transfer> start(std::span<const ranks::message> sends,
                                           std::span<const ranks::message> receives) override {
        notes += std::to_string(sends.size());
        return to_->start(sends, receives);
    }
    ranks::place& where() override { return place_; }

    void leave(int units) { place_.units = units; }

    std::string notes;

  private:
    ranks::communicator* to_;
    noting_place place_;
};

// What rank 1 did, with A by columns, B by rows and C in some layout. Expects a right C.
std::string notes_of(const trial& t) {
    std::string notes;
    const runner noted = [&](int size, const std::function<void(ranks::communicator&)>& work) {
        ranks::with_threads(size, [&](ranks::communicator& comm) {
            noting_communicator noting(comm);
            work(noting);
            if (comm.rank() == 1) notes = noting.notes;
        });
    };
    EXPECT_EQ(wrong(t, noted, verify::exact_kind::sums), "");
    return notes;
}

trial long_trial(int size, kind c) {
    trial t{.m = 120, .n = 128, .k = 1200, .size = size, .a = kind::columns, .c = c};
    t.along = ranks::dimension::k;
    return t;
}

TEST(turns, each_part_is_sent_before_the_next_is_multiplied) {
    EXPECT_EQ(notes_of(long_trial(2, kind::rows)), "P1P");
    EXPECT_EQ(notes_of(long_trial(4, kind::rows)), "P1P1P1P");
    EXPECT_EQ(notes_of(long_trial(4, kind::columns)), "P1P1P1P");
}

TEST(turns, there_are_at_most_eight) {
    trial t = long_trial(12, kind::rows);
    t.m = 1200;
    t.k = 600;
    const std::string notes = notes_of(t);
    EXPECT_EQ(std::ranges::count(notes, 'P'), 12);
    EXPECT_EQ(notes.size(), 12U + 8U);
    EXPECT_EQ(notes.back(), 'P');
}

TEST(turns, parts_in_blocks_and_small_parts_are_sent_together) {
    EXPECT_EQ(notes_of(long_trial(4, kind::cyclic)), "P3");
    trial t = long_trial(4, kind::rows);
    t.m = t.n = 8;
    EXPECT_EQ(notes_of(t), "P3");
}

TEST(turns, every_type_and_factor) {
    for (const element_types& types : all_types)
        for (const int size : {2, 3, 7}) {
            trial t = long_trial(size, kind::rows);
            t.types = types;
            t.alpha = 2;
            t.beta = -1;
            const std::string notes = notes_of(t);
            EXPECT_EQ(notes.back(), 'P') << t.text() << ": " << notes;
        }
}

// All-gather + product. Pieces of A that need no packing all leave before the first product, so
// that nobody waits until another rank has multiplied.
TEST(turns, what_needs_no_packing_is_sent_at_once) {
    constexpr std::size_t ranks_here = 4, own = 1024, n = 128, k = 24;
    std::array<std::string, ranks_here> notes;
    std::atomic<int> wrong_entries{0};
    ranks::with_threads(ranks_here, [&](ranks::communicator& comm) {
        using ranks::distribution, ranks::view;
        noting_communicator noting(comm);
        const auto me = static_cast<std::size_t>(comm.rank());
        matrix<double> a(own, k), b(k, n), c(ranks_here * own, n);
        for (std::size_t j = 0; j < k; ++j) {
            for (std::size_t i = 0; i < own; ++i) a(i, j) = static_cast<double>((me * own + i) % 7);
            for (std::size_t i = 0; i < n; ++i) b(j, i) = 1;
        }
        const auto all = static_cast<std::int64_t>(ranks_here);
        ranks::gather_product(noting, view(a, distribution::by_rows(all * own, k, ranks_here)),
                              view(b, distribution::by_columns(k, all * n, ranks_here)),
                              view(c, distribution::by_columns(all * own, all * n, ranks_here)));
        for (std::size_t i = 0; i < ranks_here * own; ++i)
            for (std::size_t j = 0; j < n; ++j)
                wrong_entries += c(i, j) == static_cast<double>(k * (i % 7)) ? 0 : 1;
        notes[me] = noting.notes;
    });
    EXPECT_EQ(wrong_entries, 0);
    for (const std::string& of : notes) {
        EXPECT_GT(std::ranges::count(of, 'P'), 1) << of;
        EXPECT_TRUE(std::ranges::is_partitioned(of, [](char x) { return x != 'P'; })) << of;
    }
}

// They would plan other messages, and wait for each other.
TEST(turns, ranks_that_leave_other_numbers_of_sms_are_refused) {
    std::atomic<int> refused{0};
    ranks::with_threads(3, [&](ranks::communicator& comm) {
        noting_communicator noting(comm);
        noting.leave(comm.rank() == 2 ? 8 : 32);
        matrix<double> a(3, 9), b(9, 9), c(3, 9);
        const auto rows = ranks::distribution::by_rows(9, 9, 3);
        try {
            ranks::matrix_product(noting, ranks::view(a, rows),
                                  ranks::view(b, ranks::distribution::replicated(9, 9)),
                                  ranks::view(c, rows));
        } catch (const error& why) {
            const std::string said = why.what();
            refused += said.find("rank 2 was given 8 SMs for messages, but rank 0 32") != said.npos;
        }
    });
    EXPECT_EQ(refused, 3);
}

}  // namespace
}  // namespace carat::test
