#include "trials.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "calls.hpp"
#include "crash.hpp"
#include "failing_new.hpp"
#include "oracle.hpp"
#include "small_stack.hpp"

namespace carat::fuzz {

namespace {

std::vector<shape> shapes_of(const product_case& c, std::size_t product_size::*rows,
                             std::size_t product_size::*cols) {
    std::vector<shape> shapes;
    for (const product_size& s : c.sizes) shapes.push_back({s.*rows, s.*cols});
    return shapes;
}

dtype values_type(const product_case& c) {
    return c.sums() == dtype::f64 ? dtype::f64 : dtype::f32;
}

// Scales within a factor of 4, so that a missing or a wrong one is seen.
void lay_out_scales(const running& r) {
    constexpr std::size_t block = 128;
    const auto blocks = [](std::size_t count) { return (count + block - 1) / block; };
    const product_size& s = r.of.sizes[0];
    const shape shapes[] = {{s.m, blocks(s.k)}, {blocks(s.k), blocks(r.of.columns_of_b(0))}};
    for (std::size_t i = 0; i < 2; ++i) {
        operand& o = r.on.scales[i];
        o.type = dtype::f32;
        o.lay_out(r.random, grouping::one, {&shapes[i], 1}, false);
        const double size =
            r.of.whole ? 1 : std::ldexp(1, static_cast<int>(r.random.between(-8, 8)));
        for (double& x : o.values) {
            x = r.of.whole ? static_cast<double>(1 + r.random.below(2))
                           : size * r.random.uniform(0.5, 2);
            if (r.random.chance(16)) x = -x;
        }
    }
}

// Half of them become zeros, of both signs.
void sign_zeros(random_numbers& random, std::vector<double>& values) {
    for (double& x : values)
        if (x == 0 || random.chance(2)) x = random.chance(2) ? -0.0 : 0.0;
}

std::string expected_overflow(const running& r) {
    bool fits = true;
    bool bound_fits = true;
    for (std::size_t p = 0; p < r.of.sizes.size(); ++p) {
        const oracle judge(r.of, r.on, p, r.in.flushes);
        fits = fits && judge.fits();
        bound_fits = bound_fits && judge.bound_fits();
    }
    if (fits && (bound_fits || r.of.ready == prepared::none)) return "refused though it fits";
    ++r.count.refused;
    return unchanged_after_refusal(r);
}

}  // namespace

void lay_out(const running& r) {
    product_case& c = r.of;
    workbench& on = r.on;
    on.a.type = c.a_type;
    on.b.type = c.b_type;
    on.c.type = on.e.type = c.c_type;
    const bool tidy = c.group == grouping::listed && r.random.chance(2);
    for (operand* o : {&on.a, &on.b, &on.c, &on.e}) o->tidy = tidy;
    r.count.note(feature::tidy, tidy);
    on.a.for_all = c.a_for_all;
    on.b.for_all = c.b_for_all;
    on.e.for_all = c.e_for_all;
    const auto shapes = [&](auto rows, auto cols) { return shapes_of(c, rows, cols); };
    on.a.lay_out(r.random, c.group, shapes(&product_size::m, &product_size::k), false);
    std::vector<shape> of_b = shapes(&product_size::k, &product_size::n);
    for (shape& s : of_b) s.cols *= c.is_gated() ? 2u : 1u;
    on.b.lay_out(r.random, c.b_strided ? grouping::strided : c.group, of_b, false);
    on.e.lay_out(r.random, c.group, shapes(&product_size::m, &product_size::n), false);
    on.c.lay_out(r.random, c.group, shapes(&product_size::m, &product_size::n), true);
    const std::size_t depth = c.sizes[0].k;
    draw_values(r.random, c.a_numbers, c.a_type, depth, on.a.values);
    draw_values(r.random, c.b_numbers, c.b_type, depth, on.b.values);
    draw_values(r.random, c.e_numbers, c.c_type, depth, on.e.values);
    if (c.e == addend::c) draw_values(r.random, c.e_numbers, c.c_type, depth, on.c.values);
    if (c.by_blocks) lay_out_scales(r);
    std::size_t columns = c.columns_of_b(0);
    for (std::size_t i = 0; i < c.steps.size(); ++i) {
        operand& values = on.values[i];
        if (detail::is_gate(c.steps[i].kind)) columns = c.sizes[0].n;
        values.type = values_type(c);
        std::size_t count = c.steps[i].of == by::row ? c.sizes[0].m : columns;
        if (c.steps[i].kind == detail::step_kind::amax) count = 1;
        const shape one_row = {1, count};
        values.lay_out(r.random, grouping::one, {&one_row, 1}, false);
        values.all[0].col_stride = 1;
        values.measure();
        draw_values(r.random, c.whole ? numbers::whole : numbers::uniform, values.type, depth,
                    values.values);
        if (c.signed_zeros) sign_zeros(r.random, values.values);
    }
}

void place_all(const running& r) {
    const product_case& c = r.of;
    workbench& on = r.on;
    const auto place = [&](operand& o, bool is_read) {
        o.place(r.random);
        if (is_read)
            o.write_values();
        else if (!c.on_gpu)
            o.place_forbidden();
    };
    const bool reads = c.alpha() != 0 || c.ready != prepared::none;
    place(on.a, reads);
    place(on.b, reads);
    place(on.e, c.reads_e() && c.e == addend::own);
    if (c.by_blocks)
        for (operand& scales : on.scales) place(scales, reads);
    on.c.place(r.random);
    if (c.e == addend::c) on.c.write_values();
    for (std::size_t i = 0; i < c.steps.size(); ++i) {
        on.values[i].place(r.random);
        if (c.steps[i].kind != detail::step_kind::amax) on.values[i].write_values();
    }
}

outcome guarded(const std::function<void()>& work) {
    outcome o;
    o.stack_bytes = on_small_stack([&] {
        try {
            work();
            o.returned = true;
        } catch (const error& e) {
            o.code = e.code();
            o.what = e.what();
        } catch (const std::exception& e) {
            o.foreign = true;
            o.what = e.what();
        }
    });
    return o;
}

outcome call(const running& r, const prepared_matrix* ready) {
    return guarded([&] { make_call(r.of, r.on, ready); });
}

std::string changed_inputs(const running& r) {
    const auto changed = [](const operand& o, const char* name) {
        const std::string what = o.changed();
        return what.empty() ? what : std::string(name) + ": " + what;
    };
    if (std::string what = changed(r.on.a, "A"); !what.empty()) return what;
    if (std::string what = changed(r.on.b, "B"); !what.empty()) return what;
    if (std::string what = changed(r.on.e, "E"); !what.empty()) return what;
    if (r.of.by_blocks)
        for (const operand& scales : r.on.scales)
            if (std::string what = changed(scales, "the scales"); !what.empty()) return what;
    for (std::size_t i = 0; i < r.of.steps.size(); ++i)
        if (std::string what = changed(r.on.values[i], "the values"); !what.empty()) return what;
    return {};
}

std::string unchanged_after_refusal(const running& r) {
    if (std::string what = r.on.c.changed(); !what.empty()) return "refused, but C: " + what;
    return changed_inputs(r);
}

std::string check_result(const running& r, const outcome& o, bool ready) {
    const product_case& c = r.of;
    r.count.most_stack = std::max<std::uint64_t>(r.count.most_stack, o.stack_bytes);
    if (o.stack_bytes > promised_stack_bytes)
        return "took " + std::to_string(o.stack_bytes) + " bytes of stack";
    if (o.foreign) return "threw what is no carat::error: " + o.what;
    if (!o.returned && o.code == error_code::overflow && is_integer(c.a_type))
        return expected_overflow(r);
    if (c.f16_sums && (!r.in.has_f16_sums || ready)) {
        ++r.count.refused;
        const bool refused = !o.returned && (o.code == error_code::unsupported ||
                                             o.code == error_code::invalid_argument);
        if (!refused && c.sizes[0].m != 0 && c.sizes[0].n != 0)
            return "sums of f16 were not refused";
        return refused ? unchanged_after_refusal(r) : std::string();
    }
    if (!o.returned) return "refused: " + o.what;
    for (std::size_t p = 0; p < c.sizes.size(); ++p) {
        const oracle judge(c, r.on, p, r.in.flushes);
        if (is_integer(c.a_type) && !judge.fits()) return "an overflow was not refused";
        std::size_t excused = 0;
        const std::string wrong = judge.check(r.on.c.read(r.on.c.of(p)), excused);
        r.count.entries += c.sizes[p].m * c.sizes[p].n;
        r.count.excused += excused;
        if (!wrong.empty()) return wrong;
    }
    return {};
}

std::string try_ordinary(const running& r) {
    place_all(r);
    prepared_matrix packed;
    const bool ready = r.of.ready != prepared::none;
    if (ready) {
        const outcome o = guarded([&] { packed = prepare_operand(r.of, r.on); });
        if (!o.returned) return "prepare: " + o.what;
    }
    const outcome o = call(r, ready ? &packed : nullptr);
    if (std::string wrong = check_result(r, o, ready); !wrong.empty()) return wrong;
    if (!o.returned) return {};
    const std::vector<std::byte> bits = r.on.c.bits();
    if (r.random.chance(12)) {
        if (std::string wrong = check_plants(r); !wrong.empty()) return wrong;
    }
    r.on.c.restore_elements();
    if (std::string wrong = r.on.c.changed(); !wrong.empty()) return "around C: " + wrong;
    if (std::string wrong = changed_inputs(r); !wrong.empty()) return wrong;
    return r.random.chance(3) ? check_repeats(r, bits) : std::string();
}

std::string in_threads(const running& r, std::size_t threads, const one_case& run) {
    constexpr std::uint64_t cases = 8;
    std::vector<std::string> wrong(threads);
    std::vector<tally> counts(threads);
    std::vector<std::thread> all;
    for (std::size_t t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
            const crash_stack here;
            for (std::uint64_t i = 0; i < cases && wrong[t].empty(); ++i)
                wrong[t] = run(t, r.of.number * 64 + t * cases + i, counts[t]);
        });
    for (std::thread& thread : all) thread.join();
    for (const tally& count : counts) r.count.add(count);
    const auto first = std::ranges::find_if(wrong, [](const auto& w) { return !w.empty(); });
    return first == wrong.end() ? std::string() : *first;
}

std::string try_many_threads(const running& r, std::uint64_t seed) {
    return in_threads(r, 4, [&](std::size_t, std::uint64_t number, tally& count) {
        return run_product_case(~seed, number, r.in, count);
    });
}

}  // namespace carat::fuzz
