// Verification of several products: each has its own exact operands and is compared on every entry,
// and each has its own reference while these take no longer than one product's may.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/rows/operation.hpp"
#include "lab/verify/exact.hpp"
#include "lab/verify/verify.hpp"

namespace carat::verify {

/// An exact pass over all products, for an implementation that claims to compute in `claim`.
class exact_passes {
  public:
    exact_passes(const rows::operation& all, std::string claim, exact_kind kind,
                 std::uint64_t seed);

    [[nodiscard]] const std::string& claim() const { return claim_; }
    [[nodiscard]] exact_kind kind() const { return kind_; }
    [[nodiscard]] std::uint64_t seed() const { return seed_; }

    /// The pass of product i; `threads` as in exact_pass.
    [[nodiscard]] exact_pass of(std::int64_t i, int threads = 0) const;

    [[nodiscard]] bool same_operands(const exact_passes& other) const {
        return of(0).same_operands(other.of(0));
    }

    /// The same as in exact_pass, for all operands in host memory.
    void fill(const core::operands& data) const;
    void fill_c(const core::operands& data) const;
    /// The numbers of the bias that all products have.
    [[nodiscard]] std::vector<double> bias() const;
    [[nodiscard]] verdict check(const core::operands& data) const;

  private:
    rows::operation all_;
    std::string claim_;
    exact_kind kind_;
    std::uint64_t seed_;
};

/// A GPU's launches and copies for many small products take longer than the host for all.
[[nodiscard]] bool are_many_and_small(const rows::operation& all);

/// Adds a product's verdict to that of all so far; with several products, reasons name the product.
void add_product(verdict& to, verdict one, const rows::operation& all, std::int64_t i);

/// The products that get a reference: all, or the first, the last and some between, so that they
/// take at most `most_madds`.
[[nodiscard]] std::vector<std::int64_t> products_with_reference(const rows::operation& all,
                                                                double most_madds);

/// References of some products, of any class that is constructible from (problem, operands, ...)
/// and has check(c, claim).
template <class Reference>
class references {
  public:
    template <class... How>
    references(const rows::operation& all, const core::operands& data, double most_madds,
               const How&... how)
        : all_(all), chosen_(products_with_reference(all, most_madds)) {
        for (const std::int64_t i : chosen_)
            made_.emplace_back(problem_of(all, i), product_at(all, data, i), how...);
    }

    /// Checks the C of all products.
    [[nodiscard]] verdict check(const void* c, std::string_view claim) const {
        core::operands data;
        data.c = const_cast<void*>(c);  // NOLINT: it is only read
        verdict all;
        all.passed = true;
        for (std::size_t i = 0; i < made_.size(); ++i)
            add_product(all, made_[i].check(product_at(all_, data, chosen_[i]).c, claim), all_,
                        chosen_[i]);
        return all;
    }

  private:
    rows::operation all_;
    std::vector<std::int64_t> chosen_;
    std::vector<Reference> made_;
};

}  // namespace carat::verify
