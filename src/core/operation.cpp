#include "core/operation.hpp"

#include <array>
#include <charconv>
#include <type_traits>

#include "core/dtype_traits.hpp"

namespace carat::core {

namespace {

// Lines are rows or columns, whichever are contiguous.
bool is_by_rows(std::int64_t cols, const layout& where) {
    return where.col_stride == 1 && where.row_stride >= cols;
}

std::int64_t distance(std::int64_t rows, std::int64_t cols, const layout& where) {
    return is_by_rows(cols, where) ? checked_product(rows, where.row_stride, "batch stride")
                                   : checked_product(cols, where.col_stride, "batch stride");
}

whole_matrix whole(const operation& all, std::int64_t rows, std::int64_t cols,
                   const layout& where) {
    if (is_by_rows(cols, where)) return {checked_product(rows, all.count, "batch"), cols, where};
    return {rows, checked_product(cols, all.count, "batch"), where};
}

template <class T>
T* moved(T* data, dtype type, std::int64_t elements) {
    using byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
    if (data == nullptr) return nullptr;
    return static_cast<T*>(static_cast<byte*>(data) +
                           elements * static_cast<std::int64_t>(size_bytes(type)));
}

class loop final : public runnable {
  public:
    loop(std::unique_ptr<runnable> one, const operation& all)
        : one_(std::move(one)), all_(all), apart_(distances_of(all)) {}

    void run(const operands& data) override {
        for (std::int64_t i = 0; i < all_.count; ++i)
            one_->run(product_at(all_, apart_, data, shuffled(all_, i)));
    }
    [[nodiscard]] int threads() const override { return one_->threads(); }
    [[nodiscard]] std::string note() const override {
        const std::string own = one_->note();
        return std::string("a call for each product of the batch") + (own.empty() ? "" : "; ") +
               own;
    }
    [[nodiscard]] plan_facts planned() const override { return one_->planned(); }
    [[nodiscard]] std::vector<kernel_facts> kernels() const override { return one_->kernels(); }

  private:
    std::unique_ptr<runnable> one_;
    operation all_;
    distances apart_;
};

}  // namespace

std::string shortest(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

std::string describe(const epilogue& last) {
    std::string text = last.bias ? "bias" : "";
    if (last.f == activation::none) return text;
    return text + (last.bias ? "+" : "") + std::string(name(last.f));
}

std::optional<epilogue> find_epilogue(std::string_view text) {
    for (const bool bias : {false, true})
        for (const auto f :
             {activation::none, activation::relu, activation::gelu, activation::silu})
            if (const epilogue last{bias, f}; !last.is_none() && describe(last) == text)
                return last;
    return std::nullopt;
}

dtype bias_type_of(const operation& all) {
    return epilogue_type_of(all.one.a_type);
}

dtype stored_bias_type_of(const operation& all) {
    return is_fp8(all.one.a_type) && all.one.c_type == dtype::f32 ? dtype::bf16 : all.one.c_type;
}

namespace {

// So that the second one begins as memory of its own would.
std::int64_t first_bias_bytes(const operation& all) {
    constexpr std::int64_t unit = 256;
    return (checked_bytes(bias_type_of(all), all.one.n, "bias bytes") + unit - 1) / unit * unit;
}

}  // namespace

std::int64_t bias_bytes(const operation& all) {
    if (!all.last.bias) return 0;
    return first_bias_bytes(all) + checked_bytes(stored_bias_type_of(all), all.one.n, "bias bytes");
}

const void* stored_bias(const operation& all, const void* bias) {
    return static_cast<const std::byte*>(bias) + first_bias_bytes(all);
}

detail::epilogue_steps steps_of(const operation& all, const void* bias) {
    using detail::step_kind;
    constexpr step_kind kinds[] = {step_kind::relu, step_kind::relu, step_kind::gelu,
                                   step_kind::silu};
    detail::epilogue_steps steps;
    if (all.last.bias)
        steps.at[steps.count++] = {
            .kind = step_kind::bias, .values = bias, .count = static_cast<std::size_t>(all.one.n)};
    if (all.last.f != activation::none)
        steps.at[steps.count++] = {.kind = kinds[static_cast<std::size_t>(all.last.f)]};
    return steps;
}

std::string reason_against_epilogue(const operation& all) {
    return all.last.is_none() ? std::string() : "it has no epilogues";
}

std::string reason_against_loop(const operation& all) {
    return all.last.is_none() ? std::string()
                              : "loop=1 calls for single products, which have no epilogue here";
}

std::string describe(const call& asked) {
    std::string text;
    const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
    if (asked.batch > 1)
        add("batch " + std::to_string(asked.batch) +
            (asked.lies == placement::pointers ? " by pointers" : ""));
    if (asked.alpha != 1) add("alpha " + shortest(asked.alpha));
    if (asked.beta != 0) add("beta " + shortest(asked.beta));
    if (!asked.last.is_none()) add(describe(asked.last));
    if (asked.out) add("into " + std::string(carat::name(*asked.out)));
    return text;
}

std::string sized(const call& asked, std::int64_t m, std::int64_t n, std::int64_t k) {
    const std::string size = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
    return asked.batch == 1 ? size : std::to_string(asked.batch) + " x " + size;
}

operation operation_of(problem p, const call& asked) {
    p.alpha = asked.alpha;
    p.beta = asked.beta;
    if (asked.out) p.c_type = *asked.out;
    operation all(p, asked.batch, asked.lies);
    all.last = asked.last;
    return all;
}

distances distances_of(const operation& all) {
    const problem& p = all.one;
    return {distance(p.m, p.k, p.a_layout), distance(p.k, p.n, p.b_layout),
            distance(p.m, p.n, p.c_layout)};
}

operands product_at(const operation& all, const operands& data, std::int64_t i) {
    return product_at(all, distances_of(all), data, i);
}

operands product_at(const operation& all, const distances& apart, const operands& data,
                    std::int64_t i) {
    const problem& p = all.one;
    operands of = data;
    of.a = moved(data.a, p.a_type, i * apart.a);
    of.b = moved(data.b, p.b_type, i * apart.b);
    of.c = moved(data.c, p.c_type, i * apart.c);
    of.e = moved(data.e, p.c_type, i * apart.c);
    return of;
}

// From both ends by turns: no two neighbours are at one distance.
std::int64_t shuffled(const operation& all, std::int64_t i) {
    if (all.lies == placement::strided) return i;
    return i % 2 == 0 ? i / 2 : all.count - 1 - i / 2;
}

whole_matrix whole_a(const operation& all) {
    return whole(all, all.one.m, all.one.k, all.one.a_layout);
}
whole_matrix whole_b(const operation& all) {
    return whole(all, all.one.k, all.one.n, all.one.b_layout);
}
whole_matrix whole_c(const operation& all) {
    return whole(all, all.one.m, all.one.n, all.one.c_layout);
}

problem problem_of_whole_c(const operation& all) {
    problem p = all.one;
    const whole_matrix c = whole_c(all);
    p.m = c.rows;
    p.n = c.cols;
    return p;
}

double multiply_adds(const operation& all) {
    const problem& p = all.one;
    return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
           static_cast<double>(all.count);
}

std::string reason_against(const implementation& entry, const operation& all, const settings& s) {
    if (std::string why = reason_against(entry, all.one, s); !why.empty()) return why;
    if (all.is_plain()) return {};
    if (!all.last.is_none() && !is_floating(all.one.c_type))
        return "epilogues are of floating-point numbers, and C is " +
               std::string(carat::name(all.one.c_type));
    if (entry.prepare_operation == nullptr)
        return all.last.is_none() ? "it has no batches" : reason_against_epilogue(all);
    return entry.unsupported_operation == nullptr ? std::string()
                                                  : entry.unsupported_operation(all, s);
}

std::unique_ptr<runnable> prepare(const implementation& entry, const operation& all,
                                  const settings& s) {
    return all.is_plain() ? entry.prepare(all.one, s) : entry.prepare_operation(all, s);
}

std::unique_ptr<runnable> loop_over(std::unique_ptr<runnable> one, const operation& all) {
    return std::make_unique<loop>(std::move(one), all);
}

}  // namespace carat::core
