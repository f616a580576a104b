#include "lab/rows/operation.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <type_traits>

#include "core/dtype_traits.hpp"
#include "lab/rows/group_sizes.hpp"

namespace carat::rows {

namespace {

// Lines are rows or columns, whichever are contiguous.
bool is_by_rows(std::int64_t cols, const core::layout& where) {
    return where.col_stride == 1 && where.row_stride >= cols;
}

std::int64_t distance(std::int64_t rows, std::int64_t cols, const core::layout& where) {
    return is_by_rows(cols, where) ? core::checked_product(rows, where.row_stride, "batch stride")
                                   : core::checked_product(cols, where.col_stride, "batch stride");
}

whole_matrix whole(std::int64_t count, std::int64_t rows, std::int64_t cols,
                   const core::layout& where) {
    if (is_by_rows(cols, where)) return {core::checked_product(rows, count, "batch"), cols, where};
    return {rows, core::checked_product(cols, count, "batch"), where};
}

// The rows of a group lie in one matrix.
std::int64_t matrices_with_rows(const operation& all) {
    return all.is_group() ? 1 : all.count;
}

template <class T>
T* moved(T* data, dtype type, std::int64_t elements) {
    using byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
    if (data == nullptr) return nullptr;
    return static_cast<T*>(static_cast<byte*>(data) +
                           elements * static_cast<std::int64_t>(size_bytes(type)));
}

using make_product = std::function<std::unique_ptr<runnable>(const core::problem&)>;

// Facts are those of the largest product.
class loop final : public runnable {
  public:
    loop(const make_product& make, const operation& all) : all_(all), apart_(distances_of(all)) {
        for (std::int64_t i = 0; i < all.count; ++i) {
            const core::problem p = problem_of(all, i);
            auto& one = by_rows_[p.m];
            if (p.m != 0 && one == nullptr) one = make(p);
            each_.push_back(one.get());
        }
        largest_ = by_rows_.at(largest_of(all).m).get();
    }

    void run(const core::operands& data) override {
        for (std::int64_t i = 0; i < all_.count; ++i) {
            const std::int64_t at = shuffled(all_, i);
            if (runnable* const one = each_[static_cast<std::size_t>(at)]; one != nullptr)
                one->run(product_at(all_, apart_, data, at));
        }
    }
    [[nodiscard]] int threads() const override { return largest_->threads(); }
    [[nodiscard]] std::string note() const override {
        const std::string own = largest_->note();
        return std::string("a call for each product of the ") +
               (all_.is_group() ? "group" : "batch") + (own.empty() ? "" : "; ") + own;
    }
    [[nodiscard]] core::plan_facts planned() const override { return largest_->planned(); }
    [[nodiscard]] std::vector<core::kernel_facts> kernels() const override {
        return largest_->kernels();
    }

  private:
    operation all_;
    distances apart_;
    std::map<std::int64_t, std::unique_ptr<runnable>> by_rows_;
    std::vector<runnable*> each_;  // null: it has no rows
    runnable* largest_;
};

}  // namespace

std::string shortest(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

std::optional<placement> find_placement(std::string_view text) {
    for (const placement p : {placement::strided, placement::pointers, placement::listed})
        if (text == name(p)) return p;
    return std::nullopt;
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
    return core::epilogue_type_of(all.one.a_type);
}

dtype stored_bias_type_of(const operation& all) {
    return is_fp8(all.one.a_type) && all.one.c_type == dtype::f32 ? dtype::bf16 : all.one.c_type;
}

namespace {

// Aligns the second part like separate memory.
std::int64_t first_bias_bytes(const operation& all) {
    constexpr std::int64_t unit = 256;
    return (core::checked_bytes(bias_type_of(all), all.one.n, "bias bytes") + unit - 1) / unit *
           unit;
}

}  // namespace

std::int64_t bias_bytes(const operation& all) {
    if (!all.last.bias) return 0;
    return first_bias_bytes(all) +
           core::checked_bytes(stored_bias_type_of(all), all.one.n, "bias bytes");
}

const void* stored_bias(const operation& all, const void* bias) {
    return static_cast<const std::byte*>(bias) + first_bias_bytes(all);
}

core::operands with_read_c(const operation& all, core::operands data) {
    if (all.other_e) data.c = const_cast<void*>(data.e);  // NOLINT: products only read it
    return data;
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
    if (all.other_e) return "loop=1 calls for single products, which add beta C in place here";
    return all.last.is_none() ? std::string()
                              : "loop=1 calls for single products, which have no epilogue here";
}

std::string describe(const call& asked) {
    std::string text;
    const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
    if (asked.batch > 1)
        add("batch " + std::to_string(asked.batch) +
            (asked.lies == placement::pointers ? " by pointers"
             : asked.lies == placement::listed ? " in a list"
                                               : ""));
    if (!asked.groups.empty()) add("groups " + asked.groups);
    if (asked.alpha != 1) add("alpha " + shortest(asked.alpha));
    if (asked.beta != 0) add("beta " + shortest(asked.beta));
    if (asked.other_e) add("E other than C");
    if (asked.block_scales) add("scales of blocks");
    if (!asked.last.is_none()) add(describe(asked.last));
    if (asked.prepared) add("B prepared");
    if (asked.out) add("into " + std::string(carat::name(*asked.out)));
    return text;
}

std::string sized(const call& asked, std::int64_t m, std::int64_t n, std::int64_t k) {
    const std::string size = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
    if (!asked.groups.empty())
        return std::to_string(rows_of_groups(asked.groups).size()) + " groups, " + size;
    return asked.batch == 1 ? size : std::to_string(asked.batch) + " x " + size;
}

operation operation_of(core::problem p, const call& asked) {
    p.alpha = asked.alpha;
    p.beta = asked.beta;
    if (asked.out) p.c_type = *asked.out;
    operation all(p, asked.batch, asked.lies);
    all.last = asked.last;
    all.prepared = asked.prepared;
    all.other_e = asked.other_e;
    all.block_scales = asked.block_scales;
    if (asked.groups.empty()) return all;
    all.rows = rows_of_groups(asked.groups);
    all.sizes_on_device = are_sizes_on_device(asked.groups);
    all.one.m = sum_of(all.rows);
    all.count = static_cast<std::int64_t>(all.rows.size());
    return all;
}

core::problem problem_of(const operation& all, std::int64_t i) {
    core::problem p = all.one;
    if (all.is_group()) p.m = all.rows[static_cast<std::size_t>(i)];
    return p;
}

core::problem largest_of(const operation& all) {
    core::problem p = all.one;
    if (all.is_group()) p.m = *std::ranges::max_element(all.rows);
    return p;
}

distances distances_of(const operation& all) {
    const core::problem& p = all.one;
    const std::int64_t b = distance(p.k, p.n, p.b_layout);
    if (!all.is_group()) return {distance(p.m, p.k, p.a_layout), b, distance(p.m, p.n, p.c_layout)};
    distances apart{p.a_layout.row_stride, b, p.c_layout.row_stride};
    std::int64_t first = 0;
    for (const std::int64_t rows : all.rows) {
        apart.first_rows.push_back(first);
        first += rows;
    }
    return apart;
}

core::operands product_at(const operation& all, const core::operands& data, std::int64_t i) {
    return product_at(all, distances_of(all), data, i);
}

core::operands product_at(const operation& all, const distances& apart, const core::operands& data,
                          std::int64_t i) {
    const core::problem& p = all.one;
    const std::int64_t steps = all.is_group() ? apart.first_rows[static_cast<std::size_t>(i)] : i;
    core::operands of = data;
    of.a = moved(data.a, p.a_type, steps * apart.a);
    of.b = moved(data.b, p.b_type, i * apart.b);
    of.c = moved(data.c, p.c_type, steps * apart.c);
    of.e = moved(data.e, p.c_type, steps * apart.c);
    return of;
}

// Takes products from both ends in turn, so that no two neighbours have the same distance.
std::int64_t shuffled(const operation& all, std::int64_t i) {
    if (all.lies == placement::strided) return i;
    return i % 2 == 0 ? i / 2 : all.count - 1 - i / 2;
}

whole_matrix whole_a(const operation& all) {
    return whole(matrices_with_rows(all), all.one.m, all.one.k, all.one.a_layout);
}
whole_matrix whole_b(const operation& all) {
    return whole(all.count, all.one.k, all.one.n, all.one.b_layout);
}
whole_matrix whole_c(const operation& all) {
    return whole(matrices_with_rows(all), all.one.m, all.one.n, all.one.c_layout);
}

core::problem problem_of_whole_c(const operation& all) {
    core::problem p = all.one;
    const whole_matrix c = whole_c(all);
    p.m = c.rows;
    p.n = c.cols;
    return p;
}

double multiply_adds(const operation& all) {
    const core::problem& p = all.one;
    return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
           static_cast<double>(matrices_with_rows(all));
}

// A product without rows reads no B.
elements elements_of(const operation& all) {
    const core::problem& p = all.one;
    const auto m = static_cast<double>(p.m) * static_cast<double>(matrices_with_rows(all));
    const auto n = static_cast<double>(p.n);
    const auto k = static_cast<double>(p.k);
    const auto idle = static_cast<double>(std::ranges::count(all.rows, 0));
    return {m * k, (static_cast<double>(all.count) - idle) * k * n, m * n};
}

std::string reason_against(const implementation& entry, const operation& all,
                           const core::settings& s) {
    if (std::string why = reason_against(entry, all.one, s); !why.empty()) return why;
    if (all.is_plain()) return {};
    if (!all.last.is_none() && !is_floating(all.one.c_type))
        return "epilogues are of floating-point numbers, and C is " +
               std::string(carat::name(all.one.c_type));
    if (entry.prepare_operation == nullptr && !all.last.is_none())
        return reason_against_epilogue(all);
    if (all.other_e && !entry.takes_other_e) return "it adds beta C in place, and no other E";
    if (all.block_scales && !entry.takes_block_scales) return "it has no scales of blocks";
    if (all.prepared && !entry.takes_prepared) return "it has no prepared operands";
    if (all.is_listed() && !entry.takes_groups) return "it has no groups of products";
    if (entry.prepare_operation == nullptr) return "it has no batches";
    return entry.unsupported_operation == nullptr ? std::string()
                                                  : entry.unsupported_operation(all, s);
}

std::unique_ptr<runnable> prepare(const implementation& entry, const operation& all,
                                  const core::settings& s) {
    return all.is_plain() ? entry.prepare(all.one, s) : entry.prepare_operation(all, s);
}

std::unique_ptr<runnable> loop_over(const make_product& make, const operation& all) {
    return std::make_unique<loop>(make, all);
}

}  // namespace carat::rows
