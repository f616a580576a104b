#include "lab/study/compositions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <carat/carat.hpp>

#include "lab/workload/workload.hpp"

namespace carat::study {

namespace {

using values = std::vector<float>;

// A prepared product of a layer.
class product {
  public:
    product(const rows::implementation& by, const core::problem& p, int threads) {
        core::settings how;
        how.threads = by.threaded ? threads : 1;
        if (const std::string why = rows::reason_against(by, p, how); !why.empty())
            throw error(error_code::unsupported, why);
        made_ = by.prepare(p, how);
    }

    void operator()(const float* a, const float* b, float* c) { made_->run({a, b, c}); }

  private:
    std::unique_ptr<rows::runnable> made_;
};

core::problem f32_problem(std::int64_t m, std::int64_t n, std::int64_t k) {
    return core::row_major_problem(dtype::f32, m, n, k);
}

values uniform(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
    values all(static_cast<std::size_t>(rows * cols));
    workload::fill(all.data(), dtype::f32, rows, cols, core::row_major(cols),
                   workload::uniform(-1, 1), seed, workload::operand::a);
    return all;
}

std::size_t at(std::int64_t i) {
    return static_cast<std::size_t>(i);
}

// Keeps the largest difference and the largest value.
class difference {
  public:
    void add(double got, double wanted) {
        if (!std::isfinite(got)) worst_ = HUGE_VAL;
        worst_ = std::max(worst_, std::abs(got - wanted));
        largest_ = std::max(largest_, std::abs(wanted));
    }
    [[nodiscard]] double relative() const { return worst_ / largest_; }

  private:
    double worst_ = 0, largest_ = 0;
};

// y = x W^T + b, with W as frameworks store it, one row for each output.
class linear final : public composition {
  public:
    static constexpr std::int64_t batch = 32, in = 768, out = 3072;

    linear(const rows::implementation& by, int threads, std::uint64_t seed)
        : x_(uniform(batch, in, seed)),
          w_(uniform(out, in, seed + 1)),
          bias_(uniform(1, out, seed + 2)),
          y_(at(batch * out)),
          product_(by, problem(), threads) {}

    void run() override {
        product_(x_.data(), w_.data(), y_.data());
        for (std::int64_t i = 0; i < batch; ++i)
            for (std::int64_t j = 0; j < out; ++j) y_[at(i * out + j)] += bias_[at(j)];
    }

    [[nodiscard]] double worst_error() const override {
        difference d;
        for (std::int64_t i = 0; i < batch; ++i)
            for (std::int64_t j = 0; j < out; ++j) {
                double sum = bias_[at(j)];
                for (std::int64_t k = 0; k < in; ++k)
                    sum += double{x_[at(i * in + k)]} * double{w_[at(j * in + k)]};
                d.add(y_[at(i * out + j)], sum);
            }
        return d.relative();
    }

  private:
    static core::problem problem() {
        core::problem p = f32_problem(batch, out, in);
        p.b_layout = core::column_major(in);
        return p;
    }

    values x_, w_, bias_, y_;
    product product_;
};

// The products of one attention layer: three projections; then for each head the scores Q K^T and
// softmax(scores) V. Heads are columns of Q, K and V, addressed by strides.
class attention : public composition {
  public:
    static constexpr std::int64_t length = 128, width = 768, heads = 12, depth = width / heads;

    attention(const rows::implementation& by, int threads, std::uint64_t seed)
        : x_(uniform(length, width, seed)),
          y_(at(length * width)),
          project_(by, f32_problem(length, width, width), threads) {
        for (std::uint64_t i = 0; i < 3; ++i) {
            weights_[i] = uniform(width, width, seed + 1 + i);
            projected_[i].resize(at(length * width));
        }
    }

    void run() override {
        for (std::size_t i = 0; i < 3; ++i)
            project_(x_.data(), weights_[i].data(), projected_[i].data());
        run_heads(projected_[0].data(), projected_[1].data(), projected_[2].data(), y_.data());
    }

    [[nodiscard]] double worst_error() const override {
        std::vector<double> q[3];
        for (std::size_t which = 0; which < 3; ++which) q[which] = projection(which);
        difference d;
        std::vector<double> row(at(length));
        for (std::int64_t first = 0; first < width; first += depth)
            for (std::int64_t i = 0; i < length; ++i) {
                weights_of_row(q[0], q[1], first, i, row);
                for (std::int64_t c = first; c < first + depth; ++c) {
                    double sum = 0;
                    for (std::int64_t j = 0; j < length; ++j)
                        sum += row[at(j)] * q[2][at(j * width + c)];
                    d.add(y_[at(i * width + c)], sum);
                }
            }
        return d.relative();
    }

  protected:
    static constexpr double scale = 0.125;  // 1 / sqrt(64)
    static_assert(depth == 64);

    virtual void run_heads(float* q, float* k, float* v, float* y) = 0;

    static void softmax(values& scores) {
        for (auto first = scores.begin(); first != scores.end(); first += length) {
            const std::span row(first, at(length));
            const float most = *std::ranges::max_element(row);
            float sum = 0;
            for (float& s : row) sum += s = std::exp(s - most);
            for (float& s : row) s /= sum;
        }
    }

  private:
    [[nodiscard]] std::vector<double> projection(std::size_t which) const {
        std::vector<double> out(at(length * width));
        for (std::int64_t i = 0; i < length; ++i)
            for (std::int64_t k = 0; k < width; ++k)
                for (std::int64_t j = 0; j < width; ++j)
                    out[at(i * width + j)] +=
                        double{x_[at(i * width + k)]} * double{weights_[which][at(k * width + j)]};
        return out;
    }

    static void weights_of_row(const std::vector<double>& q, const std::vector<double>& k,
                               std::int64_t first, std::int64_t i, std::vector<double>& row) {
        double sum = 0;
        for (std::int64_t j = 0; j < length; ++j) {
            double score = 0;
            for (std::int64_t c = first; c < first + depth; ++c)
                score += q[at(i * width + c)] * k[at(j * width + c)];
            row[at(j)] = scale * score;
        }
        const double most = *std::ranges::max_element(row);
        for (double& s : row) sum += s = std::exp(s - most);
        for (double& s : row) s /= sum;
    }

    values x_, y_;
    values weights_[3], projected_[3];
    product project_;
};

class head_by_head final : public attention {
  public:
    head_by_head(const rows::implementation& by, int threads, std::uint64_t seed)
        : attention(by, threads, seed),
          scores_(at(length * length)),
          score_(by, score_problem(), threads),
          context_(by, context_problem(), threads) {}

  private:
    static core::problem score_problem() {
        core::problem p = f32_problem(length, length, depth);
        p.a_layout = core::row_major(width);
        p.b_layout = core::column_major(width);
        p.alpha = scale;
        return p;
    }
    static core::problem context_problem() {
        core::problem p = f32_problem(length, depth, length);
        p.b_layout = p.c_layout = core::row_major(width);
        return p;
    }

    void run_heads(float* q, float* k, float* v, float* y) override {
        for (std::int64_t first = 0; first < width; first += depth) {
            score_(q + first, k + first, scores_.data());
            softmax(scores_);
            context_(scores_.data(), v + first, y + first);
        }
    }

    values scores_;
    product score_, context_;
};

// All heads in one call of the library, which uses the engine.
class batches final : public attention {
  public:
    batches(const rows::implementation& by, int threads, std::uint64_t seed)
        : attention(by, threads, seed), on_{threads}, scores_(at(heads * length * length)) {
        if (by.name != "cpu.engine")
            throw error(error_code::unsupported, "batches are calls of the engine's own library");
    }

  private:
    static batch_view<float> heads_of(float* m) {
        return strided(matrix_view<float>(m, length, depth, width, 1), heads, depth);
    }

    void run_heads(float* q, float* k, float* v, float* y) override {
        const auto scores =
            strided(matrix_view<float>(scores_.data(), length, length), heads, length * length);
        matrix_products(on_, scaled(scale, heads_of(q)), transposed(heads_of(k)), scores);
        softmax(scores_);
        matrix_products(on_, scores, heads_of(v), heads_of(y));
    }

    cpu on_;
    values scores_;
};

// A convolution of 3 x 3 over an image of 56 x 56 with 64 channels in and out, padded by one. The
// image is stored padded with its channels innermost, so that three neighbours of a row are 192
// contiguous elements.
class convolution : public composition {
  public:
    static constexpr std::int64_t size = 56, padded = size + 2, channels = 64, window = 3;
    static constexpr std::int64_t line = window * channels;  // of weights for one row of the window

    explicit convolution(std::uint64_t seed)
        : image_(at(padded * padded * channels)),
          weights_(uniform(window * line, channels, seed + 1)) {
        const values inside = uniform(size * size, channels, seed);
        for (std::int64_t y = 0; y < size; ++y)
            std::copy_n(inside.data() + y * size * channels, size * channels,
                        image_.data() + ((y + 1) * padded + 1) * channels);
    }

    // Every 7th row of the image, whole, which shows any indexing mistake.
    [[nodiscard]] double worst_error() const override {
        difference d;
        for (std::int64_t y = 0; y < size; y += 7)
            for (std::int64_t x = 0; x < size; ++x)
                for (std::int64_t c = 0; c < channels; ++c) d.add(result(y, x, c), direct(y, x, c));
        return d.relative();
    }

  protected:
    [[nodiscard]] virtual float result(std::int64_t y, std::int64_t x, std::int64_t c) const = 0;

    // The line of input at which a row of the window starts.
    [[nodiscard]] const float* pixel(std::int64_t y, std::int64_t x) const {
        return image_.data() + (y * padded + x) * channels;
    }
    [[nodiscard]] const float* weights(std::int64_t row) const {
        return weights_.data() + row * line * channels;
    }

  private:
    [[nodiscard]] double direct(std::int64_t y, std::int64_t x, std::int64_t c) const {
        double sum = 0;
        for (std::int64_t row = 0; row < window; ++row)
            for (std::int64_t i = 0; i < line; ++i)
                sum += double{pixel(y + row, x)[i]} * double{weights(row)[i * channels + c]};
        return sum;
    }

    values image_, weights_;
};

// Copies the window of every pixel into a row of a matrix nine times the image, then one product.
class im2col final : public convolution {
  public:
    im2col(const rows::implementation& by, int threads, std::uint64_t seed)
        : convolution(seed),
          columns_(at(size * size * window * line)),
          out_(at(size * size * channels)),
          product_(by, f32_problem(size * size, channels, window * line), threads) {}

    void run() override {
        float* to = columns_.data();
        for (std::int64_t y = 0; y < size; ++y)
            for (std::int64_t x = 0; x < size; ++x)
                for (std::int64_t row = 0; row < window; ++row, to += line)
                    std::copy_n(pixel(y + row, x), line, to);
        product_(columns_.data(), weights(0), out_.data());
    }

  private:
    [[nodiscard]] float result(std::int64_t y, std::int64_t x, std::int64_t c) const override {
        return out_[at((y * size + x) * channels + c)];
    }

    values columns_, out_;
    product product_;
};

// No copy: row `x` of A is the line that starts at pixel x, so rows overlap (a row stride of 64 for
// 192 columns), and the three rows of the window are three products added up. The two padding
// pixels at the end of each image row give unused results: 3.5 % more work.
class implicit final : public convolution {
  public:
    static constexpr std::int64_t rows = size * padded - (padded - size);

    implicit(const rows::implementation& by, int threads, std::uint64_t seed)
        : convolution(seed),
          out_(at(rows * channels)),
          first_(by, problem(0), threads),
          further_(by, problem(1), threads) {}

    void run() override {
        first_(pixel(0, 0), weights(0), out_.data());
        for (std::int64_t row = 1; row < window; ++row)
            further_(pixel(row, 0), weights(row), out_.data());
    }

  private:
    static core::problem problem(double beta) {
        core::problem p = f32_problem(rows, channels, line);
        p.a_layout = core::row_major(channels);
        p.beta = beta;
        return p;
    }

    [[nodiscard]] float result(std::int64_t y, std::int64_t x, std::int64_t c) const override {
        return out_[at((y * padded + x) * channels + c)];
    }

    values out_;
    product first_, further_;
};

template <class Layer>
std::unique_ptr<composition> make(const rows::implementation& by, int threads, std::uint64_t seed) {
    return std::make_unique<Layer>(by, threads, seed);
}

constexpr double flop_of_linear = 2.0 * linear::batch * linear::out * linear::in;
constexpr double flop_of_attention =
    2.0 * attention::length * attention::width * (3.0 * attention::width + 2.0 * attention::length);
constexpr double flop_of_convolution = 2.0 * convolution::size * convolution::size *
                                       convolution::channels * convolution::window *
                                       convolution::line;

}  // namespace

std::span<const layer> layers() {
    static constexpr layer all[] = {
        {"linear layer", "", "32 x 768 to 3072, with bias", flop_of_linear, make<linear>},
        {"attention's products", "head by head", "128 x 768, 12 heads, with softmax",
         flop_of_attention, make<head_by_head>},
        {"attention's products", "batches", "128 x 768, 12 heads, with softmax", flop_of_attention,
         make<batches>},
        {"convolution", "im2col", "3 x 3, 56 x 56, 64 to 64 channels", flop_of_convolution,
         make<im2col>},
        {"convolution", "implicit", "3 x 3, 56 x 56, 64 to 64 channels", flop_of_convolution,
         make<implicit>}};
    return all;
}

}  // namespace carat::study
