// Converts the keywords of a call to carat's policy and epilogue.
#pragma once

#include <array>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <vector>

#include <carat/epilogue.hpp>
#include <carat/policy.hpp>

#include "array.hpp"

namespace carat::python {

namespace nb = nanobind;

// The keywords of all calls; None if absent.
struct keywords {
    nb::handle out;
    nb::handle bias;
    nb::handle activation;
    nb::handle scale;
    nb::handle accuracy;
    nb::handle dtype;
    nb::handle stream;
    nb::handle threads;
    nb::handle ends = {};  // of matmul_grouped
};

// Scale, then bias, then activation. Holds the values in the type of the sums.
class epilogue {
  public:
    // Throws ValueError for steps that carat lacks, and for values that fit no C of `rows` x
    // `cols`.
    epilogue(const keywords& asked, carat::dtype sums, std::int64_t rows, std::int64_t cols,
             bool on_gpu);

    // Null if there are no steps.
    [[nodiscard]] const detail::epilogue_steps* steps() const {
        return steps_.count == 0 ? nullptr : &steps_;
    }
    [[nodiscard]] bool by_rows() const { return by_rows_; }

  private:
    void add_values(nb::handle values, const char* argument, detail::step_kind kind,
                    std::int64_t rows, std::int64_t cols);
    template <class T>
    const void* values_at(const foreign_array& from, std::size_t axis, const char* argument,
                          std::vector<T>& copy) const;

    detail::epilogue_steps steps_;
    bool of_doubles_;
    bool on_gpu_;
    bool by_rows_ = false;
    std::array<std::vector<double>, 2> doubles_;  // of the scale and the bias
    std::array<std::vector<float>, 2> floats_;
};

// Throws ValueError if sums would be rounded to bytes without an epilogue.
void check_end(const keywords& asked, carat::dtype result);

[[nodiscard]] inline bool has_epilogue(const keywords& asked) {
    return !asked.bias.is_none() || !asked.activation.is_none() || !asked.scale.is_none();
}

// Whether only the product itself is requested.
[[nodiscard]] bool is_plain(const keywords& asked);

// The CPU policy for operands of that type.
[[nodiscard]] cpu on_cpu(const keywords& asked, carat::dtype type);
// Uses the requested stream, or the current one of the library that made `like`.
[[nodiscard]] cuda on_gpu(const keywords& asked, carat::dtype type, nb::handle like, int device);

}  // namespace carat::python
