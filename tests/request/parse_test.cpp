// The small languages of the command line, and what each mistake is answered with.
#include <gtest/gtest.h>

#include <carat/error.hpp>

#include "lab/request/cases.hpp"
#include "lab/request/epilogue_names.hpp"
#include "lab/request/request.hpp"
#include "tests/support/refusal.hpp"

namespace {

using namespace carat;
using request::parse_shapes;
using request::shape;
using test::refusal_of;

std::string size_message(const char* text) {
    return refusal_of([&] { (void)parse_shapes(text); });
}

constexpr core::signature f64_only[] = {{dtype::f64, dtype::f64, dtype::f64, "f64"}};
constexpr core::tunable tile[] = {{"tile-size", 64, 1, 4096, "edge"}};
const rows::implementation tiled{
    .name = "cpu.ladder.tiled", .summary = "", .signatures = f64_only, .tunables = tile};
const rows::implementation blas{.name = "vendor.blas", .summary = "", .signatures = f64_only};
const rows::implementation* const rows[] = {&tiled, &blas};
const rows::implementation cublas{
    .name = "vendor.cublas", .summary = "", .where = rows::device::cuda, .signatures = f64_only};
const rows::implementation* const gpu_rows[] = {&cublas};
const rows::catalogue all({rows::table(rows)});

TEST(sizes, squares_rectangles_ranges_and_lists) {
    EXPECT_EQ(parse_shapes("256"), (std::vector<shape>{{256, 256, 256}}));
    EXPECT_EQ(parse_shapes("1000x500x64"), (std::vector<shape>{{1000, 500, 64}}));
    EXPECT_EQ(parse_shapes("100:300:100"),
              (std::vector<shape>{{100, 100, 100}, {200, 200, 200}, {300, 300, 300}}));
    EXPECT_EQ(parse_shapes("8:40:x2,5").size(), 4u);
    EXPECT_EQ(parse_shapes("8:40:x2,5").back(), (shape{5, 5, 5}));
}

TEST(sizes, mistakes_name_themselves) {
    EXPECT_NE(size_message("0").find("'0' must be 1 or more"), std::string::npos);
    EXPECT_NE(size_message("-4").find("'-4' must be 1 or more"), std::string::npos);
    EXPECT_NE(size_message("99999999999999999999").find("64 bits"), std::string::npos);
    EXPECT_NE(size_message("9000000000000000000").find("does not fit"), std::string::npos);
    EXPECT_NE(size_message("12abc").find("not a whole number"), std::string::npos);
    EXPECT_NE(size_message("1x2").find("none of N, MxNxK"), std::string::npos);
    EXPECT_NE(size_message("300:100:100").find("is empty"), std::string::npos);
    EXPECT_NE(size_message("1:9:0").find("never reaches"), std::string::npos);
    EXPECT_NE(size_message("1:9:x1").find("never reaches"), std::string::npos);
    EXPECT_NE(size_message("1:100000:1").find("more than 10000"), std::string::npos);
    EXPECT_NE(size_message("").find("not a whole number"), std::string::npos);
}

TEST(selections, names_groups_and_tunables) {
    const auto two = request::parse_selection(all, "tiled[tile-size=32],vendor.*");
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(two[0].tunables.at("tile-size"), 32);
    EXPECT_TRUE(two[0].asked_for);
    EXPECT_EQ(two[1].entry, &blas);
    EXPECT_FALSE(two[1].asked_for);
    EXPECT_EQ(request::parse_selection(all, "all").size(), 2u);
}

TEST(sizes, of_one_product_are_numbers_and_mistakes_name_the_option) {
    EXPECT_EQ(request::parse_product("4", "5", "6"), (shape{4, 5, 6}));
    const auto say = [](const char* m, const char* n, const char* k) {
        return refusal_of([&] { (void)request::parse_product(m, n, k); });
    };
    for (const char* several : {"8,16", "8:32:x2", "8x8"}) {
        EXPECT_NE(say(several, "16", "16").find("--m '" + std::string(several) + "'"),
                  std::string::npos);
        EXPECT_NE(say("16", several, "16").find("--n"), std::string::npos);
        EXPECT_NE(say("16", "16", several).find("more than one size"), std::string::npos);
    }
    EXPECT_NE(say("8", "0", "8").find("--n '0' must be 1 or more"), std::string::npos);
    EXPECT_NE(say("8", "8", "").find("--k '' is not a whole number"), std::string::npos);
}

TEST(sizes, one_product_is_a_number_or_three) {
    EXPECT_EQ(request::parse_one_shape("7"), (shape{7, 7, 7}));
    EXPECT_EQ(request::parse_one_shape("4x5x6"), (shape{4, 5, 6}));
    for (const char* several : {"8,16", "8:32:x2"}) {
        const std::string said = refusal_of([&] { (void)request::parse_one_shape(several); });
        EXPECT_NE(said.find("--size '" + std::string(several) + "' is more than one size"),
                  std::string::npos)
            << said;
    }
    EXPECT_NE(refusal_of([] { (void)request::parse_one_shape("0"); }).find("1 or more"),
              std::string::npos);
}

TEST(types, have_the_names_of_c_too) {
    EXPECT_EQ(request::parse_dtypes("double,float,half,bfloat16"),
              request::parse_dtypes("f64,f32,f16,bf16"));
    EXPECT_NE(refusal_of([] { (void)request::parse_dtypes("single"); }).find("f32 (float)"),
              std::string::npos);
}

TEST(selections, all_has_one_row_for_an_engine_and_its_parts_on_request) {
    static constexpr core::signature narrower[] = {{dtype::f32, dtype::f32, dtype::f32, "tf32"}};
    const rows::implementation engine{.name = "cpu.engine", .summary = "", .signatures = f64_only};
    const rows::implementation part{
        .name = "cpu.engine.avx2", .summary = "", .signatures = f64_only};
    const rows::implementation other{
        .name = "cpu.engine.tf32", .summary = "", .signatures = narrower};
    const rows::implementation near{.name = "cpu.engineer", .summary = "", .signatures = f64_only};
    const rows::implementation* const four[] = {&engine, &part, &other, &near};
    const rows::catalogue some({rows::table(four)});
    const auto names = [&](const char* text) {
        std::vector<std::string> found;
        for (const request::selection& s : request::parse_selection(some, text))
            found.emplace_back(s.entry->name);
        return found;
    };
    using list = std::vector<std::string>;
    EXPECT_EQ(names("all"), (list{"cpu.engine", "cpu.engine.tf32", "cpu.engineer"}));
    EXPECT_EQ(names("cpu.engine.*"), (list{"cpu.engine.avx2", "cpu.engine.tf32"}));
    EXPECT_EQ(names("all,avx2").size(), 4u);
}

TEST(selections, of_a_build_have_its_name_in_theirs) {
    const request::selection of_a{&tiled, {{"tile-size", 8}}, true, "A"};
    EXPECT_EQ(request::label_of(of_a, {of_a}), "A:cpu.ladder.tiled[tile-size=8]");
}

TEST(selections, what_is_named_twice_is_chosen_once) {
    const auto twice = request::parse_selection(all, "all,tiled,cpu.ladder.*,vendor.blas");
    ASSERT_EQ(twice.size(), 2u);
    EXPECT_TRUE(twice[0].asked_for && twice[1].asked_for);
    EXPECT_EQ(request::parse_selection(all, "tiled[tile-size=8],tiled[tile-size=8]").size(), 1u);
    EXPECT_EQ(request::parse_selection(all, "tiled,tiled[tile-size=8]").size(), 2u);
}

TEST(selections, mistakes_name_themselves) {
    const auto say = [](const char* text) {
        return refusal_of([&] { (void)request::parse_selection(all, text); });
    };
    EXPECT_NE(say("tilde").find("nearest is cpu.ladder.tiled"), std::string::npos);
    EXPECT_NE(say("gpu.*").find("'gpu.'"), std::string::npos);
    EXPECT_NE(say("tiled[tile-size]").find("NAME=VALUE"), std::string::npos);
    EXPECT_NE(say("tiled[tile-size=x]").find("not a whole number"), std::string::npos);
    EXPECT_NE(say("tiled[tile-size=3").find("closing bracket"), std::string::npos);
    EXPECT_NE(say("tiled[tile-size=3,tile-size=4]").find("given twice"), std::string::npos);
}

TEST(selections, a_short_name_never_means_what_runs_on_another_device) {
    const rows::catalogue both({rows::table(rows), rows::table(gpu_rows)});
    const auto on_gpu = [&](const char* text) {
        return request::parse_selection(both, text, rows::device::cuda);
    };
    const auto say = [&](const char* text) { return refusal_of([&] { (void)on_gpu(text); }); };
    EXPECT_NE(say("tiled").find("'tiled' is cpu.ladder.tiled, which does not run on cuda"),
              std::string::npos);
    EXPECT_NE(say("tiled[tile-size=8]").find("does not run on cuda"), std::string::npos);
    EXPECT_NE(say("cpu.*").find("on cuda whose name begins with 'cpu.'"), std::string::npos);
    EXPECT_EQ(on_gpu("cpu.ladder.tiled").size(), 1u);
    EXPECT_EQ(request::parse_selection(all, "tiled", rows::device::cpu).size(), 1u);
}

TEST(selections, a_build_without_cuda_is_the_reason) {
    for (const char* text : {"tiled", "tiled[tile-size=8]", "wmma", "all", "cpu.*"})
        EXPECT_NE(refusal_of([&] {
                      (void)request::parse_selection(all, text, rows::device::cuda);
                  }).find("this build was made without CUDA"),
                  std::string::npos)
            << text;
}

TEST(types_and_threads, mistakes_name_the_choices) {
    EXPECT_EQ(request::parse_dtypes("f64,i32").size(), 2u);
    EXPECT_EQ(request::parse_dtypes("e4m3,e5m2")[1], dtype::e5m2);
    EXPECT_NE(
        refusal_of([] { (void)request::parse_dtypes("f65"); }).find("use f64 (double), f32 ("),
        std::string::npos);
    EXPECT_EQ(request::parse_threads("1,2", 2).size(), 2u);
    EXPECT_NE(refusal_of([] { (void)request::parse_threads("3", 2); }).find("1 to 2"),
              std::string::npos);
    EXPECT_NE(refusal_of([] { (void)request::parse_threads("0", 2); }).find("1 to 2"),
              std::string::npos);
}

TEST(requests, tunables_that_there_are_not_or_out_of_their_range_are_refused) {
    request::measurement r;
    r.shapes = parse_shapes("8192");
    const auto say = [&](const char* chosen) {
        r.chosen = request::parse_selection(all, chosen);
        return refusal_of([&] { request::validate(r); });
    };
    EXPECT_EQ(say("tiled[tile-size=4096],blas"), "");
    EXPECT_EQ(say("blas,tiled[tile-size=4097]"),
              "cpu.ladder.tiled: tile-size 4097 is outside 1 to 4096 (edge)");
    EXPECT_NE(say("tiled[tilesize=4]")
                  .find("no tunable 'tilesize' to set to 4, but tile-size (1 to 4096) ("),
              std::string::npos);
    EXPECT_NE(say("blas[tile-size=4]").find("no tunable 'tile-size' to set to 4, nor any other"),
              std::string::npos);
}

TEST(requests, a_tile_larger_than_every_matrix_and_too_much_memory_are_refused) {
    request::measurement r;
    r.chosen = request::parse_selection(all, "tiled[tile-size=512]");
    r.shapes = parse_shapes("256");
    EXPECT_NE(refusal_of([&] { request::validate(r); }).find("at most 256"), std::string::npos);
    r.shapes = parse_shapes("256,1024");
    EXPECT_EQ(refusal_of([&] { request::validate(r); }), "");
    // A, B and C of the second would fit in 64 bits each, but not together.
    for (const char* huge : {"10000000", "700000000"}) {
        r.shapes = parse_shapes(huge);
        EXPECT_NE(refusal_of([&] { request::validate(r); }).find("choose a smaller size"),
                  std::string::npos);
    }
}

TEST(operations, both_conventions) {
    EXPECT_EQ(
        request::operations(request::shape{10, 10, 10}, request::operation_count::multiply_add),
        2000);
    EXPECT_EQ(request::operations(request::shape{10, 10, 10}, request::operation_count::exact),
              1900);
}

TEST(layouts, are_two_letters_and_become_strides) {
    EXPECT_EQ(request::parse_storage("nt"), (request::storage{'n', 't'}));
    EXPECT_EQ(request::to_string(request::parse_storage("tn")), "tn");
    EXPECT_EQ(request::to_string(request::parse_storage("ntt+8")), "ntt+8");
    EXPECT_EQ(request::to_string(request::parse_storage("nnn+0")), "nn");
    for (const char* wrong : {"nn+", "nn+x", "nn+-1", "nn+1000001", "nn8"})
        EXPECT_NE(refusal_of([&] { (void)request::parse_storage(wrong); }), "") << wrong;
    for (const char* wrong : {"", "n", "nnnn", "NT", "nx"})
        EXPECT_NE(refusal_of([&] { (void)request::parse_storage(wrong); }).find("use nn, nt"),
                  std::string::npos)
            << wrong;
    const core::problem p = request::problem_of({{20, 30, 40}, dtype::i8, 1, {'t', 't'}});
    EXPECT_EQ(p.a_layout, core::column_major(20));
    EXPECT_EQ(p.b_layout, core::column_major(40));
    EXPECT_EQ(p.c_layout, core::row_major(30));
    const core::problem far =
        request::problem_of({{20, 30, 40}, dtype::f32, 1, request::parse_storage("ntt+5")});
    EXPECT_EQ(far.a_layout, core::row_major(45));
    EXPECT_EQ(far.b_layout, core::column_major(45));
    EXPECT_EQ(far.c_layout, core::column_major(25));
}

TEST(batches, are_a_number_and_how_they_lie) {
    const auto parsed = [](std::string_view text) {
        rows::call asked;
        request::parse_batch(text, asked);
        return asked;
    };
    EXPECT_EQ(parsed("64"), (rows::call{.batch = 64}));
    EXPECT_EQ(parsed("64:strided"), (rows::call{.batch = 64}));
    EXPECT_EQ(parsed("2:pointers"), (rows::call{.batch = 2, .lies = rows::placement::pointers}));
    EXPECT_EQ(parsed("2:listed"), (rows::call{.batch = 2, .lies = rows::placement::listed}));
    for (const char* wrong : {"0", "-1", "x", "", "1000001", "4:", "4:list", "4:strided:strided"})
        EXPECT_NE(refusal_of([&] { (void)parsed(wrong); }).find("--batch"), std::string::npos)
            << wrong;
}

TEST(groups, are_told_apart_from_batches) {
    rows::call asked;
    request::parse_groups("", asked);
    EXPECT_EQ(asked, rows::call{});
    request::parse_groups("3,2", asked);
    EXPECT_EQ(asked.groups, "3,2");
    EXPECT_EQ(request::size_of({100, 8, 9}, asked), (request::shape{5, 8, 9}));
    asked = {.batch = 2};
    EXPECT_NE(refusal_of([&] { request::parse_groups("3,2", asked); }).find("--batch"),
              std::string::npos);
}

TEST(epilogues, are_a_bias_and_an_activation) {
    EXPECT_EQ(request::parse_epilogue("bias"), (rows::epilogue{.bias = true}));
    EXPECT_EQ(request::parse_epilogue("bias+gelu"),
              (rows::epilogue{.bias = true, .f = rows::activation::gelu}));
    EXPECT_EQ(request::parse_epilogue("silu"), (rows::epilogue{.f = rows::activation::silu}));
    for (const std::string_view known : request::epilogue_names)
        EXPECT_EQ(rows::describe(request::parse_epilogue(known)), known);
    for (const char* wrong : {"", "none", "gelu+bias", "bias+", "bias+none", "tanh"})
        EXPECT_NE(refusal_of([&] { (void)request::parse_epilogue(wrong); }).find("--epilogue"),
                  std::string::npos)
            << wrong;
}

TEST(narrow_types, name_what_they_are_multiplied_with_and_into) {
    const core::problem p = request::problem_of({{2, 2, 2}, dtype::e5m2, 1, {}});
    EXPECT_EQ(p.a_type, dtype::e5m2);
    EXPECT_EQ(p.b_type, dtype::e4m3);
    EXPECT_EQ(p.c_type, dtype::f32);
    EXPECT_EQ(request::problem_of({{2, 2, 2}, dtype::i8, 1, {}}).c_type, dtype::i32);
    const core::problem mixed = request::problem_of({{2, 2, 2}, dtype::u8, 1, {}});
    EXPECT_EQ(mixed.a_type, dtype::u8);
    EXPECT_EQ(mixed.b_type, dtype::i8);
    EXPECT_EQ(mixed.c_type, dtype::i32);
    EXPECT_EQ(request::problem_of({{2, 2, 2}, dtype::f64, 1, {}}).c_type, dtype::f64);
}

}  // namespace
