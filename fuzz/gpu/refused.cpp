#include "refused.hpp"

#include <optional>
#include <vector>

#include "fuzz/bad_arguments.hpp"

namespace carat::fuzz {

namespace {

// The address of some element as the call gets it, or up to `alignment` bytes below.
std::byte* place_in(const running& r, const operand& o, std::size_t product,
                    std::size_t alignment) {
    const matrix_place& m = o.of(product);
    const std::size_t i = r.random.below(m.rows);
    const std::size_t j = r.random.below(m.cols);
    std::byte* const at = o.element(m, i, j) + o.to_copy();
    return at - reinterpret_cast<std::uintptr_t>(at) % alignment;
}

bool reads_values(detail::step_kind kind) {
    return kind == detail::step_kind::bias || kind == detail::step_kind::scale;
}

// Products that have elements and are read whatever the factors are.
std::vector<const operand*> operands_of(const running& r, std::size_t product) {
    workbench& on = r.on;
    std::vector<const operand*> all = {&on.a, &on.b};
    if (r.of.e == addend::own) all.push_back(&on.e);
    for (std::size_t i = 0; r.of.by_blocks && i < 2; ++i) all.push_back(&on.scales[i]);
    std::erase_if(all, [&](const operand* o) { return o->of(product).size() == 0; });
    return all;
}

// The amax would be written over an operand, C, or what another step reads.
std::optional<fault> largest_in_an_operand(const running& r) {
    const std::size_t step = r.of.place_of_largest();
    if (step == r.of.steps.size()) return {};
    const std::size_t product = r.random.below(r.of.sizes.size());
    std::vector<const operand*> all = operands_of(r, product);
    if (r.on.c.of(product).size() != 0) all.push_back(&r.on.c);
    for (std::size_t i = 0; i < r.of.steps.size(); ++i)
        if (reads_values(r.of.steps[i].kind) && r.on.values[i].all[0].size() != 0)
            all.push_back(&r.on.values[i]);
    if (all.empty()) return {};
    const operand& victim = *all[r.random.below(all.size())];
    operand& largest = r.on.values[step];
    largest.told_at(
        place_in(r, victim, victim.all.size() > 1 ? product : 0, size_bytes(largest.type)));
    return fault{error_code::aliasing, "the largest number in an operand's memory"};
}

std::optional<fault> result_in_an_operand(const running& r) {
    if (r.of.e == addend::c || r.on.c.all[0].size() == 0) return {};
    const operand& victim = r.random.chance(2) ? r.on.a : r.on.b;
    if (victim.all[0].size() == 0) return {};
    r.on.c.told_at(place_in(r, victim, 0, size_bytes(r.on.c.type)));
    return fault{error_code::aliasing, "C in an operand's memory"};
}

// GPUs whose driver lets them read all host memory rightly accept it.
bool reads_host_memory() {
    static const bool reads = [] {
        int is_so = 0;
        must(cudaDeviceGetAttribute(&is_so, cudaDevAttrPageableMemoryAccess, 0), "an attribute");
        return is_so != 0;
    }();
    return reads;
}

// Memory where a GPU's never was: freed memory may later be mapped for the host.
std::byte* memory_of_the_host() {
    alignas(64) static std::byte memory[256];
    return memory;
}

// The distance from one element to an address within another.
std::ptrdiff_t elements_between(const std::byte* from, dtype type) {
    const auto bytes = static_cast<std::ptrdiff_t>(size_bytes(type));
    const auto apart = reinterpret_cast<std::intptr_t>(memory_of_the_host() + 64) -
                       reinterpret_cast<std::intptr_t>(from);
    return apart / bytes;
}

// The matrix of one product, or all of them.
void tell_host_address(operand& o, const running& r, std::size_t product) {
    const bool strided = r.of.group == grouping::strided || (r.of.b_strided && &o == &r.on.b);
    if (o.all.size() > 1 && !strided)
        o.all[product].first += elements_between(o.data(o.all[product]), o.type);
    else
        o.told_at(memory_of_the_host());
}

// Places what is read or written in the host's memory.
std::optional<fault> operand_on_the_host(const running& r) {
    const product_case& c = r.of;
    const std::size_t product = r.random.below(c.sizes.size());
    const product_size& s = c.sizes[product];
    if (reads_host_memory() || s.m * s.n == 0) return {};
    std::vector<operand*> all = {&r.on.c};
    if (c.alpha() != 0 && s.k != 0) {
        all.push_back(&r.on.a);
        all.push_back(&r.on.b);
        for (std::size_t i = 0; c.by_blocks && i < 2; ++i) all.push_back(&r.on.scales[i]);
    }
    if (c.e == addend::own && c.reads_e()) all.push_back(&r.on.e);
    for (std::size_t i = 0; i < c.steps.size(); ++i)
        if (reads_values(c.steps[i].kind) || c.steps[i].kind == detail::step_kind::amax)
            all.push_back(&r.on.values[i]);
    operand& moved = *all[r.random.below(all.size())];
    tell_host_address(moved, r, product);
    return fault{error_code::invalid_argument, "an operand in the host's memory"};
}

std::optional<fault> spoil(const running& r) {
    if (r.of.how == trial::aliased)
        return r.of.place_of_largest() < r.of.steps.size() ? largest_in_an_operand(r)
                                                           : result_in_an_operand(r);
    return r.random.chance(2) ? operand_on_the_host(r) : spoil_argument(r);
}

}  // namespace

std::string try_refused(const gpu_running& g) {
    const running& r = g.r;
    place_all(r);
    upload(g);
    // Waits before another case takes that memory on another stream.
    must(cudaStreamSynchronize(r.of.stream), "upload");
    const std::optional<fault> expected = spoil(r);
    if (!expected) return {};
    const outcome o = start_all(g);
    try {
        download(g);
    } catch (const std::runtime_error& e) {
        throw std::runtime_error(std::string(expected->what) + (o.returned ? ", taken: " : ": ") +
                                 e.what());
    }
    if (is_want_of_memory(g, o)) return {};
    if (std::string wrong = not_refused(o, *expected); !wrong.empty()) return wrong;
    r.count.note(feature::refused);
    ++r.count.refused;
    return unchanged_after_refusal(r);
}

}  // namespace carat::fuzz
