#pragma once

#include "distributed/place.hpp"

namespace carat::distributed {

class host_place final : public place {
  public:
    explicit host_place(int threads) : threads_(threads) {}

    void* allocate(std::size_t bytes) override;
    void release(void* memory) noexcept override;
    void copy(const block& to, const block& from) override;
    void multiply(const block& a, const block& b, const block* e, const block& c,
                  const ending& last = {}) override;
    void clear(const block& sums) override;
    void add(const block& sums, const block& part) override;
    bool fits(const block& sums, double alpha, double beta, const block& c) override;
    void finish(const block& to, const block& sums, std::span<const block> parts, double alpha,
                double beta, const block& c) override;
    void finish(const block& to, const block& sums, double beta, const block& c,
                const ending& last) override;
    bool is_host() const override { return true; }

  private:
    int threads_;
};

}  // namespace carat::distributed
